"""ICMP echo over the kernel's unprivileged datagram sockets (icmp(7)): no raw packets, no header of ours.

The kernel picks the identifier and hands out only the answers to it. Errors that routers report come through the
socket's error queue (ip(7), IP_RECVERR).
"""

from __future__ import annotations

import re
import socket
import struct
import time
from typing import TYPE_CHECKING, NamedTuple

from rshell.host.source import Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

INET, INET6 = 4, 6
SIZE = 56  # bytes of payload
_HEADER = struct.Struct("!BBHHH")
_RECVERR, _RECVTTL, _TTL = 11, 12, 2  # of IPPROTO_IP
_RECVERR6, _RECVHOPS, _HOPS = 25, 51, 52  # of IPPROTO_IPV6
_ERRQUEUE = 0x2000
_ERROR = struct.Struct("=IBBBxII")  # errno, origin, type, code, info, data
_CLOCK = struct.Struct("!d")


class UnknownHost(OSError):
    """A name could not be looked up; strerror says why."""


class Target(NamedTuple):
    """Where to: the address as text, packed, its version, and the whole address of the socket interface."""

    address: str
    packed: bytes
    version: int
    whole: tuple[object, ...]


class Answer(NamedTuple):
    """What came back. sequence: 0 … 65535. elapsed: seconds; None for an error, which source reports."""

    sequence: int
    source: str
    size: int
    hops: int
    elapsed: float | None
    type: int
    code: int


def literal(text: str) -> int:
    """The version of an address in numbers, 0 where text is a name."""
    for version, family in ((INET, socket.AF_INET), (INET6, socket.AF_INET6)):
        try:
            socket.inet_pton(family, text.partition("%")[0] if version == INET6 else text)
        except (OSError, ValueError):
            continue
        return version
    return 0


def look_up(name: str, version: int) -> list[Target]:
    """The addresses of a host, of a version or 0 for both, in the order of preference. It may wait.

    Raises UnknownHost.
    """
    family = {INET: socket.AF_INET, INET6: socket.AF_INET6}.get(version, socket.AF_UNSPEC)
    try:
        found = socket.getaddrinfo(name, 0, family, socket.SOCK_DGRAM)
    except socket.gaierror as failure:
        text = failure.strerror or "name or service not known"
        raise UnknownHost(2, text[:1].lower() + text[1:]) from None
    except (UnicodeError, ValueError):
        raise UnknownHost(2, "name or service not known") from None
    targets = []
    for kind, _, _, _, whole in found:
        if kind not in (socket.AF_INET, socket.AF_INET6):
            continue
        address = str(whole[0])
        packed = socket.inet_pton(kind, address.partition("%")[0])
        targets.append(Target(address, packed, INET if kind == socket.AF_INET else INET6, tuple(whole)))
    return targets


class Echo:
    """Makes sockets and says what may not be asked. proc_path: where the table of local broadcasts is."""

    def __init__(self, proc_path: str, check: Callable[[], None]) -> None:
        self._proc = proc_path
        self._check = check

    @staticmethod
    def literal(text: str) -> int:
        """The version of an address in numbers, 0 where text is a name."""
        return literal(text)

    @staticmethod
    def look_up(name: str, version: int) -> list[Target]:
        """The addresses of a host; it may wait. Raises UnknownHost."""
        return look_up(name, version)

    def broadcasts(self) -> set[bytes]:
        """The directed broadcast addresses of this machine's own networks, packed."""
        from rshell.host.source import read

        found: set[bytes] = set()
        try:
            trie = read(f"{self._proc}/net/fib_trie", 8 * 1024 * 1024)
        except OSError:
            return found
        for leaf in re.findall(rb"\|-- ([0-9.]{7,15})\n(?: +/[0-9]{1,2} [^\n]*\n)*? +/32 link BROADCAST", trie):
            try:
                found.add(socket.inet_aton(leaf.decode("ascii")))
            except OSError:
                continue
        return found

    def session(self, target: Target) -> Session:
        """A socket for one target. Raises PermissionError where the kernel forbids such sockets."""
        return Session(target)


class Session:
    """Echo requests to one target. Close it."""

    def __init__(self, target: Target) -> None:
        self._target = target
        six = target.version == INET6
        family = socket.AF_INET6 if six else socket.AF_INET
        protocol = socket.IPPROTO_ICMPV6 if six else socket.IPPROTO_ICMP
        self._socket = socket.socket(family, socket.SOCK_DGRAM, protocol)
        try:
            self._socket.setblocking(False)
            level = socket.IPPROTO_IPV6 if six else socket.IPPROTO_IP
            for option in (_RECVERR6, _RECVHOPS) if six else (_RECVERR, _RECVTTL):
                self._socket.setsockopt(level, option, 1)
            self._socket.connect(target.whole)
        except BaseException:
            self._socket.close()
            raise
        if not hasattr(self._socket, "recvmsg"):
            self._socket.close()
            raise Unavailable

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    @staticmethod
    def now() -> float:
        """Monotonic seconds."""
        return time.monotonic()

    @property
    def descriptor(self) -> int:
        """What to wait for."""
        return self._socket.fileno()

    def send(self, sequence: int) -> None:
        """Ask for one echo. Raises OSError."""
        kind = 128 if self._target.version == INET6 else 8
        filling = bytes(range(_CLOCK.size, SIZE))
        body = _CLOCK.pack(time.perf_counter()) + filling
        header = _HEADER.pack(kind, 0, 0, 0, sequence & 0xFFFF)
        checksum = 0 if kind == 128 else _checksum(header + body)  # the kernel fills in ICMPv6's
        self._socket.send(_HEADER.pack(kind, 0, checksum, 0, sequence & 0xFFFF) + body)

    def receive(self) -> Answer | None:
        """The next answer or reported error; None when nothing is there, or nothing of ours."""
        try:
            content, extras, _, _ = self._socket.recvmsg(2048, 256)
        except BlockingIOError:
            return self._error()
        except OSError:
            return self._error()  # the error that waits is what the call failed with
        now = time.perf_counter()
        if len(content) < _HEADER.size + _CLOCK.size or content[0] not in (0, 129):
            return None
        sequence = _HEADER.unpack_from(content)[4]
        sent = _CLOCK.unpack_from(content, _HEADER.size)[0]
        hops = next(
            (struct.unpack("=i", value)[0] for _, kind, value in extras if kind in (_TTL, _HOPS) and len(value) == 4), 0
        )
        elapsed = now - sent
        if not 0 <= elapsed < 600:
            return None
        return Answer(sequence, self._target.address, len(content), hops, elapsed, content[0], 0)

    def _error(self) -> Answer | None:
        try:
            content, extras, _, _ = self._socket.recvmsg(2048, 512, _ERRQUEUE)
        except OSError:
            return None
        sequence = _HEADER.unpack_from(content)[4] if len(content) >= _HEADER.size else 0
        for _, kind, value in extras:
            if kind in (_RECVERR, _RECVERR6) and len(value) >= _ERROR.size:
                _, origin, type_, code, _, _ = _ERROR.unpack_from(value)
                return Answer(
                    sequence, _offender(value[_ERROR.size :]) if origin in (2, 3) else "", 0, 0, None, type_, code
                )
        return None


def _offender(content: bytes) -> str:
    """The address in a sockaddr."""
    if len(content) >= 8:
        family = struct.unpack_from("=H", content)[0]
        if family == socket.AF_INET:
            return socket.inet_ntop(socket.AF_INET, content[4:8])
        if family == socket.AF_INET6 and len(content) >= 24:
            return socket.inet_ntop(socket.AF_INET6, content[8:24])
    return ""


def _checksum(content: bytes) -> int:
    total: int = sum(struct.unpack(f"!{len(content) // 2}H", content))
    total = (total >> 16) + (total & 0xFFFF)
    return ~(total + (total >> 16)) & 0xFFFF


def preload() -> None:
    """Import what looking up names imports late: the codec of host names."""
    "é".encode("idna")
