"""timeout: run a command of this shell under a deadline of its own (GNU coreutils)."""

from __future__ import annotations

from rshell.builtins.command import Command, Invocation, Option, UsageError
from rshell.builtins.quoting import quote
from rshell.builtins.text import clamped, gnu_duration

TIMEOUT = Command(
    "timeout",
    "run a command, and end it when it takes too long",
    "timeout [OPTION]... DURATION COMMAND [ARG]...",
    options=(
        Option("--foreground", help="accepted, changes nothing"),
        Option("-k", "--kill-after", value="DURATION", help="accepted: a command of this shell ends at once"),
        Option("--preserve-status", help="give 128 and the signal's number instead of 124"),
        Option("-s", "--signal", value="SIGNAL", help="accepted, for the status of --preserve-status"),
        Option("-v", "--verbose", help="say on standard error that the time was up"),
    ),
    description="DURATION is a number with an optional suffix: s for seconds (default), m, h or d. 0 is no deadline.\n"
    "The status is the command's, or 124 when it took too long. The deadline of the whole run stays as it is.",
    ordered=True,
    usage_status=125,
)

_SIGNALS = [
    "HUP",
    "INT",
    "QUIT",
    "ILL",
    "TRAP",
    "ABRT",
    "BUS",
    "FPE",
    "KILL",
    "USR1",
    "SEGV",
    "USR2",
    "PIPE",
    "ALRM",
    "TERM",
    "STKFLT",
    "CHLD",
    "CONT",
    "STOP",
    "TSTP",
    "TTIN",
    "TTOU",
    "URG",
    "XCPU",
    "XFSZ",
    "VTALRM",
    "PROF",
    "WINCH",
    "POLL",
    "PWR",
    "SYS",
]
_FOREVER = 1e9  # seconds; more than any run lasts


def _duration(text: str) -> float:
    seconds = gnu_duration(text)
    if seconds is None:
        raise UsageError(f"invalid time interval {quote(text)}")
    return min(seconds, _FOREVER)


def _signal(text: str) -> int:
    name = text.upper().removeprefix("SIG")
    if name in _SIGNALS:
        return _SIGNALS.index(name) + 1
    number = clamped(text, -1, 1000)
    if number is None or not 0 <= number <= 64:
        raise UsageError(f"{quote(text)}: invalid signal")
    return number


@TIMEOUT.main
def timeout(call: Invocation) -> int:
    options = call.options
    for text in options.all("kill-after"):
        _duration(text)
    signal = 15
    for text in options.all("signal"):
        signal = _signal(text)
    if len(call.operands) < 2:
        raise UsageError("missing operand")
    seconds = _duration(call.operands[0])
    words = call.operands[1:]
    if not seconds:
        return call.context.dispatch(words, stdin=call.stdin)
    before = call.run.remaining()
    status = call.context.dispatch(words, stdin=call.stdin, timeout=seconds)
    after = call.run.remaining()
    # A command may give 124 itself: then its time was not up.
    if status == 124 and (before is None or after is None or before - after >= seconds):
        if "verbose" in options:
            name = _SIGNALS[signal - 1] if 1 <= signal <= len(_SIGNALS) else str(signal)
            call.warn(f"sending signal {name} to command {quote(words[0])}")
        if "preserve-status" in options or signal == 9:
            return 128 + signal
    return status


COMMANDS = {"timeout": TIMEOUT}
