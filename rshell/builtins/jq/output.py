"""Values as JSON text, as jq prints them: compact, indented, sorted, in ASCII, in colours."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

from rshell.builtins.jq import bounds
from rshell.builtins.jq.errors import TooMuch

if TYPE_CHECKING:
    from collections.abc import Callable

# What the C encoder prints otherwise than jq: whole floats, powers of ten, values that are no number, DEL.
_OTHERWISE = re.compile(r"\.0(?![0-9])|[0-9]e[+-]?[0-9]|NaN|Infinity|\x7f")
encode_basestring = json.encoder.encode_basestring
encode_basestring_ascii = json.encoder.encode_basestring_ascii
_LONGEST = 10**4000  # Python prints no integers much longer than that
_plain = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
_sorted = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False, sort_keys=True).encode

# null, false, true, numbers, strings, arrays, objects, object keys
COLOURS = ("1;30", "0;39", "0;39", "0;39", "0;32", "1;39", "1;39", "34;1")


def number_text(value: int | float) -> str:
    """A number as jq prints it: the shortest digits that read back the same."""
    if value.__class__ is int:
        return str(value) if -_LONGEST < value < _LONGEST else number_text(1.7976931348623157e308)
    if value != value:
        return "null"
    if math.isinf(value):
        value = math.copysign(1.7976931348623157e308, value)
    sign, digits, point = _digits(value)
    count = len(digits)
    if point <= -4 or point > count + 15:
        mantissa = digits[0] + (f".{digits[1:]}" if count > 1 else "")
        exponent = point - 1
        return f"{sign}{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02}"
    if point >= count:
        return sign + digits + "0" * (point - count)
    return f"{sign}{digits[:point]}.{digits[point:]}" if point > 0 else f"{sign}0.{'0' * -point}{digits}"


def _digits(value: float) -> tuple[str, str, int]:
    """Sign, significant digits, and how many of them stand before the point."""
    text = repr(value)
    sign = "-" if text.startswith("-") else ""
    mantissa, _, power = text.lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + (int(power) if power else 0)  # text: ours
    digits = whole + fraction
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    stripped = stripped.rstrip("0")
    return (sign, stripped, point) if stripped else (sign, "0", 1)


def compact(value: Any, *, sort: bool = False) -> str:
    """The value on one line (tojson, -c)."""
    kind = value.__class__
    if kind is str:
        text = encode_basestring(value)
        return text if "\x7f" not in text else text.replace("\x7f", "\\u007f")
    if kind is int or kind is float:
        return number_text(value)
    if kind is list or kind is dict:
        weigh(value)
    try:
        text = (_sorted if sort else _plain)(value)
        if not _OTHERWISE.search(text):
            return text
    except (RecursionError, ValueError):
        pass
    return Printer(sort=sort).text(value)


def weigh(value: Any) -> None:
    """Refuse a value whose text would be too long; parts that it holds twice count twice."""
    left = bounds.RETAINED // bounds.CELL
    todo = [value]
    while todo:
        container = todo.pop()
        items = container.values() if container.__class__ is dict else container
        left -= len(container) + 1
        for item in items:
            kind = item.__class__
            if kind is list or kind is dict:
                todo.append(item)
            elif kind is str and len(item) > 256:
                left -= len(item) // bounds.CELL
        if left < 0:
            raise TooMuch(f"values too large ({bounds.RETAINED} bytes at most)")


class Printer:
    """Prints values in one layout.

    indent: what one level is indented with, "" for one line. sort: object keys in order. ascii: nothing
    but ASCII. colours: eight SGR codes, or none.
    """

    def __init__(
        self, indent: str = "", *, sort: bool = False, ascii: bool = False, colours: tuple[str, ...] = ()
    ) -> None:
        self.indent = indent
        self.sort = sort
        self.colours = tuple(f"\x1b[{code}m" for code in colours)
        self._quote: Callable[[str], str] = encode_basestring_ascii if ascii else encode_basestring
        self._separator = ": " if indent else ":"
        if not indent and not ascii and not colours:
            self.text_of: Callable[[Any], str] = _sorted_compact if sort else compact
        else:
            self.text_of = self.checked

    def checked(self, value: Any) -> str:
        """text() of a value that may be too large."""
        kind = value.__class__
        if kind is list or kind is dict:
            weigh(value)
        return self.text(value)

    def text(self, value: Any) -> str:
        """The value's text."""
        if self.colours:
            pieces: list[str] = []
            self._coloured(value, "\n", pieces)
            return "".join(pieces)
        kind = value.__class__
        if kind is not list and kind is not dict:
            return self.scalar(value)
        return self._layout(value)

    def scalar(self, value: Any) -> str:
        """A value that holds no others."""
        kind = value.__class__
        if kind is str:
            text = self._quote(value)
            return text.replace("\x7f", "\\u007f") if "\x7f" in text else text
        if value is None:
            return "null"
        if kind is bool:
            return "true" if value else "false"
        return number_text(value)

    def _layout(self, value: Any) -> str:
        """A container, without recursion: depth is bounded by the document's, not by Python's."""
        pieces: list[str] = []
        append, scalar, quote = pieces.append, self.scalar, self._quote
        indented = bool(self.indent)
        separator = self._separator
        newline = "\n" if indented else ""
        stack: list[Any] = []
        items = self._items(value)
        named = value.__class__ is dict
        append("{" if named else "[")
        first = True
        if not value:
            return "{}" if named else "[]"
        inner = newline + self.indent
        while True:
            for item in items:
                append(inner if first else "," + inner)
                first = False
                if named:
                    name, item = item
                    append(quote(name).replace("\x7f", "\\u007f"))
                    append(separator)
                kind = item.__class__
                if kind is str:
                    append(quote(item) if "\x7f" not in item else scalar(item))
                elif kind is list or kind is dict:
                    if not item:
                        append("[]" if kind is list else "{}")
                        continue
                    stack.append((items, named, inner))
                    items, named, first = self._items(item), kind is dict, True
                    append("{" if named else "[")
                    inner += self.indent
                    break
                else:
                    append(scalar(item))
            else:
                outer = inner[: len(inner) - len(self.indent)] if indented else ""
                append(outer + ("}" if named else "]"))
                if not stack:
                    return "".join(pieces)
                items, named, inner = stack.pop()
                first = False

    def _items(self, value: Any) -> Any:
        if value.__class__ is list:
            return iter(value)
        return iter(self._pairs(value))

    def _pairs(self, value: dict[str, Any]) -> list[tuple[str, Any]]:
        return [(name, value[name]) for name in sorted(value)] if self.sort else list(value.items())

    def _coloured(self, value: Any, newline: str, pieces: list[str]) -> None:
        """With escapes, placed as jq places them."""
        kind = value.__class__
        off = "\x1b[0m"
        if kind is not list and kind is not dict:
            at = 0 if value is None else 1 if value is False else 2 if value is True else 4 if kind is str else 3
            pieces.append(f"{self.colours[at]}{self.scalar(value)}{off}")
            return
        colour = self.colours[5 if kind is list else 6]
        if not value:
            pieces.append(f"{colour}{'[]' if kind is list else '{}'}{off}")
            return
        inner = newline + self.indent if self.indent else ""
        pieces.append(f"{colour}{'[' if kind is list else '{'}")
        first = True
        if kind is list:
            for item in value:
                if not first:
                    pieces.append(f"{colour},")
                pieces.append(inner)
                first = False
                self._coloured(item, inner, pieces)
        else:
            for name, item in self._pairs(value):
                if not first:
                    pieces.append(f"{colour},")
                first = False
                pieces.append(f"{inner}{off}{self.colours[7]}{self.scalar(name)}{off}{colour}{self._separator}{off}")
                self._coloured(item, inner, pieces)
        pieces.append(colour)
        if self.indent:
            pieces.append(newline)
        pieces.append(f"{colour}{']' if kind is list else '}'}{off}")


def _sorted_compact(value: Any) -> str:
    return compact(value, sort=True)
