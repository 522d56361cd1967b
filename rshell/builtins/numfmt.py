"""numfmt: turn numbers into and out of human-readable sizes (GNU coreutils). Values are exact fractions."""

from __future__ import annotations

import re
from fractions import Fraction

from rshell import limits
from rshell.builtins.choice import choose
from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, decode, encode
from rshell.builtins.cut import parse_list
from rshell.builtins.quoting import quote
from rshell.builtins.text import clamped

NUMFMT = Command(
    "numfmt",
    "turn numbers into and out of human-readable sizes",
    "numfmt [OPTION]... [NUMBER]...",
    options=(
        Option("-d", "--delimiter", value="X", help="fields end with X, not with blanks"),
        Option("--debug", help="accepted, changes nothing"),
        Option("--field", value="FIELDS", help="change these fields as cut counts them, the first if not given"),
        Option("--format", value="FORMAT", help="print numbers with FORMAT, as %'10.1f"),
        Option("--from", value="UNIT", help="read numbers with suffixes: none (default), auto, si, iec or iec-i"),
        Option("--from-unit", value="N", help="multiply what was read by N"),
        Option("--grouping", help="accepted: the locale has no grouping"),
        Option("--header", value="N", optional=True, help="copy the first N lines (1 if not given) as they are"),
        Option("--invalid", value="MODE", help="at a bad number: abort (default), fail, warn or ignore"),
        Option("--padding", value="N", help="fill up to N columns on the left, of -N on the right"),
        Option("--round", value="METHOD", help="up, down, from-zero (default), towards-zero or nearest"),
        Option("--suffix", value="SUFFIX", help="print SUFFIX after numbers, and accept it before"),
        Option("--to", value="UNIT", help="print numbers with suffixes: none (default), si, iec or iec-i"),
        Option("--to-unit", value="N", help="divide what is printed by N"),
        Option("-z", "--zero-terminated", help="lines end with NUL, not newline"),
    ),
    description="UNIT: si is powers of 1000 (1K = 1000), iec of 1024 (1K = 1024), iec-i of 1024 with i (1Ki).",
)

_UNITS = "KMGTPEZY"
_SCALES_FROM = {word: word for word in ("none", "auto", "si", "iec", "iec-i")}
_SCALES_TO = {word: word for word in ("none", "si", "iec", "iec-i")}
_ROUNDS = {word: word for word in ("up", "down", "from-zero", "towards-zero", "nearest")}
_MODES = {word: word for word in ("abort", "fail", "warn", "ignore")}
_NUMBER = re.compile(r"-?([0-9]*)(?:(\.)([0-9]*))?")
# A field with the blanks before it; the first of these ends the field before.
_BLANK_FIELD = re.compile(r"\A[ \t\n]*[^ \t\n]*|[ \t\n]+[^ \t\n]*")
_UNIT_SIZE = re.compile(r"([0-9]*)([KMGTPEZY]?)(i?)")
_FORMAT = re.compile(r"((?:[^%]|%%)*)%([ '0]*)(-?[0-9]*)(?:\.([0-9]*))?f((?:[^%]|%%)*)", re.DOTALL)
_MOST_DIGITS = 27  # of a number without suffix
_MOST_PLACES = 18  # digits of what is printed without a scale


class _Bad(Exception):
    """A field that is no number, with the message."""


class _Settings:
    """What the options say."""

    def __init__(self, call: Invocation) -> None:
        options = call.options
        self.source = choose(options.get("from") or "none", "--from", _SCALES_FROM)
        self.target = choose(options.get("to") or "none", "--to", _SCALES_TO)
        self.round = choose(options.get("round") or "from-zero", "--round", _ROUNDS)
        self.mode = choose(options.get("invalid") or "abort", "--invalid", _MODES)
        self.multiply = _unit_size(options.get("from-unit"))
        self.divide = _unit_size(options.get("to-unit"))
        self.suffix = options.get("suffix") or ""
        self.padding = 0
        for given in options.all("padding"):
            padding = clamped(given, -limits.PRINTF_WIDTH, limits.PRINTF_WIDTH)
            if not padding:
                raise UsageError(f"invalid padding value {quote(given)}")
            self.padding = padding
        self.zeros = 0
        self.places: int | None = None
        self.before = self.after = ""
        self.delimiter = options.get("delimiter")
        if self.delimiter is not None and len(encode(self.delimiter)) > 1:
            raise UsageError("the delimiter must be a single character")
        fields = options.get("field")
        if options.count("field") > 1:
            raise UsageError("multiple field specifications")
        if fields is None:
            self.fields = [(1, 1)]
        else:
            self.fields = [(1, 2**63)] if fields == "-" else parse_list(fields, fields=True)
        self.header = 0
        if "header" in options:
            text = options.get("header")
            header = 1 if text is None else clamped(text, 0, 2**62)
            if not header:
                raise UsageError(f"invalid header value {quote(text or '')}")
            self.header = header
        self.ending = b"\0" if "zero-terminated" in options else b"\n"
        text = options.get("format")
        if text is not None:
            if "grouping" in options:
                raise UsageError("--grouping cannot be combined with --format")
            self._format(text)
        elif "grouping" in options and self.target != "none":
            raise UsageError("grouping cannot be combined with --to")

    def _format(self, text: str) -> None:
        match = _FORMAT.fullmatch(text)
        if match is None:
            bare = text.replace("%%", "")
            if "%" not in bare:
                raise UsageError(f"format {quote(text)} has no % directive")
            if bare.count("%") > 1:
                raise UsageError(f"format {quote(text)} has too many % directives")
            raise UsageError(f"invalid format {quote(text)}, directive must be %[0]['][-][N][.][N]f")
        before, flags, width, places, after = match.groups()
        size = clamped(width or "0", -limits.PRINTF_WIDTH, limits.PRINTF_WIDTH) or 0
        if "0" in flags and size > 0:
            self.zeros = size
        elif size:
            self.padding = size
        if places is not None:
            self.places = clamped(places or "0", 0, 100)
        self.before, self.after = before.replace("%%", "%"), after.replace("%%", "%")


def _unit_size(text: str | None) -> int:
    if text is None:
        return 1
    match = _UNIT_SIZE.fullmatch(text)
    if match is None or not text or (match[3] and not match[2]):
        raise UsageError(f"invalid unit size: {quote(text)}")
    base = 1024 if match[3] else 1000
    number = (clamped(match[1], 0, 2**64) or 0) if match[1] else 1
    if not number:
        raise UsageError(f"invalid unit size: {quote(text)}")
    for _ in range(_UNITS.find(match[2]) + 1 if match[2] else 0):
        number *= base
    return number


def _rounded(value: Fraction, method: str) -> int:
    """value as a whole number."""
    low = value.numerator // value.denominator
    rest = value - low
    if (
        not rest
        or method == "down"
        or (method == "towards-zero" and value > 0)
        or (method == "from-zero" and value < 0)
    ):
        return low
    if method == "nearest":  # halves go away from zero
        return low + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and value > 0))
    return low + 1


def _parse(text: str, settings: _Settings) -> tuple[Fraction, int]:
    """The number in a field, and how many digits stand after its point."""
    match = _NUMBER.match(text)
    if match is None or not (match[1] or match[3]):
        raise _Bad(f"invalid number: {quote(text)}")
    whole, point, part = match[1] or "0", match[2], match[3] or ""
    if point and not part:
        raise _Bad(f"invalid number: {quote(text)}")
    if len(whole.lstrip("0")) > _MOST_DIGITS or len(part) > 100:
        raise _Bad(f"value too large to be converted: {quote(text)}")
    value = Fraction(int(whole + part), 10 ** len(part))  # text: ours (matched as digits)
    if text.startswith("-"):
        value = -value
    rest = text[match.end() :]
    places = len(part)
    scale = settings.source
    if rest:
        rest = rest.lstrip(" \t")
        power = _UNITS.find(rest[:1]) + 1 if rest else 0
        if not power:
            raise _Bad(f"invalid suffix in input: {quote(text)}")
        if scale == "none":
            raise _Bad(f"rejecting suffix in input: {quote(text)} (consider using --from)")
        rest = rest[1:]
        base = 1024 if scale in ("iec", "iec-i") else 1000
        if scale == "auto" and rest.startswith("i"):
            base, rest = 1024, rest[1:]
        value *= Fraction(base) ** power
        places = 0
    if scale == "iec-i":
        if not rest.startswith("i"):
            raise _Bad(f"missing 'i' suffix in input: {quote(text)} (e.g Ki/Mi/Gi)")
        rest = rest[1:]
    if rest:
        raise _Bad(f"invalid suffix in input {quote(text)}: {quote(rest)}")
    return value, places


def _fixed(value: Fraction, places: int, zeros: int) -> str:
    """value as printf's %0*.*f prints it."""
    return _point(round(value * 10**places), places, value < 0).zfill(zeros)


def _scaled(value: Fraction, settings: _Settings) -> str:
    """A number with the suffix of its size."""
    base = 1000 if settings.target == "si" else 1024
    power = 0
    while abs(value) >= base:
        value /= base
        power += 1
    if settings.places is not None:
        digits = min(3 * power, settings.places)
    else:
        digits = 1 if abs(value) < 10 else 0
    value = Fraction(_rounded(value * 10**digits, settings.round), 10**digits)
    if abs(value) >= base:
        value /= base
        power += 1
    places = settings.places
    if places is None:
        places = 1 if value and abs(value) < 10 and power else 0
    if power > len(_UNITS):
        raise _Bad("value too large to be printed")
    unit = _UNITS[power - 1] if power else ""
    if power and settings.target == "iec-i":
        unit += "i"
    return _fixed(value, places, settings.zeros) + unit


def _point(number: int, places: int, negative: bool) -> str:
    digits = f"{abs(number):0{places + 1}d}"
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"-{text}" if negative else text


def _shown(value: Fraction, places: int, settings: _Settings) -> str:
    """The number as it is printed, but for padding."""
    if settings.target != "none":
        return _scaled(value, settings)
    if settings.places is not None:
        places = settings.places
    whole = abs(value)
    if len(str(whole.numerator // whole.denominator)) - 1 + places > _MOST_PLACES:
        raise _Bad(f"value too large to be printed: {_fixed(value, 0, 0)} (consider using --to)")
    return _fixed(Fraction(_rounded(value * 10**places, settings.round), 10**places), places, settings.zeros)


def _padded(text: str, padding: int) -> str:
    return text.ljust(-padding) if padding < 0 else text.rjust(padding)


class _Converter:
    """Changes fields and lines."""

    def __init__(self, call: Invocation, settings: _Settings) -> None:
        self.call = call
        self.settings = settings
        self.failed = False
        self.auto_padding = settings.padding == 0 and settings.delimiter is None

    def field(self, text: str, number: int) -> str:
        """A field, changed; as it is when it is no number and that is accepted."""
        settings = self.settings
        suffix = settings.suffix
        if suffix and len(text) > len(suffix) and text.endswith(suffix):
            text = text[: len(text) - len(suffix)]
        bare = text.lstrip(" \t")
        padding = settings.padding
        if self.auto_padding and (bare != text or number > 1):
            padding = len(encode(text))
        try:
            value, places = _parse(bare, settings)
            shown = _shown(value * settings.multiply / settings.divide, places, settings)
        except _Bad as bad:
            if settings.mode == "abort":
                raise Failure(str(bad), 2) from None
            if settings.mode != "ignore":
                self.call.flush()
                self.call.warn(str(bad))
            self.failed = True
            return text
        return settings.before + _padded(shown + suffix, padding) + settings.after

    def line(self, line: str) -> None:
        """Write a line with the chosen fields changed."""
        settings = self.settings
        write = self.call.write
        if settings.delimiter is not None:
            fields, glue = line.split(settings.delimiter), encode(settings.delimiter)
        else:
            fields, glue = _BLANK_FIELD.findall(line) or [""], b" "
            fields[1:] = [field[1:] for field in fields[1:]]
        for number, field in enumerate(fields, 1):
            if number > 1:
                write(glue)
            write(encode(self.field(field, number) if self.wanted(number) else field))
        write(settings.ending)

    def wanted(self, number: int) -> bool:
        """Whether the field of that number is to be changed."""
        return any(first <= number <= last for first, last in self.settings.fields)


@NUMFMT.main
def numfmt(call: Invocation) -> int:
    settings = _Settings(call)
    converter = _Converter(call, settings)
    for operand in call.operands:
        converter.line(operand)
    if not call.operands:
        left = settings.header
        for line in call.stdin.lines(settings.ending):
            call.check()
            bare = line[:-1] if line.endswith(settings.ending) else line
            if left:
                left -= 1
                call.write(bare + settings.ending)
            else:
                converter.line(decode(bare))
    return 2 if converter.failed and settings.mode == "fail" else 0


COMMANDS = {"numfmt": NUMFMT}
