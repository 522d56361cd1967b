"""Dates: seconds since the epoch, and times as arrays [year, month from 0, day, h, m, s, weekday, day of year]."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from rshell.builtins.jq.errors import JqError
from rshell.builtins.jq.registry import function
from rshell.builtins.jq.values import is_number, normal
from rshell.builtins.timeformat import format_time

if TYPE_CHECKING:
    from datetime import tzinfo

    from rshell.builtins.jq.machine import Machine

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
_FULL = {
    "T": "%H:%M:%S", "D": "%m/%d/%y", "F": "%Y-%m-%d", "R": "%H:%M", "c": "%a %b %e %H:%M:%S %Y", "r": "%I:%M:%S %p",
    "x": "%m/%d/%y", "X": "%H:%M:%S",
}  # fmt: skip
_NUMBERS = {
    "Y": r"[+-]?[0-9]{1,4}", "m": r"[0-9]{1,2}", "d": r" ?[0-9]{1,2}", "e": r" ?[0-9]{1,2}", "H": r" ?[0-9]{1,2}",
    "k": r" ?[0-9]{1,2}", "I": r" ?[0-9]{1,2}", "l": r" ?[0-9]{1,2}", "M": r"[0-9]{1,2}", "S": r"[0-9]{1,2}",
    "j": r"[0-9]{1,3}", "y": r"[0-9]{1,2}", "s": r"-?[0-9]{1,12}", "u": r"[1-7]", "w": r"[0-6]", "C": r"[0-9]{1,2}",
    "U": r"[0-9]{1,2}", "W": r"[0-9]{1,2}", "V": r"[0-9]{1,2}", "G": r"[0-9]{1,4}", "g": r"[0-9]{1,2}",
}  # fmt: skip
_ZONE = re.compile(r"Z|[+-][0-9]{2}(?::?[0-9]{2})?")
_WORD = re.compile(r"[A-Za-z]+")


def _broken(when: datetime, seconds: float) -> list[Any]:
    return [
        when.year, when.month - 1, when.day, when.hour, when.minute, normal(when.second + seconds),
        (when.weekday() + 1) % 7, when.timetuple().tm_yday - 1,
    ]  # fmt: skip


def _moment(value: Any, zone: tzinfo, name: str) -> list[Any]:
    if not is_number(value):
        raise JqError(f"{name} requires numeric inputs")
    if value != value or abs(value) > 2e11:
        raise JqError("error converting number of seconds since epoch to datetime")
    whole = math.floor(value)
    try:
        when = (_EPOCH + timedelta(seconds=whole)).astimezone(zone)
    except (OverflowError, ValueError):
        raise JqError("error converting number of seconds since epoch to datetime") from None
    return _broken(when, value - whole)


def _fields(value: Any, message: str) -> datetime:
    """The moment of an array, in UTC; fields out of their range carry over as timegm has it."""
    if value.__class__ is not list or len(value) < 6 or not all(is_number(item) for item in value[:8]):
        raise JqError(message)
    year, month, day, hour, minute, second = (
        math.floor(item) if item == item and abs(item) < 1e9 else 0 for item in value[:6]
    )
    year += month // 12
    try:
        start = datetime(year, month % 12 + 1, 1, tzinfo=UTC)
        return start + timedelta(days=day - 1, hours=hour, minutes=minute, seconds=second)
    except (OverflowError, ValueError):
        raise JqError("invalid gmtime representation") from None


@function("gmtime")
def gmtime(value: Any) -> list[Any]:
    return _moment(value, UTC, "gmtime()")


@function("localtime", machine=True)
def localtime(machine: Machine, value: Any) -> list[Any]:
    return _moment(value, machine.zone(), "localtime()")


@function("mktime")
def mktime(value: Any) -> int:
    if value.__class__ is not list:
        raise JqError("mktime requires array inputs")
    when = _fields(value, "mktime requires parsed datetime inputs")
    return round((when - _EPOCH).total_seconds())


@function("strftime", 1)
def strftime(value: Any, pattern: Any) -> str:
    if is_number(value):
        value = gmtime(value)
    elif value.__class__ is not list:
        raise JqError("strftime/1 requires parsed datetime inputs")
    if pattern.__class__ is not str:
        raise JqError("strftime/1 requires a string format")
    return format_time(_fields(value, "strftime/1 requires parsed datetime inputs"), 0, pattern)


@function("strflocaltime", 1, machine=True)
def strflocaltime(machine: Machine, value: Any, pattern: Any) -> str:
    zone = machine.zone()
    if is_number(value):
        value = _moment(value, zone, "strflocaltime()")
    elif value.__class__ is not list:
        raise JqError("strflocaltime/1 requires parsed datetime inputs")
    if pattern.__class__ is not str:
        raise JqError("strflocaltime/1 requires a string format")
    when = _fields(value, "strflocaltime/1 requires parsed datetime inputs").replace(tzinfo=zone)
    return format_time(when, 0, pattern)


@function("strptime", 1)
def strptime(value: Any, pattern: Any) -> list[Any]:
    if value.__class__ is not str:
        raise JqError("strptime/1 requires string inputs and arguments")
    if pattern.__class__ is not str:
        raise JqError("strptime/1 requires string inputs and arguments")
    found: dict[str, int] = {}
    end = _read(value, 0, pattern, found, 0)
    if end != len(value):
        raise JqError(f'date "{value}" does not match format "{pattern}"')
    return _assembled(found)


def _read(text: str, at: int, pattern: str, found: dict[str, int], depth: int) -> int:
    """Match text against a pattern; where it ends, or -1."""
    place = 0
    while place < len(pattern):
        character = pattern[place]
        place += 1
        if character in " \t\n":
            while at < len(text) and text[at] in " \t\n":
                at += 1
            continue
        if character != "%" or place == len(pattern):
            if text[at : at + 1] != character:
                return -1
            at += 1
            continue
        letter = pattern[place]
        place += 1
        at = _conversion(text, at, letter, found, depth)
        if at < 0:
            return -1
    return at


def _conversion(text: str, at: int, letter: str, found: dict[str, int], depth: int) -> int:
    if letter in _FULL:
        return _read(text, at, _FULL[letter], found, depth + 1)
    if letter == "%":
        return at + 1 if text.startswith("%", at) else -1
    if letter in "nt":
        while at < len(text) and text[at] in " \t\n":
            at += 1
        return at
    if letter in "zZ":
        match = (_ZONE if letter == "z" else _WORD).match(text, at)
        return match.end() if match else -1
    if letter in "aAbBhp":
        return _name(text, at, letter, found)
    expression = _NUMBERS.get(letter)
    match = re.compile(expression).match(text, at) if expression else None
    if match is None:
        return -1
    found[letter] = int(match[0].lstrip(" "))  # text: ours
    return match.end()


def _name(text: str, at: int, letter: str, found: dict[str, int]) -> int:
    match = _WORD.match(text, at)
    if match is None:
        return -1
    word = match[0].lower()
    if letter == "p":
        if word not in ("am", "pm"):
            return -1
        found["p"] = word == "pm"
    else:
        names = _DAYS if letter in "aA" else _MONTHS
        if word[:3] not in names:
            return -1
        found["a" if letter in "aA" else "m"] = names.index(word[:3]) + (letter not in "aA")
    return match.end()


def _assembled(found: dict[str, int]) -> list[Any]:
    if "s" in found:
        return _moment(found["s"], UTC, "gmtime()")
    year = found.get("Y", 1900 + found["y"] + (100 if found["y"] < 69 else 0) if "y" in found else 1900)
    hour = found.get("H", found.get("k", 0))
    if "I" in found or "l" in found:
        hour = found.get("I", found.get("l", 0)) % 12 + 12 * found.get("p", 0)
    month, day = found.get("m", 1), found.get("d", found.get("e", 1 if "m" in found or "j" in found else 0))
    second = found.get("S", 0)
    try:
        when = datetime(year, month, max(day, 1), tzinfo=UTC)
        if "j" in found and "m" not in found:
            when = datetime(year, 1, 1, tzinfo=UTC) + timedelta(days=found["j"] - 1)
            month, day = when.month, when.day
    except ValueError:
        raise JqError("invalid date") from None
    return [
        year, month - 1, day, hour, found.get("M", 0), second, (when.weekday() + 1) % 7, when.timetuple().tm_yday - 1,
    ]  # fmt: skip
