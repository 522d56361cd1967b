"""The bounded in-memory pipe between two stages."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.streams import Source
from rshell.interp.endings import PipeClosed, Unwound

if TYPE_CHECKING:
    from collections.abc import Callable

    from rshell.interp.scheduler import Scheduler, Stage


class Pipe:
    """Joins a writing stage to a reading one. It is the writer's Sink; read() is the reader's pull.

    About limits.PIPE bytes wait in it; a writer that finds it fuller waits for the reader. What is
    written when the reader has gone raises PipeClosed in the writer.
    """

    __slots__ = ("chunks", "reader", "reader_gone", "scheduler", "size", "writer", "writer_gone")

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler
        self.chunks: deque[bytes] = deque()
        self.size = 0
        self.reader: Stage | None = None  # the stage that waits for data
        self.writer: Stage | None = None  # the stage that waits for room
        self.reader_gone = False
        self.writer_gone = False

    def source(self) -> Source:
        """The read end, as a stage's stdin."""
        return Source(self.read, timer=self.timer)

    def timer(self, seconds: float) -> Callable[[], bool]:
        """Start a clock: each call waits for something to read until seconds have passed, False then."""
        until = time.monotonic() + seconds
        scheduler = self.scheduler

        def ready() -> bool:
            while not self.chunks and not self.writer_gone:
                if time.monotonic() >= until:
                    self.reader = None
                    return False
                self.reader = scheduler.current
                scheduler.suspend_until(until)
            return True

        return ready

    def write(self, data: bytes, /) -> None:
        """Write data; wait while the pipe is full."""
        if self.reader_gone:
            raise PipeClosed
        scheduler = self.scheduler
        if scheduler.ending is not None:
            raise Unwound
        if not data:
            return
        self.chunks.append(data)
        self.size += len(data)
        if self.reader is not None:
            scheduler.resume(self.reader)
            self.reader = None
        while self.size >= limits.PIPE:
            self.writer = scheduler.current
            scheduler.suspend()
            if self.reader_gone:
                raise PipeClosed

    def read(self, size: int) -> bytes:
        """Read what there is, at most size bytes; wait for the first; b"" when the writer has gone."""
        chunks = self.chunks
        scheduler = self.scheduler
        while not chunks:
            if self.writer_gone:
                return b""
            self.reader = scheduler.current
            scheduler.suspend()
        if scheduler.ending is not None:
            raise Unwound
        first = chunks.popleft()
        if len(first) < size and chunks:
            pieces = [first]
            total = len(first)
            while chunks and total + len(chunks[0]) <= size:
                piece = chunks.popleft()
                pieces.append(piece)
                total += len(piece)
            first = b"".join(pieces)
        elif len(first) > size:
            # cut it up once, so that a long chunk is not copied again by every read
            chunks.extendleft([first[at : at + size] for at in range(0, len(first), size)][::-1])
            first = chunks.popleft()
        self.size -= len(first)
        if self.writer is not None and self.size < limits.PIPE:
            scheduler.resume(self.writer)
            self.writer = None
        return first

    def close_write(self) -> None:
        """The writer has ended: the reader sees the end once it has read all."""
        self.writer_gone = True
        if self.reader is not None:
            self.scheduler.resume(self.reader)
            self.reader = None

    def close_read(self) -> None:
        """The reader has ended: the writer's next write fails."""
        self.reader_gone = True
        self.chunks.clear()
        self.size = 0
        if self.writer is not None:
            self.scheduler.resume(self.writer)
            self.writer = None
