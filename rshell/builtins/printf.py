"""printf: print arguments as a format says (bash)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rshell import limits
from rshell.builtins import floats
from rshell.builtins.command import Command, Failure, Invocation, Option, decode, encode
from rshell.builtins.escapes import Stop, expand_argument, expand_format
from rshell.builtins.shellquote import quote

PRINTF = Command(
    "printf",
    "print the arguments as the format says",
    "printf FORMAT [ARG]...",
    options=(Option("-v", value="NAME", refused="use NAME=$(printf ...)"),),
    description=(
        "FORMAT is used again while there are arguments left; missing ones are empty or zero. Conversions:\n"
        "%s text, %b text with escapes expanded, %q %Q text quoted for the shell, %c the first byte,\n"
        "%d %i %u %o %x %X integers, %e %E %f %F %g %G %a %A floating point, %% a percent sign; each takes\n"
        "flags (- + blank # 0), a width and a precision (* takes it from the arguments). A number may be\n"
        "decimal, octal (0...), hexadecimal (0x...) or 'c, the value of a character. Not supported: %n, %(...)T."
    ),
    usage_status=2,
    raw=True,
)

_USAGE = "printf: usage: printf format [arguments]\n"
_SPECIFICATION = re.compile(r"%([-+ #0']*)(\*|[0-9]*)(?:(\.)(\*|[0-9]*))?[hjlLtz]*", re.ASCII)
_INTEGER = re.compile(r"[ \t\n\v\f\r]*([+-]?)(?:0[xX]([0-9a-fA-F]+)|0([0-7]*)|([1-9][0-9]*))", re.ASCII)
_SIGNED = (-(2**63), 2**63 - 1)
_UNSIGNED = (-(2**64) + 1, 2**64 - 1)


@dataclass(slots=True)
class _Conversion:
    """One % in a format: text is its spelling; width and precision are None when missing, '*' for an argument."""

    text: str
    letter: str
    flags: str
    width: int | str | None
    precision: int | str | None


def _amount(text: str) -> int:
    digits = text.lstrip("0")
    if len(digits) > 9:
        return limits.PRINTF_WIDTH + 1
    return int(digits or "0")  # text: ours (matched as digits)


def _too_wide(text: str) -> str:
    return f"`{text}': width or precision too large ({limits.PRINTF_WIDTH} at most)"


def _parse(call: Invocation, text: str) -> list[bytes | _Conversion | str]:
    """The format as literal bytes and conversions; a str is the message at which it breaks off."""
    parts: list[bytes | _Conversion | str] = []
    literal: list[bytes] = []
    at = 0
    while (found := text.find("%", at)) >= 0:
        literal.append(_literal(call, text[at:found]))
        if text.startswith("%%", found):
            literal.append(b"%")
            at = found + 2
            continue
        match = _SPECIFICATION.match(text, found)
        assert match is not None
        if joined := b"".join(literal):
            parts.append(joined)
        literal.clear()
        flags, width, dot, precision = match.groups()
        at = match.end() + 1
        letter = text[match.end() : at]
        if letter == "n":
            return [*parts, "%n: not supported (security risk)"]
        if not letter:
            return [*parts, f"`{text[found:]}': missing format character"]
        if letter == "(":
            return [*parts, "%(...)T: not supported: use date"]
        if letter not in _CONVERSIONS:
            return [*parts, f"`{letter}': invalid format character"]
        parts.append(
            _Conversion(
                text[found:at],
                letter,
                flags,
                width if width == "*" else _amount(width) if width else None,
                None if dot is None else precision if precision == "*" else _amount(precision),
            )
        )
    literal.append(_literal(call, text[at:]))
    if joined := b"".join(literal):
        parts.append(joined)
    return parts


def _literal(call: Invocation, text: str) -> bytes:
    return expand_format(encode(text), call.warn) if "\\" in text else encode(text)


class _Printer:
    """The state of one call: the arguments left."""

    def __init__(self, call: Invocation, args: list[str]) -> None:
        self.call = call
        self.args = args
        self.at = 0

    def next(self) -> str:
        """The next argument, empty when there is none."""
        at = self.at
        if at < len(self.args):
            self.at = at + 1
            return self.args[at]
        return ""

    def pad(self, conversion: _Conversion, data: bytes) -> bytes:
        """Fill data up to the conversion's width with blanks."""
        width = conversion.width
        assert not isinstance(width, str)
        if width is None or len(data) >= width:
            return data
        return data.ljust(width) if "-" in conversion.flags else data.rjust(width)

    def pad_number(self, conversion: _Conversion, sign: str, digits: str, zeros: bool) -> bytes:
        """Put sign and digits together, the zeros of the flag 0 between them."""
        width = conversion.width
        if zeros and isinstance(width, int) and "0" in conversion.flags and "-" not in conversion.flags:
            digits = digits.rjust(width - len(sign), "0")
        return self.pad(conversion, (sign + digits).encode("ascii"))

    def resolved(self, conversion: _Conversion) -> _Conversion:
        """The conversion with each * replaced by an argument."""
        flags, width, precision = conversion.flags, conversion.width, conversion.precision
        if width == "*":
            width = self.integer(_SIGNED) if self.at < len(self.args) else 0
            if width < 0:
                flags, width = flags + "-", -width
        if precision == "*":
            precision = self.integer(_SIGNED) if self.at < len(self.args) else 0
            if precision < 0:
                precision = None
        conversion = _Conversion(conversion.text, conversion.letter, flags, width, precision)
        for amount in (width, precision):
            if isinstance(amount, int) and amount > limits.PRINTF_WIDTH:
                raise Failure(_too_wide(conversion.text))
        return conversion

    # Numbers

    def invalid(self, text: str) -> None:
        kind = "number"
        if text[:1] == "0" and text[1:2] != "" and text[1:2] in "0123456789":
            kind = "octal number"
        elif text[:2] == "0x":
            kind = "hex number"
        self.call.error(f"{text}: invalid {kind}")

    def out_of_range(self, text: str) -> None:
        self.call.warn(f"warning: {text}: Numerical result out of range")

    def integer(self, bounds: tuple[int, int]) -> int:
        """The next argument as an integer, kept within bounds."""
        text = self.next()
        if text == "":
            return 0
        if text[0] in "'\"":
            return _character(text)
        match = _INTEGER.match(text)
        if match is None:
            self.invalid(text)
            return 0
        sign, hexadecimal, octal, decimal = match.groups()
        base = 16 if hexadecimal else 8 if octal is not None else 10
        digits = (hexadecimal or octal or decimal or "").lstrip("0")
        # More digits than any base needs for 64 bits: no need to compute what is out of range.
        value = 2**80 if len(digits) > 22 else int(digits or "0", base)  # text: ours (matched as digits)
        if sign == "-":
            value = -value
        low, high = bounds
        clamped = min(max(value, low), high) if low == _SIGNED[0] or low <= value else high
        if match.end() < len(text):
            self.invalid(text)
        elif clamped != value:
            self.out_of_range(text)
        return clamped

    def float(self) -> floats.LongDouble:
        text = self.next()
        if text == "":
            return floats.LongDouble(False)
        if text[0] in "'\"":
            return floats.from_int(_character(text))
        value, end, ranged = floats.read(text)
        if end < len(text):
            self.invalid(text)
        elif ranged:
            self.out_of_range(text)
        return value

    # One method a kind of conversion

    def text(self, conversion: _Conversion) -> bytes:
        return self.pad(conversion, encode(self.next())[: _limit(conversion)])

    def expanded(self, conversion: _Conversion) -> bytes:
        return self.pad(conversion, expand_argument(encode(self.next()), self.call.warn)[: _limit(conversion)])

    def quoted(self, conversion: _Conversion) -> bytes:
        text, limit = self.next(), _limit(conversion)
        if conversion.letter == "Q" and limit is not None:
            return self.pad(conversion, encode(quote(decode(encode(text)[:limit]))))
        return self.pad(conversion, encode(quote(text))[:limit])

    def character(self, conversion: _Conversion) -> bytes:
        return self.pad(conversion, encode(self.next())[:1] or b"\0")

    def signed(self, conversion: _Conversion) -> bytes:
        value = self.integer(_SIGNED)
        sign = "-" if value < 0 else _plus(conversion)
        return self.pad_number(conversion, sign, _whole(str(abs(value)), conversion), conversion.precision is None)

    def unsigned(self, conversion: _Conversion) -> bytes:
        value = self.integer(_UNSIGNED) % 2**64
        letter = conversion.letter
        digits = _whole(f"{value:{'d' if letter == 'u' else letter}}", conversion)
        prefix = ""
        if "#" in conversion.flags:
            if letter == "o" and digits[:1] != "0":
                digits = "0" + digits
            elif letter in "xX" and digits != "":
                prefix = f"0{letter}"
        return self.pad_number(conversion, prefix, digits, conversion.precision is None)

    def floating(self, conversion: _Conversion) -> bytes:
        value = self.float()
        precision = conversion.precision
        assert not isinstance(precision, str)
        digits = floats.show(value, conversion.letter, precision, "#" in conversion.flags)
        sign = "-" if value.negative else _plus(conversion)
        if conversion.letter in "aA" and not value.special:
            sign += f"0{'x' if conversion.letter == 'a' else 'X'}"
        return self.pad_number(conversion, sign, digits, not value.special)


def _limit(conversion: _Conversion) -> int | None:
    assert not isinstance(conversion.precision, str)
    return conversion.precision


def _plus(conversion: _Conversion) -> str:
    return "+" if "+" in conversion.flags else " " if " " in conversion.flags else ""


def _whole(digits: str, conversion: _Conversion) -> str:
    """The digits of an integer, as many as the precision asks for at least."""
    if conversion.precision is None:
        return digits
    assert not isinstance(conversion.precision, str)
    return ("" if digits == "0" else digits).rjust(conversion.precision, "0")


def _character(text: str) -> int:
    """The value of the character after the quote."""
    if len(text) == 1:
        return 0
    value = ord(text[1])
    return value - 0xDC00 if 0xDC80 <= value <= 0xDCFF else value


_CONVERSIONS = {
    "s": _Printer.text,
    "b": _Printer.expanded,
    "q": _Printer.quoted,
    "Q": _Printer.quoted,
    "c": _Printer.character,
    **dict.fromkeys("di", _Printer.signed),
    **dict.fromkeys("uoxX", _Printer.unsigned),
    **dict.fromkeys("eEfFgGaA", _Printer.floating),
}


@PRINTF.main
def printf(call: Invocation) -> int:
    args = call.args
    if args and args[0] == "--":
        args = args[1:]
    elif args and len(args[0]) > 1 and args[0][0] == "-":
        if args[0][1] == "v":
            raise Failure("-v: not supported: use NAME=$(printf ...)")
        call.error(f"-{args[0][1]}: invalid option")
        call.stderr.write(encode(_USAGE))
        return 2
    if not args:
        call.stderr.write(encode(_USAGE))
        return 2
    parts = _parse(call, args[0])
    printer = _Printer(call, args[1:])
    try:
        while True:
            before = printer.at
            _once(call, printer, parts)
            if before == printer.at or printer.at >= len(printer.args):
                break
            call.check()
    except Stop as stop:
        call.write(stop.so_far)
    return call.status


def _once(call: Invocation, printer: _Printer, parts: list[bytes | _Conversion | str]) -> None:
    """Go through the format once."""
    for part in parts:
        if isinstance(part, bytes):
            call.write(part)
        elif isinstance(part, str):
            raise Failure(part)
        else:
            if part.width is not None or part.precision is not None:
                part = printer.resolved(part)
            call.write(_CONVERSIONS[part.letter](printer, part))


COMMANDS = {"printf": PRINTF}
