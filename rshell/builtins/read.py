"""read: read a line into variables (bash)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Failure, Invocation, Option, decode, encode
from rshell.builtins.streams import LineTooLong

if TYPE_CHECKING:
    from collections.abc import Callable

    from rshell.builtins.streams import Source

_ELSEWHERE = "not an option of this shell"
READ = Command(
    "read",
    "read a line into variables",
    "read [-r] [-p PROMPT] [-d DELIM] [-n COUNT] [-N COUNT] [-t SECONDS] [NAME]...",
    options=(
        Option("-r", help="a backslash is a character like any other"),
        Option("-p", value="PROMPT", help="write PROMPT to stderr first"),
        Option("-d", value="DELIM", help="read up to the first character of DELIM (up to a NUL when it is empty)"),
        Option("-n", value="COUNT", help="read COUNT characters at most"),
        Option("-N", value="COUNT", help="read exactly COUNT characters, delimiters among them; nothing is split"),
        Option("-t", value="SECONDS", help="give up after so long: status 142; 0 asks whether there is input"),
        Option("-s", help="ignored"),
        Option("-a", value="ARRAY", refused="there are no arrays"),
        Option("-e", refused=_ELSEWHERE),
        Option("-i", value="TEXT", refused=_ELSEWHERE),
        Option("-u", value="FD", refused="read has its standard input only"),
    ),
    description=(
        "The line is split at the characters of IFS; the last NAME takes what is left. Without NAME the whole line\n"
        "goes to REPLY. Status 1 at the end of the input."
    ),
    usage_status=2,
    ordered=True,
)

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_COUNT = re.compile(r"[ \t\n\v\f\r]*\+?0*([0-9]{1,10})[ \t]*", re.ASCII)
_SECONDS = re.compile(r"0*([0-9]*)(?:\.([0-9]*))?", re.ASCII)
_BLANKS = " \t\n"
_BLANK_RUN = re.compile(r"[ \t\n]+")
_TIMED_OUT = 142  # 128 and SIGALRM
_STEP = 4096

# A character that a backslash protected is kept with a NUL before it: input has none, they are dropped.
_MARK = "\0"


class _TimedOut(Exception):
    """The time of -t has passed."""


def _count(text: str) -> int:
    match = _COUNT.fullmatch(text)
    value = int(match[1]) if match else -1  # text: ours (matched above)
    if not 0 <= value < 2**31:
        raise Failure(f"{text}: invalid number")
    return value


def _seconds(text: str) -> float:
    match = _SECONDS.fullmatch(text)
    if match is None:
        raise Failure(f"{text}: invalid timeout specification")
    whole, part = match[1], match[2]
    return float(f"{whole[:12] or '0'}.{(part or '')[:9] or '0'}")


class _Reader:
    """Reads from a source by the rules of one call."""

    def __init__(self, source: Source, delimiter: bytes, raw: bool, timer: Callable[[], bool] | None) -> None:
        self.source = source
        self.delimiter = delimiter
        self.raw = raw
        self.timer = timer
        self.text: list[str] = []

    def block(self, size: int) -> bytes:
        if self.timer is not None and not self.timer():
            raise _TimedOut
        return self.source.read(size)

    def to_delimiter(self) -> bool:
        """Read up to the delimiter; False when the input ended before it."""
        delimiter, source = self.delimiter, self.source
        length = 0
        while True:
            line = source.readline(delimiter) if self.timer is None else self.timed_line()
            complete = line.endswith(delimiter)
            length += len(line)
            if length > limits.LINE:
                raise LineTooLong
            data = line[:-1] if complete else line
            if not self.raw and b"\\" in data:
                self.take(data, ends_in_delimiter=complete)
                # A delimiter after an unprotected backslash is part of the text (a newline: of nothing).
                if complete and _odd_backslashes(data):
                    if delimiter != b"\n":
                        self.text.append(_MARK + decode(delimiter))
                    continue
            else:
                self.text.append(decode(data.replace(b"\0", b"")))
            return complete

    def timed_line(self) -> bytes:
        pieces: list[bytes] = []
        length = 0
        try:
            while length <= limits.LINE:
                block = self.block(limits.BLOCK)
                end = block.find(self.delimiter) + 1
                if end:
                    self.source.unread(block[end:])
                    pieces.append(block[:end])
                    break
                if not block:
                    break
                pieces.append(block)
                length += len(block)
        except _TimedOut:
            self.take(b"".join(pieces), ends_in_delimiter=False)
            raise
        return b"".join(pieces)

    def take(self, data: bytes, *, ends_in_delimiter: bool) -> None:
        """Add data with its backslashes resolved."""
        text = decode(data.replace(b"\0", b""))
        if self.raw:
            self.text.append(text)
            return
        pieces = text.split("\\")
        self.text.append(pieces[0])
        at = 1
        while at < len(pieces):
            piece = pieces[at]
            if piece:
                self.text.append(piece[1:] if piece[0] == "\n" else _MARK + piece)
            elif at + 1 < len(pieces):
                self.text.append(_MARK + "\\" + pieces[at + 1])
                at += 1
            at += 1

    def characters(self, count: int, stop: bytes) -> bool:
        """Read count characters, or up to stop; False when the input ended before."""
        taken = 0
        protected = False
        pending = b""  # the start of a character
        while taken < count:
            need = min(count - taken, _STEP)
            block = self.block(max(1, need - len(pending)) if need > 1 else 1)
            if not block:
                if pending:
                    self.text.append(decode(pending))
                return False
            pending += block
            at = 0
            while at < len(pending) and taken < count:
                size = _character_size(pending, at)
                if size == 0:
                    break  # more bytes are wanted
                character = pending[at : at + size]
                at += size
                if character == b"\0" and stop != b"\0":
                    continue
                if protected:
                    protected = False
                    if character == b"\n":
                        continue
                    self.text.append(_MARK + decode(character))
                elif character == b"\\" and not self.raw:
                    protected = True
                    continue
                elif character == stop:
                    self.source.unread(pending[at:])
                    return True
                else:
                    self.text.append(decode(character))
                taken += 1
            pending = pending[at:]
        self.source.unread(pending)
        return True


def _odd_backslashes(data: bytes) -> bool:
    return (len(data) - len(data.rstrip(b"\\"))) % 2 == 1


def _character_size(data: bytes, at: int) -> int:
    """The size of the UTF-8 character at a place, 1 for a byte that is none, 0 when it is cut off."""
    lead = data[at]
    if lead < 0xC2 or lead > 0xF4:
        return 1
    size = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    for place in range(at + 1, at + size):
        if place >= len(data):
            return 0
        if not 0x80 <= data[place] <= 0xBF:
            return 1
    return size


# Splitting


@lru_cache(16)
def _field_pattern(separators: str) -> re.Pattern[str]:
    return re.compile(f"(?:\0.|[^\0{re.escape(separators)}])*", re.DOTALL)


class _Fields:
    """A line and the place that splitting has reached; protected characters never separate."""

    def __init__(self, text: str, separators: str) -> None:
        self.text = text
        self.at = 0
        self.separators = separators
        self.blanks = "".join(c for c in _BLANKS if c in separators)
        self.end = _field_pattern(separators)
        self.skip_blanks()

    def skip_blanks(self) -> None:
        text, at, blanks = self.text, self.at, self.blanks
        while at < len(text) and text[at] in blanks:
            at += 1
        self.at = at

    def next(self) -> str:
        """The next field, with the separators after it passed."""
        self.skip_blanks()
        match = self.end.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        if self.at < len(self.text):
            blank = self.text[self.at] in self.blanks
            self.at += 1
            self.skip_blanks()
            if blank and self.at < len(self.text) and self.text[self.at] in self.separators:
                self.at += 1
                self.skip_blanks()
        return match[0]

    def rest(self) -> str:
        """What the last name gets: one field when nothing follows it, else all that is left, blanks at its end off."""
        start = self.at
        field = self.next()
        if self.at >= len(self.text):
            return field
        # As bash does it, a protected blank is taken off as well; the first character stays.
        last = len(self.text) - 1
        while last > start and (
            self.text[last] in self.blanks or (self.text[last] == _MARK and self.text[last + 1 : last + 2] in _BLANKS)
        ):
            last -= 1
        return self.text[start : last + 1]


def _assign(call: Invocation, names: list[str], text: str, whole: bool) -> None:
    """Split text into names; with whole the first gets all of it."""
    assign = call.context.assign
    if whole:
        values = [text]
    else:
        separators = call.context.get("IFS")
        if separators is None:
            separators = _BLANKS
        if separators == _BLANKS and _MARK not in text:
            values = _BLANK_RUN.split(text.strip(_BLANKS), len(names) - 1) if len(names) > 1 else [text.strip(_BLANKS)]
        elif not separators:
            values = [text]
        else:
            fields = _Fields(text, separators)
            values = [fields.next() for _ in names[:-1]] + [fields.rest()]
    for at, name in enumerate(names):
        if not _NAME.fullmatch(name):
            raise Failure(f"`{name}': not a valid identifier")
        value = values[at] if at < len(values) else ""
        assign(name, value.replace(_MARK, "") if _MARK in value else value)


def _simple(call: Invocation, names: list[str]) -> bool:
    """The short way for a whole line in which no character is special; False before anything is lost."""
    if names and not _NAME.fullmatch(names[0]):
        return False
    line = call.stdin.readline()
    if line[-1:] != b"\n" or b"\\" in line or b"\0" in line:
        call.stdin.unread(line)
        return False
    _assign(call, names or ["REPLY"], decode(line[:-1]), whole=not names)
    return True


@READ.main
def read(call: Invocation) -> int:
    options = call.options
    names = options.operands
    if len(options.given) == ("r" in options) and _simple(call, names):
        return call.status
    exactly, at_most = options.get("N"), options.get("n")
    count = None
    for key, argument in options.given:
        if key in ("n", "N") and argument is not None:
            count = _count(argument)
    seconds = None if (given := options.get("t")) is None else _seconds(given)
    if names and not _NAME.fullmatch(names[0]):
        raise Failure(f"`{names[0]}': not a valid identifier")
    if count is not None and count > limits.READ_CHARACTERS:
        raise Failure(f"{count}: too many characters ({limits.READ_CHARACTERS} at most)")
    timer = call.stdin.timer(seconds) if seconds is not None else None
    if seconds == 0 and timer is not None:
        return 0 if timer() else 1
    if (prompt := options.get("p")) is not None:
        call.stderr.write(encode(prompt))
    delimiter = b"\n"
    if (given := options.get("d")) is not None:
        delimiter = encode(given)[:1] or b"\0"
    reader = _Reader(call.stdin, delimiter, "r" in options, timer)
    status = 0
    try:
        if count == 0:
            return 0
        if count is not None:
            complete = reader.characters(count, b"" if exactly is not None else delimiter)
        else:
            complete = reader.to_delimiter()
        status = 0 if complete else 1
    except _TimedOut:
        status = _TIMED_OUT
    text = "".join(reader.text)
    if not text.isascii():
        # A character may have come in pieces.
        text = decode(encode(text))
    _assign(call, names or ["REPLY"], text, whole=not names or (exactly is not None and at_most is None))
    return status


COMMANDS = {"read": READ}
