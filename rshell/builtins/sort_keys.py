"""The keys of sort: -k POS1[,POS2], where they lie in a line, and the values they are compared by.

Lines are str decoded from Latin-1: one character a byte, so that they compare by bytes, and Python sorts
them faster than it does bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rshell import limits
from rshell.builtins.command import Failure
from rshell.builtins.floats import read
from rshell.builtins.quoting import quote_text

if TYPE_CHECKING:
    from collections.abc import Callable

ENDLESS = 2**64 - 1
KINDS = "bdfghiMnRrV"  # the letters of ordering options, in the order of messages
_COUNT = re.compile("[0-9]+")
_MEMO = 200_000  # values remembered for one key
_SLICE = 4096  # lines searched in one go
_BLANK = " \\t\\n"


@dataclass(slots=True)
class Key:
    """One key: its bounds, counted from 0, and how it is compared (letters of KINDS).

    first_field, first_char: where it begins. last_field, last_char: where it ends; last_char 0 is the end of the
    field, last_field ENDLESS that of the line. skip_start, skip_end: the b option of either.
    """

    first_field: int = 0
    first_char: int = 0
    last_field: int = ENDLESS
    last_char: int = 0
    skip_start: bool = False
    skip_end: bool = False
    kinds: set[str] = field(default_factory=set)

    @property
    def plain(self) -> bool:
        """Whether it has no ordering options of its own, so that the global ones count."""
        return not (self.kinds or self.skip_start or self.skip_end)

    @property
    def reverse(self) -> bool:
        return "r" in self.kinds

    def inherit(self, other: Key) -> None:
        """Take the ordering options of another key."""
        self.kinds = set(other.kinds)
        self.skip_start, self.skip_end = other.skip_start, other.skip_end

    def add(self, letter: str, *, start: bool, end: bool) -> None:
        """Add an ordering option, for the start or the end of the key (which differ for b only)."""
        if letter == "b":
            self.skip_start = self.skip_start or start
            self.skip_end = self.skip_end or end
        else:
            self.kinds.add(letter)

    def check(self) -> None:
        """Refuse orderings that exclude each other."""
        kinds = self.kinds
        if len(kinds & set("nghM")) + bool(kinds & set("VdiR")) > 1:
            letters = "".join(kind for kind in KINDS if kind in kinds and kind != "r")
            if "d" in kinds:
                letters = letters.replace("i", "")
            raise Failure(f"options '-{letters}' are incompatible", 2)


def parse_key(text: str) -> Key:
    """Parse the argument of -k. Raises Failure with GNU's wording."""
    key = Key()

    def count(at: int, what: str) -> tuple[int, int]:
        found = _COUNT.match(text, at)
        if found is None:
            raise Failure(f"{what}: invalid count at start of {quote_text(text[at:])}", 2)
        digits = found.group().lstrip("0") or "0"
        value = ENDLESS if len(digits) > limits.NUMBER_DIGITS else min(int(digits), ENDLESS)  # text: ours (matched)
        return value, found.end()

    def bad(what: str) -> Failure:
        return Failure(f"{what}: invalid field specification {quote_text(text)}", 2)

    def ordering(at: int, start: bool) -> int:
        while at < len(text) and text[at] in KINDS:
            key.add(text[at], start=start, end=not start)
            at += 1
        return at

    key.first_field, at = count(0, "invalid number at field start")
    if key.first_field == 0:
        raise bad("field number is zero")
    key.first_field -= 1
    if text[at : at + 1] == ".":
        key.first_char, at = count(at + 1, "invalid number after '.'")
        if key.first_char == 0:
            raise bad("character offset is zero")
        key.first_char -= 1
    at = ordering(at, True)
    if text[at : at + 1] == ",":
        key.last_field, at = count(at + 1, "invalid number after ','")
        if key.last_field == 0:
            raise bad("field number is zero")
        key.last_field -= 1
        if text[at : at + 1] == ".":
            key.last_char, at = count(at + 1, "invalid number after '.'")
        at = ordering(at, False)
    if at < len(text):
        raise bad("stray character in field spec")
    return key


# Where a key lies


class Extractor:
    """Takes one key out of lines. separator: -t's character, None for blanks. ending: of lines."""

    def __init__(self, key: Key, separator: str | None, ending: str) -> None:
        self.key = key
        self.separator = separator
        self.ending = ending
        self._whole = key.first_field == key.first_char == 0 and key.last_field == ENDLESS and not key.skip_start
        self._start = self._skipper(key.first_field, whole=True)
        self._blanks = re.compile(f"[{_BLANK}]*+").match
        self._end: Callable[[str], int] | None = None
        if key.last_field != ENDLESS:
            self._end = self._limit()
        pattern = self._pattern()
        self._match = re.compile(pattern, re.DOTALL).match if pattern else None
        self._findall = re.compile(f"^{pattern}[^\\n]*+\\n", re.MULTILINE).findall if pattern else None

    def keys(self, lines: list[str]) -> list[str]:
        """The key of each line."""
        if self._whole:
            return lines
        if self._match is None:
            return [self._take(line) for line in lines]
        if self._findall is None or len(lines) < 64 or self.ending != "\n":
            return [found[1] if found else "" for found in map(self._match, lines)]
        keys: list[str] = []
        for at in range(0, len(lines), _SLICE):
            part = lines[at : at + _SLICE]
            part.append("")
            keys += self._findall("\n".join(part))
        return keys

    def _pattern(self) -> str:
        """A regular expression whose group 1 is the key, "" where none can say it."""
        key = self.key
        blank = _BLANK if self.ending != "\n" else " \\t"
        if key.first_field > 50 or key.first_char > 1000 or (key.skip_start and self.separator in ("\t", " ")):
            return ""
        other = "" if self.ending != "\n" else "\\n"
        if self.separator is None:
            before = f"(?:[{blank}]*+[^{blank}{other}]*+){{{key.first_field}}}"
        else:
            tab = re.escape(self.separator)
            if self.separator == "\n":
                return ""
            before = f"(?:[^{tab}{other}]*+{tab}?+){{{key.first_field}}}"
        if key.skip_start:
            before += f"[{blank}]*+"
        anything = "[^\\n]" if self.ending == "\n" else "."
        if key.first_char:
            before += f"{anything}{{0,{key.first_char}}}+"
        if key.last_field == ENDLESS:
            return f"{before}({anything}*+)"
        fields = key.last_field + 1 - key.first_field
        if key.last_char or key.first_char or not 1 <= fields <= 50:
            return ""
        if self.separator is None:
            one = f"[{blank}]*+[^{blank}{other}]*+"
            first = f"[^{blank}{other}]*+" if key.skip_start else one
            return f"{before}({first}(?:{one}){{{fields - 1}}})"
        return f"{before}([^{tab}{other}]*+(?:{tab}?+[^{tab}{other}]*+){{{fields - 1}}})"

    def _skipper(self, fields: int, *, whole: bool) -> Callable[[str], int]:
        """A function that tells where a line's next field begins after so many; past the last, the line's end.

        Fields of blanks end before the blanks that follow. whole: what separates the last is passed, too.
        """
        if fields == 0:
            return lambda line: 0
        if fields > limits.LINE:
            return len
        if self.separator is None:
            match = re.compile(f"(?>[{_BLANK}]*+[^{_BLANK}]++){{{fields}}}").match
        else:
            tab = re.escape(self.separator)
            if whole:
                match = re.compile(f"(?>[^{tab}]*+{tab}){{{fields}}}").match
            else:
                match = re.compile(f"(?>[^{tab}]*+{tab}){{{fields - 1}}}[^{tab}]*+").match

        def skip(line: str) -> int:
            found = match(line)
            return found.end() if found else len(line)

        return skip

    def _limit(self) -> Callable[[str], int]:
        key = self.key
        if key.last_char == 0:
            return self._skipper(key.last_field + 1, whole=False)
        skip = self._skipper(key.last_field, whole=True)

        def limit(line: str) -> int:
            at = skip(line)
            if key.skip_end:
                found = self._blanks(line, at)
                at = found.end() if found else at
            return at + key.last_char

        return limit

    def _take(self, line: str) -> str:
        at = self._start(line)
        if self.key.skip_start:
            found = self._blanks(line, at)
            at = found.end() if found else at
        at += self.key.first_char
        return line[at:] if self._end is None else line[at : self._end(line)]


# What a key is compared by

_NUMBER = re.compile(r"[ \t\n]*+(-?)([0-9]*+)(?:\.([0-9]*+))?")
_WHOLE_NUMBERS = re.compile(r"^[ \t]*+(-?+[0-9]{1,18})(?![.0-9])[^\n]*+\n", re.MULTILINE)
_HUMAN = re.compile(r"[ \t\n]*+-?[0-9]*+(?:\.[0-9]*+)?([kKMGTPEZY]?)")
_UNITS = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6, "Z": 7, "Y": 8}
_MONTHS = {
    month: number
    for number, month in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
_EXTENSION = re.compile(r"[A-Za-z~][A-Za-z0-9~]*+")
_RUN = re.compile(r"([^0-9]*+)([0-9]*+)")

_UPPER = bytes(range(256)).upper()
_KEPT_DICTIONARY = frozenset(b" \t\n0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_DROPPED_DICTIONARY = bytes(byte for byte in range(256) if byte not in _KEPT_DICTIONARY)
_DROPPED_UNPRINTED = bytes(byte for byte in range(256) if not 32 <= byte < 127)


def numeric(text: str) -> int | Decimal:
    """The number at the start of text, as -n reads it: exact, 0 where there is none."""
    found = _NUMBER.match(text)
    sign, whole, part = found.groups() if found else ("", "", "")
    part = (part or "").rstrip("0")
    if not part and len(whole) <= 18:
        return int(sign + whole) if whole else 0  # text: ours (matched as digits)
    return Decimal(f"{sign}{whole or '0'}.{part}")


def general(text: str) -> tuple[int, int | float | Fraction]:
    """The number at the start of text, as -g reads it; what is none comes first, then NaN."""
    value, end, _ = read(text)
    if end == 0:
        return (0, 0)
    if value.special == "nan":
        return (1, 0)
    if value.special:
        return (2, float("-inf") if value.negative else float("inf"))
    mantissa = -value.mantissa if value.negative else value.mantissa
    if value.exponent >= 0:
        return (2, mantissa << value.exponent)
    return (2, Fraction(mantissa, 1 << -value.exponent))


def human(text: str) -> tuple[int, int | Decimal]:
    """The size at the start of text, as -h reads it: by unit first, then by number."""
    value = numeric(text)
    found = _HUMAN.match(text)
    order = _UNITS[found[1]] if found and value else 0
    return (-order if value < 0 else order, value)


def month(text: str) -> int:
    """The month at the start of text, 0 where there is none."""
    return _MONTHS.get(text.lstrip(" \t\n")[:3].lower(), 0)


def _order(character: str) -> int:
    if "A" <= character <= "Z" or "a" <= character <= "z":
        return ord(character)
    return -2 if character == "~" else ord(character) + 256


def _runs(text: str) -> tuple[Any, ...]:
    """text as runs of characters and numbers that compare as Debian's versions do."""
    items: list[Any] = []
    at = 0
    while at < len(text):
        found = _RUN.match(text, at)
        if found is None:
            break
        letters, digits = found.groups()
        digits = digits.lstrip("0")
        items += map(_order, letters)
        items += (0, len(digits), digits)
        at = found.end()
    items.append(0)  # the end comes where a number might: before all characters but ~
    return tuple(items)


def version(text: str) -> tuple[Any, ...]:
    """text as -V compares it (gnulib's filevercmp): without its suffixes like .tar.gz, then with them."""
    if text in ("", ".", ".."):
        return (len(text),)
    end = len(text)
    while (dot := text.rfind(".", 0, end)) >= 0 and _EXTENSION.fullmatch(text, dot + 1, end):
        end = dot
    return (3 if text[0] == "." else 4, _runs(text[:end]), _runs(text))


class Memo(dict[str, Any]):
    """Values of keys, each computed once."""

    def __init__(self, function: Callable[[str], Any]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, key: str) -> Any:
        value = self.function(key)
        if len(self) < _MEMO:
            self[key] = value
        return value


def valuer(key: Key, ending: str) -> Callable[[list[str]], list[Any]] | None:
    """A function from keys to what is compared; None when that is the keys themselves."""
    kinds = key.kinds
    function: Callable[[str], Any] | None = None
    for kind, one in (("n", numeric), ("g", general), ("h", human), ("M", month), ("V", version)):
        if kind in kinds:
            function = one
    dropped = _DROPPED_DICTIONARY if "d" in kinds else _DROPPED_UNPRINTED if "i" in kinds else b""
    table = _UPPER if "f" in kinds else None
    filtered: Callable[[str], str] | None = None
    if dropped or table:

        def filter_one(text: str) -> str:
            return text.encode("latin-1").translate(table, dropped).decode("latin-1")

        filtered = filter_one
    if function is None:
        if filtered is None:
            return None
        one_filter = filtered
        return lambda keys: [one_filter(text) for text in keys]
    if filtered is not None:
        chosen, before = function, filtered
        memo = Memo(lambda text: chosen(before(text)))
    else:
        memo = Memo(function)
    get = memo.__getitem__
    if function is not numeric or filtered is not None or ending != "\n":
        return lambda keys: list(map(get, keys))

    def numbers(keys: list[str]) -> list[Any]:
        values: list[Any] = []
        for at in range(0, len(keys), _SLICE):
            part = keys[at : at + _SLICE]
            part.append("")
            tokens = _WHOLE_NUMBERS.findall("\n".join(part))
            part.pop()
            if len(tokens) == len(part):
                values += map(int, tokens)  # text: ours (matched as digits)
            else:
                values += map(get, part)
        return values

    return numbers
