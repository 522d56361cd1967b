"""paste: join the lines of files side by side (GNU coreutils)."""

from __future__ import annotations

from itertools import chain, cycle, islice
from typing import TYPE_CHECKING

from rshell.builtins.command import Command, Failure, Invocation, Option, encode
from rshell.builtins.quoting import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rshell.builtins.streams import Source

PASTE = Command(
    "paste",
    "join the lines of files side by side",
    "paste [-s] [-d LIST] [FILE]...",
    options=(
        Option("-d", "--delimiters", value="LIST", help="use the characters of LIST in turn instead of TAB"),
        Option("-s", "--serial", help="join all lines of one file, one file after the other"),
        Option("-z", "--zero-terminated", help="lines end with NUL, not newline"),
    ),
    description="In LIST, \\0 is no delimiter at all, and \\n \\t \\\\ and other C escapes are what they are.",
)

_ESCAPES = {b"0": b"", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


def _delimiters(text: str) -> list[bytes]:
    data = encode(text)
    found: list[bytes] = []
    at = 0
    while at < len(data):
        piece = data[at : at + 1]
        at += 1
        if piece == b"\\":
            piece = data[at : at + 1]
            at += 1
            if not piece:
                raise Failure(f"delimiter list ends with an unescaped backslash: {quote(text)}")
            piece = _ESCAPES.get(piece, piece)
        found.append(piece)
    return found or [b""]


@PASTE.main
def paste(call: Invocation) -> int:
    text = call.options.get("delimiters")
    delimiters = [b"\t"] if text is None else _delimiters(text)
    ending = b"\0" if "zero-terminated" in call.options else b"\n"
    if "serial" in call.options:
        for given in call.inputs():
            _one_file(call, given.source, delimiters, ending)
        return call.status
    _side_by_side(call, delimiters, ending)
    return call.status


def _one_file(call: Invocation, source: Source, delimiters: list[bytes], ending: bytes) -> None:
    """Join all lines of a file."""
    write = call.write
    if len(delimiters) == 1 and len(delimiters[0]) == 1:
        held = b""
        for block in source.blocks():
            last = block.endswith(ending)
            write(held + (block[:-1] if last else block).replace(ending, delimiters[0]))
            held = delimiters[0] if last else b""
        write(ending)
        return
    turn = cycle(delimiters)
    begun = False
    for block in source.line_blocks(delimiter=ending):
        lines = block.split(ending)
        if not lines[-1]:
            lines.pop()
        if begun:
            write(next(turn))
        begun = True
        between = list(islice(turn, len(lines) - 1))
        write(b"".join(chain.from_iterable(zip(lines, [*between, b""], strict=True))))
    write(ending)


class _Lines:
    """The lines of one input, which may be several columns."""

    def __init__(self, source: Source, ending: bytes) -> None:
        self._blocks: Iterator[bytes] = source.line_blocks(delimiter=ending)
        self._ending = ending
        self.columns = 0
        self.lines: list[bytes] = []
        self.at = 0
        self.ended = False

    def rows(self) -> int:
        """How many rows there are lines for; reads on until there is one, or the end."""
        while not self.ended and len(self.lines) - self.at < self.columns:
            block = next(self._blocks, b"")
            if not block:
                self.ended = True
                break
            lines = block.split(self._ending)
            if not lines[-1]:
                lines.pop()
            self.lines = self.lines[self.at :] + lines
            self.at = 0
        return (len(self.lines) - self.at) // self.columns


def _side_by_side(call: Invocation, delimiters: list[bytes], ending: bytes) -> None:
    inputs: dict[int, _Lines] = {}
    columns: list[tuple[_Lines, int]] = []  # of each column: where it comes from, and its place in a row of that
    for name in call.operands or ["-"]:
        source = call.stdin
        try:
            if name != "-":
                source = call.open(name)
        except IsADirectoryError as failure:  # it opens, as paste sees it, and has nothing
            call.report(name, failure)
            columns.append((_Lines(call.context.stdin, ending), 0))
            columns[-1][0].ended = True
            columns[-1][0].columns = 1
            continue
        except OSError as failure:
            call.report(name, failure)
            return
        lines = inputs.setdefault(id(source), _Lines(call.guarded(name, source), ending))
        columns.append((lines, lines.columns))
        lines.columns += 1
    turn = list(islice(cycle(delimiters), len(columns) - 1))
    same = turn[0] if len(set(turn)) == 1 else None
    while True:
        call.check()
        whole = min((lines.rows() for lines in inputs.values() if not lines.ended or lines.rows()), default=0)
        if not whole:
            if not any(len(lines.lines) > lines.at for lines in inputs.values()):
                return
            whole = 1
        texts = []
        for lines, place in columns:
            start = lines.at + place
            text = lines.lines[start : lines.at + whole * lines.columns : lines.columns]
            texts.append(text + [b""] * (whole - len(text)))
        for lines in inputs.values():
            lines.at = min(lines.at + whole * lines.columns, len(lines.lines))
        rows = zip(*texts, strict=True)
        if same is not None:
            out = list(map(same.join, rows))
        elif not turn:
            out = texts[0]
        else:
            out = [b"".join(chain.from_iterable(zip(row, [*turn, b""], strict=True))) for row in rows]
        out.append(b"")
        call.write(ending.join(out))


COMMANDS = {"paste": PASTE}
