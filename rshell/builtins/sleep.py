"""sleep: wait, and let other stages run meanwhile."""

from __future__ import annotations

from rshell.builtins.command import Command, Invocation, UsageError
from rshell.builtins.quoting import quote
from rshell.builtins.text import gnu_duration

SLEEP = Command(
    "sleep",
    "wait for some time",
    "sleep NUMBER[SUFFIX]...",
    description="SUFFIX is s for seconds (default), m for minutes, h for hours or d for days. Several are added up.\n"
    "The run's deadline ends it.",
)

_FOREVER = 1e9  # seconds; more than any run lasts


@SLEEP.main
def sleep(call: Invocation) -> int:
    if not call.operands:
        raise UsageError("missing operand")
    total = 0.0
    wrong = [text for text in call.operands if gnu_duration(text) is None]
    for text in wrong[:-1]:
        call.warn(f"invalid time interval {quote(text)}")
    if wrong:
        raise UsageError(f"invalid time interval {quote(wrong[-1])}")
    for text in call.operands:
        total += gnu_duration(text) or 0.0
    if total > 0:
        call.run.sleep(min(total, _FOREVER))
    return 0


COMMANDS = {"sleep": SLEEP}
