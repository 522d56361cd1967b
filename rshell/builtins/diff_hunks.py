"""The output formats of diff: normal, unified, context (POSIX XCU diff, GNU diffutils)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rshell.builtins.diff_compare import Change

_NO_NEWLINE = b"\n\\ No newline at end of file\n"


class Text:
    """The lines of one file, without their ends. complete: the last one had an end."""

    __slots__ = ("complete", "lines")

    def __init__(self, data: bytes) -> None:
        self.lines = data.split(b"\n")
        self.complete = self.lines[-1] == b""
        if self.complete:
            self.lines.pop()

    def marked(self) -> list[bytes]:
        """The lines for comparing: a last one without an end is another line than one with."""
        return self.lines if self.complete else [*self.lines[:-1], self.lines[-1] + b"\n"]

    def shown(self, start: int, stop: int, mark: bytes) -> bytes:
        """Lines as they are printed, mark before each."""
        if start >= stop:
            return b""
        text = mark + (b"\n" + mark).join(self.lines[start:stop])
        return text + (b"\n" if self.complete or stop < len(self.lines) else _NO_NEWLINE)


def _range(start: int, stop: int, separator: str = ",") -> str:
    """Line numbers as the normal and context formats have them; of no lines, the one before."""
    return str(stop) if stop <= start + 1 else f"{start + 1}{separator}{stop}"


def _unified_range(start: int, stop: int) -> str:
    if stop <= start + 1:
        return f"{stop},0" if stop <= start else f"{stop}"
    return f"{start + 1},{stop - start}"


def normal(old: Text, new: Text, changes: list[Change]) -> Iterator[bytes]:
    """Each change on its own."""
    for change in changes:
        if change.ignored:
            continue
        old_stop = change.line0 + change.deleted
        new_stop = change.line1 + change.inserted
        letter = "c" if change.deleted and change.inserted else "d" if change.deleted else "a"
        yield f"{_range(change.line0, old_stop)}{letter}{_range(change.line1, new_stop)}\n".encode()
        yield old.shown(change.line0, old_stop, b"< ")
        if letter == "c":
            yield b"---\n"
        yield new.shown(change.line1, new_stop, b"> ")


def _hunks(changes: list[Change], context: int) -> Iterator[list[Change]]:
    """Changes that share their context; hunks of nothing but ignored changes are left out."""
    hunk: list[Change] = []
    for change in changes:
        if hunk:
            last = hunk[-1]
            gap = change.line0 - (last.line0 + last.deleted)
            if gap > 2 * context:
                if not all(part.ignored for part in hunk):
                    yield hunk
                hunk = []
        hunk.append(change)
    if hunk and not all(part.ignored for part in hunk):
        yield hunk


def _bounds(hunk: list[Change], old: Text, new: Text, context: int) -> tuple[int, int, int, int]:
    """Where a hunk with its context starts and stops in both files."""
    first, last = hunk[0], hunk[-1]
    return (
        max(first.line0 - context, 0), min(last.line0 + last.deleted + context, len(old.lines)),
        max(first.line1 - context, 0), min(last.line1 + last.inserted + context, len(new.lines)),
    )  # fmt: skip


def unified(old: Text, new: Text, changes: list[Change], context: int) -> Iterator[bytes]:
    """Hunks with old and new lines one below the other."""
    for hunk in _hunks(changes, context):
        start, stop, new_start, new_stop = _bounds(hunk, old, new, context)
        yield f"@@ -{_unified_range(start, stop)} +{_unified_range(new_start, new_stop)} @@\n".encode()
        at = start
        for change in hunk:
            yield old.shown(at, change.line0, b" ")
            at = change.line0 + change.deleted
            yield old.shown(change.line0, at, b"-")
            yield new.shown(change.line1, change.line1 + change.inserted, b"+")
        yield old.shown(at, stop, b" ")


def context(old: Text, new: Text, changes: list[Change], size: int) -> Iterator[bytes]:
    """Hunks with the old lines first and then the new ones; a side without changes shows no lines."""
    for hunk in _hunks(changes, size):
        start, stop, new_start, new_stop = _bounds(hunk, old, new, size)
        yield f"***************\n*** {_range(start, stop)} ****\n".encode()
        if any(change.deleted for change in hunk):
            at = start
            for change in hunk:
                yield old.shown(at, change.line0, b"  ")
                at = change.line0 + change.deleted
                yield old.shown(change.line0, at, b"! " if change.inserted else b"- ")
            yield old.shown(at, stop, b"  ")
        yield f"--- {_range(new_start, new_stop)} ----\n".encode()
        if any(change.inserted for change in hunk):
            at = new_start
            for change in hunk:
                yield new.shown(at, change.line1, b"  ")
                at = change.line1 + change.inserted
                yield new.shown(change.line1, at, b"! " if change.deleted else b"+ ")
            yield new.shown(at, new_stop, b"  ")


def mark_ignored(changes: list[Change], old: Text, new: Text, is_blank: Callable[[bytes], bool]) -> None:
    """Mark the changes of blank lines alone."""
    for change in changes:
        lines = old.lines[change.line0 : change.line0 + change.deleted]
        lines += new.lines[change.line1 : change.line1 + change.inserted]
        change.ignored = all(map(is_blank, lines))
