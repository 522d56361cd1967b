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
_PADDED = {
    "C": 2, "d": 2, "e": 2, "g": 2, "G": 4, "H": 2, "I": 2, "j": 3, "k": 2, "l": 2, "m": 2, "M": 2, "S": 2,
    "U": 2, "V": 2, "W": 2, "y": 2, "Y": 4,
}  # fmt: skip


def format_time(when: datetime, nanoseconds: int, pattern: str) -> str:
    """A time by a pattern; nanoseconds is what %N shows."""

    def shown(match: re.Match[str]) -> str:
        flags, width, letter = match.groups()
        count = int(width) if width else 0  # text: ours
        if count > limits.PRINTF_WIDTH:
            return match[0]
        return _padded(_value(when, nanoseconds, letter, count, match[0]), letter, flags, count)

    return _FIELD.sub(shown, pattern)


def _value(when: datetime, nanoseconds: int, letter: str, width: int, whole: str) -> str:
    if letter == "N":
        return f"{nanoseconds:09}"[: width or 9]
    if letter == "%":
        return "%"
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
    if letter.startswith(":"):
        return _colon_zone(when, letter)
    if letter in "aAbBcdDeFgGhHIjklmMnpStuUVwWxyYzZ":
        return time_field(when, letter)
    return whole


def _colon_zone(when: datetime, letter: str) -> str:
    if letter[-1] != "z":
        return "%" + letter
    plain = when.strftime("%z")
    hours, minutes, seconds = plain[:3], plain[3:5], plain[5:7] or "00"
    if letter == ":z":
        return f"{hours}:{minutes}"
    if letter == "::z":
        return f"{hours}:{minutes}:{seconds}"
    return hours + (f":{minutes}:{seconds}" if seconds != "00" else f":{minutes}" if minutes != "00" else "")


def _padded(text: str, letter: str, flags: str, width: int) -> str:
    if not flags and not width:
        return text
    if "^" in flags:
        text = text.upper()
    elif "#" in flags:
        text = text.lower() if letter in "pZ" else text.upper()
    if letter == "N":
        return text
    number = letter in _PADDED
    padding = "0" if number and letter not in "ekl" else " "
    for flag in flags:
        if flag in "-_0":
            padding = {"-": "", "_": " ", "0": "0"}[flag]
    if number:
        bare = text.strip(" ").lstrip("0") or "0"
        return bare if not padding else bare.rjust(width or _PADDED[letter], padding)
    return text.rjust(width, padding) if padding else text


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
        "n": lambda: "\n",
        "t": lambda: "\t",
        "Z": lambda: when.tzname() or "",
        "z": lambda: when.strftime("%z"),
    }
    found = simple.get(letter)
    return found() if found is not None else when.strftime("%" + letter)
