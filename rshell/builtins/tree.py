"""tree: show directories as a tree (Steve Baker's tree 2.1)."""

from __future__ import annotations

import re
import stat
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Failure, Invocation, Option, encode
from rshell.builtins.descent import Descent
from rshell.builtins.width import width

if TYPE_CHECKING:
    from rshell.sandbox import Directory

TREE = Command(
    "tree",
    "show directories as a tree",
    "tree [-adf] [-L LEVEL] [DIRECTORY]...",
    options=(
        Option("-a", key="all", help="show names that start with . too"),
        Option("-d", key="directories", help="show directories only"),
        Option("-f", key="full", help="show the path of each file"),
        Option("-L", key="level", value="LEVEL", help="go down LEVEL levels only"),
        Option("--noreport", help="leave out the line of counts"),
    ),
)

_BRANCH = ("├── ", "└── ")
_INDENT = ("│\u00a0\u00a0 ", "    ")
# how the bytes of a name that is no text are shown
_BYTES = [chr(byte) if 32 < byte < 127 and byte != 92 else f"\\{byte:03o}" for byte in range(256)]
_BYTES[7:14] = [f"\\{letter}" for letter in "abtnvfr"]
_BYTES[32], _BYTES[92] = "\\ ", "\\\\"
_ERROR = b"  [error opening dir]\n"
_LEVEL = re.compile(r"[ \t]*\+?0*([0-9]{1,9})")


class _Level:
    """A directory whose entries are being shown: names with kinds, and how their lines begin."""

    __slots__ = ("at", "entries", "indent", "path")

    def __init__(self, path: str, indent: str, entries: list[tuple[str, str]]) -> None:
        self.path = path
        self.indent = indent
        self.entries = entries
        self.at = 0


class _Tree:
    def __init__(self, call: Invocation) -> None:
        options = call.options
        self.call = call
        self.all = "all" in options
        self.directories = "directories" in options
        self.full = "full" in options
        self.levels = _levels(options.get("level"))
        self.counts = [0, 0]  # directories, files
        self.stack: list[_Level] = []

    def operand(self, path: str) -> None:
        """Show the tree of one operand."""
        call = self.call
        if self.full:
            path = path.rstrip("/") or path[:1]
        shown = encode(visible(path))
        try:
            handle = call.run.sandbox.directory(call.absolute(path) if path else "")
            entries = self.read(handle)
        except OSError:
            call.write(shown + _ERROR)
            try:
                call.stat(path, follow=False)
                self.counts[1] += 1
            except OSError:
                call.status = 2
            return
        call.write(shown + b"\n")
        with Descent(call) as descent:
            descent.enter(path, handle)
            if entries:
                self.counts[0] += 1
            self.stack.append(_Level(path, "", entries))
            while self.stack:
                level = self.stack[-1]
                if level.at == len(level.entries):
                    self.stack.pop()
                    descent.leave()
                    continue
                name, kind = level.entries[level.at]
                level.at += 1
                self.entry(descent, level, name, kind)

    def read(self, handle: Directory) -> list[tuple[str, str]]:
        """The names in a directory that are shown, sorted by bytes, with their kinds; D is a link to a directory."""
        found = []
        for entry in handle.entries(limits.LS_ENTRIES):
            name, kind = entry.name, entry.kind
            if name[0] == "." and not self.all:
                continue
            if kind == "l":
                try:
                    if stat.S_ISDIR(handle.stat(name).st_mode):
                        kind = "D"
                except OSError:
                    pass
            if not self.directories or kind in "dD":
                found.append((name, kind))
        found.sort(key=lambda item: encode(item[0]))
        self.call.check()
        return found

    def entry(self, descent: Descent, level: _Level, name: str, kind: str) -> None:
        """Show one line, and go into a directory."""
        call = self.call
        last = level.at == len(level.entries)
        path = f"{level.path}{'' if level.path.endswith('/') else '/'}{name}"
        line = level.indent + _BRANCH[last] + visible(path if self.full else name)
        self.counts[kind not in "dD"] += 1
        if kind in "lD":
            try:
                line += " -> " + visible(call.run.sandbox.readlink(call.absolute(path)))
            except OSError:
                pass
        call.write(encode(line))
        if kind != "d" or (self.levels and len(self.stack) >= self.levels):
            call.write(b"\n")
            return
        if len(self.stack) >= limits.LS_DEPTH:
            call.write(b"\n")
            call.error(f"{path}: directory nesting too deep ({limits.LS_DEPTH} levels at most)")
            return
        try:
            handle = descent.below(name)
            entries = self.read(handle)
        except OSError:
            call.write(_ERROR)
            call.status = 2
            return
        call.write(b"\n")
        descent.enter(path, handle)
        self.stack.append(_Level(path, level.indent + _INDENT[last], entries))


def visible(name: str) -> str:
    """A name with what does not print in octal; where it is no text, every byte for itself."""
    if name.isascii() and name.isprintable():
        return name
    if any("\ud800" <= letter <= "\udfff" for letter in name):
        return "".join([_BYTES[byte] for byte in encode(name)])
    return "".join([letter if width(letter) >= 0 else f"\\{ord(letter):03o}" for letter in name])


def _levels(text: str | None) -> int:
    if text is None:
        return 0
    match = _LEVEL.match(text)
    levels = int(match[1]) if match else 0  # text: ours
    if not levels:
        raise Failure("Invalid level, must be greater than 0.")
    return levels


def _counted(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


@TREE.main
def tree(call: Invocation) -> int:
    shown = _Tree(call)
    for path in call.operands or ["."]:
        shown.operand(path)
    if "noreport" not in call.options:
        report = _counted(shown.counts[0], "directory", "directories")
        if not shown.directories:
            report += ", " + _counted(shown.counts[1], "file", "files")
        call.print("\n" + report)
    return call.status


COMMANDS = {"tree": TREE}
