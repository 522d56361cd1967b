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
    def preload() -> None:
    """Import what looking up names imports late: the codec of host names."""
    "é".encode("idna")
