"""nl: number the lines of files (GNU coreutils)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, encode
from rshell.builtins.quoting import quote
from rshell.builtins.regex import PatternError, compile_pattern
from rshell.builtins.text import OutOfRange, number

if TYPE_CHECKING:
    from rshell.builtins.regex import Pattern

NL = Command(
    "nl",
    "number the lines of files",
    "nl [OPTION]... [FILE]...",
    options=(
        Option("-b", "--body-numbering", value="STYLE", help="which body lines are numbered, t if not given"),
        Option("-d", "--section-delimiter", value="CC", help="the characters of section delimiters, \\: if not given"),
        Option("-f", "--footer-numbering", value="STYLE", help="which footer lines are numbered"),
        Option("-h", "--header-numbering", value="STYLE", help="which header lines are numbered"),
        Option("-i", "--line-increment", value="N", help="add N for each line"),
        Option("-l", "--join-blank-lines", value="N", help="count N empty lines as one"),
        Option("-n", "--number-format", value="FORMAT", help="ln left, rn right (default), rz right with zeros"),
        Option("-p", "--no-renumber", help="go on counting at a new page"),
        Option("-s", "--number-separator", value="STRING", help="STRING stands after the number, not TAB"),
        Option("-v", "--starting-line-number", value="N", help="the first number"),
        Option("-w", "--number-width", value="N", help="use N columns for the number, 6 if not given"),
    ),
    description="STYLE is a for all lines, t for lines that are not empty, n for none, pBRE for lines that match.",
)

_FORMATS = {"ln": b"%-*d", "rn": b"%*d", "rz": b"%0*d"}
_HIGHEST = 2**63 - 1
_WIDEST = 10_000  # columns of a number


def _integer(text: str, least: int, most: int, what: str) -> int:
    try:
        value = number(text)
    except OutOfRange:
        value = None
    if value is None:
        raise Failure(f"invalid {what}: {quote(text)}")
    if not least <= value <= most:
        raise Failure(f"invalid {what}: {quote(text)}: numerical result out of range")
    return value


class _Style:
    """Which lines of a section are numbered."""

    def __init__(self, call: Invocation, text: str, section: str) -> None:
        self.kind = text[:1]
        self.pattern: Pattern | None = None
        if self.kind == "p":
            try:
                self.pattern = compile_pattern(encode(text[1:]), syntax="bre", guard=call.run)
            except PatternError as failure:
                raise Failure(str(failure)) from None
        elif text not in ("a", "t", "n"):
            raise UsageError(f"invalid {section} numbering style: {quote(text)}")


class _Numbering:
    """The state that goes from line to line, and from file to file."""

    def __init__(self, call: Invocation) -> None:
        self.call = call
        text = {"header": "n", "body": "t", "footer": "n"}
        self.first = self.step = self.join = 1
        self.format, self.width, self.separator = _FORMATS["rn"], 6, b"\t"
        self.renumber = "no-renumber" not in call.options
        mark = b"\\:"
        for name, value in call.options.given:
            if value is None:
                continue
            if name.endswith("-numbering"):
                section = name.partition("-")[0]
                _Style(call, value, section)
                text[section] = value
            elif name == "section-delimiter":
                given = encode(value)
                mark = given + b":" if len(given) == 1 else given
            elif name == "number-format":
                if value not in _FORMATS:
                    raise UsageError(f"invalid line numbering format: {quote(value)}")
                self.format = _FORMATS[value]
            elif name == "number-separator":
                self.separator = encode(value)
            elif name == "line-increment":
                self.step = _integer(value, -_HIGHEST - 1, _HIGHEST, "line number increment")
            elif name == "starting-line-number":
                self.first = _integer(value, -_HIGHEST - 1, _HIGHEST, "starting line number")
            elif name == "join-blank-lines":
                self.join = _integer(value, 1, _HIGHEST, "line number of blank lines")
            elif name == "number-width":
                self.width = _integer(value, 1, 2**31 - 1, "line number field width")
                if self.width > _WIDEST:
                    raise Failure(f"line number field too wide ({_WIDEST} columns at most)")
        self.styles = {section: _Style(call, style, section) for section, style in text.items()}
        self.style = self.styles["body"]
        self.sections = {mark * 3: "header", mark * 2: "body", mark: "footer"} if len(mark) > 1 else {}
        self.mark = mark
        self.number = self.first
        self.empty = 0  # empty lines since the last one that counted
        self.blank = b" " * (self.width + len(self.separator))

    def print(self, block: bytes) -> None:
        """Number a block of whole lines."""
        lines = block.split(b"\n")
        if not lines[-1]:
            lines.pop()
        if not (self.sections and self.mark in block):
            self._number(lines)
            return
        start = 0
        for at, line in enumerate(lines):
            section = self.sections.get(line)
            if section is not None:
                self._number(lines[start:at])
                start = at + 1
                self.call.write(b"\n")
                self.style = self.styles[section]
                if self.renumber:  # at every section, as GNU does
                    self.number = self.first
        self._number(lines[start:])

    def _number(self, lines: list[bytes]) -> None:
        if not lines:
            return
        kind, pattern, blank = self.style.kind, self.style.pattern, self.blank
        if kind == "n":
            out = [blank + line for line in lines]
        elif pattern is not None:
            out = [self._next(line) if pattern.search(line) is not None else blank + line for line in lines]
        elif kind == "a" and self.join > 1:
            out = [self._joined(line) for line in lines]
        elif kind == "a" or b"" not in lines:
            out = self._all(lines)
        else:
            numbered = iter(self._all([line for line in lines if line]))
            out = [next(numbered) if line else blank for line in lines]
        out.append(b"")
        self.call.write(b"\n".join(out))

    def _all(self, lines: list[bytes]) -> list[bytes]:
        """Every line with its number."""
        end = self.number + self.step * len(lines)
        if not -_HIGHEST - 1 <= end - self.step <= _HIGHEST:
            raise Failure("line number overflow")
        template = self.format.replace(b"*", b"%d" % self.width) + self.separator.replace(b"%", b"%%") + b"%b"
        numbers = range(self.number, end, self.step) if self.step else [self.number] * len(lines)
        self.number = end
        return [template % pair for pair in zip(numbers, lines, strict=True)]

    def _next(self, line: bytes) -> bytes:
        return self._all([line])[0]

    def _joined(self, line: bytes) -> bytes:
        if not line:
            self.empty += 1
            if self.empty < self.join:
                return self.blank
        self.empty = 0
        return self._next(line)


@NL.main
def nl(call: Invocation) -> int:
    numbering = _Numbering(call)
    for given in call.inputs():
        for block in given.source.line_blocks():
            numbering.print(block)
    return call.status


COMMANDS = {"nl": NL}
