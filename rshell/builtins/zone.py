"""The zone that times are shown in: the script's TZ, else the host's (tzset(3), POSIX XBD 8.3).

A TZ never names a file: names of the form Area/City are checked strictly before the host is asked for
the zone of that name, POSIX rules are read here, and what is neither is UTC.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rshell.builtins.command import Invocation

_NANO = 1_000_000_000
_AREA = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{0,30}(?:/[A-Za-z][A-Za-z0-9_+-]{0,30}){0,2}")
_ABBREVIATION = r"([A-Za-z]{3,32}|<[A-Za-z0-9+-]{3,32}>)"
_OFFSET = r"([-+]?[0-9]{1,3}(?::[0-9]{1,2}){0,2})"
_RULE = r"(J[0-9]{1,3}|[0-9]{1,3}|M[0-9]{1,2}\.[1-5]\.[0-6])(?:/" + _OFFSET + ")?"
_POSIX = re.compile(f"{_ABBREVIATION}{_OFFSET}(?:{_ABBREVIATION}{_OFFSET}?(?:,{_RULE},{_RULE})?)?")
_DAY_SECONDS = 86_400


def zone_of(call: Invocation) -> tzinfo:
    """The zone for a command's times."""
    name = call.context.get("TZ")
    if name is None:
        return call.run.zone()
    name = name.removeprefix(":")
    rule = posix_zone(name)
    if rule is not None:
        return rule
    return call.run.zone(name) if _AREA.fullmatch(name) else UTC


@lru_cache(maxsize=32)
def posix_zone(text: str) -> tzinfo | None:
    """The zone that a POSIX TZ rule describes; None when text is none."""
    match = _POSIX.fullmatch(text)
    return None if match is None else _PosixZone.of(match)


def start_of_day(clock: int, call: Invocation) -> int:
    """The last midnight before a time, in the zone of a command; both in nanoseconds since the epoch."""
    seconds = clock // _NANO
    when = datetime.fromtimestamp(seconds, zone_of(call))
    return (seconds - (when.hour * 3_600 + when.minute * 60 + when.second)) * _NANO


def _seconds(text: str) -> int:
    sign = -1 if text.startswith("-") else 1
    parts = [int(part) for part in text.lstrip("+-").split(":")] + [0, 0]  # text: ours
    return sign * (parts[0] * 3_600 + parts[1] * 60 + parts[2])


class _PosixZone(tzinfo):
    """A zone given by a POSIX TZ rule."""

    def __init__(self, names: tuple[str, str], offsets: tuple[int, int], rules: tuple[str, str, str, str]) -> None:
        self._names = names
        self._offsets = (timedelta(seconds=offsets[0]), timedelta(seconds=offsets[1]))
        self._rules = rules

    @staticmethod
    def of(match: re.Match[str]) -> tzinfo:
        name, offset, summer, summer_offset, start, start_time, end, end_time = match.groups()
        west = _seconds(offset)
        if abs(west) >= _DAY_SECONDS:
            return UTC
        standard = timezone(timedelta(seconds=-west), name.strip("<>"))
        if summer is None:
            return standard
        east = -_seconds(summer_offset) if summer_offset else 3_600 - west
        if abs(east) >= _DAY_SECONDS:
            return UTC
        rules = (start or "M3.2.0", start_time or "2", end or "M11.1.0", end_time or "2")
        return _PosixZone((name.strip("<>"), summer.strip("<>")), (-west, east), rules)

    def _is_summer(self, when: datetime | None, *, utc: bool = False) -> bool:
        if when is None:
            return False
        year = when.year
        begins = _moment(year, self._rules[0], self._rules[1])
        ends = _moment(year, self._rules[2], self._rules[3])
        plain = when.replace(tzinfo=None, fold=0)
        if utc:
            begins -= self._offsets[0]
            ends -= self._offsets[1]
        elif when.fold and ends - (self._offsets[1] - self._offsets[0]) <= plain < ends:
            return False
        return begins <= plain < ends if begins < ends else not ends <= plain < begins

    def utcoffset(self, when: datetime | None) -> timedelta:
        return self._offsets[self._is_summer(when)]

    def dst(self, when: datetime | None) -> timedelta:
        return self._offsets[1] - self._offsets[0] if self._is_summer(when) else timedelta(0)

    def tzname(self, when: datetime | None) -> str:
        return self._names[self._is_summer(when)]

    def fromutc(self, when: datetime) -> datetime:
        summer = self._is_summer(when, utc=True)
        local = when + self._offsets[summer]
        if not summer and self._is_summer(local):
            local = local.replace(fold=1)
        return local


def _moment(year: int, rule: str, time: str) -> datetime:
    """When a rule changes the clock in a year, by the clock before the change."""
    if rule[0] == "M":
        month, week, weekday = (int(part) for part in rule[1:].split("."))  # text: ours
        first = date(year, min(max(month, 1), 12), 1)
        day = first + timedelta(days=(weekday - first.isoweekday()) % 7 + (week - 1) * 7)
        while day.month != first.month:
            day -= timedelta(days=7)
    elif rule[0] == "J":
        number = min(max(int(rule[1:]), 1), 365)  # text: ours
        leap = date(year, 12, 31).timetuple().tm_yday == 366
        day = date(year, 1, 1) + timedelta(days=number - 1 + (leap and number >= 60))
    else:
        day = date(year, 1, 1) + timedelta(days=min(int(rule), 364))  # text: ours
    return datetime(day.year, day.month, day.day) + timedelta(seconds=_seconds(time))
