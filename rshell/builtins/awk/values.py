"""awk's values (POSIX awk, "Expressions in awk").

A value is a float, a bytes, or a StrNum: text from the input that looks like a number and so is both.
A variable that was never set is the StrNum UNINIT, "" and 0 at once.
"""

from __future__ import annotations

import re

from rshell.builtins.awk import bounds
from rshell.builtins.awk.errors import AwkError


class StrNum:
    """Text that looks like a number: compared as a number with numbers, as text with strings."""

    __slots__ = ("number", "text")

    def __init__(self, text: bytes, number: float) -> None:
        self.text = text
        self.number = number


UNINIT = StrNum(b"", 0.0)

Value = float | bytes | StrNum


class Array(dict[bytes, Value]):
    """An awk array; keys are texts, in the order in which they were first used."""

    __slots__ = ()


_PREFIX = re.compile(rb"[ \t\n\r\f\v]*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
_MAGIC = re.compile(rb"[ \t\n\r\f\v]*([+-](?:inf|nan))(?![A-Za-z0-9_.])", re.IGNORECASE)
_MAGIC_WHOLE = re.compile(rb"[ \t\n\r\f\v]*([+-](?:inf|nan))[ \t\n\r\f\v]*\Z", re.IGNORECASE)
_STARTERS = frozenset(b"0123456789+-. \t\n\r\f\v")
_known: dict[bytes, float] = {}


def number_of(text: bytes) -> float:
    """The number a text begins with, 0 when there is none (strtod(3) for decimal numbers)."""
    try:
        return _known[text]
    except KeyError:
        pass
    try:
        number = float(text)
        if number - number != 0.0 or b"_" in text:
            number = _prefix(text)
    except ValueError:
        number = _prefix(text)
    if len(text) < bounds.STRING_UNCOUNTED:
        if len(_known) >= bounds.NUMBERS_KEPT:
            _known.clear()
        _known[text] = number
    return number


def _prefix(text: bytes) -> float:
    match = _PREFIX.match(text) or _MAGIC.match(text)
    return float(match[1]) if match else 0.0


def strnum(text: bytes) -> bytes | StrNum:
    """Text from the input as a value: a StrNum when all of it looks like a number, blanks around it aside."""
    if not text or text[0] not in _STARTERS:
        return text
    try:
        number = float(text)
    except ValueError:
        return text
    if number - number != 0.0 or b"_" in text:
        match = _MAGIC_WHOLE.match(text)
        if match is None and (b"_" in text or not _PREFIX.fullmatch(text.strip(b" \t\n\r\f\v"))):
            return text
    return StrNum(text, number)


def to_number(value: Value) -> float:
    """A value as a number."""
    kind = type(value)
    if kind is float:
        return value  # type: ignore[return-value]
    if kind is bytes:
        return number_of(value)  # type: ignore[arg-type]
    if kind is StrNum:
        return value.number  # type: ignore[union-attr]
    raise AwkError("an array is used where a number or string must be")


def to_bool(value: Value) -> bool:
    """A value as a condition: not zero, or not empty."""
    kind = type(value)
    if kind is float:
        return value != 0.0
    if kind is bytes:
        return value != b""
    return value.number != 0.0 if kind is StrNum else to_number(value) != 0.0  # type: ignore[union-attr]


def characters(text: bytes) -> int:
    """The length of a text in characters; an undecodable byte is one."""
    return len(text) if text.isascii() else len(text.decode("utf-8", "surrogateescape"))
