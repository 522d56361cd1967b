"""strftime in the C locale, as GNU's tools extend it: flags, widths, %N and %:z (strftime(3), date(1))."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rshell import limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_LONG_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LONG_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
_FIELD = re.compile(r"%([-_0^#+]*)([0-9]{0,6})[EO]?(:{0,3}[a-zA-Z%+])", re.DOTALL)
# Fields that are numbers, and their usual width: what a flag or a width pads with zeros or blanks.
_PADDED = {
    "C": 2, "d": 2, "e": 2, "g": 2, "G": 4, "H": 2, "I": 2, "j": 3, "k": 2, "l": 2, "m": 2, "M": 2, "q": 1, "s": 1,
    "S": 2, "u": 1, "U": 2, "V": 2, "w": 1, "W": 2, "y": 2, "Y": 4,
}  # fmt: skip
_BLANK_PADDED = "ekl"
_CHANGED_CASE = "aAbBhpZ"  # of these the flag # changes the case
_PLAIN = "aAbBcdDeFgGhHIjklmMnpStuUVwWxyYzZ"


def format_time(when: datetime, nanoseconds: int, pattern: str) -> str:
    """A time by a pattern; nanoseconds is what %N shows."""

    def shown(match: re.Match[str]) -> str:
        flags, width, letter = match.groups()
        count = int(width) if width else 0  # text: ours
        if count > limits.PRINTF_WIDTH:
            return match[0]
        if not flags and not count and letter != "N":
            return _value(when, letter, match[0])
        return _padded(when, nanoseconds, match)

    return _FIELD.sub(shown, pattern)


def _value(when: datetime, letter: str, whole: str) -> str:
    if letter == "%":
        return "%" if whole == "%%" else whole
    if letter == "s":
        return str(round(when.timestamp()))
    if letter == "P":
        return "am" if when.hour < 12 else "pm"
    if letter == "q":
        return str((when.month + 2) // 3)
    if letter == "C":
        return f"{when.year // 100:02}"
    if letter == "R":
        return f"{when:%H:%M}"
    if letter in "TX":
        return f"{when:%H:%M:%S}"
    if letter == "r":
        return f"{when:%I:%M:%S} {'AM' if when.hour < 12 else 'PM'}"
    if letter.endswith("z") and (letter != "z"):
        return _zone(when, letter, "", 0)
    if letter in _PLAIN:
        return time_field(when, letter)
    return whole


def _padded(when: datetime, nanoseconds: int, match: re.Match[str]) -> str:
    """A field with flags or a width. The last flag of - _ 0 + says what pads."""
    flags, given, letter = match.groups()
    width = int(given) if given else 0  # text: ours
    padding = next((flag for flag in reversed(flags) if flag in "-_0+"), "")
    if letter == "N":
        return _nanoseconds(nanoseconds, padding, width)
    if letter.endswith("z"):
        return _zone(when, letter, padding, width)
    if letter == "F":
        return _date(when, padding, width)
    text = _value(when, letter, match[0])
    if "^" in flags and letter != "P":
        text = text.upper()
    elif "#" in flags and letter in _CHANGED_CASE:
        text = text.lower() if letter in "pZ" else text.upper()
    if padding == "-":
        return (text.lstrip("0 ") or "0") if letter in _PADDED else text
    if letter not in _PADDED:
        return text.rjust(width, "0" if padding in ("0", "+") else " ")
    if padding == "+" and letter in "CgGyY" and width > _PADDED[letter]:
        return "+" + (text.lstrip("0 ") or "0").rjust(width - 1, "0")
    fill = " " if padding == "_" or (not padding and letter in _BLANK_PADDED) else "0"
    return (text.lstrip("0 ") or "0").rjust(width or _PADDED[letter], fill)


def _date(when: datetime, padding: str, width: int) -> str:
    """Year, month and day; what pads stands before the year."""
    if not padding and not width:
        return time_field(when, "F")
    year = str(when.year)
    room = max(0, width - 6)
    if padding == "+" and width > 10:
        return f"+{year.rjust(room - 1, '0')}-{when:%m-%d}"
    return f"{year if padding == '-' else year.rjust(room, ' ' if padding == '_' else '0')}-{when:%m-%d}"


def _nanoseconds(nanoseconds: int, padding: str, width: int) -> str:
    """As many digits as the width says; what fills a longer one stands after them."""
    if not padding and not width:
        return f"{nanoseconds:09}"
    if padding == "-" and not width:
        return f"{nanoseconds:09}"
    digits = f"{nanoseconds:09}"[: width or 9]
    digits = digits[:1] + digits[1:].rstrip("0")
    return digits if padding == "-" else digits.ljust(width or 9, " " if padding == "_" else "0")


def _zone(when: datetime, letter: str, padding: str, width: int) -> str:
    """The distance from UTC; it is padded between sign and hours, with blanks before the sign."""
    plain = when.strftime("%z")
    sign, hours, minutes, seconds = plain[:1], plain[1:3], plain[3:5], plain[5:7] or "00"
    rest = ""
    if letter == "z":
        digits, usual = hours + minutes, 5
    else:
        digits, usual = hours, {1: 6, 2: 9, 3: 3}[len(letter) - 1]
        if letter == ":z":
            rest = f":{minutes}"
        elif letter == "::z" or seconds != "00":
            rest = f":{minutes}:{seconds}"
        elif minutes != "00":
            rest = f":{minutes}"
        if letter == ":::z":
            usual += len(rest)
    if not padding and not width:
        return sign + digits + rest
    short = digits.lstrip("0") or "0"
    if padding == "-":
        return sign + short + rest
    room = (width or usual) - len(rest)
    if padding == "_":
        return (sign + short).rjust(room) + rest
    return sign + short.rjust(room - 1, "0") + rest


def time_field(when: datetime, letter: str) -> str:
    """One field of strftime(3) in the C locale."""
    simple: dict[str, Callable[[], str]] = {
        "a": lambda: DAYS[when.weekday()],
        "A": lambda: _LONG_DAYS[when.weekday()],
        "b": lambda: MONTHS[when.month - 1],
        "h": lambda: MONTHS[when.month - 1],
        "B": lambda: _LONG_MONTHS[when.month - 1],
        "c": lambda: f"{DAYS[when.weekday()]} {MONTHS[when.month - 1]} {when.day:2} {when:%H:%M:%S} {when.year}",
        "e": lambda: f"{when.day:2}",
        "F": lambda: f"{when.year:04}-{when:%m-%d}",
        "D": lambda: f"{when:%m/%d/%y}",
        "x": lambda: f"{when:%m/%d/%y}",
        "k": lambda: f"{when.hour:2}",
        "l": lambda: f"{(when.hour - 1) % 12 + 1:2}",
        "p": lambda: "AM" if when.hour < 12 else "PM",
        "Y": lambda: f"{when.year:04}",
        "G": lambda: f"{when.isocalendar().year:04}",
        "n": lambda: "\n",
        "t": lambda: "\t",
        "Z": lambda: when.tzname() or "",
        "z": lambda: when.strftime("%z"),
    }
    found = simple.get(letter)
    return found() if found is not None else when.strftime("%" + letter)
