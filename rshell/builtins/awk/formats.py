"""Numbers as text, and printf (POSIX awk, "Formatted Output"; where it is open, gawk's way)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from rshell import limits
from rshell.builtins.awk import bounds
from rshell.builtins.awk.errors import AwkError
from rshell.builtins.awk.values import StrNum, Value, to_number

DEFAULT = b"%.6g"  # CONVFMT and OFMT at the start
_SPEC = re.compile(rb"%([-+ #0']*)(\*|[0-9]+)?(?:\.(\*|[0-9]*))?([hlLqjzt]*)(.?)", re.DOTALL)
_SIMPLE = re.compile(rb"%\.([0-9]{1,2})[efgEG]")
_INTEGERS = b"di"
_UNSIGNED = b"oxXu"
_FLOATS = b"eEfFgGaA"

_kept: dict[float, bytes] = {}  # whole numbers as text

Convert = Callable[[Value], bytes]


def number_text(number: float, form: bytes) -> bytes:
    """A number as text: whole numbers as integers, others by form (CONVFMT or OFMT)."""
    try:
        return _kept[number]
    except KeyError:
        pass
    if number - number != 0.0:
        return _special(number)
    if number == number // 1:
        text = b"%d" % number
        if len(text) < 16:
            if len(_kept) >= bounds.NUMBERS_KEPT:
                _kept.clear()
            _kept[number] = text
        return text
    if form == DEFAULT:
        return b"%.6g" % number
    if _SIMPLE.fullmatch(form):
        return form % number
    return sprintf(form, (number,), form)


def _special(number: float) -> bytes:
    if number != number:
        return b"-nan" if math.copysign(1.0, number) < 0 else b"+nan"
    return b"+inf" if number > 0 else b"-inf"


class _Piece:
    """One conversion of a format, or literal text when convert is empty."""

    __slots__ = ("conversion", "flags", "literal", "precision", "width")

    def __init__(self, literal: bytes, flags: str, width: int | None, precision: int | None, conversion: str) -> None:
        self.literal = literal
        self.flags = flags
        self.width = width  # -1: taken from the arguments
        self.precision = precision  # -1: taken from the arguments
        self.conversion = conversion


@lru_cache(maxsize=limits.PATTERNS_KEPT)
def _pieces(form: bytes) -> tuple[_Piece, ...]:
    found: list[_Piece] = []
    at = 0
    for match in _SPEC.finditer(form):
        if match.start() > at:
            found.append(_Piece(form[at : match.start()], "", None, None, ""))
        at = match.end()
        flags, width, precision, _, conversion = match.groups()
        letter = conversion.decode("latin-1")
        if letter == "%":
            found.append(_Piece(b"%", "", None, None, ""))
        elif letter and letter in "diouxXeEfFgGaAcs":
            found.append(
                _Piece(b"", flags.decode().replace("'", ""), _bounded(width), _bounded(precision, zero=True), letter)
            )
        else:
            found.append(_Piece(match[0], "", None, None, ""))
    if at < len(form):
        found.append(_Piece(form[at:], "", None, None, ""))
    return tuple(found)


def _bounded(digits: bytes | None, zero: bool = False) -> int | None:
    if digits is None:
        return None
    if digits == b"*":
        return -1
    if len(digits.lstrip(b"0")) > 6:
        raise AwkError(f"printf: width or precision too large ({limits.PRINTF_WIDTH} at most)")
    size = int(digits or b"0")  # text: ours (matched as digits)
    _check(size)
    return size


def _check(size: int) -> None:
    if size > limits.PRINTF_WIDTH:
        raise AwkError(f"printf: width or precision too large ({limits.PRINTF_WIDTH} at most)")


def sprintf(form: bytes, values: Sequence[Value], convfmt: bytes) -> bytes:
    """Format values. Raises AwkError when there are too few of them."""
    out: list[bytes] = []
    rest = iter(values)
    for piece in _pieces(form):
        letter = piece.conversion
        if not letter:
            out.append(piece.literal)
            continue
        flags, width, precision = piece.flags, piece.width, piece.precision
        if width == -1:
            width = _star(_take(rest))
            if width < 0:
                flags, width = flags + "-", -width
        if precision == -1:
            precision = _star(_take(rest))
            if precision < 0:
                precision = None
        value = _take(rest)
        if letter == "s":
            text = value if type(value) is bytes else _text(value, convfmt)
            out.append(text if width is None and precision is None else _string(text, flags, width, precision))
        elif letter == "c":
            out.append(_string(_character(value, convfmt), flags, width, None))
        else:
            out.append(_number(to_number(value), flags, width, precision, letter))
    return b"".join(out)


def _take(rest: object) -> Value:
    value = next(rest, None)  # type: ignore[call-overload]
    if value is None:
        raise AwkError("printf: not enough arguments for the format")
    return value  # type: ignore[no-any-return]


def _star(value: Value) -> int:
    number = to_number(value)
    if not -1e6 < number < 1e6:
        raise AwkError(f"printf: width or precision too large ({limits.PRINTF_WIDTH} at most)")
    size = int(number)  # text: ours
    _check(abs(size))
    return size


def _text(value: Value, convfmt: bytes) -> bytes:
    if isinstance(value, StrNum):
        return value.text
    return number_text(to_number(value), convfmt)


def _string(text: bytes, flags: str, width: int | None, precision: int | None) -> bytes:
    if text.isascii():
        if precision is not None:
            text = text[:precision]
        if width is not None:
            text = text.ljust(width) if "-" in flags else text.rjust(width)
        return text
    wide = text.decode("utf-8", "surrogateescape")
    if precision is not None:
        wide = wide[:precision]
    if width is not None:
        wide = wide.ljust(width) if "-" in flags else wide.rjust(width)
    return wide.encode("utf-8", "surrogateescape")


def _character(value: Value, convfmt: bytes) -> bytes:
    """%c: the character of a code point, or the first character of a text."""
    if isinstance(value, bytes):
        return _first(value) if value else b"\0"
    number = to_number(value)
    if isinstance(value, StrNum) and not value.text:
        return b"\0"
    if number - number != 0.0:
        return _first(_text(value, convfmt))
    point = int(number)  # text: ours
    if 0 <= point < 0xD800 or 0xDFFF < point < 0x110000:
        return chr(point).encode()
    return bytes((point & 255,))


def _first(text: bytes) -> bytes:
    if text[0] < 128:
        return text[:1]
    return text[:4].decode("utf-8", "surrogateescape")[:1].encode("utf-8", "surrogateescape")


def _number(number: float, flags: str, width: int | None, precision: int | None, letter: str) -> bytes:
    if number - number != 0.0:
        return _string(_special(number), flags, width, None)
    if letter in "diouxX":
        return _integer(number, flags, width, precision, letter)
    if letter in "aA":
        return _string(_hexadecimal(number, letter), flags, width, None)
    form = f"%{flags}{'' if width is None else width}{'' if precision is None else f'.{precision}'}{letter}"
    return form.encode() % number


def _integer(number: float, flags: str, width: int | None, precision: int | None, letter: str) -> bytes:
    whole = int(number)  # text: ours
    if letter in "ouxX":
        if whole < 0:
            if whole < -(2**63):
                return _number(number, flags, width, precision, "g")
            whole += 2**64
        elif whole >= 2**64:
            return _number(number, flags, width, precision, "g")
    digits = {"o": "%o", "x": "%x", "X": "%X"}.get(letter, "%d") % abs(whole)
    if precision is not None:
        digits = digits.rjust(precision, "0") if precision or whole else ""
    sign = ""
    if letter in "di":
        sign = "-" if whole < 0 else "+" if "+" in flags else " " if " " in flags else ""
    elif "#" in flags and letter == "o" and digits[:1] != "0":
        digits = "0" + digits
    elif "#" in flags and letter in "xX" and whole:
        sign = "0" + letter
    if width is not None:
        if "-" in flags:
            return (sign + digits).ljust(width).encode()
        if "0" in flags and precision is None:
            return (sign + digits.rjust(width - len(sign), "0")).encode()
        return (sign + digits).rjust(width).encode()
    return (sign + digits).encode()


def _hexadecimal(number: float, letter: str) -> bytes:
    mantissa, _, exponent = number.hex().partition("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    text = f"{mantissa}p{exponent}"
    return (text.upper() if letter == "A" else text).encode()
