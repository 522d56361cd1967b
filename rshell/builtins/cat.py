"""cat: print files, one after the other (GNU coreutils)."""

from __future__ import annotations

import re

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

_EMPTY_LINES = re.compile(rb"\n{3,}")
_PLAIN = bytes(range(32, 127)) + b"\t\n"


def _visible(byte: int) -> str:
    if byte >= 128:
        return "M-" + _visible(byte - 128)
    if byte < 32:
        return "^" + chr(byte + 64)
    return "^?" if byte == 127 else chr(byte)


# Keys are the code points of Latin-1, so that str.translate can make several bytes of one.
_SHOWN = {byte: _visible(byte) for byte in range(256) if byte not in _PLAIN}


class _Writer:
    """Changes blocks on their way out; it goes on from block to block, and from file to file.

    newlines: how many line ends the text so far ends in, 2 at most; nothing counts as one.
    """

    def __init__(self, options: frozenset[str]) -> None:
        self.show = "v" in options
        self.tabs = "T" in options
        self.ends = "E" in options
        self.squeeze = "s" in options
        self.number = "n" in options
        self.nonblank = "b" in options
        self.line = 0
        self.newlines = 1
        self.held = b""  # a carriage return that may be the first half of a line end

    def finish(self) -> bytes:
        """What was held back."""
        held, self.held = self.held, b""
        self.ends = False  # no line end comes any more
        return self.change(held)

    def change(self, block: bytes) -> bytes:
        """The block as it is to be printed."""
        if self.ends and not self.show:
            block = self.held + block
            self.held = b""
            if block.endswith(b"\r"):
                block, self.held = block[:-1], b"\r"
        if self.squeeze:
            block = self.squeezed(block)
        if not block:
            return block
        started = self.newlines > 0
        tail = len(block) - len(block.rstrip(b"\n"))
        self.newlines = min(2, tail if tail < len(block) else tail + self.newlines)
        if self.show and block.translate(None, _PLAIN):
            block = block.decode("latin-1").translate(_SHOWN).encode("latin-1")
        if self.tabs:
            block = block.replace(b"\t", b"^I")
        if self.ends and not self.show:
            block = block.replace(b"\r\n", b"^M\n")
        end = b"$\n" if self.ends else b"\n"
        if self.number or self.nonblank:
            return self.numbered(block, started, end)
        return block.replace(b"\n", end) if self.ends else block

    def squeezed(self, block: bytes) -> bytes:
        before = b"\n" * self.newlines
        return _EMPTY_LINES.sub(b"\n\n", before + block)[self.newlines :]

    def numbered(self, block: bytes, started: bool, end: bytes) -> bytes:
        lines = block.split(b"\n")
        last = lines.pop()
        first = 0 if started else 1
        line = self.line
        if self.nonblank:
            for at in range(first, len(lines)):
                if lines[at]:
                    line += 1
                    lines[at] = b"%6d\t%b" % (line, lines[at])
        else:
            lines[first:] = [b"%6d\t%b" % numbered for numbered in enumerate(lines[first:], line + 1)]
            line += max(0, len(lines) - first)
        if last and (started or lines):
            line += 1
            last = b"%6d\t%b" % (line, last)
        self.line = line
        lines.append(last)
        return end.join(lines)


def _wanted(call: Invocation) -> frozenset[str]:
    """The options as single letters, the combined ones taken apart."""
    names = {
        "show-all": "vET",
        "e": "vE",
        "t": "vT",
        "show-nonprinting": "v",
        "show-ends": "E",
        "show-tabs": "T",
        "squeeze-blank": "s",
        "number": "n",
        "number-nonblank": "b",
    }
    return frozenset("".join(names.get(key, "") for key, _ in call.options.given))


@CAT.main
def cat(call: Invocation) -> None:
    write = call.stdout.write
    options = _wanted(call)
    if not options:
        for given in call.inputs():
            for block in given.source.blocks():
                write(block)
        return
    writer = _Writer(options)
    for given in call.inputs():
        for block in given.source.blocks():
            if changed := writer.change(block):
                write(changed)
    if last := writer.finish():
        write(last)


COMMANDS = {"cat": CAT}
