"""Several files as one journal, in journalctl's order.

Two entries are ordered by sequence number if their files share a seqnum ID, else by monotonic time if
they are of the same boot, else by realtime, else by their hash. That order is not transitive, so there
is no heap: each step looks at every file's next entry, as systemd does.
"""

from __future__ import annotations

from collections.abc import Iterator

from rshell.journal.format import JournalError
from rshell.journal.query import Cursor
from rshell.journal.reader import EntryHead, JournalFile


def compare(a: EntryHead, a_seqnum_id: bytes, b: EntryHead, b_seqnum_id: bytes) -> int:
    """Negative if `a` comes before `b`, positive if after; 0 if they are the same entry."""
    if a_seqnum_id == b_seqnum_id and a.seqnum != b.seqnum:
        return -1 if a.seqnum < b.seqnum else 1
    if a.boot_id == b.boot_id and a.monotonic != b.monotonic:
        return -1 if a.monotonic < b.monotonic else 1
    if a.realtime != b.realtime:
        return -1 if a.realtime < b.realtime else 1
    return (a.xor_hash > b.xor_hash) - (a.xor_hash < b.xor_hash)


Place = tuple[EntryHead, bytes]  # an entry and its seqnum ID


def merge(
    cursors: list[Cursor], *, newest_first: bool, beyond: Place | None = None
) -> Iterator[tuple[JournalFile, EntryHead]]:
    """The entries of fresh cursors, beyond a place, duplicates once. A file that turns out damaged ends there."""
    sign = -1 if newest_first else 1
    waiting = [cursor for cursor in cursors if _step(cursor) and (beyond is None or _pass(cursor, *beyond, sign))]
    while waiting:
        best = waiting[0]
        head = best.current
        assert head is not None
        seqnum_id = best.file.header.seqnum_id
        for cursor in waiting[1:]:
            current = cursor.current
            assert current is not None
            if compare(current, cursor.file.header.seqnum_id, head, seqnum_id) * sign < 0:
                best, head, seqnum_id = cursor, current, cursor.file.header.seqnum_id
        yield best.file, head
        # What the others hold at or before this entry is a duplicate, or came too late to be in order.
        exhausted = False
        for cursor in waiting:
            alive = cursor is not best or _step(cursor)
            if alive and len(waiting) > 1:
                alive = _pass(cursor, head, seqnum_id, sign)
            exhausted = exhausted or not alive
        if exhausted:
            waiting = [cursor for cursor in waiting if cursor.current is not None]


def _pass(cursor: Cursor, head: EntryHead, seqnum_id: bytes, sign: int) -> bool:
    """Step until the entry lies beyond `head`; False at the end of the file."""
    while (current := cursor.current) is not None:
        if compare(current, cursor.file.header.seqnum_id, head, seqnum_id) * sign > 0:
            return True
        _step(cursor)
    return False


def _step(cursor: Cursor) -> bool:
    try:
        return cursor.step() is not None
    except JournalError as error:
        cursor.file.damaged(error)
        cursor.current = None
        return False
