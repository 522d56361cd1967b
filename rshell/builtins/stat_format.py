"""The formats of stat: directives compiled once to literal pieces and closures (stat(1), GNU coreutils)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from rshell import limits
from rshell.builtins.command import Failure, encode
from rshell.builtins.quoting import quote_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rshell.builtins.command import Invocation

Subject = TypeVar("Subject")

_DIRECTIVE = re.compile(r"%([-'+ #0I]*)([0-9]*)(?:(\.)([0-9]*))?")
_OCTAL = re.compile(r"[0-7]{1,3}")
_HEX = re.compile(r"x[0-9a-fA-F]{1,2}")
_ESCAPES = {
    "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", '"': '"', "\\": "\\",
}  # fmt: skip
_NANO = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Field:
    """Flags, width and precision of a directive; precision is None without a point, -1 after a bare one."""

    flags: str
    width: int
    precision: int | None

    def text(self, value: str) -> bytes:
        """As C's %s: bytes are counted."""
        raw = encode(value)
        if self.precision is not None:
            raw = raw[: max(0, self.precision)]
        return self._placed(raw)

    def signed(self, value: int) -> bytes:
        """As C's %d."""
        sign = "-" if value < 0 else "+" if "+" in self.flags else " " if " " in self.flags else ""
        return self._number(sign, str(abs(value)))

    def unsigned(self, value: int) -> bytes:
        """As C's %u."""
        return self._number("", str(value))

    def octal(self, value: int) -> bytes:
        """As C's %o."""
        digits = f"{value:o}"
        if "#" in self.flags and digits[0] != "0":
            digits = "0" + digits
        return self._number("", digits)

    def hexadecimal(self, value: int) -> bytes:
        """As C's %x."""
        return self._number("0x" if "#" in self.flags and value else "", f"{value:x}")

    def _number(self, sign: str, digits: str) -> bytes:
        if self.precision is not None:
            places = max(0, self.precision)
            digits = "" if places == 0 and digits == "0" else digits.rjust(places, "0")
        elif "0" in self.flags and "-" not in self.flags:
            digits = digits.rjust(self.width - len(sign), "0")
        return self._placed(encode(sign + digits))

    def _placed(self, raw: bytes) -> bytes:
        return raw.ljust(self.width) if "-" in self.flags else raw.rjust(self.width)

    def seconds(self, nanoseconds: int) -> bytes:
        """Seconds since the epoch, with as many digits after a point as the precision says, 9 after a bare point.

        The width is that of the whole, where it leaves the seconds more than one column.
        """
        places = 0 if self.precision is None else 9 if self.precision < 0 else self.precision
        if places == 0:
            return Field(self.flags, self.width, None).signed(nanoseconds // _NANO)
        shown = min(places, 9)
        whole, part = _fraction(nanoseconds, shown)
        room = self.width - 1 - places
        flags = self.flags
        left = False
        width = 0
        if self.width > 1:
            if room > 1:
                left = "-" in flags
                flags = flags.replace("-", "")
                width = 0 if left else room
            else:
                flags = flags.replace("0", "")
        field = Field(flags, width, None)
        head = field._number("-", "0") if nanoseconds < 0 and whole == 0 else field.signed(whole)
        text = head + b"." + encode(f"{part:0{shown}}") + b"0" * (places - shown)
        if len(head) + 1 < self.width:
            spare = abs(self.width - len(head) - 1 - shown)  # GNU gives a negative width to printf
            text = text.ljust(len(head) + 1 + shown + spare)
        return text


def _fraction(nanoseconds: int, places: int) -> tuple[int, int]:
    """Whole seconds, and that many digits after the point: cut, not rounded.

    A time before 1970 whose digits are all 0 shows the second before it, as GNU has it.
    """
    unit: int = 10 ** (9 - places)
    second = _NANO // unit
    if nanoseconds >= 0:
        return divmod(nanoseconds // unit, second)
    whole, part = divmod(-nanoseconds // unit, second)
    return (-whole, part) if part else (nanoseconds // _NANO, 0)


class Format(Generic[Subject]):
    """A compiled format."""

    def __init__(self, pieces: list[bytes | Callable[[Subject], bytes]]) -> None:
        self._pieces = pieces

    def apply(self, subject: Subject, write: Callable[[bytes], None]) -> None:
        """Write the text for one file. Raises Failure where a directive goes wrong."""
        for piece in self._pieces:
            write(piece if isinstance(piece, bytes) else piece(subject))


def compile_format(
    text: str,
    directives: Mapping[str, Callable[[Field, Subject], bytes]],
    call: Invocation,
    *,
    escapes: bool,
) -> Format[Subject]:
    """Compile a format. directives: by letter, or by two letters such as Hd.

    A percent sign that goes wrong fails where its text would stand; unknown directives show as ?.
    """
    pieces: list[bytes | Callable[[Subject], bytes]] = []
    at = 0
    while at < len(text):
        letter = text[at]
        if letter == "%":
            match = _DIRECTIVE.match(text, at)
            assert match is not None  # every part of it may be empty
            end = match.end()
            name = text[end : end + 1]
            if name in ("", "%"):
                at, wrong = end + 1, text[at : end + 1] if end > at + 1 else ""
                pieces.append(_invalid(wrong) if wrong else b"%")
                continue
            if text[end : end + 2] in directives:
                name = text[end : end + 2]
            value = directives.get(name)
            pieces.append(b"?" if value is None else _bound(value, _field(match)))
            at = end + len(name)
        elif letter == "\\" and escapes:
            raw, at = _escape(text, at + 1, call)
            pieces.append(raw)
        else:
            following = at + 1
            while following < len(text) and text[following] != "%" and not (escapes and text[following] == "\\"):
                following += 1
            pieces.append(encode(text[at:following]))
            at = following
    return Format(pieces)


def _invalid(directive: str) -> Callable[[object], bytes]:
    def fail(subject: object) -> bytes:
        raise Failure(f"{quote_text(directive)}: invalid directive")

    return fail


def _bound(value: Callable[[Field, Subject], bytes], field: Field) -> Callable[[Subject], bytes]:
    return lambda subject: value(field, subject)


def _field(match: re.Match[str]) -> Field:
    flags, width, point, precision = match.groups()
    places = None if point is None else _count(precision) if precision else -1
    return Field(flags, _count(width), places)


def _count(digits: str) -> int:
    digits = digits.lstrip("0")
    count = int(digits or "0") if len(digits) <= limits.NUMBER_DIGITS else limits.PRINTF_WIDTH + 1  # text: ours
    if count > limits.PRINTF_WIDTH:
        raise Failure(f"format: field too wide ({limits.PRINTF_WIDTH} at most)")
    return count


def _escape(text: str, at: int, call: Invocation) -> tuple[bytes, int]:
    """The bytes of what stands after a backslash, and where to go on."""
    letter = text[at : at + 1]
    if not letter:
        call.warn("warning: backslash at end of format")
        return b"\\", at
    if (octal := _OCTAL.match(text, at)) is not None:
        return bytes((int(octal[0], 8) & 255,)), octal.end()  # text: ours
    if (digits := _HEX.match(text, at)) is not None:
        return bytes((int(digits[0][1:], 16),)), digits.end()  # text: ours
    if letter not in _ESCAPES:
        call.warn(f"warning: unrecognized escape '\\{letter}'")
    return encode(_ESCAPES.get(letter, letter)), at + 1
