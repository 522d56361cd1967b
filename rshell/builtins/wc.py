"""wc: count lines, words, characters and bytes (GNU coreutils)."""

from __future__ import annotations

import re
import stat
from typing import TYPE_CHECKING

from rshell.builtins.command import Command, Invocation, Option, encode, reason
from rshell.builtins.width import NO_BREAK_SPACES, SPACES, width

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rshell.builtins.streams import Source

WC = Command(
    "wc",
    "count lines, words, characters and bytes",
    "wc [-clmwL] [FILE]...",
    options=(
        Option("-c", "--bytes", help="print the byte counts"),
        Option("-m", "--chars", help="print the character counts"),
        Option("-l", "--lines", help="print the newline counts"),
        Option("-L", "--max-line-length", help="print the greatest display width of a line"),
        Option("-w", "--words", help="print the word counts"),
    ),
    description="Without an option, lines, words and bytes are printed. Counts come in the order lines, words,\n"
    "characters, bytes, greatest width. Several files are followed by their total.",
)

COLUMNS = ("lines", "words", "chars", "bytes", "max-line-length")
_PAGE = 4096

# A byte is white space (0), part of a word (1), or neither: control characters do not end a word.
_SPACE = b"\t\n\v\f\r "
_CLASSES = bytes(0 if byte in _SPACE else 1 for byte in range(256))
_NEITHER = bytes(byte for byte in (*range(32), 127) if byte not in _SPACE)
_PLAIN = bytes(range(32, 127)) + bytes(range(128, 256))

_ASCII = bytes(range(128))
# glibc decodes what UTF-8 once had beyond U+10FFFF: characters that do not print.
_BEYOND = re.compile(
    rb"\xf4[\x90-\xbf][\x80-\xbf]{2}|[\xf5-\xf7][\x80-\xbf]{3}|\xf8[\x88-\xbf][\x80-\xbf]{3}"
    rb"|[\xf9-\xfb][\x80-\xbf]{4}|\xfc[\x84-\xbf][\x80-\xbf]{4}|\xfd[\x80-\xbf]{5}"
)
_UNASSIGNED = "\ufdd0".encode()
# What may be the beginning of a character whose rest is in the next block.
_PARTIAL = re.compile(
    rb"(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf7][\x80-\xbf]{0,2}|[\xf8-\xfb][\x80-\xbf]{0,3}"
    rb"|[\xfc\xfd][\x80-\xbf]{0,4})\Z"
)


class Counter:
    """Counts one stream, fed with blocks."""

    def __init__(self, wanted: Iterable[str]) -> None:
        self.wanted = set(wanted)
        self.lines = self.words = self.chars = self.bytes = self.longest = 0
        self._lines = "lines" in self.wanted
        self._words = "words" in self.wanted
        self._chars = "chars" in self.wanted
        self._widths = "max-line-length" in self.wanted
        self._characters = self._words or self._chars or self._widths
        self._class = b"\0"  # of the last byte that has one
        self._column = 0
        self._partial = b""
        self._plain: set[str] = set()  # characters known to be parts of words

    def count(self, block: bytes) -> None:
        """Count a block of the stream."""
        self.bytes += len(block)
        if self._lines:
            self.lines += block.count(b"\n")
        if self._characters:
            if self._partial:
                block = self._partial + block
                self._partial = b""
            if block.isascii():
                self._count_ascii(block)
            else:
                found = _PARTIAL.search(block, max(0, len(block) - 5))
                if found:
                    self._partial = found.group()
                    block = block[: found.start()]
                self._count_characters(block)

    def finish(self) -> None:
        """Count what was left incomplete."""
        if self._partial:
            block, self._partial = self._partial, b""
            self._count_characters(block)
        self.longest = max(self.longest, self._column)

    def _count_ascii(self, block: bytes) -> None:
        if self._chars:
            self.chars += len(block)
        if self._words:
            self._count_words(block)
        if self._widths:
            self._measure(block)

    def _count_words(self, block: bytes) -> None:
        classes = block.translate(_CLASSES, _NEITHER)
        if classes:
            self.words += classes.count(b"\0\1") + (self._class == b"\0" and classes[0] == 1)
            self._class = classes[-1:]

    def _count_characters(self, block: bytes) -> None:
        try:
            text = block.decode()
        except UnicodeDecodeError:
            text = _BEYOND.sub(_UNASSIGNED, block).decode("utf-8", "ignore")
            block = text.encode()
        if self._chars:
            self.chars += len(text)
        if self._words:
            found = set(block.translate(None, _ASCII).decode()) - self._plain
            odd = {}
            for character in found:
                if character in SPACES or character in NO_BREAK_SPACES:
                    odd[ord(character)] = " " if width(character) >= 0 else ""
                elif width(character) < 0:
                    odd[ord(character)] = ""
                else:
                    self._plain.add(character)
            self._count_words(text.translate(odd).encode() if odd else block)
        if self._widths:
            self._measure(block)

    def _measure(self, block: bytes) -> None:
        """Follow the columns of a block of valid UTF-8."""
        first, *rest = block.split(b"\n")
        self._advance(first)
        if not rest:
            return
        self.longest = max(self.longest, self._column)
        last = rest.pop()
        if rest:
            if block.isascii() and not block.translate(None, _PLAIN + b"\n"):
                self.longest = max(self.longest, max(map(len, rest)))
            else:
                for line in rest:
                    # A byte takes at most one column, a tab at most eight.
                    if len(line) + 7 * line.count(b"\t") > self.longest:
                        self._column = 0
                        self._advance(line)
                        self.longest = max(self.longest, self._column)
        self._column = 0
        self._advance(last)

    def _advance(self, line: bytes) -> None:
        """Move the column over a piece of a line, from where it is."""
        if line.isascii() and not line.translate(None, _PLAIN):
            self._column += len(line)
            return
        column = self._column
        for character in line.decode():
            if character == "\t":
                column += 8 - column % 8
            elif character in "\r\f":
                self.longest = max(self.longest, column)
                column = 0
            else:
                columns = width(character)
                if columns > 0:
                    column += columns
        self._column = column


@WC.main
def wc(call: Invocation) -> int:
    wanted = [name for name in COLUMNS if name in call.options] or ["lines", "words", "bytes"]
    operands = call.operands
    digits = 1 if len(operands) <= 1 and len(wanted) == 1 else _digits(call)
    totals = dict.fromkeys(COLUMNS, 0)
    for name in operands or [""]:
        if name == "" and operands:
            call.error("invalid zero-length file name")
            continue
        counts = _count_input(call, name or "-", wanted)
        if counts is None:
            continue
        for column in wanted:
            if column == "max-line-length":
                totals[column] = max(totals[column], counts[column])
            else:
                totals[column] += counts[column]
        _print(call, [counts[column] for column in wanted], digits, name)
    if len(operands) > 1:
        _print(call, [totals[column] for column in wanted], digits, "total")
    return call.status


def _digits(call: Invocation) -> int:
    """The width of the columns: of the sizes' sum, at least 7 when an input is no regular file."""
    least = 1
    total = 0
    for name in call.operands or ["-"]:
        if name in ("-", "/dev/stdin", "/dev/fd/0"):
            file = call.stdin.file
            status = None if file is None else file.stat()
        else:
            try:
                status = call.stat(name)
            except OSError:
                continue
        if status is not None and stat.S_ISREG(status.st_mode):
            total += status.st_size
        else:
            least = 7
    return max(least, len(str(total)))


def _print(call: Invocation, counts: list[int], digits: int, name: str) -> None:
    text = " ".join(f"{count:{digits}}" for count in counts)
    call.write(encode(f"{text} {name}\n" if name else f"{text}\n"))


def _count_input(call: Invocation, name: str, wanted: list[str]) -> dict[str, int] | None:
    """The counts of one input by column; None when it cannot be opened."""
    counter = Counter(wanted)
    if name == "-":
        source = call.stdin
    else:
        try:
            source = call.guarded(name, call.open(name))
        except IsADirectoryError as failure:  # it opens, as wc sees it, and cannot be read
            call.error(f"{name}: {reason(failure)}")
            return dict.fromkeys(COLUMNS, 0)
        except OSError as failure:
            call.report(name, failure)
            return None
    try:
        counter.bytes, whole = _skip(source) if wanted == ["bytes"] else (0, False)
        if not whole:
            for block in source.blocks():
                counter.count(block)
    finally:
        if name != "-":
            call.close(source)
    counter.finish()
    return {
        "lines": counter.lines,
        "words": counter.words,
        "chars": counter.chars,
        "bytes": counter.bytes,
        "max-line-length": counter.longest,
    }


def _skip(source: Source) -> tuple[int, bool]:
    """The bytes of a regular file that its size tells, and whether those are all.

    The size that kernel files state is none or a whole page, so a last page is read. Where nothing is read
    the position stays, as with GNU wc: the next to read the same input finds it all.
    """
    file = source.file
    if file is None or not file.is_regular or source.pending:
        return 0, False
    size = file.size
    here = file.seek(0, 1)
    if size % _PAGE:
        return max(0, size - here), True
    skipped = max(0, (size - here - 1) // _PAGE * _PAGE)
    file.seek(skipped, 1)
    return skipped, False


COMMANDS = {"wc": WC}
