"""The journal of a target: its open files, queries over all of them, entries."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from types import TracebackType

from rshell import limits
from rshell.journal.files import Found, PathSource, Source, Target, target_source
from rshell.journal.format import JournalError
from rshell.journal.merge import Place, merge
from rshell.journal.query import All, Cursor, Match
from rshell.journal.reader import BlockCache, EntryHead, JournalFile, Packed, Value, read_header

CHECK_EVERY = 256  # objects between two calls of the caller's check

State = tuple[tuple[tuple[int, int, int, str], int, int, bytes], ...]


class Entry:
    """One journal entry. Its fields are read from the file when they are asked for."""

    __slots__ = ("_file", "_head", "_index")

    def __init__(self, file: JournalFile, head: EntryHead) -> None:
        self._file = file
        self._head = head
        self._index: dict[str, Value] | None = None

    @property
    def realtime(self) -> int:
        """Microseconds since 1970, UTC."""
        return self._head.realtime

    @property
    def monotonic(self) -> int:
        """Microseconds since the boot."""
        return self._head.monotonic

    @property
    def boot_id(self) -> bytes:
        """16 bytes."""
        return self._head.boot_id

    @property
    def seqnum(self) -> int:
        """The sequence number, unique within `seqnum_id`."""
        return self._head.seqnum

    @property
    def seqnum_id(self) -> bytes:
        """16 bytes."""
        return self._file.header.seqnum_id

    @property
    def place(self) -> Place:
        """What orders it among other entries."""
        return self._head, self._file.header.seqnum_id

    def get(self, name: str, limit: int = limits.JOURNAL_FIELD) -> bytes | None:
        """The first value of field `name`, cut after `limit` bytes; None when there is none."""
        index = self._index
        if index is None:
            index = self._index = self._read_index()
        value = index.get(name)
        if isinstance(value, Packed):
            try:
                return value.read(limit)
            except JournalError as error:
                self._file.damaged(error)
                return None
        return value if value is None or len(value) <= limit else value[:limit]

    def fields(self, limit: int = limits.JOURNAL_FIELD) -> Iterator[tuple[str, bytes]]:
        """All fields with their values, each cut after `limit` bytes; damaged ones are left out."""
        for offset in self._items():
            try:
                name, value = self._file.fields[offset]
                if isinstance(value, Packed):
                    value = value.read(limit)
            except JournalError as error:
                self._file.damaged(error)
                continue
            yield name, value[:limit]

    def _items(self) -> tuple[int, ...]:
        if self._file.fd < 0:
            raise JournalError("journal is closed")
        try:
            return self._file.items(self._head.offset)
        except JournalError as error:
            self._file.damaged(error)
            return ()

    def _read_index(self) -> dict[str, Value]:
        items = self._items()[::-1]  # so that the first of several values stays
        fields = self._file.fields
        try:
            return dict(map(fields.__getitem__, items))
        except JournalError:
            index: dict[str, Value] = {}
            for offset in items:
                try:
                    name, value = fields[offset]
                except JournalError as error:
                    self._file.damaged(error)
                else:
                    index[name] = value
            return index


class Journal:
    """An open journal. Use it in a `with` block, or call `close`. For one caller at a time."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._cache = BlockCache()
        self._open: dict[tuple[int, int, int, str], JournalFile] = {}
        self._refused: dict[str, None] = {}
        self._closed = False

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all descriptors; entries of this journal cannot be read any more."""
        self._closed = True
        for file in list(self._open.values()):
            self._drop(file)
        self._open.clear()
        self._source.close()

    @property
    def problems(self) -> list[str]:
        """What queries had to leave out so far, as `FILE: REASON`."""
        notes = list(self._refused)
        for file in self._open.values():
            notes += [f"{os.path.basename(file.name)}: {problem}" for problem in file.problems]
        return notes

    def query(
        self,
        match: Match | None = None,
        *,
        since: int | None = None,
        until: int | None = None,
        newest_first: bool = False,
        limit: int | None = None,
        last: bool = False,
        where: Callable[[Entry], bool] | None = None,
        check: Callable[[], None] | None = None,
    ) -> Iterator[Entry]:
        """Yield matching entries, oldest or newest first, at most `limit`.

        With `last`, the `limit` newest ones are yielded, oldest first: as journalctl's `-n`, which steps back
        from the end and prints forward from there (after clock steps, several files have two orders).
        `since` and `until` are microseconds since 1970, both included; `where` is a further condition,
        asked of each entry that matches; `check` is called every few hundred objects and may raise.

        With a limit the entries are chosen before the first is yielded, and the choice is made anew, once,
        when files changed meanwhile. Without one they are yielded as they are found. JournalError: no file
        is readable, files changed again, or files were replaced or shortened while entries were read.
        """
        match = All(()) if match is None else match
        counted = _Counted(check)
        for _ in range(2):
            before = self._refresh()
            found = self._search(match, since, until, newest_first or (last and limit is not None), where, counted)
            if limit is None:
                yield from found
                self._still_there()
                return
            chosen = list(islice(found, max(limit, 0)))
            if last:
                chosen.reverse()
                if where is None and since is None and until is None:
                    chosen = self._forward(match, chosen, counted)
            if self._state() == before:
                break
        else:
            raise JournalError("journal files changed while they were read")
        yield from chosen
        self._still_there()

    def _search(
        self,
        match: Match,
        since: int | None,
        until: int | None,
        newest_first: bool,
        where: Callable[[Entry], bool] | None,
        check: Callable[[], None],
    ) -> Iterator[Entry]:
        cursors = []
        for file in self._open.values():
            try:
                cursors.append(Cursor(file, match, newest_first=newest_first, since=since, until=until, check=check))
            except JournalError as error:
                file.damaged(error)
        for file, head in merge(cursors, newest_first=newest_first):
            # As journalctl: the first entry beyond the other bound ends the output.
            if newest_first:
                if since is not None and head.realtime < since:
                    return
            elif until is not None and head.realtime > until:
                return
            entry = Entry(file, head)
            if where is None or where(entry):
                yield entry

    def _forward(self, match: Match, chosen: list[Entry], check: Callable[[], None]) -> list[Entry]:
        """As many entries, walked forward from the first."""
        if len(self._open) < 2 or len(chosen) < 2:
            return chosen
        first = chosen[0].place
        cursors = []
        for file in self._open.values():
            try:
                cursors.append(
                    Cursor(file, match, newest_first=False, since=None, until=None, check=check, beyond=first)
                )
            except JournalError as error:
                file.damaged(error)
        rest = merge(cursors, newest_first=False, beyond=first)
        return [chosen[0], *(Entry(file, head) for file, head in islice(rest, len(chosen) - 1))]

    def newest_boot(self, check: Callable[[], None] | None = None) -> bytes | None:
        """The boot ID (16 bytes) of the newest entry; None when there are no entries."""
        for entry in self.query(newest_first=True, limit=1, check=check):
            return entry.boot_id
        return None

    def disk_usage(self) -> int:
        """Allocated bytes of all journal files, active and archived."""
        return sum(found.allocated for found in self._scan())

    def _scan(self) -> list[Found]:
        if self._closed:
            raise JournalError("journal is closed")
        return self._source.scan()

    def _drop(self, file: JournalFile) -> None:
        self._cache.forget(file.fd)
        os.close(file.fd)
        file.fd = -1

    def _refresh(self) -> State:
        """Open what is new, reopen what has changed, close what is gone."""
        listed = self._scan()
        kept: dict[tuple[int, int, int, str], JournalFile] = {}
        old, self._open = self._open, kept
        self._refused.clear()
        state = []
        try:
            for found in listed:
                header = b""
                file = old.get(found.identity)
                try:
                    if file is not None and _unchanged(file, found):
                        del old[found.identity]
                        file.problems.clear()
                    else:
                        file = self._open_file(found)
                    header = file.raw_header
                    kept[found.identity] = file
                except JournalError as error:
                    self._refused[f"{os.path.basename(found.name)}: {error}"] = None
                state.append((found.identity, found.size, found.modified, header))
        finally:
            for file in old.values():
                self._drop(file)
        if listed and not kept:
            raise JournalError(next(iter(self._refused)))
        return tuple(state)

    def _open_file(self, found: Found) -> JournalFile:
        fd = self._source.open(found)
        try:
            return JournalFile(fd, found.name, self._cache, self._source.machine_id)
        except BaseException:
            self._cache.forget(fd)
            os.close(fd)
            raise

    def _state(self) -> State:
        state = []
        for found in self._scan():
            file = self._open.get(found.identity)
            header = b"" if file is None else read_header(file.fd)
            state.append((found.identity, found.size, found.modified, header))
        return tuple(state)

    def _still_there(self) -> None:
        """Entries that were written are not changed again: after the choice only a file cut short does harm."""
        for file in self._open.values():
            now, then = read_header(file.fd), file.raw_header
            # signature; file and machine ID; seqnum ID
            same = all(now[part] == then[part] for part in (slice(8), slice(24, 56), slice(72, 88)))
            if not same or os.fstat(file.fd).st_size < file.header.end:
                raise JournalError("journal files changed while they were read")


def _unchanged(file: JournalFile, found: Found) -> bool:
    status = file.status
    return (status.st_size, status.st_mtime_ns, file.raw_header) == (found.size, found.modified, read_header(file.fd))


class _Counted:
    """Calls the caller's check every CHECK_EVERY times it is called."""

    def __init__(self, check: Callable[[], None] | None) -> None:
        self._check = check
        self._count = 0

    def __call__(self) -> None:
        self._count += 1
        if self._count % CHECK_EVERY == 0 and self._check is not None:
            self._check()


def open_target(target: Target | None = None) -> Journal:
    """The journal of a target; without one, or with one that names nothing, of this host.

    JournalError names the path that is missing or wrong.
    """
    return Journal(target_source(target))


def open_files(paths: Sequence[str]) -> Journal:
    """A journal of the named files, whatever machine they come from. The paths may not be links."""
    return Journal(PathSource(paths))
