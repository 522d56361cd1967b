"""zgrep: search files that gzip compressed, and plain ones, with grep (gzip's zgrep)."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from rshell.builtins.command import Command, Invocation, Option, reason
from rshell.builtins.decompress import Damaged, inflated
from rshell.builtins.grep import GREP, Grep
from rshell.builtins.grep_search import Search
from rshell.builtins.streams import Source, empty

if TYPE_CHECKING:
    from collections.abc import Iterator

_TROUBLE = 2
_SUFFIXES = (".gz", ".z", "-gz", "-z", ".Z")
_REFUSED = frozenset(
    ("-d", "-r", "-R", "-z", "-Z", "--include", "--exclude", "--exclude-from", "--exclude-dir", "--directories")
)


def _options() -> Iterator[Option]:
    for option in GREP.options:
        if "--help" in option.names:
            continue
        if _REFUSED.isdisjoint(option.names):
            yield option
        else:
            yield Option(
                *option.names, value=option.value, refused="it searches the files given, line by line", key=option.key
            )


ZGREP = Command(
    "zgrep",
    "search files that gzip compressed, and plain ones, with grep",
    "zgrep [OPTION]... PATTERNS [FILE]...",
    options=tuple(_options()),
    description="Patterns and options are grep's, but for those of directories and of lines that end in zero bytes.",
    usage_status=_TROUBLE,
    rewrite=GREP.rewrite,
    preload=GREP.preload,
)


@ZGREP.main
def zgrep(call: Invocation) -> int:
    """Search every input; the worst status counts, and one found line more than none."""
    return _ZGrep(call, "").run()


class _ZGrep(Grep):
    """grep over decompressed inputs."""

    def run(self) -> int:
        """Search every input, also behind the first line found with -q: a later input may be damaged."""
        operands = self.operands or ["-"]
        self.named = "no-filename" not in self.options and ("with-filename" in self.options or len(operands) > 1)
        listed = "l" if "files-with-matches" in self.options else "L" if "files-without-match" in self.options else ""
        if listed:
            self.settings.names = listed
            self.settings.quiet = False
        for operand in operands:
            shown = self.options.get("label")
            if shown is None or listed:
                shown = operand if operand != "-" or listed else "(standard input)"
            source = self.source(operand)
            self.search = Search(self.call, self.settings)  # each has groups of its own
            if not self.futile and self.search.run(self.decompressed(source, operand), shown, self.named):
                self.selected = True
            self.call.close(source)
        if self.trouble:
            return _TROUBLE
        return 0 if self.selected else 1

    def source(self, operand: str) -> Source:
        """The input that an operand names, with or without its suffix; nothing when it cannot be had."""
        call = self.call
        if operand == "-":
            return call.stdin
        try:
            return call.open(operand)
        except OSError as failure:
            if failure.errno == errno.ENOENT and not operand.endswith(_SUFFIXES):
                for suffix in _SUFFIXES:
                    try:
                        return call.open(operand + suffix)
                    except OSError:
                        continue
            self.complain(operand, reason(failure), warning=failure.errno == errno.EISDIR)
            return empty()

    def complain(self, operand: str, text: str, *, warning: bool) -> None:
        """Say what is wrong with an input; a warning leaves the status alone."""
        self.call.flush()
        if not warning:
            self.trouble = True
        self.call.warn(f"{'stdin' if operand == '-' else operand}: {text}")

    def decompressed(self, source: Source, operand: str) -> Source:
        """A source as it is decompressed; what is not compressed comes as it is."""
        blocks = inflated(self.call, source, "gzip", plain=True)
        held = memoryview(b"")

        def pull(size: int) -> bytes:
            nonlocal held
            if not held:
                try:
                    held = memoryview(next(blocks, b""))
                except Damaged as damage:
                    self.complain(operand, str(damage), warning=False)
                except OSError as failure:
                    self.complain(operand, reason(failure), warning=False)
            data, held = bytes(held[:size]), held[size:]
            return data

        return Source(pull)


COMMANDS = {"zgrep": ZGREP}
