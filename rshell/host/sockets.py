"""Sockets, from net/tcp, tcp6, udp, udp6, raw, raw6, unix, netlink and packet below the proc path (proc(5)).

On the machine itself the kernel is also asked (sock_diag(7)) for what those files lack: how long the queue of
a listening socket may grow, whether an IPv6 socket takes IPv6 only, and a UNIX socket's peer.
"""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, NamedTuple

from rshell import limits
from rshell.host.interfaces import address_text
from rshell.host.netlink import REAL, SOCK_DIAG, Netlink, attributes
from rshell.host.source import count, read, require

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SIZE = 32 * 1024 * 1024
LISTEN, CLOSE, ESTABLISHED = 10, 7, 1
_UNIX_STATES = {1: CLOSE, 2: 2, 3: ESTABLISHED, 4: 11}
_ACCEPTS = 1 << 16
_SOCK_DIAG_BY_FAMILY = 20
_INET = re.compile(
    rb"^ *[0-9]+: ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) ([0-9A-F]{2}) "
    rb"([0-9A-F]{8}):([0-9A-F]{8}) ([0-9A-F]{2}):([0-9A-F]{8,16}) ([0-9A-F]{8}) +([0-9]{1,10}) +([0-9]{1,10}) "
    rb"([0-9]{1,20}) [0-9]+ ([0-9a-f]{1,16})",
    re.MULTILINE,
)
_UNIX = re.compile(
    rb"^[0-9a-f]{1,16}: ([0-9A-F]{8}) [0-9A-F]{8} ([0-9A-F]{8}) ([0-9A-F]{4}) ([0-9A-F]{2}) +"
    rb"([0-9]{1,20})(?: ([^\n]*))?$",
    re.MULTILINE,
)
_NETLINK = re.compile(
    rb"^([0-9a-f]{1,16}) +([0-9]{1,3}) +(-?[0-9]{1,10}) +([0-9a-f]{8}) +([0-9]{1,10}) +([0-9]{1,10}) ", re.MULTILINE
)
_PACKET = re.compile(
    rb"^([0-9a-f]{1,16}) +[0-9]+ +([0-9]{1,2}) +([0-9a-f]{4}) +([0-9]{1,10}) +[01] +"
    rb"([0-9]{1,10}) +([0-9]{1,10}) +([0-9]{1,20})",
    re.MULTILINE,
)
_PORT = re.compile(rb"^([^\s#]{1,64})[ \t]+([0-9]{1,5})/(tcp|udp)\b", re.MULTILINE)
_PROTOCOL = re.compile(rb"^([^\s#]{1,64})[ \t]+([0-9]{1,3})\b", re.MULTILINE)


class Socket(NamedTuple):
    """One socket.

    kind: tcp, udp, raw, u_str, u_dgr, u_seq, nl, p_raw or p_dgr. state: as TCP numbers them. version: 4, 6 or 0.
    local, remote: addresses, of UNIX sockets names; ports are inodes there. timer: its kind and what is left of it in
    1/100 s. sent: retransmissions or probes. memory: the kernel's number for it.
    """

    kind: str
    state: int
    version: int
    receive: int
    send: int
    local: str
    local_port: int
    remote: str
    remote_port: int
    uid: int
    inode: int
    timer: int
    timeout: int
    sent: int
    memory: bytes


class Summary(NamedTuple):
    """Counts of sockets: in all, and of TCP; protocols by name for IPv4 and IPv6."""

    used: int
    tcp_allocated: int
    established: int
    orphaned: int
    waiting: int
    inet: dict[str, tuple[int, int]]


class Services:
    """Names of ports and protocols, and which ports are given out freely."""

    def __init__(self, ports: dict[tuple[str, int], str], protocols: dict[int, str], free: tuple[int, int]) -> None:
        self.ports = ports
        self.protocols = protocols
        self.free = free

    def port(self, kind: str, number: int) -> str:
        """A port as ss shows it: a name where there is one."""
        if kind == "raw":
            return self.protocols.get(number) or f"ipproto-{number}"
        if self.free[0] <= number <= self.free[1]:
            return str(number)
        return self.ports.get((kind, number)) or str(number)


class Sockets:
    """The readers for one proc path. counted says how many were read; at limits.SOCKETS they stop."""

    def __init__(self, proc_path: str, check: Callable[[], None]) -> None:
        self._proc = proc_path
        self._check = check
        self.counted = 0
        self.cut = False
        require(f"{proc_path}/net/dev")  # a system without it has no such sockets

    def _content(self, name: str) -> bytes:
        try:
            content = read(f"{self._proc}/net/{name}", _SIZE)
        except OSError:
            return b""  # the kernel has no such protocol, or hides it
        self.cut |= len(content) >= _SIZE
        return content

    def _more(self) -> bool:
        if self.counted >= limits.SOCKETS:
            self.cut = True
            return False
        self.counted += 1
        if self.counted & 1023 == 0:
            self._check()
        return True

    def inet(self, protocol: str, version: int, states: int) -> Iterator[Socket]:
        """The sockets of tcp, udp or raw over IPv4 or IPv6 in one of states (a set of bits)."""
        content = self._content(protocol if version == 4 else protocol + "6")
        queues, narrow = self._listeners(version) if protocol == "tcp" and states & (1 << LISTEN) else ({}, set())
        if protocol != "tcp" and version == 6:
            narrow = self._narrow(protocol)
        shown: dict[bytes, str] = {}
        timers = protocol == "tcp"
        for match in _INET.finditer(content):
            groups = match.groups()
            local, local_port, remote, remote_port, state, tx, rx, timer, timeout, retried, uid, probes, inode, sk = (
                groups
            )
            number = int(state, 16)  # text: ours
            if not states >> number & 1:
                continue
            if not self._more():
                return
            here = shown.get(local)
            if here is None:
                here = shown[local] = _address(local)
            there = shown.get(remote)
            if there is None:
                there = shown[remote] = _address(remote)
            node = int(inode)  # text: ours
            if version == 6:
                if here == "[::]" and node not in narrow:
                    here = "*"
                if there == "[::]" and node not in narrow:
                    there = "*"
            send = int(tx, 16)  # text: ours
            if number == LISTEN and queues:
                send = queues.get(node, send)
            which = int(timer, 16)  # text: ours
            yield Socket(
                protocol, number, version, int(rx, 16), send, here, int(local_port, 16),  # text: ours
                there, int(remote_port, 16), int(uid), node, which if timers else 0,  # text: ours
                int(timeout, 16) if which else 0, int(retried, 16) if which == 1 else int(probes), sk,  # text: ours
            )  # fmt: skip

    def unix(self, states: int) -> Iterator[Socket]:
        """UNIX sockets in one of states."""
        content = self._content("unix")
        peers, queues = self._peers() if content else ({}, {})
        for match in _UNIX.finditer(content):
            flags, kind, state, inode = (
                int(match[2], 16),
                int(match[3], 16),
                int(match[4], 16),
                int(match[5]),
            )  # text: ours
            number = LISTEN if flags & _ACCEPTS else _UNIX_STATES.get(state, 0)
            if not number or not inode or not states >> number & 1:
                continue  # without an inode: not yet accepted
            if not self._more():
                return
            receive, send = queues.get(inode, (0, 0))
            yield Socket(
                {1: "u_str", 5: "u_seq"}.get(kind, "u_dgr"), number, 0, receive, send,
                _name(match[6]) if match[6] else "*", inode,
                "*", peers.get(inode, 0), 0, inode, 0, 0, 0, b"",
            )  # fmt: skip

    def netlink(self) -> Iterator[Socket]:
        """Netlink sockets; local is the protocol's number, local_port the port."""
        for match in _NETLINK.finditer(self._content("netlink")):
            if not self._more():
                return
            memory, protocol, port, _, receive, send = match.groups()
            yield Socket(
                "nl", CLOSE, 0, int(receive), int(send), protocol.decode("ascii"),  # text: ours
                int(port), "", 0, 0, 0, 0, 0, 0, memory,  # text: ours
            )  # fmt: skip

    def packet(self) -> Iterator[Socket]:
        """Packet sockets; local_port is the protocol, remote_port the interface's index."""
        for match in _PACKET.finditer(self._content("packet")):
            if not self._more():
                return
            memory, kind, protocol, interface, receive, uid, inode = match.groups()
            yield Socket(
                "p_raw" if kind == b"3" else "p_dgr", CLOSE, 0, int(receive), 0, "",  # text: ours
                int(protocol, 16), "", int(interface), int(uid), int(inode), 0, 0, 0, memory,  # text: ours
            )  # fmt: skip

    # What only the kernel says

    def _diagnose(self, question: bytes) -> Iterator[bytes]:
        if self._proc != REAL:
            return
        try:
            with Netlink(SOCK_DIAG, self._check) as kernel:
                yield from kernel.dump(_SOCK_DIAG_BY_FAMILY, question)
        except OSError:
            return  # the files alone, then

    def _listeners(self, version: int) -> tuple[dict[int, int], set[int]]:
        """Of listening TCP sockets, by inode: the longest queue; and those that take IPv6 only."""
        queues, narrow = {}, set()
        for content in self._diagnose(_inet_question(version, 6, 1 << LISTEN)):
            if len(content) >= 72:
                _, send, _, inode = struct.unpack_from("=IIII", content, 56)
                queues[inode] = send
                if attributes(content, 72).get(11, b"\0")[:1] == b"\1":
                    narrow.add(inode)
        return queues, narrow

    def _narrow(self, protocol: str) -> set[int]:
        found = set()
        number = {"udp": 17, "raw": 255}[protocol]
        for content in self._diagnose(_inet_question(6, number, 0xFFF)):
            if len(content) >= 72 and attributes(content, 72).get(11, b"\0")[:1] == b"\1":
                found.add(struct.unpack_from("=I", content, 68)[0])
        return found

    def _peers(self) -> tuple[dict[int, int], dict[int, tuple[int, int]]]:
        """Of UNIX sockets, by inode: the peer's inode, and the queues."""
        peers, queues = {}, {}
        # family, protocol, states, inode, show (peer, queues), cookie
        question = struct.pack("=BBxxIIIII", 1, 0, 0xFFF, 0, 0x4 | 0x10, 0xFFFFFFFF, 0xFFFFFFFF)
        for content in self._diagnose(question):
            if len(content) < 16:
                continue
            inode = struct.unpack_from("=I", content, 4)[0]
            found = attributes(content, 16)
            if len(found.get(2, b"")) >= 4:
                peers[inode] = struct.unpack_from("=I", found[2])[0]
            if len(found.get(4, b"")) >= 8:
                queues[inode] = struct.unpack_from("=II", found[4])
        return peers, queues

    # Counts and names

    def summary(self) -> Summary:
        """How many sockets there are."""
        four, six = (_table(self._content(name)) for name in ("sockstat", "sockstat6"))
        tcp = four.get("TCP", {})
        inet = {
            name: (four.get(name, {}).get("inuse", 0), six.get(f"{name}6", {}).get("inuse", 0))
            for name in ("RAW", "UDP", "TCP", "FRAG")
        }
        return Summary(
            four.get("sockets", {}).get("used", 0),
            tcp.get("alloc", 0),
            self._established(),
            tcp.get("orphan", 0),
            tcp.get("tw", 0),
            inet,
        )

    def _established(self) -> int:
        lines = [line.split(b" ") for line in self._content("snmp").split(b"\n") if line.startswith(b"Tcp:")]
        if len(lines) < 2 or b"CurrEstab" not in lines[0]:
            return 0
        at = lines[0].index(b"CurrEstab")
        return count(lines[1][at]) if at < len(lines[1]) else 0

    def services(self) -> Services:
        """The names of ports and protocols, from /etc/services and /etc/protocols."""
        ports: dict[tuple[str, int], str] = {}
        protocols: dict[int, str] = {}
        try:
            for name, port, kind in _PORT.findall(read("/etc/services")):
                ports.setdefault((_name(kind), int(port)), _name(name))  # text: ours
        except OSError:
            pass
        try:
            for name, number in _PROTOCOL.findall(read("/etc/protocols")):
                protocols.setdefault(int(number), _name(name))  # text: ours
        except OSError:
            pass
        free = (1024, 4999)
        try:
            found = re.match(
                rb"([0-9]{1,5})\s+([0-9]{1,5})\s*$", read(f"{self._proc}/sys/net/ipv4/ip_local_port_range", 4096)
            )
            if found:
                free = (int(found[1]), int(found[2]))  # text: ours
        except OSError:
            pass
        return Services(ports, protocols, free)

    def interface_names(self) -> dict[int, str]:
        """Interfaces by their indexes."""
        from rshell.host.interfaces import Interfaces

        try:
            return {one.index: one.name for one in Interfaces(self._proc, self._check).links()}
        except OSError:
            return {}

    def command_name(self, pid: int) -> str | None:
        """The name of the process with that ID, None where there is none."""
        try:
            content = read(f"{self._proc}/{pid}/stat", 4096)
        except OSError:
            return None
        match = re.match(rb"[0-9]+ \(([^)]*)\)", content)
        return _name(match[1]) if match else None


def _inet_question(version: int, protocol: int, states: int) -> bytes:
    # family, protocol, extensions, states, and a socket's identity: any
    return struct.pack("=BBBxI", 2 if version == 4 else 10, protocol, 0, states) + bytes(48)


def _name(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _address(text: bytes) -> str:
    """An address as procfs writes it: words of four bytes in the machine's order."""
    packed = struct.pack(
        f"={len(text) // 8}I", *(int(text[at : at + 8], 16) for at in range(0, len(text), 8))
    )  # text: ours
    return address_text(packed) if len(packed) == 4 else f"[{address_text(packed)}]"


def _table(content: bytes) -> dict[str, dict[str, int]]:
    """Lines `NAME: key number key number …`."""
    found = {}
    for line in content.split(b"\n")[:64]:
        name, _, rest = line.partition(b": ")
        words = rest.split(b" ")
        found[_name(name)] = {_name(key): count(value) for key, value in zip(words[::2], words[1::2], strict=False)}
    return found
