"""What the kernel knows of a file and Python's os module does not ask: its birth, and its file system's type."""

from __future__ import annotations

import os
import sys
from typing import Any, NamedTuple

_NANO = 1_000_000_000
_AT_EMPTY_PATH = 0x1000
_AT_SYMLINK_NOFOLLOW = 0x100
_BIRTH = 0x800  # statx(2): STATX_BTIME
_BUFFER = 256  # struct statx is that long; struct statfs is shorter everywhere
_BIRTH_AT = 80  # of stx_btime in struct statx: 64 bits of seconds, 32 of nanoseconds

_library: Any = None


class FileSystem(NamedTuple):
    """A file system's figures (statfs(2)): sizes in bytes, counts in blocks of ``fragment`` bytes.

    ``type`` is the kernel's magic number, 0 where it cannot be told.
    """

    type: int
    identity: int
    block: int
    fragment: int
    blocks: int
    free: int
    available: int
    files: int
    files_free: int
    name_length: int


def prepare() -> None:
    """Load what the questions here need, before a script that may write runs."""
    _c()


def _c() -> Any:
    global _library
    if _library is None:
        _library = False
        if sys.platform == "linux":
            import ctypes  # 5 ms, for few commands

            _library = (ctypes, ctypes.CDLL(None, use_errno=True))
    return _library


def birth_time(directory: int, name: bytes) -> int | None:
    """When a name in an open directory (the directory itself for an empty one) was made, in nanoseconds.

    None where the kernel or the file system does not say. Links are not followed.
    """
    found = _c()
    if not found or not hasattr(found[1], "statx"):
        return None
    ctypes, library = found
    buffer = ctypes.create_string_buffer(_BUFFER)
    flags = _AT_SYMLINK_NOFOLLOW if name else _AT_EMPTY_PATH
    if library.statx(directory, ctypes.c_char_p(name), flags, ctypes.c_uint(_BIRTH), buffer) != 0:
        return None
    raw = buffer.raw
    if not int.from_bytes(raw[:4], sys.byteorder) & _BIRTH:
        return None
    seconds = int.from_bytes(raw[_BIRTH_AT : _BIRTH_AT + 8], sys.byteorder, signed=True)
    return seconds * _NANO + int.from_bytes(raw[_BIRTH_AT + 8 : _BIRTH_AT + 12], sys.byteorder)


def file_system(descriptor: int) -> FileSystem:
    """The file system that an open file or directory is on. May block where a server does not answer."""
    found = os.fstatvfs(descriptor)
    low, high = found.f_fsid & 0xFFFFFFFF, found.f_fsid >> 32 & 0xFFFFFFFF
    kind = 0
    loaded = _c()
    if loaded:
        ctypes, library = loaded
        buffer = ctypes.create_string_buffer(_BUFFER)
        if library.fstatfs(descriptor, buffer) == 0:
            kind = int.from_bytes(buffer.raw[: ctypes.sizeof(ctypes.c_long)], sys.byteorder) & 0xFFFFFFFF
    return FileSystem(
        kind, low << 32 | high, found.f_bsize, found.f_frsize, found.f_blocks, found.f_bfree, found.f_bavail,
        found.f_files, found.f_ffree, found.f_namemax,
    )  # fmt: skip
