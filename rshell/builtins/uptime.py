"""uptime: how long the system has been up, and its load. It does not count users."""

from __future__ import annotations

from datetime import datetime
from math import floor

from rshell.builtins.command import Command, Invocation, Option, UsageError
from rshell.builtins.quoting import quote_text
from rshell.builtins.zone import zone_of

UPTIME = Command(
    "uptime",
    "tell how long the system has been up, and its load averages",
    "uptime [-ps]",
    options=(
        Option("-p", "--pretty", help="only for how long, in words"),
        Option("-s", "--since", help="only since when"),
    ),
    description="Sessions of users are not looked at, so their number is not shown.",
)

_SPANS = (("year", 31_536_000), ("week", 604_800), ("day", 86_400), ("hour", 3_600), ("minute", 60))
_DECADE = 315_360_000
_LATEST = 253_402_214_400


def _words(seconds: int) -> str:
    parts = []
    if seconds >= _DECADE:
        decades, seconds = divmod(seconds, _DECADE)
        parts.append(f"{decades} decade{'s' if decades > 1 else ''}")
    for name, size in _SPANS:
        count, seconds = divmod(seconds, size)
        if count or (name == "minute" and not parts):
            parts.append(f"{count} {name}{'' if count == 1 else 's'}")
    return "up " + ", ".join(parts)


def _span(seconds: int) -> str:
    days, rest = divmod(seconds, 86_400)
    hours, minutes = rest // 3_600, rest // 60 % 60
    shown = f"{hours:2}:{minutes:02}" if hours else f"{minutes} min"
    return (f"{days} day{'' if days == 1 else 's'}, " if days else "") + shown


@UPTIME.main
def uptime(call: Invocation) -> int:
    if call.operands:
        raise UsageError(f"extra operand {quote_text(call.operands[0])}")
    found = call.run.host.uptime()
    seconds = min(floor(found.seconds), _LATEST)
    zone = zone_of(call)
    option = call.options.last("pretty", "since")
    if option == "pretty":
        call.print(_words(seconds))
    elif option == "since":
        since = max(0.0, min(call.run.now - found.seconds, _LATEST))
        call.print(f"{datetime.fromtimestamp(floor(since), zone):%Y-%m-%d %H:%M:%S}")
    else:
        loads = ", ".join(f"{load:.2f}" for load in found.load)
        clock = datetime.fromtimestamp(floor(call.run.now), zone)
        call.print(f" {clock:%H:%M:%S} up {_span(seconds)},  load average: {loads}")
    return 0


COMMANDS = {"uptime": UPTIME}
