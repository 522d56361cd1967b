"""How ls shows names, sizes, times and columns (GNU coreutils)."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from rshell.builtins.quoting import quote, quote_if_needed
from rshell.builtins.timeformat import format_time
from rshell.builtins.width import width as character_width

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence
    from datetime import tzinfo

_HALF_YEAR = 31_556_952 // 2
_SLOP = 60  # seconds: the run's clock was read once, and a script may have made files since
_NANO = 1_000_000_000
_C_ESCAPES = {
    "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\\": "\\\\",
}  # fmt: skip
_SUFFIXES = "KMGTPE"
# the beginning of a UTF-8 sequence at the end of a name: one character to mbrtowc(3), not one a byte
_INCOMPLETE = re.compile(
    "(?:[\udcc2-\udcdf]|[\udce0-\udcef][\udc80-\udcbf]?|[\udcf0-\udcf7][\udc80-\udcbf]{0,2}"
    "|[\udcf8-\udcfb][\udc80-\udcbf]{0,3}|[\udcfc\udcfd][\udc80-\udcbf]{0,4})\\Z"
)
_NARROWEST = 3  # columns of a column


# Names


def quoting(style: str, *, hide: bool) -> Callable[[str], str]:
    """The function that shows a name in a quoting style; hide puts ? for what does not print."""
    if style == "literal":
        return _hidden if hide else _literal
    if style in ("shell", "shell-always"):
        always = style == "shell-always"
        return lambda name: _shell(_hidden(name) if hide else name, always=always)
    if style == "shell-escape":
        return quote_if_needed
    if style == "shell-escape-always":
        return quote
    if style == "escape":
        return lambda name: _c_escaped(name, space=True)
    if style in ("locale", "clocale"):
        left, right = "\N{LEFT SINGLE QUOTATION MARK}", "\N{RIGHT SINGLE QUOTATION MARK}"
        return lambda name: left + _c_escaped(name, space=False, quotes=right) + right
    return lambda name: f'"{_c_escaped(name, space=False)}"'


def _literal(name: str) -> str:
    return name


def _printable(letter: str) -> bool:
    if letter < "\x7f":
        return letter >= " "
    return letter.isprintable() and not "\ud800" <= letter <= "\udfff"


def _hidden(name: str) -> str:
    if name.isprintable():
        return name
    name = _INCOMPLETE.sub("?", name)
    return "".join([letter if _printable(letter) else "?" for letter in name])


def _shell(name: str, *, always: bool) -> str:
    bare = bool(name) and name[0] not in "#~" and not any(letter in " \t\n!\"$&'()*;<=>?[\\^`|" for letter in name)
    if bare and not always:
        return name
    if "'" in name and not any(letter in '"$`\\!\n' for letter in name):
        return f'"{name}"'
    return "'" + name.replace("'", "'\\''") + "'"


def _c_escaped(name: str, *, space: bool, quotes: str = '"') -> str:
    if name.isalnum():
        return name
    pieces = []
    for letter in name:
        if letter in _C_ESCAPES:
            pieces.append(_C_ESCAPES[letter])
        elif letter == " " and space:
            pieces.append("\\ ")
        elif letter == quotes and not space:
            pieces.append("\\" + letter)
        elif _printable(letter):
            pieces.append(letter)
        else:
            pieces += [f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape")]
    return "".join(pieces)


# Sizes


def human(size: int, base: int) -> str:
    """A byte count in a few characters, rounded up: 1.1K, 12M."""
    if size < base:
        return str(size)
    power = 0
    unit = 1
    while size >= unit * base and power < len(_SUFFIXES):
        unit *= base
        power += 1
    letter = _SUFFIXES[power - 1]
    tenths = -(-size * 10 // unit)
    if tenths < 100:
        return f"{tenths // 10}.{tenths % 10}{_suffix(letter, base)}"
    whole = -(-size // unit)
    if whole >= base and power < len(_SUFFIXES):
        return f"1.0{_suffix(_SUFFIXES[power], base)}"
    return f"{whole}{_suffix(letter, base)}"


def _suffix(letter: str, base: int) -> str:
    return "k" if base == 1_000 and letter == "K" else letter


def scaled(size: int, block: int, base: int) -> str:
    """A byte count in blocks rounded up, or with a base as human()."""
    return human(size, base) if base else str(-(-size // block))


# Times


class TimeStyle:
    """How times are shown: one format for those of the last half year, one for all others."""

    def __init__(self, recent: str, other: str, now: float, zone: tzinfo) -> None:
        self._recent = recent
        self._other = other
        self._now = now
        self._zone = zone
        self._by_minute = "%S" not in recent + other and "%N" not in recent + other and "%s" not in recent + other
        self._by_minute &= not any(f"%{letter}" in recent + other for letter in "TXrc+")
        self._known: dict[tuple[int, bool], str] = {}

    def text(self, nanoseconds: int) -> str:
        """The time as ls shows it."""
        seconds, part = divmod(nanoseconds, _NANO)
        recent = self._now - _HALF_YEAR < seconds <= self._now + _SLOP
        pattern = self._recent if recent else self._other
        if not self._by_minute:
            return self._shown(seconds, part, pattern)
        key = (seconds // 60, recent)
        shown = self._known.get(key)
        if shown is None:
            shown = self._known[key] = self._shown(seconds, part, pattern)
        return shown

    def _shown(self, seconds: int, part: int, pattern: str) -> str:
        try:
            when = datetime.fromtimestamp(seconds, self._zone)
        except (OverflowError, ValueError, OSError):
            return str(seconds)
        return format_time(when, part, pattern)


def time_style(style: str, now: float, zone: tzinfo) -> TimeStyle | None:
    """The style of a --time-style value; None when there is no such."""
    if style.startswith("+"):
        other, newline, recent = style[1:].partition("\n")
        return TimeStyle(recent if newline else other, other, now, zone)
    formats = {
        "full-iso": ("%Y-%m-%d %H:%M:%S.%N %z",) * 2,
        "long-iso": ("%Y-%m-%d %H:%M",) * 2,
        "iso": ("%m-%d %H:%M", "%Y-%m-%d "),
        "locale": ("%b %e %H:%M", "%b %e  %Y"),
    }
    found = formats.get(style.removeprefix("posix-"))
    return None if found is None else TimeStyle(found[0], found[1], now, zone)


def time_of(which: str) -> Callable[[os.stat_result], int]:
    """What gives the time that -c, -u and --time choose."""
    if which == "atime":
        return lambda found: found.st_atime_ns
    if which == "ctime":
        return lambda found: found.st_ctime_ns
    return lambda found: found.st_mtime_ns


# Columns


def display_width(text: str) -> int:
    """How many columns text takes on a terminal."""
    if text.isascii():
        return len(text) if text.isprintable() else sum(map(_printable, text))
    text = _INCOMPLETE.sub("?", text)
    return sum([1 if letter >= "\ud800" and letter <= "\udfff" else max(0, character_width(letter)) for letter in text])


def columns(cells: Sequence[str], width: int, *, down: bool, tab: int) -> list[str]:
    """Cells in as many columns as fit, filled down or across; the lines without newlines."""
    if not cells:
        return []
    if width == 0:
        return ["  ".join(cells)]
    lengths = [display_width(cell) for cell in cells]
    count = len(cells)
    widths = _column_widths(lengths, width, down)
    number = len(widths)
    rows = -(-count // number)
    lines = []
    for row in range(rows):
        pieces = []
        at = 0
        indices = range(row, count, rows) if down else range(row * number, min((row + 1) * number, count))
        last = indices[-1]
        for column, index in enumerate(indices):
            pieces.append(cells[index])
            if index != last:
                pieces.append(_indent(at + lengths[index], at + widths[column], tab))
                at += widths[column]
        lines.append("".join(pieces))
    return lines


def _column_widths(lengths: list[int], width: int, down: bool) -> list[int]:
    count = len(lengths)
    for number in range(min(count, -(-width // _NARROWEST)), 1, -1):
        if down:
            rows = -(-count // number)
            found = [max(lengths[at : at + rows]) for at in range(0, count, rows)]
            found += [0] * (number - len(found))  # GNU counts the columns that stay empty as well
        else:
            found = [max(lengths[at::number]) for at in range(number)]
        widths = [max(_NARROWEST, length + 2) for length in found[:-1]] + [max(_NARROWEST, found[-1])]
        if sum(widths) < width:
            return widths
    return [max(lengths)]


def _indent(start: int, end: int, tab: int) -> str:
    pieces = []
    while start < end:
        if tab and end // tab > (start + 1) // tab:
            pieces.append("\t")
            start += tab - start % tab
        else:
            pieces.append(" ")
            start += 1
    return "".join(pieces)


def commas(cells: Sequence[str], width: int) -> str:
    """Cells separated by commas, broken into lines."""
    pieces: list[str] = []
    at = 0
    for cell in cells:
        length = display_width(cell)
        if pieces:
            if width == 0 or at + length + 2 < width:
                at += 2
                pieces.append(", ")
            else:
                at = 0
                pieces.append(",\n")
        pieces.append(cell)
        at += length
    return "".join(pieces)
