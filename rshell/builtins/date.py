"""date: show a time. It cannot set the clock."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from math import floor

from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError
from rshell.builtins.dates import parse_date
from rshell.builtins.quoting import quote
from rshell.builtins.timeformat import format_time
from rshell.builtins.zone import posix_zone, zone_of

_NANO = 1_000_000_000
_REFUSED = "the clock cannot be set"
_ISO = {
    "hours": "%Y-%m-%dT%H%:z",
    "minutes": "%Y-%m-%dT%H:%M%:z",
    "date": "%Y-%m-%d",
    "seconds": "%Y-%m-%dT%H:%M:%S%:z",
    "ns": "%Y-%m-%dT%H:%M:%S,%N%:z",
}
_RFC_3339 = {"date": "%Y-%m-%d", "seconds": "%Y-%m-%d %H:%M:%S%:z", "ns": "%Y-%m-%d %H:%M:%S.%N%:z"}
_RFC_EMAIL = "%a, %d %b %Y %H:%M:%S %z"
_DEFAULT = "%a %b %e %H:%M:%S %Z %Y"
_ZONE = re.compile(r'[ \t\n]*TZ="((?:[^"\\]|\\["\\])*)"')
_CLOCK = re.compile(r"[0-9]{8}(?:[0-9]{2}|[0-9]{4})?(?:\.[0-9]{2})?")

DATE = Command(
    "date",
    "show the time, or another time that is described",
    "date [OPTION]... [+FORMAT]",
    options=(
        Option("-d", "--date", value="STRING", help="show the time that STRING describes"),
        Option("-r", "--reference", value="FILE", help="show when FILE was last modified"),
        Option("-u", "--utc", "--universal", "--uct", key="utc", help="in Coordinated Universal Time"),
        Option("-I", "--iso-8601", value="FMT", optional=True,
               help="ISO 8601; FMT is date (default), hours, minutes, seconds or ns"),
        Option("-R", "--rfc-email", "--rfc-822", "--rfc-2822", key="rfc-email", help="RFC 5322"),
        Option("--rfc-3339", value="FMT", help="RFC 3339; FMT is date, seconds or ns"),
        Option("-s", "--set", value="STRING", refused=_REFUSED),
        Option("-f", "--file", value="FILE", refused="use a loop with -d"),
        Option("--debug", refused="there is nothing to tell"),
        Option("--resolution", refused="times have a resolution of 1 ns"),
    ),
    description="FORMAT is made of the sequences of strftime(3), with the flags - _ 0 ^ # and widths of GNU date.",
)  # fmt: skip


def _choice(given: str, choices: dict[str, str], option: str) -> str:
    found = [name for name in choices if name.startswith(given)]
    if given in choices:
        found = [given]
    if len(found) != 1:
        kind = "ambiguous" if found and given else "invalid"
        listed = "".join(f"\n  - '{name}'" for name in choices)
        raise UsageError(f"{kind} argument {quote(given)} for '{option}'\nValid arguments are:{listed}")
    return choices[found[0]]


def _format(call: Invocation) -> str:
    found = []
    for key, given in call.options.given:
        if key == "iso-8601":
            found.append(_ISO["date"] if given is None else _choice(given, _ISO, "--iso-8601"))
        elif key == "rfc-email":
            found.append(_RFC_EMAIL)
        elif key == "rfc-3339":
            found.append(_choice(given or "", _RFC_3339, "--rfc-3339"))
    if len(found) > 1:
        raise Failure("multiple output formats specified")
    if len(call.operands) > 1:
        raise UsageError(f"extra operand {quote(call.operands[1])}")
    if call.operands:
        operand = call.operands[0]
        if not operand.startswith("+"):
            if "date" in call.options or "reference" in call.options:
                raise UsageError(
                    f"the argument {quote(operand)} lacks a leading '+';\nwhen using an option to specify date(s), "
                    "any non-option\nargument must be a format string beginning with '+'"
                )
            raise Failure(_REFUSED if _CLOCK.fullmatch(operand) else f"invalid date {quote(operand)}")
        if found:
            raise Failure("multiple output formats specified")
        return operand[1:]
    return found[0] if found else _DEFAULT


def _time(call: Invocation, zone: tzinfo, now: int) -> int:
    """The time to show, in nanoseconds since the epoch."""
    if "date" in call.options and "reference" in call.options:
        raise UsageError("the options to specify dates for printing are mutually exclusive")
    text = call.options.get("date")
    if text is not None:
        described = text
        named = _ZONE.match(text)
        if named is not None:
            name = re.sub(r"\\(.)", r"\1", named[1]).removeprefix(":")
            zone = posix_zone(name) or call.run.zone(name)
            described = text[named.end() :]
        found = parse_date(described, now, zone)
        if found is None:
            raise Failure(f"invalid date {quote(text)}")
        return found
    path = call.options.get("reference")
    return now if path is None else call.stat(path).st_mtime_ns


@DATE.main
def date(call: Invocation) -> int:
    pattern = _format(call)
    zone: tzinfo = UTC if "utc" in call.options else zone_of(call)
    try:
        moment = _time(call, zone, floor(call.run.now * 1_000_000) * 1_000)
    except OSError as failure:
        call.report(call.options.get("reference") or "", failure)
        return call.status
    seconds, part = divmod(moment, _NANO)
    try:
        when = datetime.fromtimestamp(seconds, zone)
    except (ValueError, OverflowError, OSError):
        raise Failure(f"time {quote(str(seconds))} is out of range") from None
    call.print(format_time(when, part, pattern))
    return 0


COMMANDS = {"date": DATE}
