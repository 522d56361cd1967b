"""Rotation: the Varlink call io.systemd.Journal.Rotate on journald's socket (https://varlink.org/Method-Call).

The socket is looked up once and held by a descriptor; the connection goes through that descriptor in
/proc/self/fd, so that it reaches the inode that was looked at, whatever the path names by then.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import time
from collections.abc import Callable

from rshell import limits
from rshell.journal.files import reason
from rshell.journal.format import JournalError

STANDARD_SOCKET = "/run/systemd/journal/io.systemd.journal"

_REQUEST = b'{"method":"io.systemd.Journal.Rotate","parameters":{}}\0'
_PIECE = 4_096

Wait = Callable[[int, float], bool]  # (descriptor, seconds) → whether it can be read; may raise to end everything


def rotate(path: str, wait: Wait) -> None:
    """Have the journald that listens on the socket `path` rotate its files; raises JournalError.

    `wait` is called whenever there is nothing to read yet.
    """
    pinned = _pin(path)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.setblocking(False)
            try:
                connection.connect(f"/proc/self/fd/{pinned}")
                sent = connection.send(_REQUEST, getattr(socket, "MSG_NOSIGNAL", 0))
                if sent < len(_REQUEST):  # it is far below any socket buffer
                    raise JournalError(f"journal control socket {path}: the request was not taken")
                answer = _answer(connection, path, wait)
            except BlockingIOError:  # too many wait to be accepted
                raise JournalError(f"journal control socket {path}: journald does not answer") from None
            except OSError as error:
                raise JournalError(f"journal control socket {path}: {reason(error)}") from None
    finally:
        os.close(pinned)
    _judge(answer, path)


def _pin(path: str) -> int:
    """A descriptor of the socket itself, checked to be reachable through procfs."""
    if not hasattr(os, "O_PATH"):
        raise JournalError("rotation is not supported on this platform")
    try:
        pinned = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise JournalError(f"journal control socket {path}: {reason(error)}") from None
    try:
        held = os.fstat(pinned)
        if not stat.S_ISSOCK(held.st_mode):
            raise JournalError(f"journal control socket {path}: not a socket")
        try:
            reached = os.stat(f"/proc/self/fd/{pinned}")
        except OSError:
            raise JournalError("rotation needs procfs in /proc") from None
        if (reached.st_dev, reached.st_ino) != (held.st_dev, held.st_ino):
            raise JournalError("rotation needs procfs in /proc")
    except BaseException:
        os.close(pinned)
        raise
    return pinned


def _answer(connection: socket.socket, path: str, wait: Wait) -> bytes:
    """The first message that comes back; Varlink ends each with a NUL."""
    until = time.monotonic() + limits.JOURNAL_ROTATION
    received = b""
    while True:
        left = until - time.monotonic()
        if left <= 0 or not wait(connection.fileno(), left):
            raise JournalError(f"journal control socket {path}: no answer in {limits.JOURNAL_ROTATION} seconds")
        try:
            piece = connection.recv(_PIECE)
        except BlockingIOError:
            continue
        if not piece:
            raise JournalError(f"journal control socket {path}: connection closed without an answer")
        message, end, _ = piece.partition(b"\0")
        received += message
        if len(received) > limits.JOURNAL_REPLY:
            raise JournalError(f"journal control socket {path}: answer too long ({limits.JOURNAL_REPLY} bytes at most)")
        if end:
            return received


def _judge(answer: bytes, path: str) -> None:
    try:
        reply = json.loads(answer)
    except (ValueError, RecursionError):
        reply = None
    if not isinstance(reply, dict) or "continues" in reply:
        raise JournalError(f"journal control socket {path}: not a Varlink answer")
    fault = reply.get("error")
    if fault is not None:
        plain = isinstance(fault, str) and len(fault) <= 128 and fault.isascii() and fault.isprintable()
        raise JournalError(f"journald refused to rotate: {fault if plain else 'no reason given'}")
    if not isinstance(reply.get("parameters", {}), dict):
        raise JournalError(f"journal control socket {path}: not a Varlink answer")
