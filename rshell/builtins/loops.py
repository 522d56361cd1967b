"""break, continue and exit: leave loops, leave the shell (bash)."""

from __future__ import annotations

import re

from rshell.builtins.command import Command, Failure, Invocation

_NUMBER = re.compile(r"[ \t\n\v\f\r]*([+-]?)0*([0-9]{1,19})[ \t]*", re.ASCII)
_HELP = {
    # what bash prints for --help: the text is part of its interface
    "break": (
        "break: break [n]\n    Exit for, while, or until loops.\n    \n    Exit a FOR, WHILE or UNTIL loop.  "
        "If N is specified, break N enclosing\n    loops.\n    \n"
        "    Exit Status:\n    The exit status is 0 unless N is not greater than or equal to 1.\n"
    ),
    "continue": (
        "continue: continue [n]\n    Resume for, while, or until loops.\n    \n    Resumes the next iteration of the "
        "enclosing FOR, WHILE or UNTIL loop.\n    If N is specified, resumes the Nth enclosing loop.\n    \n"
        "    Exit Status:\n    The exit status is 0 unless N is not greater than or equal to 1.\n"
    ),
}
_ALL = 1_000_000  # more levels than can be open

BREAK = Command("break", "leave one or more loops", "break [N]", raw=True, help=False)
CONTINUE = Command("continue", "go on with the next turn of a loop", "continue [N]", raw=True, help=False)
EXIT = Command("exit", "end the shell with a status", "exit [N]", raw=True)


def _number(call: Invocation, otherwise: int, *, bad: int) -> int:
    """The only operand as a 64-bit number; anything else ends the shell, with status bad when it is no number."""
    args = call.args[1:] if call.args[:1] == ["--"] else call.args
    if not args:
        return otherwise
    match = _NUMBER.fullmatch(args[0])
    value = int(match[1] + match[2]) if match else 2**63  # text: ours (matched above)
    if not -(2**63) <= value < 2**63:
        call.warn(f"{args[0]}: numeric argument required")
        call.context.exit(bad)
    if len(args) > 1:
        call.warn("too many arguments")
        call.context.exit(1)
    return value


@BREAK.main
@CONTINUE.main
def leave(call: Invocation) -> int:
    again = call.name == "continue"
    if call.args == ["--help"]:
        call.write(_HELP[call.name].encode("ascii"))
        return 2
    if not call.context.loops:
        call.stderr.write(f"{call.name} is only useful in a loop\n".encode("ascii"))
        return 0
    levels = _number(call, 1, bad=128)
    if levels <= 0:
        call.warn(f"{levels}: loop count out of range")
        call.context.leave_loops(_ALL, again=False, status=1)
    call.context.leave_loops(min(levels, _ALL), again=again)
    return 0


@EXIT.main
def exit_shell(call: Invocation) -> int:
    status = _number(call, call.context.status, bad=2) & 0xFF
    call.context.exit(status)
    raise Failure("cannot leave the shell")  # exit() does not return


COMMANDS = {c.name: c for c in (BREAK, CONTINUE, EXIT)}
