"""grep's way through one input: blocks in, selected lines, counts and context out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import encode
from rshell.builtins.streams import LineTooLong

if TYPE_CHECKING:
    from rshell.builtins.command import Invocation
    from rshell.builtins.grep_lines import Lines
    from rshell.builtins.regex import Span
    from rshell.builtins.streams import Source

_READ = 96 * limits.KIB  # as GNU grep: what it makes of a binary file depends on its buffer
# What glibc takes for characters beyond U+10FFFF.
_BEYOND = re.compile(
    rb"\xf4[\x90-\xbf][\x80-\xbf]{2}|[\xf5-\xf7][\x80-\xbf]{3}|\xf8[\x88-\xbf][\x80-\xbf]{3}"
    rb"|[\xf9-\xfb][\x80-\xbf]{4}|\xfc[\x84-\xbf][\x80-\xbf]{4}|\xfd[\x80-\xbf]{5}"
)
_ALL_DIGITS = 20  # of the greatest size there can be


@dataclass
class Settings:
    """What the options say. max_count: -1 without one; before, after: -1 without context."""

    lines: Lines
    invert: bool = False
    max_count: int = -1
    before: int = -1
    after: int = -1
    count: bool = False
    names: str = ""  # 'l' or 'L': list files with or without a selected line
    quiet: bool = False
    only_matching: bool = False
    numbers: bool = False
    offsets: bool = False
    tab: bool = False
    zero_names: bool = False
    binary: str = "binary"  # or 'text', 'without-match'
    separator: bytes | None = b"--"


class Search:
    """Searches inputs one after the other."""

    def __init__(self, call: Invocation, settings: Settings) -> None:
        self.call = call
        self.settings = settings
        self.lines = settings.lines
        self.eol = settings.lines.eol
        self.context = max(settings.before, settings.after) >= 0
        self.silent = settings.count or settings.quiet or bool(settings.names)
        self.first_only = settings.quiet or bool(settings.names)
        self.prefixed = settings.numbers or settings.offsets or settings.tab
        self.matches_only = (
            settings.only_matching
            and not (settings.invert or self.context or settings.max_count >= 0)
            and self.lines.whole_blocks
        )
        self.printed = False  # anything at all: then groups are separated
        self._forget(b"")

    def _forget(self, name: bytes) -> None:
        """Begin a new input."""
        self.name = name
        self.base = 0  # the offset of the block's first byte
        self.numbered = (0, 0)  # an offset at a line's start, and the number of lines before it
        self.end = -1  # the offset behind the last line printed
        self.pending = 0  # lines of trailing context still to print
        self.left = self.settings.max_count
        self.width = 0
        self.resume = -1  # the offset behind the last line selected
        self.selected = 0
        self.binary = False  # a zero byte was seen: lines are counted and no longer printed
        self.before_binary = 0  # selected until then
        self.unprinted = False  # a line that is no text was left out

    def run(self, source: Source, shown: str, named: bool) -> int:
        """Search one input; return how many lines were selected. shown: its name in messages and output."""
        settings = self.settings
        self._forget(encode(shown) if named else b"")
        if settings.tab and (settings.numbers or settings.offsets):
            self.width = self._digits(source)
        if self.left > 0 and source.file is not None and source.file.is_regular:
            began = source.file.seek(0, 1) - source.pending
            self._scan(source)
            self._give_back(source, began)
        elif self.left:
            self._scan(source)
        selected = self.selected
        not_text = (self.binary and selected > self.before_binary) or self.unprinted
        if not_text and not self.silent and settings.binary == "binary":
            self.call.flush()
            self.call.warn(f"{shown}: binary file matches")
        if settings.count:
            self._count(named, selected)
        if settings.names == ("l" if selected else "L"):
            self.call.write(encode(shown) + (b"\0" if settings.zero_names else b"\n"))
        return selected

    def _count(self, named: bool, selected: int) -> None:
        settings = self.settings
        if settings.names or settings.quiet:
            return
        prefix = self.name + (b"\0" if settings.zero_names else b":") if named else b""
        self.call.write(b"%s%d\n" % (prefix, selected))

    def _digits(self, source: Source) -> int:
        size = source.file.size if source.file is not None and source.file.is_regular else -1
        return _ALL_DIGITS if size < 0 else len(str(size + self.settings.numbers))

    def _scan(self, source: Source) -> None:
        """Go through the input.

        A read is searched where it lies. Only the line that began in an earlier one is put together
        first; with leading context all of it is, behind the lines that may still be printed.
        """
        settings, eol = self.settings, self.eol
        may_be_binary = settings.binary != "text" and eol != b"\0"
        whole = settings.before > 0
        carried: list[bytes] = []
        length = 0
        kept = b""
        offset = 0
        while data := source.read(_READ):
            if may_be_binary and (self.binary or b"\0" in data):
                if settings.binary == "without-match":
                    self.selected = 0
                    return
                if not self.binary:
                    self.binary = True
                    self.before_binary = self.selected
                data = data.replace(b"\0", b"\n")
            cut = data.rfind(eol) + 1
            first = data.find(eol) + 1
            if length + (first - 1 if first else len(data)) > limits.LINE:
                raise LineTooLong
            if not cut:
                carried.append(data)
                length += len(data)
                offset += len(data)
                continue
            if whole:
                first = cut
            if carried or kept:
                block = b"".join([kept, *carried, data[:first]])
                self.base = offset - length - len(kept)
                if self._block(block, len(kept), len(block)):
                    return
            else:
                first = 0
            if first < cut:
                block = data
                self.base = offset
                if self._block(data, first, cut):
                    return
            if whole:
                kept = self._tail(block, len(block) if block is not data else cut)
            carried = [data[cut:]] if cut < len(data) else []
            length = len(data) - cut
            offset += len(data)
            self.call.check()
        if carried:
            block = b"".join([kept, *carried])
            self.base = offset - length - len(kept)
            self._block(block, len(kept), len(block))

    def _block(self, block: bytes, pos: int, end: int) -> bool:
        """Search the lines from pos to end; return True when the rest of the input does not matter."""
        settings = self.settings
        if self.silent or self.binary:
            self.selected += self._quietly(block, pos, end)
            if self.first_only and self.selected:
                return True
            if self.binary and not settings.count and self.selected > self.before_binary:
                return True
        else:
            self.selected += self._print(block, pos, end)
        if settings.numbers:
            self._lines_before(block, end - len(self._tail(block, end)))
        return not self.left and not self.pending

    def _give_back(self, source: Source, began: int) -> None:
        """Leave a file where the last selected line ends, as GNU does with -m for whoever reads it next."""
        if source.file is not None and not self.left and self.resume >= 0:
            source.file.seek(began + self.resume)
            source.discard()

    def _tail(self, block: bytes, end: int) -> bytes:
        """The last lines before end that may still be printed as leading context."""
        lines = self.settings.before
        if lines <= 0 or self.silent:
            return b""
        start = end
        floor = max(self.end - self.base, 0)
        while lines and start > floor:
            start = block.rfind(self.eol, 0, start - 1) + 1
            lines -= 1
        return block[max(start, floor) : end]

    def _quietly(self, block: bytes, pos: int, end: int) -> int:
        """How many lines are selected; one is enough where only that matters."""
        settings = self.settings
        self.printed = self.printed or self.binary  # a group that is kept back is one too
        limit = 1 if self.first_only or (self.binary and not settings.count) else max(self.left, 0)
        if not limit or settings.invert:
            total = self.lines.count(block, pos, end)
            if settings.invert:
                total = self._how_many(block, pos, end) - total
        else:
            spans = self.lines.matching(block, pos, end, limit)
            total = len(spans)
            if spans:
                self.resume = self.base + spans[-1][1] + 1
        if limit:
            total = min(total, limit)
        if self.left > 0:
            self.left -= total
        return total

    def _how_many(self, block: bytes, pos: int, end: int) -> int:
        """How many lines there are from pos to end."""
        return block.count(self.eol, pos, end) + (end > pos and block[end - 1] != self.eol[0])

    # Printing

    def _print(self, block: bytes, pos: int, end: int) -> int:
        settings = self.settings
        if self.matches_only:
            return self._write_matches(block, pos, end)
        limit = max(self.left, 0)
        plain = not (self.context or self.prefixed or self.name or settings.only_matching)
        spans: list[Span] = []
        if self.left:
            spans = self.lines.matching(block, pos, end, 0 if settings.invert else limit)
            if settings.invert:
                if plain and not limit and self._write_gaps(block, pos, end, spans):
                    return self._how_many(block, pos, end) - len(spans)
                spans = self._others(block, pos, end, spans, limit)
        if plain and self._write_lines(block, spans):
            if spans:
                self.end = self.base + spans[-1][1] + 1
        else:
            self._write_groups(block, end, spans)
        if self.left > 0:
            self.left -= len(spans)
        if spans:
            self.resume = self.base + spans[-1][1] + 1
        return len(spans)

    def _write_matches(self, block: bytes, pos: int, end: int) -> int:
        """Write every match; return how many there were, for all that matters is whether there were any."""
        spans = self.lines.block_spans(block, pos, end)
        if self.prefixed or self.name:
            for start, stop in spans:
                match = block[start:stop]
                if match and self._may_print(match):
                    self.call.write(self._prefix(block, start, start, True, b":") + match + b"\n")
            return len(spans)
        text = b"".join([block[start:stop] + b"\n" for start, stop in spans if stop > start])
        if text and not self._write_text(text):
            for start, stop in spans:
                match = block[start:stop]
                if self._may_print(match):
                    self.call.write(match + b"\n")
        return len(spans)

    def _others(self, block: bytes, pos: int, end: int, spans: list[Span], limit: int) -> list[Span]:
        """The lines from pos to end that are not in spans."""
        found: list[Span] = []
        find, eol = block.find, self.eol
        for start, after in [*spans, (end, end)]:
            while pos < start:
                stop = find(eol, pos, end)
                if stop < 0:
                    stop = end
                found.append((pos, stop))
                if len(found) == limit:
                    return found
                pos = stop + 1
            pos = after + 1
        return found

    def _write_gaps(self, block: bytes, pos: int, end: int, spans: list[Span]) -> bool:
        """Write the lines from pos to end that are not in spans, unless they are not text."""
        pieces: list[bytes] = []
        for start, after in spans:
            if pos < start:
                pieces.append(block[pos:start])
            pos = after + 1
        pieces.append(block[pos:end])
        return self._write_text(b"".join(pieces))

    def _write_lines(self, block: bytes, spans: list[Span]) -> bool:
        """Write whole lines, unless some are not text."""
        return self._write_text(b"".join([block[start : end + 1] for start, end in spans]))

    def _write_text(self, data: bytes) -> bool:
        if self.settings.binary != "text" and not _is_text(data):
            return False
        if data:
            if not data.endswith(self.eol):
                data += self.eol
            self.call.write(data)
        return True

    def _write_groups(self, block: bytes, stop: int, spans: list[Span]) -> None:
        """Write lines one by one, with context around them."""
        settings = self.settings
        base = self.base
        for start, end in spans:
            if self.pending:
                self._write_pending(block, start)
            first = self._leading(block, start)
            if self.context and self.printed and base + first != self.end and settings.separator is not None:
                self.call.write(settings.separator + b"\n")
            self.printed = True
            self._write_rejected(block, first, start)
            if self._write_line(block, start, end, b":"):
                self.end = base + end + 1
            self.pending = max(settings.after, 0)
        if self.pending:
            self._write_pending(block, stop)

    def _leading(self, block: bytes, start: int) -> int:
        """Where the leading context of the line at start begins."""
        floor = max(self.end - self.base, 0)
        first = start
        for _ in range(max(self.settings.before, 0)):
            if first <= floor:
                break
            first = block.rfind(self.eol, 0, first - 1) + 1
        return max(first, floor)

    def _write_pending(self, block: bytes, stop: int) -> None:
        """Write trailing context from where the output is to stop."""
        at = max(self.end - self.base, 0)
        size = len(block)
        while self.pending and at < stop:
            end = block.find(self.eol, at)
            if end < 0:
                end = size
            self._write_line(block, at, end, b"-")
            at = end + 1
            self.pending -= 1
        self.end = self.base + at

    def _write_rejected(self, block: bytes, at: int, stop: int) -> None:
        while at < stop:
            end = block.find(self.eol, at)
            self._write_line(block, at, end, b"-")
            at = end + 1

    def _write_line(self, block: bytes, start: int, end: int, mark: bytes) -> bool:
        """Write a line, or what matched in it, with its prefix; False when it is left out as no text.

        mark: what ends the parts of the prefix, ':' for selected lines and '-' for context.
        """
        settings = self.settings
        if not settings.only_matching:
            line = block[start:end]
            if not self._may_print(line):
                return False
            self.call.write(self._prefix(block, start, start, end > start, mark) + line + self.eol)
            return True
        if (mark == b":") == settings.invert:
            return True
        mark = b"-" if settings.invert else b":"
        for count, (first, last) in enumerate(self.lines.spans(block, start, end)):
            if not ~count & 0x3FF:
                self.call.check()
            match = block[first:last]
            if self._may_print(match):
                self.call.write(self._prefix(block, start, first, True, mark) + match + self.eol)
        return True

    def _may_print(self, data: bytes) -> bool:
        """Whether to print data: what is no text is left out, and said so at the end."""
        if self.settings.binary == "text" or _is_text(data):
            return True
        self.unprinted = True
        return False

    def _prefix(self, block: bytes, line: int, at: int, some: bool, mark: bytes) -> bytes:
        settings = self.settings
        prefix = self.name
        if prefix:
            prefix += b"\0" if settings.zero_names else mark
        if settings.numbers:
            prefix += b"%*d%s" % (self.width, self._lines_before(block, line) + 1, mark)
        if settings.offsets:
            prefix += b"%*d%s" % (self.width, self.base + at, mark)
        if settings.tab and some and prefix:
            prefix += b"\t"
        return prefix

    def _lines_before(self, block: bytes, at: int) -> int:
        """How many lines of the input come before the one that starts at at; asked for in order."""
        seen, number = self.numbered
        number += block.count(self.eol, seen - self.base, at)
        self.numbered = (self.base + at, number)
        return number


def _is_text(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        try:
            _BEYOND.sub(b"", data).decode()
        except UnicodeDecodeError:
            return False
    return True
