"""fold: break lines that are too long (GNU coreutils)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Failure, Invocation, Option
from rshell.builtins.quoting import quote
from rshell.builtins.text import clamped

if TYPE_CHECKING:
    from collections.abc import Callable

_OLD = re.compile("-[0-9]+")


def _modern(args: list[str]) -> list[str]:
    """-20 is -w 20."""
    end = args.index("--") if "--" in args else len(args)
    return [f"-w{arg[1:]}" if at < end and _OLD.fullmatch(arg) else arg for at, arg in enumerate(args)]


FOLD = Command(
    "fold",
    "break lines that are too long",
    "fold [-bs] [-w WIDTH] [FILE]...",
    options=(
        Option("-b", "--bytes", help="count bytes: tabs, backspaces and carriage returns are nothing special"),
        Option("-s", "--spaces", help="break after a blank where there is one"),
        Option("-w", "--width", value="WIDTH", help="use WIDTH columns, 80 if not given"),
    ),
    rewrite=_modern,
)


@FOLD.main
def fold(call: Invocation) -> int:
    text = call.options.get("width")
    width = 80 if text is None else clamped(text, 0, 2**62)
    if not width or width < 1:
        raise Failure(f"invalid number of columns: {quote(text or '')}")
    width = min(width, limits.LINE + 1)  # no line is longer
    spaces = "spaces" in call.options
    # Which lines need a look: the long ones, and those where columns are not bytes.
    pattern = rb"^[^\n]{%d,}" % (width + 1)
    if "bytes" not in call.options:
        pattern += rb"|^[^\n\t\b\r]*[\t\b\r][^\n]*"
    looked_at = re.compile(pattern, re.MULTILINE)
    change = _breaker(width, spaces, "bytes" in call.options)
    for given in call.inputs():
        for block in given.source.line_blocks():
            call.check()
            call.write(looked_at.sub(change, block))
    return call.status


def _breaker(width: int, spaces: bool, by_bytes: bool) -> Callable[[re.Match[bytes]], bytes]:
    def change(match: re.Match[bytes]) -> bytes:
        line = match.group()
        if not by_bytes and (b"\t" in line or b"\b" in line or b"\r" in line):
            return _by_columns(line, width, spaces)
        if not spaces:
            return b"\n".join([line[at : at + width] for at in range(0, len(line), width)])
        pieces = []
        at = 0
        while len(line) - at > width:
            end = max(line.rfind(b" ", at, at + width), line.rfind(b"\t", at, at + width)) + 1 or at + width
            pieces.append(line[at:end])
            at = end
        pieces.append(line[at:])
        return b"\n".join(pieces)

    return change


def _advance(column: int, byte: int) -> int:
    if byte == 8:
        return max(0, column - 1)
    if byte == 13:
        return 0
    return column + 8 - column % 8 if byte == 9 else column + 1


def _by_columns(line: bytes, width: int, spaces: bool) -> bytes:
    """Break a line in which some bytes are not one column."""
    pieces: list[bytes] = []
    start = column = at = 0
    blank = -1  # where the last blank of this piece stands
    while at < len(line):
        byte = line[at]
        after = _advance(column, byte)
        if after > width and at > start:
            end = blank + 1 if spaces and blank >= start else at
            pieces.append(line[start:end])
            start = end
            blank = -1
            column = 0
            for moved in line[start:at]:
                column = _advance(column, moved)
            continue
        if byte in (9, 32):
            blank = at
        column = after
        at += 1
    pieces.append(line[start:])
    return b"\n".join(pieces)


COMMANDS = {"fold": FOLD}
