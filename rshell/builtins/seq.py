"""seq: print numbers in a row (GNU coreutils)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins import floats
from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, encode
from rshell.builtins.quoting import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NEGATIVE = re.compile(r"-[0-9.]")
_TAKES_VALUE = ("-s", "-f", "--separator", "--format")


def _protect(args: list[str]) -> list[str]:
    """-1 is a number, not an option: what begins with one ends the options."""
    at = 0
    while at < len(args) and args[at].startswith("-") and args[at] != "--":
        if _NEGATIVE.match(args[at]):
            return [*args[:at], "--", *args[at:]]
        at += 2 if args[at] in _TAKES_VALUE else 1
    return args


SEQ = Command(
    "seq",
    "print numbers in a row",
    "seq [OPTION]... [FIRST [INCREMENT]] LAST",
    options=(
        Option("-f", "--format", value="FORMAT", help="print numbers with this format of printf: %e %f %g %a"),
        Option("-s", "--separator", value="STRING", help="print STRING between numbers, not newline"),
        Option("-w", "--equal-width", help="pad with zeros to the same width"),
    ),
    description="FIRST and INCREMENT are 1 where they are not given.",
    ordered=True,
    rewrite=_protect,
)

_WHOLE = re.compile("[0-9]{1,20}")
_FORMAT = re.compile(r"((?:[^%]|%%)*)%([-+#0 ']*)([0-9]*)(?:\.([0-9]*))?L?(.?)((?:[^%]|%%)*)(%?)", re.DOTALL)
_BATCH = 4096  # numbers written at once
_BITS = 64


@dataclass(slots=True)
class _Number:
    """An argument: ± mantissa · 2**exponent, the digits after its point (None: unknown), and how wide it prints."""

    value: floats.LongDouble
    places: int | None
    width: int

    @property
    def mantissa(self) -> int:
        return -self.value.mantissa if self.value.negative else self.value.mantissa


def _number(text: str) -> _Number:
    stripped = text.lstrip(" \t\n\v\f\r+")
    value, end, _ = floats.read(text)
    if not end or end != len(text):
        raise UsageError(f"invalid floating point argument: {quote(text)}")
    if value.special == "nan":
        raise UsageError(f"invalid 'not-a-number' argument: {quote(text)}")
    lower = stripped.lower()
    whole, point, rest = lower.partition(".")
    places: int | None = None if point or "p" in lower else 0
    if "x" in lower or value.special:
        return _Number(value, places, 0)
    width = len(lower)
    fraction = 0
    if point:
        fraction = len(rest.partition("e")[0])
        places = fraction
        width += -1 if fraction == 0 else whole[-1:] in ("", "-")
    body, letter, power = lower.partition("e")
    if letter:
        exponent = max(-limits.PRINTF_WIDTH, min(limits.PRINTF_WIDTH, int(power)))  # text: ours (read() took it)
        width -= len(lower) - len(body)
        places = (places or 0) + (-exponent if exponent < 0 else -min(places or 0, exponent))
        if exponent < 0:
            width += body.endswith(".") if point else 1
        elif point and places == 0 and fraction:
            width -= 1
        width += -exponent if exponent < 0 else exponent - min(fraction, exponent)
    return _Number(value, places, width)


def _directive(text: str) -> tuple[str, str, Callable[[floats.LongDouble], str]]:
    """A FORMAT taken apart: what stands before and after the number, and how that is printed."""
    match = _FORMAT.fullmatch(text)
    if match is None:
        raise Failure(f"format {quote(text)} has no % directive")
    before, flags, width_text, precision_text, kind, after, more = match.groups()
    if not kind:
        raise Failure(f"format {quote(text)} ends in %")
    if kind not in "efgaEFGA":
        raise Failure(f"format {quote(text)} has unknown %{kind} directive")
    if more:
        raise Failure(f"format {quote(text)} has too many % directives")
    width = _bounded(width_text)
    precision = None if precision_text is None else _bounded(precision_text)

    def show(value: floats.LongDouble) -> str:
        digits = floats.show(value, kind, precision, "#" in flags)
        sign = "-" if value.negative else "+" if "+" in flags else " " if " " in flags else ""
        if kind in "aA" and not value.special:
            sign += "0x" if kind == "a" else "0X"
        if "-" in flags:
            return f"{sign}{digits}".ljust(width)
        if "0" in flags and not value.special:
            return sign + digits.rjust(width - len(sign), "0")
        return f"{sign}{digits}".rjust(width)

    return before.replace("%%", "%"), after.replace("%%", "%"), show


def _bounded(text: str) -> int:
    digits = text.lstrip("0") or "0"
    if len(digits) > 6 or int(digits) > limits.PRINTF_WIDTH:  # text: ours (matched as digits)
        raise Failure(f"width or precision too large ({limits.PRINTF_WIDTH} at most)")
    return int(digits)  # text: ours (matched as digits)


@SEQ.main
def seq(call: Invocation) -> int:
    options, operands = call.options, call.operands
    if not operands:
        raise UsageError("missing operand")
    if len(operands) > 3:
        raise UsageError(f"extra operand {quote(operands[3])}")
    text = options.get("format")
    equal = "equal-width" in options
    directive = None if text is None else _directive(text)
    if directive is not None and equal:
        raise UsageError("format string may not be specified when printing equal width strings")
    separator = options.get("separator")
    glue = b"\n" if separator is None else encode(separator)
    first_text = operands[0] if len(operands) > 1 else "1"
    step_text = operands[1] if len(operands) == 3 else "1"
    first, last, step = _number(first_text), _number(operands[-1]), _number(step_text)
    if not step.value.mantissa and not step.value.special:
        raise UsageError(f"invalid Zero increment value: {quote(step_text)}")
    if first.value.special or step.value.special:
        raise Failure("infinite numbers are only supported as LAST")
    writer = _Writer(call, glue)
    if (
        directive is None
        and all(map(_WHOLE.fullmatch, (first_text, step_text)))
        and (last.value.special or _WHOLE.fullmatch(operands[-1]))
    ):
        stop = None if last.value.special else int(operands[-1])  # text: ours (matched)
        if stop is not None or not last.value.negative:
            width = max(first.width, last.width) if equal else 0
            start, by = int(first_text), int(step_text)  # text: ours (matched)
            writer.whole(start, by, stop, width)
            return 0
    writer.print(_real(first, step, last, _default(first, step, last, equal) if directive is None else directive))
    return 0


def _default(
    first: _Number, step: _Number, last: _Number, equal: bool
) -> tuple[str, str, Callable[[floats.LongDouble], str]]:
    """How numbers are printed without a format: with the places of FIRST and INCREMENT."""
    if first.places is None or step.places is None or last.places is None:
        return _directive("%g")
    places = max(first.places, step.places)
    width = 0
    if equal:
        start = first.width + places - first.places + (first.places == 0 and places > 0)
        end = last.width + places - last.places
        end += (last.places == 0 and places > 0) - (last.places > 0 and places == 0)
        width = max(start, end)

    def show(value: floats.LongDouble) -> str:
        text = floats.show(value, "f", places, False)
        return ("-" + text if value.negative else text).zfill(width)

    return "", "", show


def _rounded(number: int) -> int:
    """number with 64 significant bits, ties to even: what a long double keeps."""
    size = abs(number).bit_length() - _BITS
    if size <= 0:
        return number
    quotient, rest = divmod(abs(number), 1 << size)
    half = 1 << (size - 1)
    quotient += rest > half or (rest == half and quotient & 1)
    return (-quotient if number < 0 else quotient) << size


def _real(
    first: _Number, step: _Number, last: _Number, directive: tuple[str, str, Callable[[floats.LongDouble], str]]
) -> Iterator[str]:
    """The numbers as text, computed as C's long double computes them."""
    before, after, show = directive
    exponent = min(each.value.exponent for each in (first, step, last))
    start, by, end = (each.mantissa << (each.value.exponent - exponent) for each in (first, step, last))
    endless = bool(last.value.special) and last.value.negative == (by < 0)
    if last.value.special and not endless:
        return
    down = by < 0
    if not endless and (start < end if down else start > end):
        return

    def text_of(number: int) -> str:
        size = max(0, abs(number).bit_length() - _BITS)
        return show(floats.LongDouble(number < 0, abs(number) >> size, exponent + size))

    previous = show(first.value)  # as it was given: -0 keeps its sign
    yield before + previous + after
    turn = 1
    while True:
        number = _rounded(start + _rounded(turn * by))
        text = text_of(number)
        if not endless and (number < end if down else number > end):
            # Just past LAST by rounding, and printed like it: it counts.
            value, stop, _ = floats.read(text)
            if stop == len(text) and value == last.value and text != previous:
                yield before + text + after
            return
        yield before + text + after
        previous = text
        turn += 1


class _Writer:
    """Writes numbers with the separator between them."""

    def __init__(self, call: Invocation, glue: bytes) -> None:
        self.call = call
        self.glue = glue

    def whole(self, first: int, step: int, last: int | None, width: int) -> None:
        """Write whole numbers; last None: without end."""
        if last is not None and first > last:
            return
        template = b"%%0%dd" % width if width else b"%d"
        at = first
        begun = False
        while last is None or at <= last:
            self.call.check()
            end = at + _BATCH * step if last is None else min(at + _BATCH * step, last + 1)
            block = self.glue.join([template % number for number in range(at, end, step)])
            self.call.write(self.glue + block if begun else block)
            begun = True
            at += _BATCH * step
        self.call.write(b"\n")

    def print(self, texts: Iterator[str]) -> None:
        """Write texts as they come."""
        begun = False
        for text in texts:
            if begun:
                self.call.check()
                self.call.write(self.glue + encode(text))
            else:
                self.call.write(encode(text))
            begun = True
        if begun:
            self.call.write(b"\n")


COMMANDS = {"seq": SEQ}
