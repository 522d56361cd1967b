"""One journal file: its objects, read through a descriptor and checked one by one.

Reads are preads of whole blocks, not a mapping: a file that is truncated under us gives an error,
never SIGBUS. Every offset, size and count comes from the file and is checked before it is used.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from operator import ge
from struct import Struct
from typing import NamedTuple

from rshell.journal import compression, hashes
from rshell.journal import format as layout
from rshell.journal.format import JournalError

BLOCK = 64 * 1024
BLOCKS = 160  # 10 MiB for all files of a journal
FIELDS_KEPT = 20_000  # parsed DATA objects of one file
FIELD_BYTES_KEPT = 4 * 1024 * 1024
SMALL = 2_048  # payloads up to here are kept; longer ones are read when asked for
NAME_READ = layout.FIELD_NAME_MAXIMUM + 1
WINDOW = 256  # array items decoded at once
ENTRY_ITEMS_MAXIMUM = 65_536  # fields of one entry

_NAME_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_NEXT_IN_CHAIN = Struct("<Q")


class BlockCache:
    """The blocks that were read last, of all files together, at most BLOCKS of them."""

    def __init__(self) -> None:
        self._blocks: dict[tuple[int, int], bytes] = {}

    def get(self, fd: int, number: int) -> bytes:
        """Block `number` of the file open as `fd`; shorter at the end of the file."""
        key = (fd, number)
        block = self._blocks.get(key)
        if block is None:
            try:
                block = os.pread(fd, BLOCK, number * BLOCK)
            except OSError as error:
                raise JournalError(f"cannot read: {os.strerror(error.errno or 0).lower()}") from None
            if len(self._blocks) >= BLOCKS:
                del self._blocks[next(iter(self._blocks))]
            self._blocks[key] = block
        return block

    def forget(self, fd: int) -> None:
        """Drop the blocks of one file."""
        self._blocks = {key: block for key, block in self._blocks.items() if key[0] != fd}


@dataclass(frozen=True, slots=True)
class Packed:
    """A field value that is long or compressed and is read only when somebody wants it."""

    file: JournalFile
    position: int  # of the payload in the file
    size: int  # of the payload as stored
    flags: int  # its compression
    skip: int  # length of the name and the equals sign

    def read(self, limit: int) -> bytes:
        """The first `limit` bytes of the value; raises JournalError."""
        return self.file.payload(self.position, self.size, self.flags, self.skip + limit)[self.skip :]


Value = bytes | Packed


class _Fields(dict[int, tuple[str, Value]]):
    """Offset of a DATA object → its field name and value; what is missing is parsed.

    The subclass keeps the common way (a field that many entries share) in one C call.
    """

    def __init__(self, file: JournalFile) -> None:
        super().__init__()
        self._file = file
        self._bytes = 0

    def __missing__(self, offset: int) -> tuple[str, Value]:
        field = self._file.parse_field(offset)
        if len(self) >= FIELDS_KEPT or self._bytes > FIELD_BYTES_KEPT:
            self.clear()
            self._bytes = 0
        value = field[1]
        self._bytes += len(value) if isinstance(value, bytes) else 64
        self[offset] = field
        return field


class EntryHead(NamedTuple):
    """The fixed part of an ENTRY object."""

    offset: int
    seqnum: int
    realtime: int
    monotonic: int
    boot_id: bytes
    xor_hash: int


class EntryArrays:
    """The offsets of entries, in order: those of a whole file or of one DATA object.

    A chain of arrays with, for a DATA object, one offset before it. Indexable; items are decoded by
    windows. A link or an array that cannot be right ends the chain there.
    """

    def __init__(self, file: JournalFile, first: int, array: int, count: int, check: Callable[[], None]) -> None:
        self._file = file
        self._step = 4 if file.header.compact else 8
        self._first = first
        self._arrays: list[tuple[int, int, int]] = []  # (index of its first item, items, position)
        self._window: tuple[int, ...] = ()
        self._base = 0
        start = 1 if first else 0
        previous = 0
        while array and start < count:
            check()
            try:
                if array <= previous:
                    raise JournalError("entry arrays are not in order")
                if len(self._arrays) >= layout.ARRAYS_MAXIMUM:
                    raise JournalError("too many entry arrays")
                size, following = file.array(array)
            except JournalError as error:
                file.damaged(error)
                break
            items = min((size - layout.ARRAY_ITEMS) // self._step, count - start)
            self._arrays.append((start, items, array + layout.ARRAY_ITEMS))
            start += items
            previous, array = array, following
        self.count = min(start, count)
        if self.count < count:
            file.damaged(JournalError("entry arrays hold fewer entries than are counted"))

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> int:
        place = index - self._base
        if 0 <= place < len(self._window):
            return self._window[place]
        if index == 0 and self._first:
            return self._first
        start, items, position = next(array for array in reversed(self._arrays) if array[0] <= index)
        # A window in the middle serves both directions.
        base = max(start, index - WINDOW // 2)
        length = min(items - (base - start), WINDOW)
        window = self._file.numbers(position + (base - start) * self._step, length, self._step)
        if any(map(ge, window, window[1:])):
            # What is good is found one by one.
            self._file.damaged(JournalError("entry array is not in order"))
            base, window = index, window[index - base : index - base + 1]
        self._base, self._window = base, window
        return window[index - base]


class JournalFile:
    """One open journal file. `fd` stays the caller's; `problems` gets what was skipped as damaged."""

    def __init__(self, fd: int, name: str, cache: BlockCache, machine_id: bytes | None = None) -> None:
        self.fd = fd
        self.name = name
        self.problems: dict[str, None] = {}
        self._cache = cache
        self._names: dict[bytes, str] = {}
        self.fields = _Fields(self)
        self.status = os.fstat(fd)
        self.raw_header = read_header(fd)
        self.header = layout.parse_header(self.raw_header, self.status.st_size)
        if machine_id is not None and self.header.machine_id != machine_id:
            raise JournalError("file belongs to another machine")
        self._end = self.header.end
        self._start = self.header.header_size
        self._item_step = 4 if self.header.compact else 16

    def damaged(self, error: JournalError) -> None:
        """Note that something was left out; at most a few notes are kept."""
        if len(self.problems) < 8:
            self.problems[str(error)] = None

    # Bytes

    def read(self, offset: int, size: int) -> bytes:
        """Exactly `size` bytes inside the file's stated end; raises JournalError."""
        if offset < 0 or size < 0 or offset + size > self._end:
            raise JournalError("object lies outside the file")
        number, place = divmod(offset, BLOCK)
        piece = self._cache.get(self.fd, number)[place : place + size]
        if len(piece) == size:
            return piece
        pieces = [piece]
        missing = size - len(piece)
        while missing > 0:
            if len(pieces[-1]) == 0 or (place + len(pieces[-1])) % BLOCK:
                raise JournalError("file was truncated")
            number, place = number + 1, 0
            pieces.append(self._cache.get(self.fd, number)[:missing])
            missing -= len(pieces[-1])
        return b"".join(pieces)

    def unpack(self, shape: Struct, offset: int) -> tuple[int, ...]:
        """Unpack at an offset that must lie inside the file."""
        size = shape.size
        if offset + size > self._end:
            raise JournalError("object lies outside the file")
        number, place = divmod(offset, BLOCK)
        if place + size <= BLOCK:
            try:
                return shape.unpack_from(self._cache.get(self.fd, number), place)
            except struct.error:
                raise JournalError("file was truncated") from None
        return shape.unpack(self.read(offset, size))

    def numbers(self, offset: int, count: int, step: int) -> tuple[int, ...]:
        """`count` offsets of `step` bytes each."""
        return Struct(f"<{count}{'I' if step == 4 else 'Q'}").unpack(self.read(offset, count * step))

    def _check(self, offset: int, wanted: int, kind: int, size: int, minimum: int) -> None:
        if kind != wanted:
            raise JournalError(f"object at {offset} has type {kind}, not {wanted}")
        if size < minimum or offset + size > self._end:
            raise JournalError(f"object at {offset} has a bad size")

    def _aligned(self, offset: int) -> None:
        if offset % 8 or offset < self._start:
            raise JournalError(f"bad object offset {offset}")

    # Objects

    def array(self, offset: int) -> tuple[int, int]:
        """Size and follower of the ENTRY_ARRAY at `offset`."""
        self._aligned(offset)
        kind, _flags, size, following = self.unpack(layout.ARRAY_OBJECT, offset)
        self._check(offset, layout.ENTRY_ARRAY, kind, size, layout.ARRAY_ITEMS)
        return size, following

    def entry(self, offset: int) -> EntryHead:
        """The fixed part of the ENTRY at `offset`."""
        self._aligned(offset)
        kind, _flags, size, seqnum, realtime, monotonic, boot_id, xor_hash = self.unpack(layout.ENTRY_OBJECT, offset)
        self._check(offset, layout.ENTRY, kind, size, layout.ENTRY_ITEMS)
        if not seqnum or not 0 < realtime < 1 << 55 or monotonic >= 1 << 55:
            raise JournalError(f"entry at {offset} has bad times or no number")
        return EntryHead(offset, seqnum, realtime, monotonic, boot_id, xor_hash)  # type: ignore[arg-type]

    def items(self, offset: int) -> tuple[int, ...]:
        """The offsets of the DATA objects of the ENTRY at `offset`."""
        kind, _flags, size = self.unpack(layout.OBJECT_HEADER, offset)
        self._check(offset, layout.ENTRY, kind, size, layout.ENTRY_ITEMS)
        count, rest = divmod(size - layout.ENTRY_ITEMS, self._item_step)
        if rest or count > ENTRY_ITEMS_MAXIMUM:
            raise JournalError(f"entry at {offset} has a bad size")
        if self._item_step == 4:
            return self.numbers(offset + layout.ENTRY_ITEMS, count, 4)
        return self.numbers(offset + layout.ENTRY_ITEMS, 2 * count, 8)[::2]

    def _data(self, offset: int) -> tuple[int, ...]:
        self._aligned(offset)
        parts = self.unpack(layout.DATA_OBJECT, offset)
        compact = self.header.compact
        self._check(offset, layout.DATA, parts[0], parts[2],
                    (layout.DATA_PAYLOAD_COMPACT if compact else layout.DATA_PAYLOAD) + 1)  # fmt: skip
        return parts

    def parse_field(self, offset: int) -> tuple[str, Value]:
        """Name and value of the DATA at `offset`."""
        parts = self._data(offset)
        flags, size = parts[1] & layout.OBJECT_COMPRESSED, parts[2]
        start = layout.DATA_PAYLOAD_COMPACT if self.header.compact else layout.DATA_PAYLOAD
        position, size = offset + start, size - start
        if not flags and size <= SMALL:
            name, equals, value = self.read(position, size).partition(b"=")
            known = self._names.get(name)
            if known is not None and equals:
                return known, value
            return self._name(name, equals), value
        name, equals, _ = self.payload(position, size, flags, NAME_READ).partition(b"=")
        return self._name(name, equals), Packed(self, position, size, flags, len(name) + 1)

    def _name(self, name: bytes, equals: bytes) -> str:
        if not equals or not 0 < len(name) <= layout.FIELD_NAME_MAXIMUM or not _NAME_BYTES.issuperset(name):
            raise JournalError("bad field name")
        if len(self._names) > 1_000:
            self._names.clear()
        return self._names.setdefault(name, name.decode("ascii"))

    def payload(self, position: int, size: int, flags: int, limit: int) -> bytes:
        """The first `limit` bytes of a stored payload, decompressed."""
        if not flags:
            return self.read(position, min(size, limit))
        return compression.decompress(flags, lambda at, count: self.read(position + at, count), size, limit)

    # Looking up

    def arrays(self, check: Callable[[], None]) -> EntryArrays:
        """All entries of the file."""
        return EntryArrays(self, 0, self.header.entry_array, self.header.entries, check)

    def lookup(self, payload: bytes, check: Callable[[], None]) -> EntryArrays | None:
        """The entries that have the field `NAME=value`, or None when the file has no such field."""
        header = self.header
        if not header.data_buckets:
            return None
        wanted = hashes.siphash24(header.file_id, payload) if header.keyed else hashes.jenkins64(payload)
        bucket = header.data_table + wanted % header.data_buckets * layout.HASH_ITEM
        (offset,) = self.unpack(_NEXT_IN_CHAIN, bucket)
        start = layout.DATA_PAYLOAD_COMPACT if header.compact else layout.DATA_PAYLOAD
        for _ in range(layout.CHAIN_MAXIMUM):
            if not offset:
                return None
            check()
            _kind, flags, size, found, following, _field, entry, array, count = self._data(offset)
            if found == wanted:
                flags &= layout.OBJECT_COMPRESSED
                if (flags or size - start == len(payload)) and (
                    self.payload(offset + start, size - start, flags, len(payload) + 1) == payload
                ):
                    if count > header.entries:
                        raise JournalError(f"object at {offset} counts too many entries")
                    if not count or not entry:
                        return None
                    return EntryArrays(self, entry, array, count, check)
            if following and following <= offset:
                raise JournalError("hash chain is not in order")
            offset = following
        raise JournalError("hash chain is too long")


def read_header(fd: int) -> bytes:
    """The bytes of the header that are known here, always from the file itself."""
    try:
        return os.pread(fd, layout.HEADER_READ, 0)
    except OSError as error:
        raise JournalError(f"cannot read: {os.strerror(error.errno or 0).lower()}") from None
