"""comm: compare two sorted files line by line (GNU coreutils)."""

from __future__ import annotations

from operator import le
from typing import TYPE_CHECKING

from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, encode
from rshell.builtins.quoting import quote

if TYPE_CHECKING:
    from rshell.builtins.streams import Source

COMM = Command(
    "comm",
    "compare two sorted files line by line",
    "comm [OPTION]... FILE1 FILE2",
    options=(
        Option("-1", help="do not print lines that only FILE1 has"),
        Option("-2", help="do not print lines that only FILE2 has"),
        Option("-3", help="do not print lines that both have"),
        Option("--check-order", help="complain of unsorted input even where all lines pair"),
        Option("--nocheck-order", help="do not complain of unsorted input"),
        Option("--output-delimiter", value="STRING", help="columns begin with STRING, not TAB"),
        Option("--total", help="print how many lines there are of each kind at the end"),
        Option("-z", "--zero-terminated", help="lines end with NUL, not newline"),
    ),
    description="Three columns: lines only in FILE1, lines only in FILE2, and lines in both. Lines compare by bytes.",
)


class _File:
    """The lines of one file, a block at a time.

    lines, at: the block, and the current line in it. sorted: whether the block is in order, and after the last line
    of the one before. ended: there is no current line. last, before: the last two lines that were left behind.
    """

    def __init__(self, source: Source, ending: bytes) -> None:
        self._blocks = source.line_blocks(delimiter=ending)
        self._ending = ending
        self.lines: list[bytes] = []
        self.at = 0
        self.last: bytes | None = None
        self.before: bytes | None = None
        self.sorted = True
        self.ended = False
        self.fill()

    def fill(self) -> None:
        """Go on to the next block."""
        lines = self.lines
        if lines:
            self.before = lines[-2] if len(lines) > 1 else self.last
            self.last = lines[-1]
        block = next(self._blocks, b"")
        self.at = 0
        if not block:
            self.lines = []
            self.ended = True
            return
        new = block.split(self._ending)
        if not new[-1]:
            new.pop()
        self.lines = new
        self.sorted = (self.last is None or self.last <= new[0]) and all(map(le, new, new[1:]))


@COMM.main
def comm(call: Invocation) -> int:
    names = call.operands
    if len(names) < 2:
        raise UsageError(f"missing operand after {quote(names[0])}" if names else "missing operand")
    if len(names) > 2:
        raise UsageError(f"extra operand {quote(names[2])}")
    given = call.options.all("output-delimiter")
    if len(set(given)) > 1:
        raise Failure("multiple output delimiters specified")
    sources: list[Source] = []
    for name in names:
        if name == "-":
            sources.append(call.stdin)
            continue
        try:
            sources.append(call.open(name))
        except OSError as failure:
            call.report(name, failure)
            return call.status
    ending = b"\0" if "zero-terminated" in call.options else b"\n"
    delimiter = (encode(given[0]) or b"\0") if given else b"\t"
    comparison = _Comparison(call, ending, delimiter)
    comparison.run([_File(source, ending) for source in sources])
    if "total" in call.options:
        counts = [b"%d" % count for count in comparison.counts]
        call.write((delimiter if delimiter != b"\0" else b"").join([*counts, b"total"]) + ending)  # as printf has it
    if any(comparison.complained):
        call.error("input is not in sorted order")
    return call.status


class _Comparison:
    """What is printed, counted and complained of."""

    def __init__(self, call: Invocation, ending: bytes, delimiter: bytes) -> None:
        self.call = call
        self.ending = ending
        options = call.options
        shown = ["1" not in options, "2" not in options, "3" not in options]
        first = delimiter if shown[0] else b""
        indents = [b"", first, first + (delimiter if shown[1] else b"")]
        self.indents = [indent if show else None for indent, show in zip(indents, shown, strict=True)]
        self.counts = [0, 0, 0]
        self.complained = [False, False]
        order = options.last("check-order", "nocheck-order")
        self.checked = order != "nocheck-order"
        self.strict = order == "check-order"
        self.unpaired = False

    def run(self, files: list[_File]) -> None:
        """Compare the files to their ends."""
        one, two = files
        while not (one.ended and two.ended):
            self.call.check()
            if one.ended or two.ended:
                self.unpaired = True
                self._rest(two if one.ended else one, 1 if one.ended else 0)
            elif self.checked and not (one.sorted and two.sorted):
                self._step(files)
            else:
                self._merge(one, two)
            for number, file in enumerate(files):
                if file.at >= len(file.lines) and not file.ended:
                    self._fill(file, number)

    def _fill(self, file: _File, number: int) -> None:
        file.fill()
        if file.ended:  # what was unpaired since may call for a look at the last two lines
            self._check(file.before, file.last, number)
        else:
            self._check(file.last, file.lines[0], number)

    def _check(self, before: bytes | None, line: bytes | None, number: int) -> None:
        if (
            self.checked
            and (self.strict or self.unpaired)
            and not self.complained[number]
            and before is not None
            and line is not None
            and before > line
        ):
            message = f"file {number + 1} is not in sorted order"
            if self.strict:
                raise Failure(message)
            self.call.warn(message)
            self.complained[number] = True

    def _print(self, kind: int, lines: list[bytes]) -> None:
        self.counts[kind] += len(lines)
        indent = self.indents[kind]
        if indent is not None and lines:
            self.call.write(indent + (self.ending + indent).join(lines) + self.ending)

    def _rest(self, file: _File, kind: int) -> None:
        """The other file has ended: print a block."""
        lines = file.lines[file.at :]
        if self.checked and not file.sorted:
            for at, line in enumerate(lines):
                self._print(kind, [line])
                if at + 1 < len(lines):
                    self._check(line, lines[at + 1], kind)
        else:
            self._print(kind, lines)
        file.at = len(file.lines)

    def _step(self, files: list[_File]) -> None:
        """Compare one line, with a look at the order."""
        one, two = files
        line, other = one.lines[one.at], two.lines[two.at]
        if line == other:
            self._print(2, [line])
            moved = [0, 1]
        else:
            self.unpaired = True
            kind = 0 if line < other else 1
            self._print(kind, [min(line, other)])
            moved = [kind]
        for number in moved:
            file = files[number]
            file.at += 1
            if file.at < len(file.lines):
                self._check(file.lines[file.at - 1], file.lines[file.at], number)

    def _merge(self, one: _File, two: _File) -> None:
        """Compare until one of the blocks is at its end. Their order is known, or does not matter."""
        lines, others = one.lines, two.lines
        at, place = one.at, two.at
        end, stop = len(lines), len(others)
        first, second, both = self.indents
        counts = [0, 0, 0]
        ending = self.ending
        out: list[bytes] = []
        while at < end and place < stop:
            line, other = lines[at], others[place]
            if line == other:
                run = 1
                if end - at > 64 < stop - place and lines[at : at + 64] == others[place : place + 64]:
                    run = 64
                counts[2] += run
                if both is not None:
                    out += [both + line for line in lines[at : at + run]] if both else lines[at : at + run]
                at += run
                place += run
            elif line < other:
                counts[0] += 1
                at += 1
                if first is not None:
                    out.append(line)
            else:
                counts[1] += 1
                place += 1
                if second is not None:
                    out.append(second + other)
        one.at, two.at = at, place
        self.unpaired = self.unpaired or counts[0] > 0 or counts[1] > 0
        self.counts = [total + count for total, count in zip(self.counts, counts, strict=True)]
        if out:
            out.append(b"")
            self.call.write(ending.join(out))


COMMANDS = {"comm": COMM}
