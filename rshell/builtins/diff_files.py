"""diff's comparison of one pair of files."""

from __future__ import annotations

import errno
import re
import stat
from datetime import datetime
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins import diff_hunks
from rshell.builtins.command import Failure, encode, reason
from rshell.builtins.diff_compare import Change, compare
from rshell.builtins.diff_hunks import Text
from rshell.builtins.zone import zone_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from rshell.builtins.command import Invocation
    from rshell.sandbox import Directory, File

_TROUBLE = 2
_NANO = 1_000_000_000
_BINARY_LOOK = 4096  # a zero byte in the first so many makes a file binary
_BLANKS = b" \t\v\f\r"
_RUN = re.compile(rb"[ \t\v\f\r]+")
_KINDS = {
    stat.S_IFDIR: "directory", stat.S_IFLNK: "symbolic link", stat.S_IFIFO: "fifo", stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "character special file", stat.S_IFBLK: "block special file",
}  # fmt: skip
_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}


class Settings:
    """What the options say of the comparison of two files."""

    def __init__(
        self, *, style: str, context: int, labels: list[str], brief: bool, identical: bool, fold: bool, blanks: str,
        ignore_blank_lines: bool, strip_cr: bool, text: bool, minimal: bool,
    ) -> None:  # fmt: skip
        self.style = style
        self.context = context
        self.labels = labels
        self.brief = brief
        self.identical = identical
        self.fold = fold
        self.blanks = blanks
        self.ignore_blank_lines = ignore_blank_lines
        self.strip_cr = strip_cr
        self.text = text
        self.minimal = minimal

    @property
    def exact(self) -> bool:
        """Whether files differ as soon as their bytes do."""
        return not (self.fold or self.blanks or self.ignore_blank_lines or self.strip_cr)


class Side:
    """One side of a pair: a name to show, what stat said of it, and a way to open it.

    failure: why it could not be looked at. empty: it is missing, and taken as empty.
    """

    def __init__(self, name: str, found: os.stat_result | None, failure: OSError | None = None) -> None:
        self.name = name
        self.found = found
        self.failure = failure
        self.empty = False
        self.opens: Callable[[], File] | None = None

    @classmethod
    def at(cls, call: Invocation, path: str) -> Side:
        """The operand of that path."""
        if path == "-":
            file = call.stdin.file
            side = cls(path, None if file is None or not file.is_regular or call.stdin.pending else file.stat())
            return side
        try:
            side = cls(path, call.stat(path))
        except OSError as failure:
            return cls(path, None, failure)
        side.opens = lambda: call.open_file(path)
        return side

    @classmethod
    def of(cls, directory: Directory, name: str, shown: str) -> Side:
        """A name in a directory."""
        try:
            side = cls(shown, directory.stat(name, follow=True))
        except OSError as failure:
            return cls(shown, None, failure)
        side.opens = lambda: directory.open(name)
        return side

    @property
    def missing(self) -> bool:
        return self.failure is not None and self.failure.errno == errno.ENOENT

    @property
    def is_directory(self) -> bool:
        return self.found is not None and stat.S_ISDIR(self.found.st_mode)

    @property
    def kind(self) -> str:
        """The type of file in words."""
        if self.found is None:
            return "regular empty file" if self.empty else "regular file"
        named = _KINDS.get(stat.S_IFMT(self.found.st_mode))
        return named or ("regular file" if self.found.st_size else "regular empty file")

    def take_as_empty(self, other: Side) -> None:
        """Take a missing side as an empty one of the other's kind."""
        self.failure = None
        self.empty = True
        self.found = other.found if other.is_directory else None

    def blocks(self, call: Invocation) -> Iterator[bytes]:
        """The contents."""
        if self.empty:
            return
        if self.opens is None:
            yield from call.stdin.blocks()
            return
        file = self.opens()
        try:
            while block := file.read(limits.BLOCK):
                call.check()
                yield block
        finally:
            file.close()

    def read(self, call: Invocation) -> bytes:
        """The contents at once. Raises Failure above limits.DIFF_BYTES."""
        pieces = []
        length = 0
        for block in self.blocks(call):
            pieces.append(block)
            length += len(block)
            if length > limits.DIFF_BYTES:
                raise Failure(
                    f"{self.name}: file too large ({limits.DIFF_BYTES} bytes at most; cmp and -q have no limit)",
                    _TROUBLE,
                )
        return b"".join(pieces)


class Comparison:
    """Compares pairs of files and prints what differs."""

    def __init__(self, call: Invocation, settings: Settings) -> None:
        self.call = call
        self.settings = settings

    def run(self, left: Side, right: Side, switches: str | None = None) -> int:
        """Compare; switches, where there are any, say to name the pair before what differs.

        0: no difference, 1: some, 2: trouble (with a message).
        """
        settings = self.settings
        if self.same_file(left, right):
            return self.verdict(left, right, False)
        try:
            if settings.brief and settings.exact:
                return self.verdict(left, right, not self.same_bytes(left, right))
            one, other = left.read(self.call), right.read(self.call)
        except OSError as failure:
            return self.failed(left, right, failure)
        if one == other:
            return self.verdict(left, right, False)
        if not settings.text and (0 in one[:_BINARY_LOOK] or 0 in other[:_BINARY_LOOK]):
            if settings.brief:
                return self.verdict(left, right, True)
            self.call.print(f"Binary files {self.label(left, 0)} and {self.label(right, 1)} differ")
            return 1
        return self.lines(left, right, one, other, switches)

    def failed(self, left: Side, right: Side, failure: OSError) -> int:
        """Report a side that cannot be read: the first one that cannot."""
        for side in (left, right):
            if side.opens is None:
                continue
            try:
                side.opens().close()
            except OSError as found:
                self.call.flush()
                self.call.error(f"{side.name}: {reason(found)}", _TROUBLE)
                failure = found
        if not self.call.status:
            self.call.error(f"{left.name}: {reason(failure)}", _TROUBLE)
        return _TROUBLE

    def label(self, side: Side, at: int) -> str:
        """The name to show for a side."""
        return self.settings.labels[at] if at < len(self.settings.labels) else side.name

    def same_file(self, left: Side, right: Side) -> bool:
        one, other = left.found, right.found
        if left.name == right.name == "-":
            return True
        if one is None or other is None or left.empty or right.empty:
            return False
        return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino) and "-" not in (left.name, right.name)

    def same_bytes(self, left: Side, right: Side) -> bool:
        if left.found is not None and right.found is not None and left.opens and right.opens:
            regular = stat.S_ISREG(left.found.st_mode) and stat.S_ISREG(right.found.st_mode)
            if regular and left.found.st_size != right.found.st_size:
                return False
        held = b""
        blocks = right.blocks(self.call)
        for block in left.blocks(self.call):
            while len(held) < len(block):
                more = next(blocks, b"")
                if not more:
                    return False
                held += more
            if held[: len(block)] != block:
                return False
            held = held[len(block) :]
        return not held and not next(blocks, b"")

    def verdict(self, left: Side, right: Side, differ: bool) -> int:
        """Say in a line what -q and -s want to be said."""
        names = f"Files {self.label(left, 0)} and {self.label(right, 1)}"
        if differ:
            self.call.print(f"{names} differ")
        elif self.settings.identical:
            self.call.print(f"{names} are identical")
        return 1 if differ else 0

    def different_kinds(self, left: Side, right: Side) -> int:
        """Say that the two are not to be compared."""
        names = (self.label(left, 0), self.label(right, 1))
        self.call.print(f"File {names[0]} is a {left.kind} while file {names[1]} is a {right.kind}")
        return 1

    # Lines

    def lines(self, left: Side, right: Side, one: bytes, other: bytes, switches: str | None) -> int:
        settings = self.settings
        if settings.strip_cr:
            one, other = one.replace(b"\r\n", b"\n"), other.replace(b"\r\n", b"\n")
        old, new = Text(one), Text(other)
        for text, side in ((old, left), (new, right)):
            if len(text.lines) > limits.DIFF_LINES:
                raise Failure(f"{side.name}: too many lines ({limits.DIFF_LINES} at most)", _TROUBLE)
        changes = self.changes(one, other, old, new)
        if settings.ignore_blank_lines:
            blank = _BLANKS if settings.blanks else b""
            diff_hunks.mark_ignored(changes, old, new, (lambda line: not line.strip(blank)) if blank else _is_empty)
        differ = not all(change.ignored for change in changes)
        if settings.brief or not differ:
            return self.verdict(left, right, differ)
        write = self.call.write
        if switches is not None:
            names = (_escaped(self.label(left, 0)), _escaped(self.label(right, 1)))
            self.call.print(f"diff{switches} {names[0]} {names[1]}")
        if settings.style == "normal":
            pieces = diff_hunks.normal(old, new, changes)
        else:
            marks = ("---", "+++") if settings.style == "unified" else ("***", "---")
            for at, side in enumerate((left, right)):
                write(encode(f"{marks[at]} {self.header(side, at)}\n"))
            layout = diff_hunks.unified if settings.style == "unified" else diff_hunks.context
            pieces = layout(old, new, changes, settings.context)
        for piece in pieces:
            self.call.check()
            write(piece)
        return 1

    def changes(self, one: bytes, other: bytes, old: Text, new: Text) -> list[Change]:
        """What changed, in lines; the same lines at both ends, but for as many as the context, are not looked at."""
        raw = (old.marked(), new.marked())
        keys = (self.keys(one, raw[0]), self.keys(other, raw[1]))
        horizon = self.settings.context
        shorter = min(len(raw[0]), len(raw[1]))
        start = max(_same_start(raw[0], raw[1], shorter) - horizon, 0)
        most = shorter - start
        end = 0
        if most:
            end = max(_same_start(raw[0][: -most - 1 : -1], raw[1][: -most - 1 : -1], most) - horizon, 0)
        return compare(
            keys[0][start : len(keys[0]) - end], keys[1][start : len(keys[1]) - end], start, self.call.check,
            minimal=self.settings.minimal,
        )  # fmt: skip

    def keys(self, data: bytes, raw: list[bytes]) -> list[bytes]:
        """The lines as they are compared; raw ones when nothing is to be ignored."""
        settings = self.settings
        if not raw or not (settings.fold or settings.blanks):
            return raw
        if settings.fold:
            data = data.lower()
        if settings.blanks == "ignore-all-space":
            data = data.translate(None, _BLANKS)
        elif settings.blanks == "ignore-space-change":
            data = _RUN.sub(b" ", data).replace(b" \n", b"\n")
        keys = data.split(b"\n")
        if len(keys) > len(raw):
            keys.pop()
        if settings.blanks == "ignore-trailing-space":
            keys = [line.rstrip(_BLANKS) for line in keys]
        elif settings.blanks:
            keys[-1] = keys[-1].rstrip(_BLANKS)
        elif raw[-1].endswith(b"\n"):  # that it has no end counts only where blanks do
            keys[-1] += b"\n"
        return keys

    def header(self, side: Side, at: int) -> str:
        """What stands behind the mark in the header: a label, or name and time."""
        if at < len(self.settings.labels):
            return self.settings.labels[at]
        if side.empty:
            when = 0
        elif side.found is not None and side.name != "-":  # POSIX: the time of standard input is now
            when = side.found.st_mtime_ns
        else:
            when = round(self.call.run.now * 1_000_000) * 1000
        seconds, part = divmod(when, _NANO)
        moment = datetime.fromtimestamp(seconds, zone_of(self.call))
        return f"{_escaped(side.name)}\t{moment:%Y-%m-%d %H:%M:%S}.{part:09d} {moment:%z}"


def _is_empty(line: bytes) -> bool:
    return not line


def _same_start(old: list[bytes], new: list[bytes], most: int) -> int:
    """How many lines are the same at the start of both."""
    done = 0
    size = 64
    while done < most:
        size = min(size, most - done)
        if old[done : done + size] == new[done : done + size]:
            done += size
            size *= 2
        elif size == 1:
            break
        else:
            most = done + size - 1
            size = max(size // 2, 1)
    return done


def _escaped(name: str) -> str:
    """A name in quotes where a patch program could misread it."""
    raw = encode(name)
    if not any(byte <= 32 or byte in (34, 92) for byte in raw):
        return name
    return f'"{"".join(map(_shown, name))}"'


def _shown(letter: str) -> str:
    code = ord(letter)
    return _ESCAPES.get(code) or (f"\\{code:03o}" if code < 32 else letter)
