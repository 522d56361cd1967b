"""Date strings as GNU tools read them: the common forms (parse_datetime, coreutils manual, section 29).

Absolute dates and times, zones, relative items (`2 days ago`, `next week`), weekday names and `@SECONDS`,
in any order. What is left out: words for numbers above `twelfth`, military zones, years without century.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo

_NANO = 1_000_000_000
_TOKEN = re.compile(
    r"\s*(?:"
    r"(?P<iso>[0-9]{4}-[0-9]{1,2}-[0-9]{1,2})"
    r"|(?P<slash>[0-9]{1,2}/[0-9]{1,2}(?:/[0-9]{2,4})?)"
    r"|(?P<slashiso>[0-9]{4}/[0-9]{1,2}/[0-9]{1,2})"
    r"|(?P<daymonth>[0-9]{1,2}[-\s]+(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?:[-\s]+[0-9]{4})?(?![0-9:]))"
    r"|(?P<monthday>(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+[0-9]{1,2}(?![0-9:])(?:,?\s+[0-9]{4}(?![0-9:]))?)"
    r"|(?P<time>[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,18})?)?(?:\s*(?i:[ap]\.?m\.?)(?![a-z]))?)"
    r"|(?P<hour>[0-9]{1,2}\s*(?i:[ap]\.?m\.?)(?![a-z]))"
    r"|(?P<zone>[-+][0-9]{2}:[0-9]{2}|[-+][0-9]{4}(?![0-9]))"
    r"|(?P<compact>[0-9]{8}(?![0-9]))"
    r"|(?P<year>[0-9]{4}(?![0-9]))"
    r"|(?P<hours>[0-9]{1,2}(?![0-9]|\s*[A-Za-z]))"
    r"|(?P<number>[-+]?\s*[0-9]{1,9}(?=\s*[A-Za-z]))"
    r"|(?P<word>[A-Za-z]+\.?)"
    r"|(?P<comma>,)"
    r")",
    re.ASCII,
)
_EPOCH = re.compile(r"\s*@([-+]?[0-9]{1,19})(?:[.,]([0-9]{1,18}))?\s*", re.ASCII)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = {
    "mon": 0, "monday": 0, "tue": 1, "tues": 1, "tuesday": 1, "wed": 2, "wednes": 2, "wednesday": 2,
    "thu": 3, "thur": 3, "thurs": 3, "thursday": 3, "fri": 4, "friday": 4, "sat": 5, "saturday": 5,
    "sun": 6, "sunday": 6,
}  # fmt: skip
_ORDINALS = {
    "last": -1, "this": 0, "next": 1, "first": 1, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6,
    "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12,
}  # fmt: skip
_UNITS = {
    "sec": ("seconds", 1), "second": ("seconds", 1), "min": ("seconds", 60), "minute": ("seconds", 60),
    "hour": ("seconds", 3_600), "day": ("days", 1), "week": ("days", 7), "fortnight": ("days", 14),
    "month": ("months", 1), "year": ("months", 12),
}  # fmt: skip
_ZONES = {
    "utc": 0, "gmt": 0, "z": 0, "ut": 0, "wet": 0, "west": 60, "bst": 60, "cet": 60, "cest": 120, "met": 60,
    "mest": 120, "eet": 120, "eest": 180, "msk": 180, "ist": 330, "jst": 540, "est": -300, "edt": -240,
    "cst": -360, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480, "pdt": -420,
}  # fmt: skip
_LONGEST = 1_000
_FARTHEST = 400_000 * 12  # months; beyond it no date can be shown


class _Wrong(Exception):
    """This is no date."""


def parse_date(text: str, now: int, zone: tzinfo) -> int | None:
    """The time that text means, in nanoseconds since the epoch; None when it means none.

    now: what relative items count from, in nanoseconds. zone: of times that name none.
    """
    epoch = _EPOCH.fullmatch(text)
    if epoch is not None:
        fraction = _fraction(epoch[2])
        seconds = int(epoch[1])  # text: ours
        return seconds * _NANO + (-fraction if epoch[1].startswith("-") else fraction)
    if len(text) > _LONGEST:
        return None
    reader = _Reader(now, zone)
    try:
        reader.read(text)
        return reader.result()
    except (_Wrong, ValueError, OverflowError, OSError):
        return None


def _fraction(digits: str | None) -> int:
    return int((digits or "0").ljust(9, "0")[:9])  # text: ours


class _Reader:
    def __init__(self, now: int, zone: tzinfo) -> None:
        seconds, self.part = divmod(now, _NANO)
        self.now = seconds
        self.zone: tzinfo = zone
        self.given_zone: tzinfo | None = None
        self.date: tuple[int, int, int] | None = None
        self.time: tuple[int, int, int, int] | None = None
        self.weekday: tuple[int, int] | None = None
        self.moves = {"seconds": 0, "days": 0, "months": 0}
        self.moved = False
        self.today = False
        self.last: tuple[str, int] | None = None

    def read(self, text: str) -> None:
        at = 0
        text = text.strip(" \t\n\v\f\r")
        pending: int | None = None
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise _Wrong
            at = match.end()
            kind = match.lastgroup or ""
            value = match[kind]
            if pending is not None and kind != "word":
                raise _Wrong
            if kind == "word":
                pending = self.word(value.lower().rstrip("."), pending)
            elif kind == "number":
                pending = int(re.sub(r"\s", "", value))  # text: ours
            elif kind == "zone" and self.time is None and self.date is None:
                raise _Wrong
            else:
                self.absolute(kind, value)
        if pending is not None:
            raise _Wrong

    def absolute(self, kind: str, value: str) -> None:
        if kind in ("time", "hour", "hours"):
            self.set_time(value)
        elif kind == "zone":
            hours, minutes = int(value[1:3]), int(value[-2:])  # text: ours
            if hours > 24 or minutes > 59:
                raise _Wrong
            offset = timedelta(hours=hours, minutes=minutes)
            self.set_zone(timezone(-offset if value[0] == "-" else offset))
        elif kind == "year":
            if self.date is not None and self.time is None:  # `Jan 5 2024`'s cousin: HHMM after a date
                self.time = self.checked_time(int(value[:2]), int(value[2:]), 0, 0)  # text: ours
            elif self.date is not None:
                self.date = (int(value), *self.date[1:])  # text: ours
            else:
                self.time = self.checked_time(int(value[:2]), int(value[2:]), 0, 0)  # text: ours
        elif kind != "comma":
            self.set_date(kind, value)

    def set_date(self, kind: str, value: str) -> None:
        if self.date is not None:
            raise _Wrong
        year = datetime.fromtimestamp(self.now, self.zone).year
        parts = [part for part in re.split(r"[-/,\s]+", value) if part]
        if kind in ("iso", "slashiso"):
            self.date = (int(parts[0]), int(parts[1]), int(parts[2]))  # text: ours
        elif kind == "compact":
            self.date = (int(value[:4]), int(value[4:6]), int(value[6:]))  # text: ours
        elif kind == "slash":
            if len(parts) == 3:
                year = int(parts[2])  # text: ours
                if len(parts[2]) == 2:
                    year += 2000 if year < 69 else 1900
            self.date = (year, int(parts[0]), int(parts[1]))  # text: ours
        else:
            name, day = (parts[1], parts[0]) if kind == "daymonth" else (parts[0], parts[1])
            month = _MONTHS.index(name[:3].lower()) + 1
            self.date = (int(parts[2]) if len(parts) == 3 else year, month, int(day))  # text: ours

    def set_time(self, value: str) -> None:
        if self.time is not None:
            raise _Wrong
        lowered = value.lower().replace(".m", "m").rstrip(". ")
        half = ""
        if lowered.endswith(("am", "pm")):
            lowered, half = lowered[:-2].rstrip(" ."), lowered[-2:]
        clock, _, digits = lowered.replace(",", ".").partition(".")
        fields = [int(field) for field in clock.split(":")] + [0, 0]  # text: ours
        hour = fields[0]
        if half:
            if not 1 <= hour <= 12:
                raise _Wrong
            hour = hour % 12 + (12 if half == "pm" else 0)
        self.time = self.checked_time(hour, fields[1], fields[2], _fraction(digits))

    @staticmethod
    def checked_time(hour: int, minute: int, second: int, part: int) -> tuple[int, int, int, int]:
        if hour > 24 or (hour == 24 and (minute or second)) or minute > 59 or second > 59:
            raise _Wrong
        return hour, minute, second, part

    def set_zone(self, zone: tzinfo) -> None:
        if self.given_zone is not None:
            raise _Wrong
        self.given_zone = zone

    def word(self, word: str, pending: int | None) -> int | None:
        """Take a word; the return value is the count that the next word belongs to."""
        if word == "t" and self.date is not None and self.time is None and pending is None:
            return None
        if word == "ago":
            if pending is not None or self.last is None:
                raise _Wrong
            unit, amount = self.last
            self.moves[unit] -= 2 * amount
            self.last = None
            return None
        singular = word if word in _UNITS else word.removesuffix("s")
        if singular in _UNITS:
            unit, size = _UNITS[singular]
            self.move(unit, size * (1 if pending is None else pending))
            return None
        if word in _WEEKDAYS:
            if self.weekday is not None:
                raise _Wrong
            self.weekday = (_WEEKDAYS[word], 0 if pending is None else pending)
            return None
        if pending is not None:
            raise _Wrong
        if word in _ORDINALS:
            return _ORDINALS[word]
        if word in ("now", "today"):
            self.moved = True
        elif word in ("yesterday", "tomorrow"):
            self.move("days", -1 if word == "yesterday" else 1)
        elif word in _ZONES:
            minutes = _ZONES[word]
            self.set_zone(UTC if not minutes else timezone(timedelta(minutes=minutes), word.upper()))
        elif word == "dst" or word == "and":
            return None
        else:
            raise _Wrong
        return None

    def move(self, unit: str, amount: int) -> None:
        self.moved = True
        self.moves[unit] += amount
        self.last = (unit, amount)

    def result(self) -> int:
        zone = self.given_zone or self.zone
        here = datetime.fromtimestamp(self.now, zone)
        if not (self.date or self.time or self.weekday or self.moved or self.given_zone):
            self.time = (0, 0, 0, 0)  # an empty string is today's midnight
        today = datetime.fromtimestamp(self.now, self.zone) if self.given_zone and not self.moved else here
        year, month, day = self.date or (today.year, today.month, today.day)
        if self.time is not None:
            hour, minute, second, part = self.time
        elif self.date or self.weekday or (self.given_zone and not self.moved):
            hour, minute, second, part = 0, 0, 0, 0
        else:
            hour, minute, second, part = here.hour, here.minute, here.second, self.part
        # the moment must exist before it is moved: the hour that a clock skips does not
        named = datetime(year, month, day, hour % 24, minute, second)
        seen = datetime.fromtimestamp(round(named.replace(tzinfo=zone).timestamp()), zone)
        if seen.replace(tzinfo=None, fold=0) != named:
            raise _Wrong
        months = year * 12 + month - 1 + self.moves["months"]
        if abs(months) > _FARTHEST:
            raise _Wrong
        base = datetime(months // 12, months % 12 + 1, 1)
        base += timedelta(days=day - 1 + self.moves["days"], hours=hour, minutes=minute, seconds=second)
        if self.weekday is not None:
            number, ordinal = self.weekday
            ahead = (number - base.weekday()) % 7
            weeks = ordinal - (1 if ordinal > 0 and ahead else 0)
            base += timedelta(days=ahead + 7 * weeks)
        # what is counted from now keeps the clock of now, summer time or not
        bare = self.time is None and self.date is None and self.weekday is None
        when = base.replace(tzinfo=timezone(here.utcoffset() or timedelta(0)) if bare else zone)
        return (round(when.timestamp()) + self.moves["seconds"]) * _NANO + part
