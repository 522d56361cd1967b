"""rev: print lines with their characters in reverse order (util-linux)."""

from __future__ import annotations

from rshell.builtins.command import Command, Invocation, decode, encode, reason

REV = Command(
    "rev",
    "print lines with their characters in reverse order",
    "rev [FILE]...",
)


@REV.main
def rev(call: Invocation) -> int:
    write = call.stdout.write
    names: list[str | None] = [*call.operands] or [None]
    for name in names:
        source = call.stdin
        if name is not None:  # '-' is a file like any other here
            try:
                source = call.open(name)
            except IsADirectoryError as failure:
                call.report(name, failure)
                continue
            except OSError as failure:
                call.error(f"cannot open {name}: {reason(failure)}")
                continue
        for block in source.line_blocks():
            # The text backwards has its lines backwards, and the last one first.
            if block.isascii():
                write(b"\n".join(block[::-1].split(b"\n")[::-1]))
            else:
                write(encode("\n".join(decode(block)[::-1].split("\n")[::-1])))
        if name is not None:
            call.close(source)
    return call.status


COMMANDS = {"rev": REV}
