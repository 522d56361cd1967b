"""The main input: ARGV's files one after the other, cut into records by RS."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.awk import bounds
from rshell.builtins.awk.errors import AwkError
from rshell.builtins.awk.patterns import Pattern, Patterns
from rshell.builtins.awk.splitting import after, is_plain

if TYPE_CHECKING:
    from rshell.builtins.command import Invocation
    from rshell.builtins.streams import Source

Batch = tuple[list[bytes], bytes]  # records, and what ended the last

_BLANK_LINES = re.compile(rb"\n\n+")


class Records:
    """Gives records in batches: current is an iterator over the batch, load() brings the next.

    next_operand gives the next file's name, or None; opened and closed are called around each file.
    """

    def __init__(self, call: Invocation, patterns: Patterns, next_operand: Callable[[], str | None]) -> None:
        self._call = call
        self._patterns = patterns
        self._next_operand = next_operand
        self._batch: list[bytes] = []
        self._ended = b""  # what ended the last record of the batch
        self._held = b""  # read and, from self._at on, not yet cut
        self._at = 0
        self._separator = b"\n"
        self._source: Source | None = None
        self._batches: Iterator[Batch] = iter(())
        self.current: Iterator[bytes] = iter(())
        self.wanted = b""  # only records that hold this are given, when it is not empty
        self.last = b""  # then: the last record there was
        self.plain = False  # no byte of the batch is a blank to Python alone
        self.opened: Callable[[str], None] = lambda name: None
        self.closed: Callable[[], None] = lambda: None
        self.terminator: Callable[[bytes], None] | None = None  # told what ended each record (RT)

    def load(self) -> bool:
        """Make the next batch the current one; False at the end of all input."""
        self._call.check()
        while True:
            if self._source is not None:
                batch = next(self._batches, None)
                if batch is not None:
                    self._batch, self._ended = batch
                    self.current = iter(self._batch)
                    return True
                self._close()
                self.closed()
            if not self._open():
                return False

    def next(self) -> bytes | None:
        """The next record, None at the end."""
        while True:
            record = next(self.current, None)
            if record is not None:
                return record
            if not self.load():
                return None

    def skip_file(self) -> None:
        """Drop the rest of the current file."""
        self._drain()
        if self._source is not None:
            self._close()
            self.closed()

    def set_separator(self, separator: bytes) -> None:
        """Cut what has not been cut yet by a new RS."""
        if separator == self._separator:
            return
        rest = self._drain()
        if rest:
            joined = self._separator[:1] or b"\n"
            self._held = joined.join(rest) + self._ended + self._take()
        self._separator = separator
        if self._source is not None:
            self._batches = self._cutter()

    def _drain(self) -> list[bytes]:
        rest = list(self.current)
        return rest

    def _open(self) -> bool:
        call = self._call
        while True:
            name = self._next_operand()
            if name is None:
                return False
            if name == "-":
                self._source = call.stdin
            else:
                try:
                    self._source = call.guarded(name, call.open(name), 2)
                except OSError as failure:
                    call.report(name, failure, 2)
                    continue
            self._take()
            self._batches = self._cutter()
            self.opened(name)
            return True

    def _close(self) -> None:
        source, self._source = self._source, None
        if source is not None:
            self._call.close(source)
        self._take()
        self._batches = iter(())

    def _read(self) -> bytes:
        return self._source.read(limits.BLOCK) if self._source is not None else b""

    def _cutter(self) -> Iterator[Batch]:
        separator = self._separator
        if separator == b"":
            return self._by_paragraph()
        if len(separator) == 1:
            if self._patterns.ignore_case and separator.lower() != separator.upper():
                return self._by_pattern(separator)
            return self._by_byte(separator)
        return self._by_pattern(separator)

    def _by_byte(self, separator: bytes) -> Iterator[Batch]:
        while True:
            block = self._take()
            if separator not in block:
                pieces = [block] if block else []
                length = len(block)
                while piece := self._read():
                    pieces.append(piece)
                    length += len(piece)
                    if separator in piece:
                        break
                    if length > bounds.RECORD:
                        raise _too_long()
                block = b"".join(pieces)
                if not block:
                    return
            cut = block.rfind(separator)
            if cut < 0:
                if len(block) > bounds.RECORD:
                    raise _too_long()
                self.plain = is_plain(block)
                self.last = block
                yield [block], b""
                continue
            self._held = block[cut + 1 :]
            if self.wanted and len(block) <= bounds.RECORD:
                self.plain = is_plain(block)
                yield self._holding(block[: cut + 1], separator), separator
                continue
            batch = block[:cut].split(separator)
            self.last = batch[-1]
            if len(block) > bounds.RECORD and max(map(len, batch)) > bounds.RECORD:
                raise _too_long()
            self.plain = is_plain(block)
            if self.terminator is None:
                yield batch, separator
            else:
                yield from self._singly(batch, separator)

    def _holding(self, block: bytes, separator: bytes) -> list[bytes]:
        """The records of a block that hold what is wanted, found without cutting the others."""
        wanted = self.wanted
        found: list[bytes] = []
        at = block.find(wanted)
        while at >= 0:
            start = block.rfind(separator, 0, at) + 1
            end = block.find(separator, at)
            found.append(block[start:end])
            at = block.find(wanted, end)
        self.last = block[block.rfind(separator, 0, -1) + 1 : -1]
        return found

    def _singly(self, batch: list[bytes], separator: bytes) -> Iterator[Batch]:
        """Records one by one, so that RT can be set with each."""
        held = self._held
        text = separator.join(batch) + separator
        at = 0
        for record in batch:
            at += len(record) + len(separator)
            self._held, self._at = text + held, at
            if self.terminator is not None:
                self.terminator(separator)
            yield [record], separator
        self._held, self._at = held, 0

    def _by_paragraph(self) -> Iterator[Batch]:
        text, at = self._take(), 0
        ended = False
        while True:
            while text.startswith(b"\n", at):
                at += 1
            match = _BLANK_LINES.search(text, at)
            while not ended and (match is None or match.end() >= len(text)):
                text, at = text[at:], 0
                if match is None and len(text) > bounds.RECORD + limits.BLOCK:
                    raise _too_long()
                block = self._read()
                ended = not block
                text = (text + block).lstrip(b"\n")
                match = _BLANK_LINES.search(text, at)
            if match is None or match.end() >= len(text):
                self._held, self._at = b"", 0
                record = text[at:].rstrip(b"\n")
                if record:
                    yield self._one(record, text[at + len(record) :])
                return
            start, at = at, match.end()
            self._held, self._at = text, at
            yield self._one(text[start : match.start()], match[0])

    def _by_pattern(self, separator: bytes) -> Iterator[Batch]:
        pattern = self._patterns.get(separator)
        text, at = self._take(), 0
        ended = False
        while True:
            found = _not_empty(pattern, text, at)
            while not ended and (found is None or found[1] >= len(text)):
                text, at = text[at:], 0
                if found is None and len(text) > bounds.RECORD + limits.BLOCK:
                    raise _too_long()
                block = self._read()
                ended = not block
                text += block
                found = _not_empty(pattern, text, at)
            if found is None:
                self._held, self._at = b"", 0
                if at < len(text):
                    yield self._one(text[at:], b"")
                return
            start, at = at, found[1]
            self._held, self._at = text, at
            yield self._one(text[start : found[0]], text[found[0] : at])

    def _take(self) -> bytes:
        text = self._held[self._at :]
        self._held, self._at = b"", 0
        return text

    def _one(self, record: bytes, ended: bytes) -> Batch:
        if len(record) > bounds.RECORD:
            raise _too_long()
        self.plain = False
        if self.terminator is not None:
            self.terminator(ended)
        return [record], ended


def _not_empty(pattern: Pattern, text: bytes, at: int) -> tuple[int, int] | None:
    """The first match that is not empty: an empty one separates nothing."""
    while at <= len(text):
        found = pattern.search(text, at)
        if found is None or found[0] < found[1]:
            return found
        at = after(text, found[1])
    return None


def _too_long() -> AwkError:
    return AwkError(f"record too long ({bounds.RECORD} bytes at most)")
