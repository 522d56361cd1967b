"""How xargs takes arguments from its input: blanks, quotes, backslashes, or one delimiter (GNU findutils)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rshell.builtins.command import Failure, Invocation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rshell.builtins.streams import Source

_WORD = re.compile(rb"[ \t\n\v\f\r]*+([^ \t\n]++)")
_SPECIAL = re.compile(rb"[\"'\\\0]")
_SPACE = b" \t\n\v\f\r"
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|([abfnrtv\\]))", re.ASCII)
_NAMED = dict(zip("abfnrtv\\", b"\a\b\f\n\r\t\v\\", strict=True))

# An argument (which ends at a NUL in it, though it takes the room of all), and whether a line ends with it (for -L)
Item = tuple[bytes, bool]


class TooLong(Exception):
    """An argument does not fit into a command line."""


class Unmatched(Exception):
    """A quote is not closed on its line; the message is 'single' or 'double'."""


def delimiter(text: str) -> bytes:
    """The argument of -d: one byte, or an escape like \\n, \\0, \\x41."""
    raw = text.encode("utf-8", "surrogateescape")
    if len(raw) == 1:
        return raw
    found = _ESCAPE.fullmatch(text)
    if found is None:
        raise Failure(
            f"Invalid input delimiter specification {text}: the delimiter must be either a single character "
            "or an escape sequence starting with \\."
        )
    hexadecimal, octal, name = found.groups()
    value = _NAMED[name] if name else int(hexadecimal, 16) if hexadecimal else int(octal, 8)  # text: ours (matched)
    if value > 255:
        raise Failure(
            f"Invalid escape sequence {text} in input delimiter specification; "
            "character values must not exceed 377."
        )
    return bytes((value,))


def delimited(source: Source, separator: bytes, longest: int) -> Iterator[Item]:
    """The pieces between separators."""
    for piece in source.lines(separator):
        argument = piece[:-1] if piece.endswith(separator) else piece
        if len(argument) > longest:
            raise TooLong
        yield argument, piece.endswith(separator)


def quoted(call: Invocation, source: Source, longest: int, stop: bytes | None, *, whole_lines: bool) -> Iterator[Item]:
    """The arguments between blanks, or with whole_lines the lines, quotes and backslashes taken away.

    stop: the argument that ends the input (-E).
    """
    parser = _Parser(call, longest, whole_lines)
    for line in source.lines():
        call.check()
        if parser.idle and not whole_lines and not _SPECIAL.search(line):
            words = _WORD.findall(line)
            if words and max(map(len, words)) > longest:
                words = words[: next(at for at, word in enumerate(words) if len(word) > longest)]
                yield from ((word, False) for word in words)
                raise TooLong
            last = len(words) - 1
            closed = line[-1:] == b"\n" and line[-2:-1] not in (b" ", b"\t")
            items: Iterator[Item] = ((word, closed and at == last) for at, word in enumerate(words))
        else:
            items = parser.feed(line)
        for word, ends in items:
            if stop is not None and word.partition(b"\0")[0] == stop:
                return
            yield word, ends
    for word, ends in parser.finish():
        if word != stop:
            yield word, ends


class _Parser:
    """Reads lines that hold quotes, byte by byte."""

    def __init__(self, call: Invocation, longest: int, whole_lines: bool) -> None:
        self.call = call
        self.longest = longest
        self.whole_lines = whole_lines
        self.idle = True  # between arguments
        self.escaped = False
        self.quote = 0
        self.seen_quote = False
        self.word = bytearray()
        self.warned = False

    def feed(self, line: bytes) -> Iterator[Item]:
        """The arguments that end in this line."""
        blanks = b"" if self.whole_lines else b" \t"
        previous = 0
        for byte in line:
            before, previous = previous, byte
            if self.idle:
                if byte in _SPACE:
                    continue
                self.idle = False
            if self.escaped:
                self.escaped = False
            elif self.quote:
                if byte == 10:
                    raise Unmatched(self.open_quote)
                if byte == self.quote:
                    self.quote = 0
                    self.seen_quote = True
                    continue
            elif byte == 10:
                ends = before not in b" \t"
                if self.word or self.seen_quote:
                    yield self._take(), ends
                self.idle = True
                continue
            elif byte in blanks:
                yield self._take(), False
                self.idle = True
                continue
            elif byte == 0x5C:
                self.escaped = True
                continue
            elif byte in b"\"'":
                self.quote = byte
                continue
            if len(self.word) >= self.longest:
                raise TooLong
            if byte == 0 and not self.warned:
                self.warned = True
                self.call.warn(
                    "WARNING: a NUL character occurred in the input.  It cannot be passed through in the "
                    "argument list.  Did you mean to use the --null option?"
                )
            self.word.append(byte)

    def finish(self) -> Iterator[Item]:
        """What the end of the input ends."""
        if self.word:  # an empty argument right at the end is none
            if self.quote:
                raise Unmatched(self.open_quote)
            yield self._take(), False

    @property
    def open_quote(self) -> str:
        return "double" if self.quote == 34 else "single"

    def _take(self) -> bytes:
        word = bytes(self.word)
        self.word.clear()
        self.seen_quote = False
        return word
