"""Moments and time spans as systemd writes them (systemd.time(7)), with RFC 3339 and plain look-backs."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo

_SECOND = 1_000_000
_UNITS = {
    1: ("us", "usec", "µs", "μs"),
    1_000: ("ms", "msec"),
    _SECOND: ("s", "sec", "second", "seconds"),
    60 * _SECOND: ("m", "min", "minute", "minutes"),
    3_600 * _SECOND: ("h", "hr", "hour", "hours"),
    86_400 * _SECOND: ("d", "day", "days"),
    7 * 86_400 * _SECOND: ("w", "week", "weeks"),
    2_629_800 * _SECOND: ("M", "month", "months"),
    31_557_600 * _SECOND: ("y", "year", "years"),
}
_FACTORS = {name: factor for factor, names in _UNITS.items() for name in names}
_PART = re.compile(r"[ \t]*([0-9]{1,18})(?:\.([0-9]{1,18}))?[ \t]*([A-Za-zµμ]*)")
_LATEST = 1 << 55  # microseconds; the largest time of an entry, as systemd bounds it

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_LONG_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WORDS = {"now": None, "today": 0, "yesterday": -1, "tomorrow": 1}
_CLOCK = r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{1,2})(?::(?P<second>[0-9]{1,2})(?:\.(?P<part>[0-9]{1,9}))?)?"
_DATED = re.compile(
    r"(?:(?P<weekday>[A-Za-z]{3,9})[ ]+)?"
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})"
    rf"(?:(?:[ ]+|[Tt]){_CLOCK})?"
    r"(?:[ ]*(?P<zone>[Zz]|UTC|[-+][0-9]{2}:?[0-9]{2}))?"
)
_TIMED = re.compile(rf"{_CLOCK}(?:[ ]+(?P<zone>UTC))?")
_EPOCH = re.compile(r"@([0-9]{1,12})(?:\.([0-9]{1,9}))?")


def parse_span(text: str, *, bare: bool = True) -> int | None:
    """A time span such as `2h 30min` in microseconds, None when text is none.

    bare: a number without a unit is taken, as seconds.
    """
    total = 0
    at = 0
    text = text.rstrip(" \t")
    if not text or len(text) > 200:
        return None
    while at < len(text):
        match = _PART.match(text, at)
        if match is None or (not match[3] and not bare):
            return None
        factor = _FACTORS.get(match[3] or "s")
        if factor is None:
            return None
        total += int(match[1]) * factor  # text: ours
        if match[2]:
            total += int(match[2]) * factor // 10 ** len(match[2])  # text: ours
        at = match.end()
    return total


def parse_moment(text: str, now: int, zone: tzinfo) -> int | None:
    """The moment that text means, in microseconds since 1970; None when it means none.

    now: microseconds since 1970. zone: of dates that name none.
    """
    text = text.strip(" \t")
    found = _relative(text, now, zone)
    if found is None:
        epoch = _EPOCH.fullmatch(text)
        if epoch is not None:
            found = int(epoch[1]) * _SECOND + _microseconds(epoch[2])  # text: ours
        else:
            found = _absolute(text, now, zone)
    return found if found is not None and 0 <= found < _LATEST else None


def _relative(text: str, now: int, zone: tzinfo) -> int | None:
    word, _, rest = text.partition(" ")
    if word in _WORDS and rest in ("", "UTC"):
        days = _WORDS[word]
        if days is None:
            return now
        here = _at(now, UTC if rest else zone)
        return None if here is None else _instant(here.replace(hour=0, minute=0, second=0, microsecond=0), days=days)
    span: int | None
    if text[:1] in ("+", "-"):
        span = parse_span(text[1:])
        return None if span is None else now + span if text[0] == "+" else now - span
    for ending, sign in ((" ago", -1), (" left", 1)):
        if text.endswith(ending):
            span = parse_span(text[: -len(ending)])
            return None if span is None else now + sign * span
    span = parse_span(text, bare=False)
    return None if span is None else now - span


def _absolute(text: str, now: int, zone: tzinfo) -> int | None:
    match = _DATED.fullmatch(text)
    if match is not None:
        year, month, day = (int(match[name]) for name in ("year", "month", "day"))  # text: ours
    else:
        match = _TIMED.fullmatch(text)
        here = None if match is None else _at(now, UTC if match["zone"] else zone)
        if match is None or here is None:
            return None
        year, month, day = here.year, here.month, here.day
    named = match["zone"]
    if named:
        zone = _offset(named)
    hour, minute, second = (int(match[name] or "0") for name in ("hour", "minute", "second"))  # text: ours
    leap = second == 60  # RFC 3339 has leap seconds
    try:
        when = datetime(year, month, day, hour, minute, 59 if leap else second, tzinfo=zone)
    except ValueError:
        return None
    weekday = match.groupdict().get("weekday")
    if weekday and weekday.lower() not in (_DAYS[when.weekday()], _LONG_DAYS[when.weekday()]):
        return None
    found = _instant(when)
    return None if found is None else found + _microseconds(match["part"]) + leap * _SECOND


def _offset(named: str) -> tzinfo:
    if named[0] not in "+-":
        return UTC
    offset = timedelta(hours=int(named[1:3]), minutes=int(named[-2:]))  # text: ours
    if offset >= timedelta(days=1):
        return UTC
    return timezone(-offset if named[0] == "-" else offset)


def _microseconds(digits: str | None) -> int:
    return int((digits or "0").ljust(6, "0")[:6])  # text: ours


def _at(moment: int, zone: tzinfo) -> datetime | None:
    try:
        return datetime.fromtimestamp(moment // _SECOND, zone)
    except (ValueError, OverflowError, OSError):
        return None


def _instant(when: datetime, *, days: int = 0) -> int | None:
    """The moment of a wall-clock time, days later by the calendar."""
    try:
        return round((when + timedelta(days=days)).replace(fold=0).timestamp()) * _SECOND
    except (ValueError, OverflowError, OSError):
        return None
