"""Which lines of a block grep selects, and what in them matched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell.builtins.regex import character_length
from rshell.builtins.regex_classes import class_ranges

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rshell.builtins.regex import Pattern, Span

_WORD_BYTES = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")


class Lines:
    """Finds matching lines by one pattern or several, any of which may match.

    words: a match counts only where no letter, digit or underscore stands next to it (-w). check: called
    in loops that may take long.
    """

    eol = b"\n"

    def __init__(self, patterns: list[Pattern], words: bool, check: Callable[[], None]) -> None:
        self.patterns = patterns
        self.words = words
        self.check = check

    def matching(self, block: bytes, pos: int, end: int, limit: int = 0) -> list[Span]:
        """The lines from pos to end that match: starts and ends without the delimiter; limit: at most so many."""
        if self.words:
            return self._with_words(block, pos, end, limit)
        found = self._candidates(block, pos, end, limit)
        return found[:limit] if limit else found

    def count(self, block: bytes, pos: int, end: int) -> int:
        """How many lines from pos to end match."""
        if self.words or len(self.patterns) != 1:
            return len(self.matching(block, pos, end))
        return self.patterns[0].count_lines(block, pos, end)

    def spans(self, block: bytes, start: int, end: int) -> Iterator[Span]:
        """The matches in the line from start to end that are not empty, none overlapping."""
        pos = start
        while pos <= end:
            span = self._first(block, start, pos, end)
            if span is None:
                return
            if span[1] > span[0]:
                yield span
                pos = span[1]
            else:
                pos = span[0] + character_length(block, span[0])

    @property
    def whole_blocks(self) -> bool:
        """Whether block_spans() can be asked."""
        return len(self.patterns) == 1 and not self.words and self.eol == b"\n"

    def block_spans(self, block: bytes, pos: int, end: int) -> list[Span]:
        """All matches from pos to end, without looking at lines; empty ones only when there are no others."""
        return self.patterns[0].block_spans(block, pos, end)

    def _candidates(self, block: bytes, pos: int, end: int, limit: int) -> list[Span]:
        if len(self.patterns) == 1:
            return self.patterns[0].matching_lines(block, pos, end, limit=limit)
        found: set[Span] = set()
        for pattern in self.patterns:
            found.update(pattern.matching_lines(block, pos, end, limit=limit))
            self.check()
        return sorted(found)

    def _with_words(self, block: bytes, pos: int, end: int, limit: int) -> list[Span]:
        found: list[Span] = []
        for start, stop in self._candidates(block, pos, end, 0):
            if self._first(block, start, start, stop) is not None:
                found.append((start, stop))
                if len(found) == limit:
                    break
        return found

    def _first(self, block: bytes, start: int, pos: int, end: int) -> Span | None:
        """The leftmost longest match of any pattern from pos on, in the line from start to end."""
        best: Span | None = None
        for pattern in self.patterns:
            span = self._word(pattern, block, start, pos, end) if self.words else self.search(pattern, block, pos, end)
            if span is not None and (best is None or (span[0], -span[1]) < (best[0], -best[1])):
                best = span
        return best

    def _word(self, pattern: Pattern, block: bytes, start: int, pos: int, end: int) -> Span | None:
        """As GNU looks for words: shorten a match that does not end at a word's end, then look further on."""
        turns = 0
        while pos <= end:
            turns += 1
            if not turns & 0xFF:
                self.check()
            span = self.search(pattern, block, pos, end)
            if span is None:
                return None
            first, last = span
            if not is_word_before(block, start, first):
                while is_word_after(block, last, end):
                    last = self.match_at(pattern, block, first, last - 1) if last > first else -1
                    if last <= first:  # a shorter match must not be empty
                        break
                else:
                    return first, last
            pos = first + character_length(block, first)
        return None

    def search(self, pattern: Pattern, block: bytes, pos: int, end: int) -> Span | None:
        """The leftmost longest match in the line that ends at end."""
        return pattern.search_line(block, pos, end)

    def match_at(self, pattern: Pattern, block: bytes, pos: int, end: int) -> int:
        """The end of the longest match from pos that ends at end or before, -1 without one."""
        return pattern.match_at(block, pos, end, lines=True)


class Records(Lines):
    """The same for lines that end in a zero byte (-z); newlines are characters of them."""

    eol = b"\0"

    def _candidates(self, block: bytes, pos: int, end: int, limit: int) -> list[Span]:
        found: list[Span] = []
        turns = 0
        while pos < end:
            stop = block.find(b"\0", pos, end)
            if stop < 0:
                stop = end
            record = block[pos:stop]
            if any(pattern.search(record) is not None for pattern in self.patterns):
                found.append((pos, stop))
                if len(found) == limit:
                    break
            pos = stop + 1
            turns += 1
            if not turns & 0xFFF:
                self.check()
        return found

    def count(self, block: bytes, pos: int, end: int) -> int:
        return len(self.matching(block, pos, end))

    def search(self, pattern: Pattern, block: bytes, pos: int, end: int) -> Span | None:
        start = block.rfind(b"\0", 0, pos) + 1
        span = pattern.search(block[start:end], pos - start)
        return None if span is None else (span[0] + start, span[1] + start)

    def match_at(self, pattern: Pattern, block: bytes, pos: int, end: int) -> int:
        start = block.rfind(b"\0", 0, pos) + 1
        stop = block.find(b"\0", end)
        record = block[start : stop if stop >= 0 else len(block)]
        last = pattern.match_at(record, pos - start, end - start, lines=False)
        return last + start if last >= 0 else -1


def is_word_before(block: bytes, start: int, at: int) -> bool:
    """Whether a letter, digit or underscore stands before at, in the line that starts at start."""
    if at <= start:
        return False
    byte = block[at - 1]
    if byte < 0x80:
        return byte in _WORD_BYTES
    for length in (2, 3, 4):
        if at - length >= start and character_length(block, at - length) == length:
            return _is_letter(block[at - length : at].decode())
    return False


def is_word_after(block: bytes, at: int, end: int) -> bool:
    """Whether a letter, digit or underscore stands at at, in the line that ends at end."""
    if at >= end:
        return False
    byte = block[at]
    if byte < 0x80:
        return byte in _WORD_BYTES
    length = character_length(block, at)
    return length > 1 and _is_letter(block[at : at + length].decode())


def _is_letter(character: str) -> bool:
    code = ord(character)
    return any(low <= code <= high for low, high in class_ranges("alnum"))
