"""The byte streams that commands read and write.

A Source is anything that is read: the command's stdin, a file, the read end of a pipe. A Sink is
anything that is written. Both deal in blocks of bytes; looking at single lines is the exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

from rshell import limits

if TYPE_CHECKING:
    from rshell.sandbox import File


class LineTooLong(Exception):
    """A line is longer than limits.LINE."""

    def __init__(self, limit: int = limits.LINE) -> None:
        super().__init__(f"line too long ({limit} bytes at most)")


class WriteError(Exception):
    """Output could not be written: a full disk, or the run's budget. The message says which."""


class Sink(Protocol):
    """Where output goes. write() takes everything or raises; it may let other stages run."""

    def write(self, data: bytes, /) -> None: ...


class Source:
    """A stream of bytes that is read once, with push-back.

    pull(n) gives at most n bytes, at least one, or b"" at the end; it may let other stages run.
    file is the open file behind the stream, when there is one: then the position can be moved.
    """

    __slots__ = ("_at", "_held", "_pull", "_timer", "file")

    def __init__(
        self,
        pull: Callable[[int], bytes],
        file: File | None = None,
        timer: Callable[[float], Callable[[], bool]] | None = None,
    ) -> None:
        self._pull = pull
        self._timer = timer
        self._held = b""
        self._at = 0
        self.file = file

    def read(self, size: int = limits.BLOCK) -> bytes:
        """Return at most size bytes as soon as there are any; b"" means the end."""
        if not self._held:
            return self._pull(size)
        end = self._at + size
        if self._at == 0 and end >= len(self._held):
            data, self._held = self._held, b""
            return data
        data = self._held[self._at : end]
        self._at = end
        if end >= len(self._held):
            self._held, self._at = b"", 0
        return data

    def timer(self, seconds: float) -> Callable[[], bool]:
        """Start a clock; each call of the result waits until there is something to read, or the end.

        It returns False when seconds have passed before that. A source that never waits is always ready.
        """
        if self._timer is None:
            return _ready
        waits = self._timer(seconds)
        return lambda: bool(self._held) or waits()

    def unread(self, data: bytes) -> None:
        """Push data back: the next read gives it first."""
        if data:
            self._held = data + self._held[self._at :] if self._held else data
            self._at = 0

    @property
    def pending(self) -> int:
        """How many bytes are pushed back and not read again yet."""
        return len(self._held) - self._at

    def discard(self) -> None:
        """Forget what was pushed back (after moving the position of the file behind)."""
        self._held, self._at = b"", 0

    def blocks(self, size: int = limits.BLOCK) -> Iterator[bytes]:
        """Yield the rest of the stream in blocks as they come."""
        read = self.read
        while block := read(size):
            yield block

    def line_blocks(self, size: int = limits.BLOCK, delimiter: bytes = b"\n") -> Iterator[bytes]:
        """Yield the rest in blocks of whole lines; only the last block may lack a final delimiter.

        Raises LineTooLong for a line above limits.LINE, delimiter not counted.
        """
        carried: list[bytes] = []
        length = 0
        read = self.read
        while block := read(size):
            cut = block.rfind(delimiter) + 1
            if cut == 0:
                carried.append(block)
                length += len(block)
                if length > limits.LINE:
                    raise LineTooLong
                continue
            if carried:
                if length + block.find(delimiter) > limits.LINE:
                    raise LineTooLong
                carried.append(block[:cut])
                yield b"".join(carried)
                carried.clear()
            else:
                yield block if cut == len(block) else block[:cut]
            length = len(block) - cut
            if length:
                carried.append(block[cut:])
        if carried:
            yield b"".join(carried)

    def lines(self, delimiter: bytes = b"\n") -> Iterator[bytes]:
        """Yield every line with its delimiter; the last may have none. Prefer line_blocks()."""
        for block in self.line_blocks(delimiter=delimiter):
            start = 0
            while True:
                end = block.find(delimiter, start) + 1
                if end == 0:
                    break
                yield block[start:end]
                start = end
            if start < len(block):
                yield block[start:]

    def readline(self, delimiter: bytes = b"\n", limit: int = limits.LINE) -> bytes:
        """Read one line with its delimiter, leaving the rest unread; b"" at the end.

        Raises LineTooLong when the line is longer than limit.
        """
        pieces: list[bytes] = []
        length = 0
        while True:
            held, at = self._held, self._at
            if not held:
                held, at = self._pull(limits.BLOCK), 0
                if not held:
                    return b"".join(pieces)
            end = held.find(delimiter, at) + 1
            if end:
                self._held, self._at = (held, end) if end < len(held) else (b"", 0)
                if length + end - 1 - at > limit:
                    raise LineTooLong(limit)
                piece = held[at:end]
                return b"".join(pieces) + piece if pieces else piece
            self._held, self._at = b"", 0
            piece = held[at:]
            pieces.append(piece)
            length += len(piece)
            if length > limit:
                raise LineTooLong(limit)

    def read_all(self, limit: int) -> bytes:
        """Read the rest at once. Raises ValueError when it is longer than limit."""
        pieces: list[bytes] = []
        length = 0
        for block in self.blocks():
            length += len(block)
            if length > limit:
                raise ValueError(f"input too long ({limit} bytes at most)")
            pieces.append(block)
        return b"".join(pieces)


def empty() -> Source:
    """Return a source that is at its end."""
    return Source(_nothing)


def from_bytes(data: bytes) -> Source:
    """Return a source that gives data."""
    source = Source(_nothing)
    source.unread(data)
    return source


def _ready() -> bool:
    return True


def _nothing(size: int) -> bytes:
    return b""


class NullSink:
    """Takes everything and keeps nothing: /dev/null."""

    __slots__ = ()

    def write(self, data: bytes, /) -> None:
        return
