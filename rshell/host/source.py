"""Reading one kernel file: bounded, never waiting, with errors that say what a user can know."""

from __future__ import annotations

import os
import re

SIZE = 1024 * 1024  # of one kernel file; what is beyond is not read
_PIECE = 64 * 1024
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)
_COUNT = re.compile(rb"([0-9]{1,20})(?![0-9])")
_PAIR = re.compile(rb"^([A-Za-z_][A-Za-z0-9_()]{0,63}):?[ \t]+([0-9]{1,20})(?![0-9])", re.MULTILINE)


class Unavailable(OSError):
    """The system has no such source."""

    def __init__(self) -> None:
        super().__init__(38, "not supported on this platform")


def read(path: bytes | str, size: int = SIZE) -> bytes:
    """The first size bytes of a file. Raises OSError."""
    descriptor = os.open(path, _FLAGS)
    try:
        first = os.read(descriptor, min(size, 4096))
        if not first:
            return first
        pieces = [first]
        left = size - len(first)
        while left > 0 and (piece := os.read(descriptor, min(left, _PIECE))):
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)
    finally:
        os.close(descriptor)


def require(path: str, size: int = SIZE) -> bytes:
    """As read(); a missing file means that the system has no such source."""
    try:
        return read(os.fsencode(path), size)
    except (FileNotFoundError, NotADirectoryError):
        raise Unavailable from None


def pairs(content: bytes) -> dict[str, int]:
    """The lines `name: number` or `name number` of a file."""
    return {name.decode("ascii"): int(value) for name, value in _PAIR.findall(content)}  # text: ours


def count(field: bytes) -> int:
    """The number that a field starts with, 0 where there is none."""
    match = _COUNT.match(field)
    return int(match[1]) if match else 0  # text: ours
