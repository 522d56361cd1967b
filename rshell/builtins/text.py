"""Numbers, sizes and time spans in script text. Nothing here touches the system."""

from __future__ import annotations

import re

from rshell import limits

_NUMBER = re.compile(r"([+-]?)0*([0-9]+)")
_UNITS = "KMGTPEZY"
_GO_SPAN = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)")
_GO_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_GNU_SPAN = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([smhd]?)")
_GNU_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class OutOfRange(ValueError):
    """A number with more significant digits than limits.NUMBER_DIGITS; negative says its sign."""

    def __init__(self, negative: bool) -> None:
        super().__init__("number out of range")
        self.negative = negative


def number(text: str) -> int | None:
    """text as a decimal integer `[+-]?[0-9]+`; None when it is none.

    Raises OutOfRange above limits.NUMBER_DIGITS significant digits: what that means is the command's.
    """
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    sign, digits = match.groups()
    if len(digits) > limits.NUMBER_DIGITS:
        raise OutOfRange(sign == "-")
    return int(sign + digits)  # text: ours


def clamped(text: str, low: int, high: int) -> int | None:
    """number() brought into low … high; None when text is no number."""
    try:
        value = number(text)
    except OutOfRange as error:
        return low if error.negative else high
    return None if value is None else max(low, min(value, high))


def suffix_factor(suffix: str, *, block: int = 512, decimal: str = "B") -> int | None:
    """What a GNU size suffix multiplies by; None when it is none.

    '' is 1, b is a block, K KiB M MiB … are powers of 1024, kB KB MB … (with decimal 'B') powers of 1000.
    """
    if suffix == "":
        return 1
    if suffix == "b":
        return block
    letter, rest = suffix[0].upper() if suffix[0] == "k" else suffix[0], suffix[1:]
    power = _UNITS.find(letter) + 1
    if power == 0 or rest not in ("", "iB", decimal):
        return None
    base: int = 1000 if rest == decimal else 1024
    for _ in range(power - 1):
        base *= 1000 if rest == decimal else 1024
    return base


def size(text: str) -> int | None:
    """A byte count with an optional GNU suffix (10, 2K, 3MB, 4GiB, 5b); None when it is none.

    Raises OutOfRange as number() does.
    """
    end = len(text)
    while end and text[end - 1] not in "0123456789":
        end -= 1
    value = number(text[:end])
    factor = suffix_factor(text[end:])
    if value is None or factor is None:
        return None
    return value * factor


def duration(text: str) -> float | None:
    """A time span as Go writes it (100ms, 1m30s, 1.5h, 0), in seconds; None when it is none."""
    if text in ("0", "+0", "-0"):
        return 0.0
    sign = -1.0 if text.startswith("-") else 1.0
    rest = text[1:] if text[:1] in ("-", "+") else text
    if not rest or len(rest) > 100:
        return None
    total = 0.0
    at = 0
    while at < len(rest):
        match = _GO_SPAN.match(rest, at)
        if match is None:
            return None
        total += float(match[1]) * _GO_SECONDS[match[2]]  # text: ours
        at = match.end()
    return sign * total


def gnu_duration(text: str) -> float | None:
    """A time span as sleep(1) takes it (2, 1.5m, 3h, 1d), in seconds; None when it is none."""
    if text in ("inf", "infinity"):
        return float("inf")
    if len(text) > 100:
        return None
    match = _GNU_SPAN.fullmatch(text)
    return None if match is None else float(match[1]) * _GNU_SECONDS[match[2]]  # text: ours
