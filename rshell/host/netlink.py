"""Asking the kernel over a netlink socket (netlink(7), rtnetlink(7)): dumps and look-ups, never a change.

Only what the files of procfs do not carry is asked this way, and only about the machine that runs us: with
another proc path the files are all there is.
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING

from rshell.host.source import Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROUTE = 0  # NETLINK_ROUTE
SOCK_DIAG = 4  # NETLINK_SOCK_DIAG
REAL = "/proc"

_HEADER = struct.Struct("=IHHII")  # length, type, flags, sequence, port
_ATTRIBUTE = struct.Struct("=HH")  # length, type
_REQUEST, _DUMP = 0x1, 0x300
_ERROR, _DONE = 2, 3
_RECEIVE = 256 * 1024
_PATIENCE = 2.0  # seconds for an answer that comes at once
# what this package asks, by protocol; a message of any other type is a bug and is not sent
_QUESTIONS = {
    ROUTE: frozenset((18, 22, 26, 30)),  # RTM_GETLINK, GETADDR, GETROUTE, GETNEIGH
    SOCK_DIAG: frozenset((20,)),  # SOCK_DIAG_BY_FAMILY
}


def attributes(content: bytes, at: int = 0) -> dict[int, bytes]:
    """The attributes behind a message's fixed part, which is at bytes long; of the same type the last."""
    found = {}
    end = len(content)
    while at + 4 <= end:
        length, kind = _ATTRIBUTE.unpack_from(content, at)
        if length < 4 or at + length > end:
            break
        found[kind & 0x3FFF] = content[at + 4 : at + length]
        at += (length + 3) & ~3
    return found


def attribute(kind: int, content: bytes) -> bytes:
    """One attribute of a request."""
    return _ATTRIBUTE.pack(len(content) + 4, kind) + content + bytes(-len(content) % 4)


def messages(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Type and body of each message in what was received."""
    at = 0
    while at + 16 <= len(content):
        length, kind, _, _, _ = _HEADER.unpack_from(content, at)
        if length < 16 or at + length > len(content):
            break
        yield kind, content[at + 16 : at + length]
        at += (length + 3) & ~3


class Netlink:
    """One socket; close it. Raises OSError, Unavailable where there are no such sockets."""

    def __init__(self, protocol: int, check: Callable[[], None]) -> None:
        import socket

        if not hasattr(socket, "AF_NETLINK"):
            raise Unavailable
        self._check = check
        self._questions = _QUESTIONS[protocol]
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, protocol)
        self._socket.settimeout(_PATIENCE)

    def __enter__(self) -> Netlink:
        return self

    def __exit__(self, *exc: object) -> None:
        self._socket.close()

    def dump(self, question: int, body: bytes) -> Iterator[bytes]:
        """The bodies of all that the kernel has of a kind."""
        self._send(question, _REQUEST | _DUMP, body)
        while True:
            self._check()
            for kind, content in messages(self._socket.recv(_RECEIVE)):
                if kind == _DONE:
                    return
                if kind == _ERROR:
                    _raise(content)
                yield content

    def ask(self, question: int, body: bytes) -> bytes:
        """The body of the one answer."""
        self._send(question, _REQUEST, body)
        for kind, content in messages(self._socket.recv(_RECEIVE)):
            if kind == _ERROR:
                _raise(content)
            return content
        raise OSError(5, "input/output error")

    def _send(self, question: int, flags: int, body: bytes) -> None:
        if question not in self._questions:
            raise ValueError("not a question")
        self._socket.send(_HEADER.pack(16 + len(body), question, flags, 1, 0) + body)


def _raise(content: bytes) -> None:
    code = -struct.unpack_from("=i", content)[0] if len(content) >= 4 else 5
    raise OSError(code, os.strerror(code))
