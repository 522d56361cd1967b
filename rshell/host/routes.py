"""Routes of both families: the main table, and which route leads to an address.

On the machine itself the kernel is asked (rtnetlink(7)). Below any other proc path net/route and
net/ipv6_route are read, and the longest prefix decides.
"""

from __future__ import annotations

import os
import re
import struct
from typing import TYPE_CHECKING

from rshell import limits
from rshell.host.interfaces import INET, INET6, Interfaces, address_text
from rshell.host.netlink import REAL, ROUTE, Netlink, attribute, attributes
from rshell.host.source import read, require

if TYPE_CHECKING:
    from collections.abc import Callable

_GETROUTE = 26
_ROUTE = struct.Struct("=BBBBBBBBI")  # family, dst, src, tos, table, protocol, scope, type, flags
_MAIN = 254
_LOOKUP_TABLE, _CLONED = 0x1000, 0x200
_SIZE = 8 * 1024 * 1024
_INET = re.compile(
    rb"^([^\t\n]{1,15})\t([0-9A-F]{8})\t([0-9A-F]{8})\t([0-9A-F]{4})\t[0-9]+\t[0-9]+\t([0-9]{1,10})\t([0-9A-F]{8})\t([0-9]{1,10})\t",
    re.MULTILINE,
)
_INET6 = re.compile(
    rb"^([0-9a-f]{32}) ([0-9a-f]{2}) [0-9a-f]{32} [0-9a-f]{2} ([0-9a-f]{32}) ([0-9a-f]{8}) [0-9a-f]{8} [0-9a-f]{8} "
    rb"([0-9a-f]{8}) +([^ \n]{1,15})$",
    re.MULTILINE,
)
UP, GATEWAY, REJECT = 0x1, 0x2, 0x200
_LOCAL6 = 0x80000000


class Hop:
    """One of several next hops."""

    __slots__ = ("device", "flags", "gateway", "weight")

    def __init__(self, gateway: str, device: str, weight: int, flags: int) -> None:
        self.gateway = gateway
        self.device = device
        self.weight = weight
        self.flags = flags


class Route:
    """One route. destination: packed, of prefix bits. kind, protocol, scope, flags: the kernel's numbers.

    metric, table and uid are None where they do not apply. metrics: mtu and others by their numbers.
    """

    __slots__ = (
        "cache", "destination", "device", "expires", "family", "flags", "gateway", "hops", "kind", "metric", "metrics",
        "preference", "prefix", "protocol", "scope", "source", "source_prefix", "table", "tos", "uid", "within",
    )  # fmt: skip

    def __init__(self, family: int, destination: bytes, prefix: int) -> None:
        self.family = family
        self.destination = destination
        self.prefix = prefix
        self.kind = 1
        self.protocol = 3
        self.scope = 0
        self.flags = 0
        self.tos = 0
        self.table = _MAIN
        self.gateway = ""
        self.device = ""
        self.source = ""
        self.within: bytes | None = None
        self.source_prefix = 0
        self.metric: int | None = None
        self.metrics: dict[int, int] = {}
        self.hops: list[Hop] = []
        self.preference: int | None = None
        self.uid: int | None = None
        self.cache: int | None = None
        self.expires = 0

    def covers(self, packed: bytes) -> bool:
        """Whether an address of the same family lies within."""
        if len(packed) != len(self.destination):
            return False
        shift = len(packed) * 8 - self.prefix
        return int.from_bytes(packed, "big") >> shift == int.from_bytes(self.destination, "big") >> shift


def parse_route(content: bytes, names: dict[int, str]) -> Route | None:
    """An answer to RTM_GETROUTE; None where it is not whole or of another family."""
    if len(content) < _ROUTE.size:
        return None
    family, prefix, source_prefix, tos, table, protocol, scope, kind, flags = _ROUTE.unpack_from(content)
    width = {INET: 4, INET6: 16}.get(family)
    if width is None or prefix > width * 8:
        return None
    found = attributes(content, _ROUTE.size)
    packed = found.get(1, b"")
    route = Route(family, packed if len(packed) == width else bytes(width), prefix)
    route.kind, route.protocol, route.scope, route.flags, route.tos = kind, protocol, scope, flags, tos
    route.table = _number(found[15]) if 15 in found else table
    if 5 in found:
        route.gateway = address_text(found[5])
    elif 18 in found and len(found[18]) > 2:
        other = found[18][2:]
        route.gateway = ("inet6 " if len(other) == 16 else "inet ") + address_text(other)
    if 4 in found:
        index = _number(found[4])
        route.device = names.get(index, f"if{index}")
    if 7 in found:
        route.source = address_text(found[7])
    route.within = found.get(2)
    route.source_prefix = source_prefix
    route.metric = _number(found[6]) if 6 in found else None
    route.uid = _number(found[25]) if 25 in found else None
    route.preference = found[20][0] if found.get(20) else None
    if 8 in found:
        route.metrics = {key: _number(value) for key, value in attributes(found[8]).items() if len(value) == 4}
    if len(found.get(12, b"")) >= 16:
        route.expires = struct.unpack_from("=i", found[12], 8)[0] // 100
    if family == INET and flags & _CLONED:
        route.cache = flags & 0xFFFF0000
    route.hops = _hops(found.get(9, b""), names)
    return route


def _hops(content: bytes, names: dict[int, str]) -> list[Hop]:
    hops = []
    at = 0
    while at + 8 <= len(content):
        length, flags, weight, index = struct.unpack_from("=HBBi", content, at)
        if length < 8 or at + length > len(content):
            break
        found = attributes(content[at : at + length], 8)
        gateway = address_text(found[5]) if 5 in found else ""
        hops.append(Hop(gateway, names.get(index, f"if{index}"), weight + 1, flags))
        at += (length + 3) & ~3
    return hops


def _number(content: bytes) -> int:
    return int(struct.unpack_from("=I", content)[0]) if len(content) >= 4 else 0


class Routes:
    """The readers for one proc path."""

    def __init__(self, proc_path: str, check: Callable[[], None]) -> None:
        self._proc = proc_path
        self._check = check

    def _kernel(self) -> Netlink | None:
        if self._proc != REAL:
            return None
        try:
            return Netlink(ROUTE, self._check)
        except OSError:
            return None

    def _names(self) -> dict[int, str]:
        return {one.index: one.name for one in Interfaces(self._proc, self._check).links()}

    def main(self, family: int) -> tuple[list[Route], bool]:
        """The main table of a family, at most limits.ROUTES, and whether that is all."""
        kernel = self._kernel()
        found: list[Route] = []
        if kernel is None:
            found = [r for r in self.of_files(family, limits.ROUTES + 1) if r.kind != 2]
        else:
            names = self._names()
            with kernel:
                for content in kernel.dump(_GETROUTE, _ROUTE.pack(family, 0, 0, 0, 0, 0, 0, 0, 0)):
                    route = parse_route(content, names)
                    if route is None or route.family != family or route.table != _MAIN or route.flags & _CLONED:
                        continue
                    found.append(route)
                    if len(found) > limits.ROUTES:
                        break
        return found[: limits.ROUTES], len(found) <= limits.ROUTES

    def of_files(self, family: int, most: int = limits.ROUTES) -> list[Route]:
        """What net/route or net/ipv6_route lists (of IPv6 without the local table's)."""
        return self._inet(most) if family == INET else self._inet6(most)

    def _inet(self, most: int) -> list[Route]:
        found = []
        for match in _INET.finditer(require(f"{self._proc}/net/route", _SIZE)):
            name, destination, gateway, flags, metric, mask, mtu = match.groups()
            bits = int(flags, 16)  # text: ours
            prefix = int(mask, 16).bit_count()  # text: ours
            route = Route(INET, _swapped(destination), prefix)
            route.flags = 0
            if bits & REJECT:
                route.kind = 7
            elif name == b"*":
                route.kind = 6
            if name != b"*":
                route.device = name.decode("utf-8", "surrogateescape")
            if bits & GATEWAY:
                route.gateway = address_text(_swapped(gateway))
            elif route.device:
                route.scope = 253
            route.metric = int(metric) or None  # text: ours
            if int(mtu):  # text: ours
                route.metrics[2] = int(mtu)  # text: ours
            found.append(route)
            if len(found) >= most:
                break
            self._check()
        return found

    def _inet6(self, most: int) -> list[Route]:
        try:
            content = read(f"{self._proc}/net/ipv6_route", _SIZE)
        except OSError:
            return []  # no IPv6
        found = []
        for match in _INET6.finditer(content):
            packed, prefix, gateway, metric, flags, name = match.groups()
            bits = int(flags, 16)  # text: ours
            length = int(prefix, 16)  # text: ours
            destination = bytes.fromhex(packed.decode("ascii"))
            device = name.decode("utf-8", "surrogateescape")
            if length > 128 or (bits & REJECT and device == "lo") or destination[0] == 0xFF:
                continue
            route = Route(INET6, destination, length)
            route.kind = 2 if bits & _LOCAL6 else 7 if bits & REJECT else 1
            route.device = device
            route.preference = 0
            route.metric = int(metric, 16)  # text: ours
            if bits & GATEWAY:
                route.gateway = address_text(bytes.fromhex(gateway.decode("ascii")))
            found.append(route)
            if len(found) >= most:
                break
            self._check()
        return found

    def to(self, packed: bytes) -> Route | None:
        """The route that leads to an address, with the source address it gives; None where there is none.

        Raises OSError with the kernel's reason where it says one.
        """
        family = INET if len(packed) == 4 else INET6
        kernel = self._kernel()
        if kernel is None:
            return self._longest(family, packed)
        names = self._names()
        with kernel:
            body = _ROUTE.pack(family, len(packed) * 8, 0, 0, 0, 0, 0, 0, _LOOKUP_TABLE) + attribute(1, packed)
            return parse_route(kernel.ask(_GETROUTE, body), names)

    def _longest(self, family: int, packed: bytes) -> Route | None:
        addresses = Interfaces(self._proc, self._check).addresses()
        text = address_text(packed)
        names = self._names()
        found: Route | None = None
        if any(one.local == text for one in addresses):
            found = Route(family, packed, len(packed) * 8)
            found.kind, found.device, found.source, found.cache = 2, "lo", text, 0x80000000
        else:
            around = [route for route in self.of_files(family) if route.covers(packed)]
            best = min(around, key=lambda route: (-route.prefix, route.metric or 0), default=None)
            if best is not None:
                if best.kind in (6, 7):
                    code = 22 if best.kind == 6 else 113
                    raise OSError(code, os.strerror(code))
                found = Route(family, packed, len(packed) * 8)
                found.device, found.gateway, found.metrics = best.device, best.gateway, best.metrics
                own = [
                    one.local for one in addresses if one.family == family and names.get(one.interface) == best.device
                ]
                found.source = own[0] if own else ""
                found.cache = 0
        if found is not None:
            found.uid = os.geteuid() if hasattr(os, "geteuid") else None
            if family == INET6:
                found.cache = found.uid = None
                found.within = bytes(16)
                found.preference = 0
        return found


def _swapped(text: bytes) -> bytes:
    """An IPv4 address as procfs writes it: a number in the machine's order."""
    return struct.pack("=I", int(text, 16))  # text: ours
