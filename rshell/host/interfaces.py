"""Network interfaces, their addresses, and the neighbours on their links.

On the machine itself the kernel is asked (rtnetlink(7)). Below any other proc path the files are read:
net/dev, net/if_inet6, net/fib_trie, net/route and net/arp, and class/net of the sysfs beside it.
"""

from __future__ import annotations

import os
import re
import struct
from typing import TYPE_CHECKING, NamedTuple

from rshell import limits
from rshell.host.netlink import REAL, ROUTE, Netlink, attributes
from rshell.host.source import count, read, require

if TYPE_CHECKING:
    from collections.abc import Callable

INET, INET6 = 2, 10  # as Linux numbers them
_GETLINK, _GETADDR, _GETNEIGH = 18, 22, 30
_LINK = struct.Struct("=BxHiII")  # family, type, index, flags, change
_ADDRESS = struct.Struct("=BBBBi")  # family, prefix, flags, scope, index
_NEIGHBOUR = struct.Struct("=BxxxiHBB")  # family, index, state, flags, type
_FOREVER = 0xFFFFFFFF
_SIZE = 32 * 1024 * 1024
_STATES = ("unknown", "notpresent", "down", "lowerlayerdown", "testing", "dormant", "up")


class Interface:
    """One network interface.

    flags: as netdevice(7). kind: the ARP type. link: the index of the interface below, None where there is
    none; far, where not None, says that it is in another namespace. state: of operation, in lower case.
    counters: bytes, packets, errors, dropped, missed and multicast received, then bytes, packets, errors,
    dropped, carrier and collisions sent; None where they are not known.
    """

    __slots__ = (
        "address", "alias", "alternatives", "broadcast", "counters", "far", "flags", "group", "index", "kind", "link",
        "link_mode", "master", "mtu", "name", "qdisc", "queue", "state",
    )  # fmt: skip

    def __init__(self, index: int, name: str) -> None:
        self.index = index
        self.name = name
        self.flags = 0
        self.kind = 0
        self.mtu = 0
        self.qdisc = ""
        self.state = "unknown"
        self.link_mode = 0
        self.group = 0
        self.queue = 0
        self.address = b""
        self.broadcast = b""
        self.link: int | None = None
        self.far: int | None = None
        self.master = 0
        self.alias = ""
        self.alternatives: list[str] = []
        self.counters: tuple[int, ...] | None = None


class Address(NamedTuple):
    """One address of an interface; peer is empty where it is the address itself. Lifetimes in seconds, None: no end."""

    family: int
    interface: int
    local: str
    prefix: int
    peer: str
    broadcast: str
    anycast: str
    scope: int
    flags: int
    label: str
    valid: int | None
    preferred: int | None
    metric: int


class Neighbour(NamedTuple):
    """One entry of the neighbour table. link: the link-layer address. state, flags: as the kernel's bits."""

    family: int
    interface: int
    device: str
    address: str
    link: str
    state: int
    flags: int


def address_text(packed: bytes) -> str:
    """An IPv4 or IPv6 address of 4 or 16 bytes as text; anything else as hexadecimal."""
    import socket

    if len(packed) == 4:
        return ".".join(map(str, packed))
    if len(packed) == 16:
        return socket.inet_ntop(socket.AF_INET6, packed)
    return packed.hex(":")


def packed_address(text: str) -> bytes | None:
    """An IPv4 address in dotted decimal without leading zeros, or an IPv6 address, as bytes; None where it is none."""
    import socket

    try:
        if ":" in text:
            return socket.inet_pton(socket.AF_INET6, text)
        return socket.inet_pton(socket.AF_INET, text)
    except (OSError, ValueError):
        return None


def _text(content: bytes) -> str:
    return content.partition(b"\0")[0].decode("utf-8", "surrogateescape")


def _word(content: bytes | None) -> int:
    return int.from_bytes(content[:4], "little" if _LITTLE else "big") if content else 0


_LITTLE = struct.pack("=H", 1) == b"\x01\0"


def parse_link(content: bytes) -> Interface | None:
    """An answer to RTM_GETLINK; None where it is not whole."""
    if len(content) < _LINK.size:
        return None
    _, kind, index, flags, _ = _LINK.unpack_from(content)
    found = attributes(content, _LINK.size)
    if 3 not in found:
        return None
    one = Interface(index, _text(found[3]))
    one.kind, one.flags = kind, flags
    one.address, one.broadcast = found.get(1, b""), found.get(2, b"")
    one.mtu, one.queue, one.group, one.master = (_word(found.get(key)) for key in (4, 13, 27, 10))
    one.qdisc = _text(found.get(6, b""))
    state = found.get(16, b"\0")[:1]
    one.state = _STATES[state[0]] if state and state[0] < len(_STATES) else "unknown"
    one.link_mode = found.get(17, b"\0")[0] if found.get(17) else 0
    one.link = _word(found[5]) if 5 in found else None
    one.far = _word(found[37]) if 37 in found else None
    one.alias = _text(found.get(20, b""))
    if len(found.get(23, b"")) >= 80:
        n = struct.unpack_from("=10Q", found[23])  # rx/tx packets, bytes, errors, dropped, multicast, collisions
        more = struct.unpack_from("=13Q", found[23], 80) if len(found[23]) >= 184 else (0,) * 13
        one.counters = (n[2], n[0], n[4], n[6], more[4], n[8], n[3], n[1], n[5], n[7], more[6], n[9])
    return one


def parse_address(content: bytes) -> Address | None:
    """An answer to RTM_GETADDR; None where it is not whole."""
    if len(content) < _ADDRESS.size:
        return None
    family, prefix, flags, scope, index = _ADDRESS.unpack_from(content)
    found = attributes(content, _ADDRESS.size)
    given = found.get(1, b"")
    local = found.get(2, given)
    if family not in (INET, INET6) or not local:
        return None
    times: list[int | None] = [None, None]
    if len(found.get(6, b"")) >= 8:
        times = [None if t == _FOREVER else t for t in struct.unpack_from("=II", found[6])]
    return Address(
        family,
        index,
        address_text(local),
        prefix,
        address_text(given) if given and given != local else "",
        address_text(found[4]) if 4 in found else "",
        address_text(found[5]) if 5 in found else "",
        scope,
        _word(found[8]) if 8 in found else flags,
        _text(found.get(3, b"")),
        times[1],
        times[0],
        _word(found.get(9)),
    )


class Interfaces:
    """The readers for one proc path. OSError is raised where nothing can be known."""

    def __init__(self, proc_path: str, check: Callable[[], None]) -> None:
        self._proc = proc_path
        self._check = check
        self._sys = os.path.join(os.path.dirname(proc_path.rstrip("/")), "sys/class/net")

    def _kernel(self) -> Netlink | None:
        """A socket to ask, None where the files must do."""
        if self._proc != REAL:
            return None
        try:
            return Netlink(ROUTE, self._check)
        except OSError:
            return None

    def links(self) -> list[Interface]:
        """All interfaces, in the kernel's order."""
        kernel = self._kernel()
        if kernel is None:
            return self._links_of_files()
        with kernel:
            found = [parse_link(content) for content in kernel.dump(_GETLINK, _LINK.pack(0, 0, 0, 0, 0))]
        return [one for one in found if one is not None]

    def addresses(self) -> list[Address]:
        """The addresses of all interfaces: IPv4, then IPv6."""
        kernel = self._kernel()
        if kernel is None:
            return self._addresses_of_files()
        with kernel:
            found = [parse_address(content) for content in kernel.dump(_GETADDR, _ADDRESS.pack(0, 0, 0, 0, 0))]
        return sorted((one for one in found if one is not None), key=lambda one: one.family)

    def neighbours(self) -> list[Neighbour]:
        """The neighbour tables of both families; without a kernel to ask only IPv4's."""
        kernel = self._kernel()
        if kernel is None:
            return self._neighbours_of_files()
        names = {one.index: one.name for one in self.links()}
        found = []
        with kernel:
            for content in kernel.dump(_GETNEIGH, _NEIGHBOUR.pack(0, 0, 0, 0, 0)):
                if len(content) < _NEIGHBOUR.size:
                    continue
                family, index, state, flags, _ = _NEIGHBOUR.unpack_from(content)
                parts = attributes(content, _NEIGHBOUR.size)
                if family not in (INET, INET6) or 1 not in parts:
                    continue
                link = parts.get(2, b"").hex(":")
                name = names.get(index, f"if{index}")
                found.append(Neighbour(family, index, name, address_text(parts[1]), link, state, flags))
                if len(found) > limits.ROUTES:
                    break
        return sorted(found, key=lambda one: one.family)

    # The files

    def _attribute(self, name: bytes, file: str) -> bytes:
        try:
            return read(os.path.join(os.fsencode(self._sys), name, os.fsencode(file)), 4096).rstrip(b"\n")
        except (OSError, ValueError):
            return b""

    def _links_of_files(self) -> list[Interface]:
        found = []
        for at, line in enumerate(require(f"{self._proc}/net/dev").split(b"\n")[2:], 1):
            name, colon, rest = line.partition(b":")
            name = name.strip(b" ")
            if not colon or not name or len(name) > 15 or b"/" in name or name in (b".", b".."):
                continue
            self._check()
            numbers = [count(field) for field in rest.split(b" ") if field]
            found.append(self._link_of_files(name, at, numbers))
        return sorted(found, key=lambda one: one.index)

    def _link_of_files(self, name: bytes, at: int, numbers: list[int]) -> Interface:
        one = Interface(count(self._attribute(name, "ifindex")) or at, _text(name))
        flags = self._attribute(name, "flags")
        one.flags = int(flags, 16) if re.fullmatch(b"0x[0-9a-fA-F]{1,8}", flags) else 0  # text: ours
        one.kind = count(self._attribute(name, "type"))
        one.mtu = count(self._attribute(name, "mtu"))
        one.queue = count(self._attribute(name, "tx_queue_len"))
        one.group = count(self._attribute(name, "netdev_group"))
        one.link_mode = count(self._attribute(name, "link_mode"))
        state = _text(self._attribute(name, "operstate"))
        one.state = state if state in _STATES else "unknown"
        if self._attribute(name, "carrier") == b"1":
            one.flags |= 0x10040  # LOWER_UP, RUNNING: not in sysfs' flags
        lower = count(self._attribute(name, "iflink"))
        one.link = lower if lower and lower != one.index else None
        one.address = _hardware(self._attribute(name, "address"))
        one.broadcast = _hardware(self._attribute(name, "broadcast"))
        if len(numbers) >= 16:
            n = numbers
            one.counters = (n[0], n[1], n[2], n[3], 0, n[7], n[8], n[9], n[10], n[11], n[14], n[13])
        return one

    def _addresses_of_files(self) -> list[Address]:
        indexes = {one.name: one.index for one in self._links_of_files()}
        return [*self._inet_of_files(indexes), *self._inet6_of_files(indexes)]

    def _inet_of_files(self, indexes: dict[str, int]) -> list[Address]:
        """The local addresses of the table of routes; the interface is that of the route around them."""
        from rshell.host.routes import Routes

        trie = require(f"{self._proc}/net/fib_trie", _SIZE)
        routes = [route for route in Routes(self._proc, self._check).of_files(INET) if route.prefix and route.device]
        locals_: dict[bytes, int] = {}
        broadcasts = set()
        for leaf, body in re.findall(rb"\|-- ([0-9.]{7,15})\n((?: +/[0-9]{1,2} [^\n]*\n?)+)", trie):
            if b"/32 host LOCAL" in body:
                locals_.setdefault(leaf, 0)
            if b"/32 link BROADCAST" in body:
                broadcasts.add(_text(leaf))
            if len(locals_) > limits.ROUTES:
                break
        found = []
        for leaf in locals_:
            packed = _packed(leaf)
            if packed is None:
                continue
            number = int.from_bytes(packed, "big")
            around = max(
                (r for r in routes if r.covers(packed) and not r.gateway), key=lambda r: r.prefix, default=None
            )
            local = _text(leaf)
            if around is None:
                name, prefix = ("lo", 8) if packed[0] == 127 else ("", 32)
            else:
                name, prefix = around.device, around.prefix
            if name not in indexes:
                continue
            last = address_text((number | ((1 << (32 - prefix)) - 1)).to_bytes(4, "big"))
            loop = packed[0] == 127
            broadcast = last if last in broadcasts and not loop and prefix < 31 else ""
            scope = 254 if loop else 0
            found.append(
                Address(INET, indexes[name], local, prefix, "", broadcast, "", scope, 0x80, name, None, None, 0)
            )
        return sorted(found, key=lambda one: one.interface)

    def _inet6_of_files(self, indexes: dict[str, int]) -> list[Address]:
        try:
            content = read(f"{self._proc}/net/if_inet6", _SIZE)
        except OSError:
            return []  # no IPv6
        found = []
        line = rb"(?m)^([0-9a-f]{32}) ([0-9a-f]{2,8}) ([0-9a-f]{2}) ([0-9a-f]{2}) ([0-9a-f]{2}) +([^ \n]{1,15})$"
        for packed, _, prefix, scope, flags, name in re.findall(line, content)[: limits.ROUTES]:
            index = indexes.get(_text(name))
            if index is None:
                continue
            scopes = {0x10: 254, 0x20: 253, 0x40: 200}
            address = address_text(bytes.fromhex(packed.decode("ascii")))
            found.append(
                Address(
                    INET6, index, address, min(int(prefix, 16), 128),  # text: ours
                    "", "", "", scopes.get(int(scope, 16), 0), int(flags, 16), "", None, None, 0,  # text: ours
                )
            )  # fmt: skip
        return sorted(found, key=lambda one: one.interface)

    def _neighbours_of_files(self) -> list[Neighbour]:
        content = require(f"{self._proc}/net/arp", _SIZE)
        indexes = {one.name: one.index for one in self._links_of_files()}
        line = rb"(?m)^([0-9.]{7,15}) +0x[0-9a-f]+ +0x([0-9a-f]{1,4}) +([0-9a-f:]{2,95}) +[^ \n]+ +([^ \n]{1,15})$"
        found = []
        for address, flags, link, device in re.findall(line, content)[: limits.ROUTES + 1]:
            bits = int(flags, 16)  # text: ours
            state = 0x80 if bits & 4 else 0x02 if bits & 2 else 0x01
            shown = "" if state == 0x01 else _text(link)
            name = _text(device)
            found.append(Neighbour(INET, indexes.get(name, 0), name, _text(address), shown, state, 0))
        return found


def _hardware(text: bytes) -> bytes:
    if re.fullmatch(b"[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){0,31}", text):
        return bytes.fromhex(text.replace(b":", b"").decode("ascii"))
    return b""


def _packed(text: bytes) -> bytes | None:
    import socket

    try:
        return socket.inet_aton(text.decode("ascii"))
    except OSError:
        return None
