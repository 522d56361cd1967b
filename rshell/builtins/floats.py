"""C's long double, read and printed: bash's printf works with 64 bits of mantissa, more than Python's float has.

A number is exact here: (negative, mantissa, exponent) means ± mantissa · 2**exponent; the mantissa has at
most 64 bits. Infinity and not-a-number are the strings 'inf' and 'nan' in the mantissa's place.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal

_BITS = 64
_DOUBLE_BITS = 53  # hexadecimal constants are read as a double, as the reference does
_HIGHEST = 16384 - _BITS  # exponent of the mantissa's last bit
_LOWEST = -16445
_DIGITS = 800  # significant digits read; what follows counts as "a little more"
_FAR = 5000  # powers of ten; beyond it all is infinity or zero

_NUMBER = re.compile(
    r"[ \t\n\v\f\r]*([+-]?)(?:0[xX](?=\.?[0-9a-fA-F])([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?(?:[pP]([+-]?[0-9]+))?"
    r"|(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?"
    r"|(inf(?:inity)?)|(nan)(?:\([0-9a-z_]*\))?)",
    re.ASCII | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class LongDouble:
    """± mantissa · 2**exponent, or special: 'inf' or 'nan'."""

    negative: bool
    mantissa: int = 0
    exponent: int = 0
    special: str = ""


def _rounded(numerator: int, denominator: int, bits: int) -> tuple[int, int, bool]:
    """numerator / denominator as (mantissa, exponent, exact) with so many bits, ties to even."""
    exponent = max(numerator.bit_length() - denominator.bit_length() - bits, _LOWEST)
    while True:
        top, bottom = (numerator << -exponent, denominator) if exponent < 0 else (numerator, denominator << exponent)
        mantissa = _half_even(top, bottom)
        if mantissa.bit_length() <= bits:
            return mantissa, exponent, mantissa * bottom == top
        exponent += 1


def _half_even(top: int, bottom: int) -> int:
    quotient, rest = divmod(top, bottom)
    return quotient + (rest * 2 > bottom or (rest * 2 == bottom and quotient & 1))


def _exponent(text: str | None) -> int:
    if not text:
        return 0
    digits = text.lstrip("+-").lstrip("0")[:9] or "0"
    value = int(digits)  # text: ours (matched as digits)
    return -value if text[0] == "-" else value


def read(text: str) -> tuple[LongDouble, int, bool]:
    """Read the number at the start of text, as strtold(3): value, where it ends, whether it was out of range.

    Nothing that looks like a number gives zero and 0.
    """
    match = _NUMBER.match(text)
    if match is None:
        return LongDouble(False), 0, False
    sign, hex_whole, hex_part, hex_power, whole, part, power, infinite, nan = match.groups()
    negative = sign == "-"
    if infinite or nan:
        return LongDouble(negative, special="inf" if infinite else "nan"), match.end(), False
    if hex_whole is not None:
        digits, scale = hex_whole + (hex_part or ""), _exponent(hex_power) - 4 * len(hex_part or "")
        numerator = int(digits, 16)  # text: ours (matched as hexadecimal digits)
        if abs(scale) > 4 * _FAR + 4 * len(digits):
            numerator, scale = (1, 4 * _FAR) if scale > 0 and numerator else (0, 0)
        top, bottom = (numerator << scale, 1) if scale > 0 else (numerator, 1 << -scale)
        value, ranged = _make(negative, top, bottom, _DOUBLE_BITS, numerator != 0)
        return value, match.end(), ranged
    value, ranged = _decimal(negative, whole or "", part or "", _exponent(power))
    return value, match.end(), ranged


def _decimal(negative: bool, whole: str, part: str, power: int) -> tuple[LongDouble, bool]:
    digits = (whole + part).lstrip("0")
    power -= len(part)
    kept = digits[:_DIGITS]
    if len(digits) > _DIGITS:
        power += len(digits) - _DIGITS
        if digits[_DIGITS:].strip("0"):
            kept += "1"
            power -= 1
    if not kept:
        return LongDouble(negative), False
    if power + len(kept) > _FAR:
        return LongDouble(negative, special="inf"), True
    if power + len(kept) < -_FAR:
        return LongDouble(negative), True
    number = int(kept)  # text: ours (matched as digits)
    top, bottom = (number * 10**power, 1) if power > 0 else (number, 10**-power)
    return _make(negative, top, bottom, _BITS, True)


def _make(negative: bool, top: int, bottom: int, bits: int, not_zero: bool) -> tuple[LongDouble, bool]:
    mantissa, exponent, exact = _rounded(top, bottom, bits)
    if mantissa and exponent > _HIGHEST + _BITS - mantissa.bit_length():
        return LongDouble(negative, special="inf"), True
    tiny = mantissa.bit_length() < _BITS and exponent == _LOWEST and not exact
    return LongDouble(negative, mantissa, exponent), not_zero and tiny


def from_int(number: int) -> LongDouble:
    """A whole number below 2**64."""
    return LongDouble(number < 0, abs(number), 0)


def _scaled(value: LongDouble, places: int) -> str:
    """The digits of value · 10**places, rounded to a whole number."""
    top, bottom = value.mantissa, 1
    if value.exponent > 0:
        top <<= value.exponent
    else:
        bottom <<= -value.exponent
    if places > 0:
        top *= 10**places
    else:
        bottom *= 10**-places
    # Decimal has no limit on the digits it prints, and is not quadratic.
    return format(Decimal(_half_even(top, bottom)), "f")


def _fixed(value: LongDouble, precision: int) -> str:
    exact = min(precision, max(0, -value.exponent))  # a binary fraction of n bits has n decimal places
    digits = _scaled(value, exact).zfill(exact + 1)
    part = (digits[len(digits) - exact :] if exact else "") + "0" * (precision - exact)
    whole = digits[: len(digits) - exact]
    return f"{whole}.{part}" if part else whole


def _digits(value: LongDouble, count: int) -> tuple[str, int]:
    """count significant digits, and the power of ten of the first."""
    if not value.mantissa:
        return "0" * count, 0
    # All digits that there can be: 64 bits and the longest fraction; the rest are zeros.
    used = min(count, 20_000)
    power = math.floor(math.log10(value.mantissa) + value.exponent * math.log10(2))
    for _ in range(3):
        digits = _scaled(value, used - 1 - power)
        if len(digits) == used:
            break
        power += 1 if len(digits) > used else -1
    return digits + "0" * (count - used), power


def _scientific(digits: str, power: int, letter: str) -> str:
    part = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{part}{letter}{'-' if power < 0 else '+'}{abs(power):02d}"


def _general(value: LongDouble, precision: int, alternate: bool) -> str:
    count = precision or 1
    digits, power = _digits(value, count)
    if -4 <= power < count:
        text, tail = _fixed(value, count - 1 - power), ""
    else:
        text, _, exponent = _scientific(digits, power, "e").partition("e")
        tail = f"e{exponent}"
    if alternate:
        return (text if "." in text else text + ".") + tail
    return (text.rstrip("0").rstrip(".") if "." in text else text) + tail


def _hexadecimal(value: LongDouble, precision: int | None) -> str:
    """As glibc prints the x87 format: the first digit holds the four highest bits."""
    mantissa, power = value.mantissa, 0
    if mantissa:
        shift = _BITS - mantissa.bit_length()
        mantissa <<= shift
        power = value.exponent - shift + _BITS - 4
    if precision is None:
        digits = f"{mantissa:016x}".rstrip("0") or "0"
    else:
        if precision < 15:
            dropped = 4 * (15 - precision)
            mantissa = _half_even(mantissa, 1 << dropped)
            if mantissa.bit_length() > 4 * (precision + 1):
                mantissa >>= 4
                power += 4
            digits = f"{mantissa:0{precision + 1}x}"
        else:
            digits = f"{mantissa:016x}" + "0" * (precision - 15)
    part = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{part}p{power:+d}"


def show(value: LongDouble, conversion: str, precision: int | None, alternate: bool) -> str:
    """value without its sign, as printf's conversion (one of e f g a, in either case) prints it."""
    kind = conversion.lower()
    if value.special:
        text = value.special
    elif kind == "a":
        text = _hexadecimal(value, precision)
    else:
        places = 6 if precision is None else precision
        if kind == "f":
            text = _fixed(value, places)
        elif kind == "e":
            text = _scientific(*_digits(value, places + 1), "e")
        else:
            text = _general(value, places, alternate)
    if alternate and kind != "g" and not value.special and "." not in text:
        mark = {"e": "e", "a": "p"}.get(kind, "")
        text = text.replace(mark, f".{mark}", 1) if mark else text + "."
    return text.upper() if conversion.isupper() else text
