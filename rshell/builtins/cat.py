"""cat: print files, one after the other (GNU coreutils)."""

from __future__ import annotations

from rshell.builtins.command import Command, Invocation, Option

CAT = Command(
    "cat",
    "print files, one after the other",
    "cat [-AbeEnstTuv] [FILE]...",
    options=(
        Option("-A", "--show-all", help="as -vET"),
        Option("-b", "--number-nonblank", help="number lines that are not empty, overrides -n"),
        Option("-e", help="as -vE"),
        Option("-E", "--show-ends", help="show $ at the end of each line"),
        Option("-n", "--number", help="number all lines"),
        Option("-s", "--squeeze-blank", help="print one empty line where there are several"),
        Option("-t", help="as -vT"),
        Option("-T", "--show-tabs", help="show tabs as ^I"),
        Option("-u", help="ignored"),
        Option("-v", "--show-nonprinting", help="show control and non-ASCII bytes as ^ and M- sequences"),
    ),
)


@CAT.main
def cat(call: Invocation) -> None:
    for _, source in call.inputs():
        for block in source.blocks():
            call.stdout.write(block)


COMMANDS = {"cat": CAT}
