"""Where the output of a run goes: collectors with a limit, the caller's writers, captures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rshell.interp.endings import CallerFailure, Ended, PipeClosed

if TYPE_CHECKING:
    from collections.abc import Callable


class Collector:
    """Keeps what is written, up to limit bytes; one more ends the run with what fits delivered."""

    __slots__ = ("chunks", "limit", "name", "size", "truncated")

    def __init__(self, name: str, limit: int) -> None:
        self.name = name
        self.limit = limit
        self.chunks: list[bytes] = []
        self.size = 0
        self.truncated = False

    def write(self, data: bytes, /) -> None:
        size = self.size + len(data)
        if size > self.limit:
            data = data[: self.limit - self.size]
            self.size = self.limit
            self.truncated = True
            self.deliver(data)
            raise Ended(self.name)
        self.size = size
        self.chunks.append(data)

    def deliver(self, data: bytes) -> None:
        """Hand over data that is within the limit."""
        self.chunks.append(data)

    def close(self) -> None:
        """The run has ended: hand over what is still held back."""

    def value(self) -> bytes:
        """All that was kept."""
        return b"".join(self.chunks)


class Forwarder(Collector):
    """Hands what is written to the caller's writer (a binary file or a callable), with the same limit."""

    __slots__ = ("target",)

    def __init__(self, name: str, limit: int, target: Any) -> None:
        super().__init__(name, limit)
        self.target: Callable[[bytes], object] = target if callable(target) else target.write

    def write(self, data: bytes, /) -> None:
        size = self.size + len(data)
        if size > self.limit:
            super().write(data)
        self.size = size
        if data:
            self.deliver(data)

    def deliver(self, data: bytes) -> None:
        try:
            self.target(data)
        except Exception as error:
            raise CallerFailure(error) from error


class Capture:
    """Keeps the output of a command substitution, up to limit bytes."""

    __slots__ = ("chunks", "limit", "overflowed", "size")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.chunks: list[bytes] = []
        self.size = 0
        self.overflowed = False

    def write(self, data: bytes, /) -> None:
        self.size += len(data)
        if self.size > self.limit:
            self.overflowed = True
            self.chunks.clear()
            raise PipeClosed
        self.chunks.append(data)

    def value(self) -> bytes:
        return b"".join(self.chunks)
