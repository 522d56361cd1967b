"""tee: copy what is read to files and to standard output (GNU coreutils)."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from rshell.builtins.changes import Target
from rshell.builtins.command import Command, Invocation, Option, reason
from rshell.builtins.quoting import quote

if TYPE_CHECKING:
    from collections.abc import Callable

TEE = Command(
    "tee",
    "copy what is read to files and to standard output",
    "tee [-a] [FILE]...",
    options=(
        Option("-a", "--append", help="append to the files"),
        Option("-i", "--ignore-interrupts", help="accepted; there are no interrupts"),
        Option("-p", help="accepted; errors are always reported"),
    ),
    description="Files other than /dev/null need remediation mode.",
)


@TEE.main
def tee(call: Invocation) -> int:
    names = [name for name in call.operands if name != "/dev/null"]
    if names and call.run.policy.mode != "remediation":
        call.error("requires remediation mode")
        return call.status
    append = "append" in call.options
    with ExitStack() as opened:
        outputs: list[tuple[str, Callable[[bytes], None]]] = [("standard output", call.stdout.write)]
        for name in names:
            try:
                target = opened.enter_context(Target(call, name, append=append, create=True, truncate=not append))
            except OSError as failure:
                call.report(name, failure)
            else:
                outputs.append((name, target.write))
        for block in call.stdin.blocks():
            for output in tuple(outputs):
                name, write = output
                try:
                    write(block)
                except OSError as failure:
                    outputs.remove(output)
                    if write == call.stdout.write:
                        call.error(f"{quote(name)}: {reason(failure)}")
                    else:
                        call.report(name, failure)
            if not outputs:
                break
    return call.status


COMMANDS = {"tee": TEE}
