"""uniq: report or leave out repeated lines (GNU coreutils)."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.choice import choose
from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError
from rshell.builtins.quoting import quote_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rshell.builtins.streams import Source

    Key = Callable[[bytes], bytes]

UNIQ = Command(
    "uniq",
    "report or leave out lines that repeat the one before",
    "uniq [OPTION]... [INPUT]",
    options=(
        Option("-c", "--count", help="put before each line how often it came"),
        Option("-d", "--repeated", help="print only lines that repeat, one for each group"),
        Option("-D", help="print all lines that repeat", key="all-repeated"),
        Option(
            "--all-repeated",
            value="METHOD",
            optional=True,
            help="as -D, with an empty line between groups: none (default), prepend, separate",
        ),
        Option("-f", "--skip-fields", value="N", help="do not compare the first N fields"),
        Option(
            "--group",
            value="METHOD",
            optional=True,
            help="print all lines, with an empty line between groups: separate (default), prepend, append, both",
        ),
        Option("-i", "--ignore-case", help="compare without regard to case"),
        Option("-s", "--skip-chars", value="N", help="do not compare the first N characters"),
        Option("-u", "--unique", help="print only lines that do not repeat"),
        Option("-w", "--check-chars", value="N", help="compare no more than N characters"),
        Option("-z", "--zero-terminated", help="lines end with NUL, not newline"),
        *(Option(f"-{digit}") for digit in "0123456789"),
    ),
    description="Sort the input first where equal lines need not be neighbours. A field is a run of blanks, then\n"
    "other characters. Output goes to standard output only.",
)

_NUMBER = re.compile(r"[ \t\n\v\f\r]*\+?([0-9]+)", re.ASCII)
_GROUP_METHODS = {method: method for method in ("prepend", "append", "separate", "both")}
_REPEATED_METHODS = {method: method for method in ("none", "prepend", "separate")}


def _number(text: str, what: str) -> int:
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise Failure(f"{text}: invalid number of {what}")
    digits = match[1].lstrip("0") or "0"
    # More than a line can hold is as good as any larger number.
    if len(digits) > limits.NUMBER_DIGITS:
        return limits.LINE + 1
    return min(int(digits), limits.LINE + 1)  # text: ours (matched as digits)


def _key(fields: int, characters: int, most: int | None, fold: bool) -> Key | None:
    """What is compared of a line; None: all of it."""
    part = slice(characters, None if most is None else characters + most)
    if not fields:
        if part == slice(0, None):
            return bytes.upper if fold else None
        return (lambda line: line[part].upper()) if fold else (lambda line: line[part])
    skip = re.compile(rb"(?>[ \t\n]*+[^ \t\n]++){%d}" % fields).match

    def key(line: bytes) -> bytes:
        match = skip(line)
        rest = line[match.end() :][part] if match else b""
        return rest.upper() if fold else rest

    return key


@UNIQ.main
def uniq(call: Invocation) -> int:
    options = call.options
    operands: list[str] = []
    fields = characters = 0
    most: int | None = None
    old = ""
    for name, text in options.given:
        if name == "skip-fields" and text is not None:
            fields, old = _number(text, "fields to skip"), ""
        elif name == "skip-chars" and text is not None:
            characters = _number(text, "bytes to skip")
        elif name == "check-chars" and text is not None:
            most = _number(text, "bytes to compare")
        elif len(name) == 1:
            old += name
            fields = _number(old, "fields to skip")
    for operand in call.operands:
        if operand.startswith("+") and _NUMBER.fullmatch(operand):
            characters = _number(operand, "bytes to skip")
        elif len(operands) == 2:
            raise UsageError(f"extra operand {quote_text(operand)}")
        else:
            operands.append(operand)
    out = _Output(call)
    if operands[1:] not in ([], ["-"]):
        raise UsageError(f"output file {quote_text(operands[1])} is not supported: output goes to standard output")
    name = operands[0] if operands else "-"
    source = call.stdin
    if name != "-":
        try:
            source = call.guarded(name, call.open(name))
        except IsADirectoryError:
            raise Failure(f"error reading {quote_text(name)}") from None
        except OSError as failure:
            call.report(name, failure)
            return call.status
    key = _key(fields, characters, most, "ignore-case" in options)
    out.run(source, key)
    return call.status


class _Output:
    """Which lines of each group are printed, and how."""

    def __init__(self, call: Invocation) -> None:
        options = call.options
        self.call = call
        self.ending = b"\0" if "zero-terminated" in options else b"\n"
        self.count = "count" in options
        self.all = "all-repeated" in options
        self.unique = "repeated" not in options and not self.all
        self.repeated = "unique" not in options
        self.group = ""
        self.delimit = "none"
        for name, text in options.given:
            if name == "group":
                self.group = "separate" if text is None else choose(text, "--group", _GROUP_METHODS)
            elif name == "all-repeated":
                self.delimit = "none" if text is None else choose(text, "--all-repeated", _REPEATED_METHODS)
        if self.group and (self.count or self.all or not (self.unique and self.repeated)):
            raise UsageError("--group is mutually exclusive with -c/-d/-D/-u")
        if self.count and self.all:
            raise UsageError("printing all duplicated lines and repeat counts is meaningless")

    def run(self, source: Source, key: Key | None) -> None:
        """Print what is to be printed of a stream."""
        if self.group:
            self._grouped(source, key)
        elif self.all:
            self._all(source, key)
        else:
            self._first(source, key)

    def _runs(self, source: Source, key: Key | None) -> Iterator[list[tuple[bytes, list[bytes]]]]:
        """For each block of the stream, its runs of equal lines: the key and the lines."""
        for block in source.line_blocks(delimiter=self.ending):
            lines = block.split(self.ending)
            if not lines[-1]:
                lines.pop()
            yield [(run, list(members)) for run, members in groupby(lines, key)]

    def _first(self, source: Source, key: Key | None) -> None:
        """Print one line of each group, or none."""
        ending = self.ending
        previous: bytes | None = None
        first, seen = b"", 0
        chosen: list[tuple[bytes, int]] = []
        for runs in self._runs(source, key):
            for run, lines in runs:
                if run == previous:
                    seen += len(lines)
                    continue
                if seen:
                    chosen.append((first, seen))
                previous, first, seen = run, lines[0], len(lines)
            self._print(chosen, ending)
            chosen.clear()
        if seen:
            self._print([(first, seen)], ending)

    def _print(self, chosen: list[tuple[bytes, int]], ending: bytes) -> None:
        if not (self.unique and self.repeated):
            unique, repeated = self.unique, self.repeated
            chosen = [(line, seen) for line, seen in chosen if (repeated if seen > 1 else unique)]
        if not chosen:
            return
        if self.count:
            lines = [b"%7d %b" % (seen, line) for line, seen in chosen]
        else:
            lines = [line for line, _ in chosen]
        lines.append(b"")
        self.call.write(ending.join(lines))

    def _all(self, source: Source, key: Key | None) -> None:
        """Print all lines of groups of several; with -u all but the last."""
        ending = self.ending
        previous: bytes | None = None
        last, matches = b"", 0  # the line before, and how many of its group were like the one before them
        delimited = self.delimit == "prepend"
        out: list[bytes] = []
        for runs in self._runs(source, key):
            for run, lines in runs:
                if run != previous:
                    if matches:
                        if self.repeated:
                            out.append(last)
                        delimited = delimited or self.delimit == "separate"
                    previous, last, matches = run, lines[0], 0
                    del lines[0]
                if lines:
                    if not matches and delimited:
                        out.append(b"")
                    out.append(last)
                    last = lines.pop()
                    out += lines
                    matches += len(lines) + 1
            if out:
                out.append(b"")
                self.call.write(ending.join(out))
                out.clear()
        if matches and self.repeated:
            self.call.write(last + ending)

    def _grouped(self, source: Source, key: Key | None) -> None:
        """Print all lines, with empty lines around groups."""
        ending = self.ending
        previous: bytes | None = None
        before = self.group in ("prepend", "both")
        out: list[bytes] = []
        started = False
        for runs in self._runs(source, key):
            for run, lines in runs:
                if run != previous:
                    if before or started:
                        out.append(b"")
                    previous = run
                out += lines
                started = True
            if out:
                out.append(b"")
                self.call.write(ending.join(out))
                out.clear()
        if started and self.group in ("append", "both"):
            self.call.write(ending)


COMMANDS = {"uniq": UNIQ}
