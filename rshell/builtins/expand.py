"""expand and unexpand: turn tabs into spaces and back (GNU coreutils)."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Failure, Invocation, Option
from rshell.builtins.quoting import quote
from rshell.builtins.text import clamped

if TYPE_CHECKING:
    from collections.abc import Iterator

_OLD = re.compile("-[0-9][0-9,]*")
_STOPS = re.compile(r"[0-9]+|[, \t/+]|.", re.DOTALL)
_RUN = re.compile(rb"[^\t\b]+|[\t\b]")
_TAB_OR_SPACES = re.compile(rb"^[^\n]*?(?:\t|  )[^\n]*", re.MULTILINE)
_LEADING = re.compile(rb"^[ \t][^\n]*", re.MULTILINE)
_LARGEST = limits.LINE


def _old_expand(args: list[str]) -> list[str]:
    """-4 is -t 4."""
    return [f"-t{arg[1:]}" if _OLD.fullmatch(arg) else arg for arg in args]


def _old_unexpand(args: list[str]) -> list[str]:
    """-4 is -t 4, but for the leading blanks only."""
    return [new for arg in args for new in ([f"-t{arg[1:]}", "--first-only"] if _OLD.fullmatch(arg) else [arg])]


EXPAND = Command(
    "expand",
    "turn tabs into spaces",
    "expand [-i] [-t LIST] [FILE]...",
    options=(
        Option("-i", "--initial", help="do not turn tabs after other characters"),
        Option("-t", "--tabs", value="LIST", help="tab stops: every N columns (8 if not given), or at N1,N2,..."),
    ),
    description="The last stop of a LIST may be /N (every N columns after it) or +N (counted from the last one).",
    rewrite=_old_expand,
)
UNEXPAND = Command(
    "unexpand",
    "turn spaces into tabs",
    "unexpand [-a] [-t LIST] [FILE]...",
    options=(
        Option("-a", "--all", help="turn all runs of blanks, not only those at the beginning of lines"),
        Option("--first-only", help="only at the beginning of lines, whatever -t says"),
        Option("-t", "--tabs", value="LIST", help="tab stops as expand has them; implies -a"),
    ),
    rewrite=_old_unexpand,
)


def _given(text: str) -> Iterator[tuple[str, int]]:
    """The stops of one LIST: what stands before it (/ or + or nothing), and the number."""
    mark = ""
    for found in _STOPS.finditer(text):
        piece = found.group()
        if piece in ", \t":
            continue
        if piece in "/+":
            mark = piece
        elif piece[0] not in "0123456789":
            raise Failure(f"tab size contains invalid character(s): {quote(text[found.start() :])}")
        else:
            value = clamped(piece, 0, _LARGEST + 1) or 0
            if value > _LARGEST:
                raise Failure(f"tab stop is too large {quote(piece)}")
            yield mark, value


class _Stops:
    """Where the tab stops are.

    stops: those given one by one, ascending. every: the size of those after them, 0 for none. last: where `every`
    counts from.
    """

    def __init__(self, texts: list[str]) -> None:
        self.stops: list[int] = []
        self.every = 0
        self.base = 0
        sizes = {"/": 0, "+": 0}
        for mark, value in (stop for text in texts for stop in _given(text)):
            if not mark:
                self.stops.append(value)
            elif sizes[mark]:
                raise Failure(f"{quote(mark)} specifier only allowed with the last value")
            else:
                sizes[mark] = value
        for before, value in zip([-1, *self.stops], self.stops, strict=False):
            if value == 0:
                raise Failure("tab size cannot be 0")
            if value <= before:
                raise Failure("tab sizes must be ascending")
        if sizes["/"] and sizes["+"]:
            raise Failure("'/' specifier is mutually exclusive with '+'")
        self.every = sizes["/"] or sizes["+"]
        if sizes["+"] and self.stops:
            self.base = self.stops[-1]
        elif not self.every and len(self.stops) == 1:
            self.every = self.stops.pop()
        if not self.stops and not self.every:
            self.every = 8

    def after(self, column: int) -> int | None:
        """The stop after a column; None when there is none any more."""
        stops = self.stops
        if stops and column < stops[-1]:
            return stops[bisect_right(stops, column)]
        if not self.every:
            return None
        return column + self.every - (column - self.base) % self.every


def _lines(call: Invocation) -> Iterator[bytes]:
    """Blocks of whole lines of all inputs; a line may go on in the next file."""
    carried = b""
    for given in call.inputs():
        for block in given.source.line_blocks():
            block = carried + block
            carried = b""
            if not block.endswith(b"\n"):
                cut = block.rfind(b"\n") + 1
                block, carried = block[:cut], block[cut:]
                if len(carried) > limits.LINE:
                    raise Failure(f"line too long ({limits.LINE} bytes at most)")
            if block:
                yield block
    if carried:
        yield carried


# expand


@EXPAND.main
def expand(call: Invocation) -> int:
    stops = _Stops(call.options.all("tabs"))
    initial = "initial" in call.options
    size = stops.every if not stops.stops and not stops.base else 0
    for block in _lines(call):
        tabs = block.count(b"\t")
        if not tabs:
            call.write(block)
        elif size and not initial and tabs * size <= 16 * limits.MIB and b"\b" not in block and b"\r" not in block:
            call.write(block.expandtabs(size))
        else:
            *lines, rest = block.split(b"\n")
            for line in lines:
                call.check()
                _expand_line(call, line, stops, initial)
                call.write(b"\n")
            _expand_line(call, rest, stops, initial)
    return call.status


def _expand_line(call: Invocation, line: bytes, stops: _Stops, initial: bool) -> None:
    column = 0
    write = call.write
    for found in _RUN.finditer(line):
        piece = found.group()
        if piece == b"\t":
            to = stops.after(column)
            write(b" " * (1 if to is None else to - column))
            column = column + 1 if to is None else to
        elif piece == b"\b":
            write(piece)
            column = max(0, column - 1)
            if initial:
                write(line[found.end() :])
                return
        else:
            write(piece)
            column += len(piece)
            if initial and piece.strip(b" "):
                write(line[found.end() :])
                return


# unexpand


@UNEXPAND.main
def unexpand(call: Invocation) -> int:
    options = call.options
    stops = _Stops(options.all("tabs"))
    everywhere = ("all" in options or "tabs" in options) and "first-only" not in options
    looked_at = _TAB_OR_SPACES if everywhere else _LEADING
    for block in _lines(call):
        call.check()
        call.write(looked_at.sub(lambda match: _unexpand_line(match.group(), stops, everywhere), block))
    return call.status


def _unexpand_line(line: bytes, stops: _Stops, everywhere: bool) -> bytes:
    """One line without its end, its blanks turned into tabs where they reach a tab stop.

    A single blank just before a stop stays one, unless more blanks follow.
    """
    out: list[bytes] = []
    column = at = 0
    pending = bytearray()  # blanks that may become a tab
    lone = False  # the first of them is a single blank before a stop
    blank_before = True
    while at < len(line):
        byte = line[at]
        blank = byte in (9, 32)
        if blank:
            to = stops.after(column)
            if to is None:
                break
            if byte == 9:
                column = to
                if pending:
                    pending[0] = 9
            else:
                column += 1
                if not (blank_before and column == to):
                    lone = lone or column == to
                    pending.append(32)
                    blank_before = True
                    at += 1
                    continue
                if pending:
                    pending[0] = 9
                byte = 9
            del pending[1 if lone else 0 :]
        elif byte == 8:
            column = max(0, column - 1)
        else:
            column += 1
        if pending:
            if len(pending) > 1 and lone:
                pending[0] = 9
            out.append(bytes(pending))
            pending.clear()
            lone = False
        blank_before = blank
        if not blank and not everywhere:
            break
        out.append(bytes((byte,)))
        at += 1
    if pending:
        if len(pending) > 1 and lone:
            pending[0] = 9
        out.append(bytes(pending))
    out.append(line[at:])
    return b"".join(out)


COMMANDS = {"expand": EXPAND, "unexpand": UNEXPAND}
