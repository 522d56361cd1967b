"""type, which and command: what a name stands for in this shell, and running it as such.

A name that the policy does not allow is not found.
"""

from __future__ import annotations

from rshell.builtins.command import Command, Invocation, Option

_NO_PATH = "commands of this shell have no path"

TYPE = Command(
    "type",
    "say what a name stands for",
    "type [-afptP] NAME...",
    options=(
        Option("-a", help="say all that it stands for"),
        Option("-f", help="accepted: there are no functions"),
        Option("-t", help="print one word: keyword or builtin"),
        Option("-p", help=f"print the file that would be run: nothing, as {_NO_PATH}"),
        Option("-P", help="as -p, and exit 1"),
    ),
    ordered=True,
    usage_status=2,
)
WHICH = Command(
    "which",
    "print the names that are commands of this shell",
    "which [-a] NAME...",
    options=(Option("-a", help="accepted: there is one of each"), Option("-s", help="print nothing")),
    description=f"The status is 1 when the policy does not allow a name. As {_NO_PATH}, the name itself is printed.",
    usage_status=2,
)
COMMAND = Command(
    "command",
    "run a command, or say what its name stands for",
    "command [-p] [-v|-V] NAME [ARG]...",
    options=(
        Option("-p", help="accepted, changes nothing"),
        Option("-v", help="print the name of each NAME that is found"),
        Option("-V", help="say what each NAME stands for, as type does"),
    ),
    ordered=True,
    usage_status=2,
)

_KEYWORDS = frozenset(
    [
        "!",
        "[[",
        "]]",
        "{",
        "}",
        "case",
        "coproc",
        "do",
        "done",
        "elif",
        "else",
        "esac",
        "fi",
        "for",
        "function",
        "if",
        "in",
        "select",
        "then",
        "time",
        "until",
        "while",
    ]
)


def _kind(call: Invocation, name: str) -> str:
    """'keyword', 'builtin', or '' for what is not found."""
    if name in _KEYWORDS:
        return "keyword"
    return "builtin" if call.context.lookup(name) == "builtin" else ""


@TYPE.main
def type_(call: Invocation) -> int:
    last = call.options.last("t", "p", "P")
    for name in call.operands:
        kind = _kind(call, name)
        if last == "P" or not kind:
            if last is None:
                call.flush()
                call.warn(f"{name}: not found")
            call.status = 1
        elif last is None:
            call.print(f"{name} is a shell {kind}")
        elif last == "t":
            call.print(kind)
    return call.status


@WHICH.main
def which(call: Invocation) -> int:
    for name in call.operands:
        if call.context.lookup(name) != "builtin":
            call.status = 1
        elif "s" not in call.options:
            call.print(name)
    return call.status if call.operands else 1


@COMMAND.main
def command(call: Invocation) -> int:
    words = call.operands
    how = call.options.last("v", "V")
    if how is None:
        if not words:
            return 0
        while words[0] == COMMAND.name and words[1:] and not words[1].startswith("-"):
            words = words[1:]  # however often it is written, it is one level
        # In this very shell: `command cd` changes its directory.
        return call.context.call(words)
    found = False
    for name in words:
        kind = _kind(call, name)
        if kind:
            found = True
            call.print(name if how == "v" else f"{name} is a shell {kind}")
        elif how == "V":
            call.flush()
            call.warn(f"{name}: not found")
    return 0 if found or not words else 1


COMMANDS = {"type": TYPE, "which": WHICH, "command": COMMAND}
