"""Compressed DATA payloads: the first bytes of one, never more than was asked for.

A payload may claim any size and may be a bomb. So nothing is allocated by what it claims: each function
produces at most `limit` bytes and stops, and reads no more input than that takes.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from rshell import limits
from rshell.journal.format import DATA_MAXIMUM, OBJECT_LZ4, OBJECT_XZ, OBJECT_ZSTD, JournalError

Read = Callable[[int, int], bytes]  # (position in the payload, count) → bytes, fewer only at its end

_LZ4_DIRECT = 1 << 20  # up to here the block is decompressed in one call
_LZ4_RATIO = 256  # a block cannot expand by more


def preload() -> None:
    """Import the decompressors now, for a process that must not import later."""
    _lzma()
    _lz4()
    _zstandard()


def _lzma() -> ModuleType:
    import lzma

    return lzma


def _lz4() -> Any:
    try:
        import lz4.block
    except ImportError:
        raise JournalError("LZ4 payloads need the lz4 package") from None
    return lz4.block


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError:
        raise JournalError("Zstandard payloads need the zstandard package") from None
    return zstandard


def decompress(flags: int, read: Read, size: int, limit: int) -> bytes:
    """The first `limit` bytes of a payload of `size` compressed bytes; raises JournalError."""
    codec = _CODECS.get(flags)
    if codec is None:
        raise JournalError(f"unknown compression {flags:#x}")
    return codec(read, size, limit)


def _unxz(read: Read, size: int, limit: int) -> bytes:
    lzma = _lzma()
    out = bytearray()
    position = 0
    try:
        decoder = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=limits.LZMA_MEMORY)
        while not decoder.eof and len(out) < limit:
            piece = b""
            if decoder.needs_input:
                piece = read(position, min(limits.INFLATE_IN, size - position))
                if not piece:
                    raise JournalError("XZ payload ends too early")
                position += len(piece)
            out += decoder.decompress(piece, min(limits.INFLATE_OUT, limit - len(out)))
    except (lzma.LZMAError, MemoryError, ValueError) as error:
        raise JournalError(f"bad XZ payload: {error}") from None
    return bytes(out)


class _Source:
    """The compressed payload as the file object that zstandard reads from."""

    def __init__(self, read: Read, size: int) -> None:
        self._read, self._size, self._position = read, size, 0

    def read(self, count: int) -> bytes:
        piece = self._read(self._position, min(count, self._size - self._position))
        self._position += len(piece)
        return piece


def _unzstd(read: Read, size: int, limit: int) -> bytes:
    zstandard = _zstandard()
    try:
        stated = zstandard.frame_content_size(read(0, min(size, 32)))
        if not 0 <= stated <= DATA_MAXIMUM:
            raise JournalError(f"bad size {stated} of a Zstandard payload")
        decoder = zstandard.ZstdDecompressor(max_window_size=limits.ZSTD_WINDOW)
        out = bytearray()
        # One byte more than stated is asked for, so that a frame that holds more is found out.
        wanted = min(limit, stated + 1)
        with decoder.stream_reader(_Source(read, size), read_size=limits.INFLATE_IN) as stream:
            while len(out) < wanted:
                piece = stream.read(min(limits.INFLATE_OUT, wanted - len(out)))
                if not piece:
                    break
                out += piece
    except (zstandard.ZstdError, MemoryError, ValueError) as error:
        raise JournalError(f"bad Zstandard payload: {error}") from None
    if len(out) > stated or len(out) < min(stated, limit):
        raise JournalError("Zstandard payload is not as long as it states")
    return bytes(out)


def _unlz4(read: Read, size: int, limit: int) -> bytes:
    if size < 9:
        raise JournalError("LZ4 payload is too short")
    stated = int.from_bytes(read(0, 8), "little")
    if stated > DATA_MAXIMUM or stated > size * _LZ4_RATIO:
        raise JournalError(f"bad size {stated} of an LZ4 payload")
    if stated > limit or stated > _LZ4_DIRECT:
        return _lz4_prefix(read, size, min(limit, stated), stated)
    try:
        # The library must know the size and refuses a block that does not decompress within it.
        out: bytes = _lz4().decompress(read(8, size - 8), uncompressed_size=stated)
    except (_lz4().LZ4BlockError, ValueError, MemoryError, OverflowError) as error:
        raise JournalError(f"bad LZ4 payload: {error}") from None
    if len(out) != stated:
        raise JournalError("LZ4 payload is not as long as it states")
    return out


def _lz4_prefix(read: Read, size: int, wanted: int, stated: int) -> bytes:
    """The beginning of an LZ4 block; the library can only do whole ones.

    Source: lz4_Block_format.md of the LZ4 project. `wanted` bytes take at most as many of input, and the
    lengths of runs that reach beyond them.
    """
    block = read(8, min(size - 8, wanted + stated // 255 + 64))
    out = bytearray()
    position = 0
    try:
        while len(out) < wanted:
            token = block[position]
            position += 1
            count = token >> 4
            if count == 15:
                extra = 255
                while extra == 255:
                    extra = block[position]
                    position += 1
                    count += extra
            literals = block[position : position + count]
            out += literals
            position += count
            if len(out) >= wanted:
                break
            if len(literals) < count:
                raise JournalError("LZ4 payload ends too early")
            distance = block[position] | block[position + 1] << 8
            position += 2
            count = (token & 15) + 4
            if count == 19:
                extra = 255
                while extra == 255:
                    extra = block[position]
                    position += 1
                    count += extra
            if not 0 < distance <= len(out) or count > stated:
                raise JournalError("bad LZ4 payload")
            count = min(count, wanted - len(out))
            start = len(out) - distance
            seen = out[start : start + count]
            out += (seen * (count // distance + 1))[:count] if distance < count else seen
    except IndexError:
        raise JournalError("LZ4 payload ends too early") from None
    return bytes(out[:wanted])


_CODECS: dict[int, Callable[[Read, int, int], bytes]] = {
    OBJECT_XZ: _unxz,
    OBJECT_LZ4: _unlz4,
    OBJECT_ZSTD: _unzstd,
}
