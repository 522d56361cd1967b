"""The on-disk format: numbers, layouts and the parsed header.

Source: https://systemd.io/JOURNAL_FILE_FORMAT/. All integers are little-endian, all objects begin at
a multiple of eight.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct


class JournalError(Exception):
    """A journal cannot be read: damaged, changed while it was read, not there, or not supported.

    Malformed bytes in a journal file lead to this exception and to no other.
    """


SIGNATURE = b"LPKSHHRH"
HEADER_MINIMUM = 208  # the oldest header ever written
HEADER_READ = 272  # the newest header that is known here
HEADER_MAXIMUM = 64 * 1024

# Incompatible flags of the header
XZ, LZ4, KEYED_HASH, ZSTD, COMPACT = 1, 2, 4, 8, 16
KNOWN_FLAGS = XZ | LZ4 | KEYED_HASH | ZSTD | COMPACT

# Header states
OFFLINE, ONLINE, ARCHIVED = 0, 1, 2

# Object types
DATA, FIELD, ENTRY, DATA_HASH_TABLE, FIELD_HASH_TABLE, ENTRY_ARRAY, TAG = 1, 2, 3, 4, 5, 6, 7

# Object flags: how a DATA payload is compressed
OBJECT_XZ, OBJECT_LZ4, OBJECT_ZSTD = 1, 2, 4
OBJECT_COMPRESSED = OBJECT_XZ | OBJECT_LZ4 | OBJECT_ZSTD

OBJECT_HEADER = Struct("<BB6xQ")  # type, flags, size
DATA_OBJECT = Struct("<BB6xQ6Q")  # … hash, next in hash chain, next of field, first entry, array; entries
DATA_PAYLOAD = 64
DATA_PAYLOAD_COMPACT = 72
ENTRY_OBJECT = Struct("<BB6xQ3Q16sQ")  # … sequence number, realtime, monotonic, boot ID, xor hash
ENTRY_ITEMS = 64
ARRAY_OBJECT = Struct("<BB6xQQ")  # … next array
ARRAY_ITEMS = 24
HASH_ITEM = 16

FIELD_NAME_MAXIMUM = 64  # systemd's own bound for a name
DATA_MAXIMUM = 768 * 1024 * 1024  # systemd's own bound for one payload, when uncompressed
ARRAYS_MAXIMUM = 1_024  # of one chain; they double in size, so that real chains have a few dozen
CHAIN_MAXIMUM = 65_536  # DATA objects in one bucket of the hash table

_HEADER = Struct("<8sIIB7x16s16s16s16s15Q")


@dataclass(frozen=True, slots=True)
class Header:
    """What the file says of itself. Sizes and offsets are bytes, times microseconds."""

    compatible_flags: int
    incompatible_flags: int
    state: int
    file_id: bytes
    machine_id: bytes
    tail_boot_id: bytes
    seqnum_id: bytes
    header_size: int
    end: int  # header and arena: no object lies beyond
    data_table: int
    data_buckets: int
    entries: int
    entry_array: int
    head_realtime: int
    tail_realtime: int

    @property
    def compact(self) -> bool:
        """Whether offsets in arrays and entries have 32 bits."""
        return bool(self.incompatible_flags & COMPACT)

    @property
    def keyed(self) -> bool:
        """Whether DATA objects are hashed with SipHash-2-4, keyed by the file ID."""
        return bool(self.incompatible_flags & KEYED_HASH)


def parse_header(raw: bytes, file_size: int) -> Header:
    """Parse and check the first bytes of a file of `file_size` bytes; raises JournalError."""
    if len(raw) < HEADER_MINIMUM:
        raise JournalError("file is too short for a journal header")
    (
        signature, compatible, incompatible, state, file_id, machine_id, boot_id, seqnum_id,
        header_size, arena_size, data_offset, data_size, _field_offset, _field_size, tail_object, _objects, entries,
        _tail_seqnum, _head_seqnum, entry_array, head_realtime, tail_realtime, _tail_monotonic,
    ) = _HEADER.unpack_from(raw)  # fmt: skip
    if signature != SIGNATURE:
        raise JournalError("not a journal file")
    if unknown := incompatible & ~KNOWN_FLAGS:
        raise JournalError(f"unknown incompatible flags {unknown:#x}")
    if state > ARCHIVED:
        raise JournalError(f"unknown state {state}")
    if not HEADER_MINIMUM <= header_size <= HEADER_MAXIMUM or header_size % 8:
        raise JournalError(f"bad header size {header_size}")
    end = header_size + arena_size
    if end > file_size:
        raise JournalError("file is shorter than its header says")
    if tail_object >= end or tail_object % 8:
        raise JournalError("tail object lies outside the file")
    if data_offset and (data_offset % 8 or data_offset < header_size + 16 or data_size < HASH_ITEM
                        or data_size % HASH_ITEM or data_offset + data_size > end):  # fmt: skip
        raise JournalError("bad DATA hash table")
    if entries > end // ENTRY_ITEMS:
        raise JournalError("impossible number of entries")
    if entry_array % 8 or entry_array >= end or (0 < entry_array < header_size):
        raise JournalError("bad offset of the entry array")
    return Header(
        compatible, incompatible, state, file_id, machine_id, boot_id, seqnum_id, header_size, end,
        data_offset, data_size // HASH_ITEM if data_offset else 0, entries, entry_array, head_realtime, tail_realtime,
    )  # fmt: skip
