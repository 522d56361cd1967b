"""What to look for: terms joined by and, or; and a file's entries that fulfil them, in order.

As in systemd, a term is looked up in the DATA hash table, and expressions are walked by offsets in the
file, which grow with the sequence number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from rshell.journal.format import JournalError
from rshell.journal.reader import EntryArrays, EntryHead, JournalFile

COREDUMP_MESSAGE = b"fc2e22bc6ee647b6b90729ab34a250b1"


@dataclass(frozen=True, slots=True)
class Term:
    """Entries with a field `NAME=value`."""

    payload: bytes


@dataclass(frozen=True, slots=True)
class All:
    """Entries that fulfil every part. Without parts: all entries."""

    parts: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Entries that fulfil at least one part. Without parts: none."""

    parts: tuple[Match, ...]


Match = Term | All | AnyOf


def term(name: str, value: str | bytes) -> Term:
    """The term `name=value`."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogateescape")
    return Term(name.encode("ascii") + b"=" + value)


def unit_matches(unit: str) -> Match:
    """journalctl's `-u unit`: the unit's messages and what trusted senders say of it."""
    root = term("_UID", "0")
    parts: list[Match] = [
        term("_SYSTEMD_UNIT", unit),
        All((Term(b"MESSAGE_ID=" + COREDUMP_MESSAGE), root, term("COREDUMP_UNIT", unit))),
        All((term("_PID", "1"), term("UNIT", unit))),
        All((root, term("OBJECT_SYSTEMD_UNIT", unit))),
    ]
    if unit.endswith(".slice"):
        parts.append(term("_SYSTEMD_SLICE", unit))
    return AnyOf(tuple(parts))


class Walk(Protocol):
    """Offsets of entries in one file. Offset None: there is none."""

    def at_or_after(self, offset: int) -> int | None:
        """The first offset that is not below `offset`."""

    def at_or_before(self, offset: int) -> int | None:
        """The last offset that is not above `offset`."""


class _Never:
    def at_or_after(self, offset: int) -> int | None:
        return None

    at_or_before = at_or_after


class _Listed:
    """The entries of arrays. Steps to a neighbour cost next to nothing."""

    def __init__(self, arrays: EntryArrays) -> None:
        self._arrays = arrays
        self._index = -1  # the item found last

    def at_or_after(self, offset: int) -> int | None:
        if self._index < 0:
            self._index = 0
        index = self._first_not_below(offset)
        if index >= len(self._arrays):
            return None
        self._index = index
        return self._sound(self._arrays[index] >= offset, index)

    def at_or_before(self, offset: int) -> int | None:
        if self._index < 0:
            self._index = len(self._arrays)
        index = self._first_not_below(offset + 1) - 1
        if index < 0:
            return None
        self._index = index
        return self._sound(self._arrays[index] <= offset, index)

    def _sound(self, in_order: bool, index: int) -> int:
        # In a damaged array the search can end anywhere; a step must never lead backwards.
        if not in_order:
            raise JournalError("entry array is not in order")
        return self._arrays[index]

    def _first_not_below(self, offset: int) -> int:
        """The index of the first item that is not below; looked for around the last one, ever further away."""
        arrays, count = self._arrays, len(self._arrays)
        low = high = self._index
        step = 1
        if low < count and arrays[low] < offset:
            low = high = low + 1
            while high < count and arrays[high] < offset:
                low = high + 1
                high += step
                step *= 2
            high = min(high, count)
        else:
            while low > 0 and arrays[low - 1] >= offset:
                high = low - 1
                low = max(0, high - step)
                step *= 2
        while low < high:
            middle = (low + high) // 2
            if arrays[middle] < offset:
                low = middle + 1
            else:
                high = middle
        return low


class _Both:
    def __init__(self, parts: list[Walk]) -> None:
        self._parts = parts

    def at_or_after(self, offset: int) -> int | None:
        agreed = 0
        while agreed < len(self._parts):
            agreed = 0
            for part in self._parts:
                found = part.at_or_after(offset)
                if found is None:
                    return None
                if found == offset:
                    agreed += 1
                offset = found
        return offset

    def at_or_before(self, offset: int) -> int | None:
        agreed = 0
        while agreed < len(self._parts):
            agreed = 0
            for part in self._parts:
                found = part.at_or_before(offset)
                if found is None:
                    return None
                if found == offset:
                    agreed += 1
                offset = found
        return offset


class _Either:
    """Each part's answer is kept: it stays right until the walk has passed it."""

    def __init__(self, parts: list[Walk]) -> None:
        self._parts = parts
        self._up: list[tuple[int, int | None] | None] = [None] * len(parts)
        self._down: list[tuple[int, int | None] | None] = [None] * len(parts)

    def at_or_after(self, offset: int) -> int | None:
        best: int | None = None
        for number, part in enumerate(self._parts):
            kept = self._up[number]
            if kept is None or offset < kept[0] or (kept[1] is not None and kept[1] < offset):
                kept = self._up[number] = (offset, part.at_or_after(offset))
            if kept[1] is not None and (best is None or kept[1] < best):
                best = kept[1]
        return best

    def at_or_before(self, offset: int) -> int | None:
        best: int | None = None
        for number, part in enumerate(self._parts):
            kept = self._down[number]
            if kept is None or offset > kept[0] or (kept[1] is not None and kept[1] > offset):
                kept = self._down[number] = (offset, part.at_or_before(offset))
            if kept[1] is not None and (best is None or kept[1] > best):
                best = kept[1]
        return best


def walk(file: JournalFile, match: Match, check: Callable[[], None]) -> Walk:
    """Prepare a match for one file; raises JournalError."""
    if isinstance(match, Term):
        arrays = file.lookup(match.payload, check)
        return _Never() if arrays is None else _Listed(arrays)
    parts: list[Walk] = []
    for part in match.parts:
        found = walk(file, part, check)
        if isinstance(found, _Never):
            if isinstance(match, All):
                return found
        else:
            parts.append(found)
    if isinstance(match, All):
        return _Both(parts) if parts else _Listed(file.arrays(check))
    return _Either(parts) if parts else _Never()


class Cursor:
    """One file's matching entries, one after the other, each looked at once.

    `newest_first` gives the direction; with `since` and `until` (microseconds, both included) the start
    is found by bisection. `beyond`, an entry and its seqnum ID, starts it there, oldest first.
    """

    def __init__(
        self,
        file: JournalFile,
        match: Match,
        *,
        newest_first: bool,
        since: int | None,
        until: int | None,
        check: Callable[[], None],
        beyond: tuple[EntryHead, bytes] | None = None,
    ) -> None:
        self.file = file
        self.current: EntryHead | None = None
        self._down = newest_first
        self._check = check
        self._walk = walk(file, match, check)
        self._next: int | None = file.header.end if newest_first else 0
        if newest_first and until is not None:
            self._next = self._boundary(lambda head: head.realtime <= until, below=True)
        elif beyond is not None:
            self._next = self._seek(*beyond)
        elif not newest_first and since is not None:
            self._next = self._boundary(lambda head: head.realtime < since, below=False)

    def _seek(self, place: EntryHead, seqnum_id: bytes) -> int | None:
        """Where an entry of any file stands in this one: by number, else by its boot's time, else by realtime."""
        if seqnum_id == self.file.header.seqnum_id:
            return self._boundary(lambda head: head.seqnum < place.seqnum, below=False)
        boot = self.file.lookup(b"_BOOT_ID=" + place.boot_id.hex().encode("ascii"), self._check)
        if boot is not None:
            return self._boundary(lambda head: head.monotonic < place.monotonic, below=False, arrays=boot)
        return self._boundary(lambda head: head.realtime < place.realtime, below=False)

    def _boundary(
        self, is_early: Callable[[EntryHead], bool], *, below: bool, arrays: EntryArrays | None = None
    ) -> int | None:
        """The first of the file's entries that is not early, or (`below`) the last one that is."""
        if arrays is None:
            arrays = self.file.arrays(self._check)
        low, high = 0, len(arrays)
        while low < high:
            self._check()
            middle = (low + high) // 2
            try:
                early = is_early(self.file.entry(arrays[middle]))
            except JournalError as error:
                self.file.damaged(error)
                early = False
            if early:
                low = middle + 1
            else:
                high = middle
        if below:
            return arrays[low - 1] if low else None
        return arrays[low] if low < len(arrays) else None

    def step(self) -> EntryHead | None:
        """Go to the next entry; None at the end. Damaged entries are skipped and noted."""
        while self._next is not None:
            self._check()
            found = self._walk.at_or_before(self._next) if self._down else self._walk.at_or_after(self._next)
            if found is None:
                break
            self._next = found - 1 if self._down else found + 1
            try:
                self.current = self.file.entry(found)
            except JournalError as error:
                self.file.damaged(error)
                continue
            return self.current
        self._next = None
        self.current = None
        return None
