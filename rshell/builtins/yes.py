"""yes: print a line again and again, until the reader leaves or a limit ends it (GNU coreutils)."""

from __future__ import annotations

from rshell import limits
from rshell.builtins.command import Command, Invocation, encode

YES = Command(
    "yes",
    "print a line again and again",
    "yes [STRING]...",
    description="It ends with its reader (yes | head), or at the limit of the output.",
)


@YES.main
def yes(call: Invocation) -> int:
    line = encode(" ".join(call.operands or ["y"])) + b"\n"
    block = line * max(1, limits.PIPE // 8 // len(line))
    write, check = call.stdout.write, call.check
    while True:
        check()
        write(block)


COMMANDS = {"yes": YES}
