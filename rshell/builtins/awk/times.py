"""strftime, systime and mktime (gawk manual, "Time Functions"), in the zone of the run."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any

from rshell.builtins.awk import tree
from rshell.builtins.awk.errors import AwkError
from rshell.builtins.awk.runtime import Frame
from rshell.builtins.command import encode
from rshell.builtins.zone import zone_of

if TYPE_CHECKING:
    from rshell.builtins.awk.compile import Expressions

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_SHAPES = {
    "c": "%a %b %e %H:%M:%S %Y", "D": "%m/%d/%y", "F": "%Y-%m-%d", "h": "%b", "n": "\n", "R": "%H:%M",
    "r": "%I:%M:%S %p", "t": "\t", "T": "%H:%M:%S", "X": "%H:%M:%S", "x": "%m/%d/%y", "+": "%a %b %e %H:%M:%S %Z %Y",
}  # fmt: skip
_FIELDS: dict[str, Callable[[datetime], str]] = {
    "a": lambda t: _DAYS[t.weekday()][:3],
    "A": lambda t: _DAYS[t.weekday()],
    "b": lambda t: _MONTHS[t.month - 1][:3],
    "B": lambda t: _MONTHS[t.month - 1],
    "C": lambda t: f"{t.year // 100:02}",
    "d": lambda t: f"{t.day:02}",
    "e": lambda t: f"{t.day:2}",
    "G": lambda t: f"{t.isocalendar()[0]}",
    "g": lambda t: f"{t.isocalendar()[0] % 100:02}",
    "H": lambda t: f"{t.hour:02}",
    "I": lambda t: f"{(t.hour + 11) % 12 + 1:02}",
    "j": lambda t: f"{t.timetuple().tm_yday:03}",
    "k": lambda t: f"{t.hour:2}",
    "l": lambda t: f"{(t.hour + 11) % 12 + 1:2}",
    "m": lambda t: f"{t.month:02}",
    "M": lambda t: f"{t.minute:02}",
    "p": lambda t: "AM" if t.hour < 12 else "PM",
    "P": lambda t: "am" if t.hour < 12 else "pm",
    "s": lambda t: f"{_seconds(t)}",
    "S": lambda t: f"{t.second:02}",
    "u": lambda t: f"{t.isoweekday()}",
    "U": lambda t: f"{(t.timetuple().tm_yday + 6 - (t.weekday() + 1) % 7) // 7:02}",
    "V": lambda t: f"{t.isocalendar()[1]:02}",
    "w": lambda t: f"{t.isoweekday() % 7}",
    "W": lambda t: f"{(t.timetuple().tm_yday + 6 - t.weekday()) // 7:02}",
    "y": lambda t: f"{t.year % 100:02}",
    "Y": lambda t: f"{t.year}",
    "z": lambda t: _offset(t),
    "Z": lambda t: t.tzname() or "",
    "%": lambda t: "%",
}
_DIRECTIVE = re.compile(r"%[EO_0^#-]*(.)", re.DOTALL)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DATE = re.compile(rb"[ \t]*(-?[0-9]{1,6})" + rb"[ \t]+(-?[0-9]{1,9})" * 5 + rb"(?:[ \t]+(-?[0-9]{1,2}))?[ \t]*")


def _seconds(when: datetime) -> int:
    return (when - _EPOCH) // timedelta(seconds=1)


def _offset(when: datetime) -> str:
    minutes = (when.utcoffset() or timedelta()) // timedelta(minutes=1)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}{abs(minutes) % 60:02}"


def format_time(form: str, when: datetime) -> str:
    """strftime(3) in the C locale; a directive that is none stays as it is."""

    def directive(match: re.Match[str]) -> str:
        letter = match[1]
        shape = _SHAPES.get(letter)
        if shape is not None:
            return format_time(shape, when)
        field = _FIELDS.get(letter)
        if field is None:
            return match[0]
        text = field(when)
        flags = match[0][1:-1]
        if "-" in flags:
            text = text.lstrip("0 ") or "0"
        if "^" in flags:
            text = text.upper()
        if "_" in flags and text[:1] == "0":
            text = text.lstrip("0").rjust(len(text))
        return text

    return _DIRECTIVE.sub(directive, form)


def build_strftime(compiler: Expressions, node: tree.BuiltinCall) -> Any:
    """strftime([format [, seconds [, utc]]])."""
    runtime = compiler.runtime
    arguments = node.arguments
    form = compiler.text(arguments[0]) if arguments else None
    seconds = compiler.number(arguments[1]) if len(arguments) > 1 else None
    utc = compiler.test(arguments[2]) if len(arguments) > 2 else None
    zone: list[tzinfo] = []

    def strftime(f: Frame) -> bytes:
        text = form(f) if form is not None else b"%a %b %e %H:%M:%S %Z %Y"
        at = seconds(f) if seconds is not None else runtime.call.run.now
        if not -62135510400 < at < 253402210800:
            raise AwkError("strftime: time out of range")
        if not zone:
            zone.append(zone_of(runtime.call))
        where = UTC if utc is not None and utc(f) else zone[0]
        when = (_EPOCH + timedelta(seconds=at // 1)).astimezone(where)
        return encode(format_time(text.decode("utf-8", "surrogateescape"), when))

    return strftime


def build_systime(compiler: Expressions, node: tree.BuiltinCall) -> Any:
    """systime(): the run's one clock reading."""
    run = compiler.runtime.call.run
    return lambda f: float(run.now // 1)


def build_mktime(compiler: Expressions, node: tree.BuiltinCall) -> Any:
    """mktime("YYYY MM DD HH MM SS [DST]" [, utc]): seconds since the epoch, -1 when it is no date."""
    runtime = compiler.runtime
    text = compiler.text(node.arguments[0])
    utc = compiler.test(node.arguments[1]) if len(node.arguments) > 1 else None

    def mktime(f: Frame) -> float:
        match = _DATE.fullmatch(text(f))
        if match is None:
            return -1.0
        year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])  # text: ours
        year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
        where = UTC if utc is not None and utc(f) else zone_of(runtime.call)
        try:
            moment = datetime(year, month, 1) + timedelta(
                days=day - 1, hours=hour, minutes=minute, seconds=second
            )
            return float(_seconds(moment.replace(tzinfo=where)))
        except (ValueError, OverflowError):
            return -1.0

    return mktime
