"""Decompression within bounds: gzip, bzip2, xz and Zstandard data as a stream of blocks.

Every decoder gets at most limits.INFLATE_IN bytes and gives at most limits.INFLATE_OUT a call; a run gets
limits.INFLATE_TOTAL in all. What was valid comes out before an error is raised.
"""

from __future__ import annotations

import zlib
from functools import partial
from typing import TYPE_CHECKING, Protocol

from rshell import limits
from rshell.builtins.command import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from zlib import _Decompress

    from zstandard import ZstdDecompressionObj

    from rshell.builtins.command import Invocation
    from rshell.builtins.streams import Source

    Read = Callable[[], bytes]

_GZIP = b"\x1f\x8b"
_GZIP_LAYER = 16 + zlib.MAX_WBITS
_STEP = 64 * 1024  # output of one call of a decoder that loses it at an error
_HELD = 1 << 20  # input of a stream kept for going over it again after an error
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_BLOCK = 128 * 1024
_COUNTER = "decompressed bytes"


class Damaged(Exception):
    """The data ends too early, is corrupt or of another format; what could be had has come out."""


class TrailingGarbage(Exception):
    """Behind the last member stands something that is none: a warning."""


class _Decoder(Protocol):
    """What the decoders of bz2 and lzma have in common."""

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /, max_length: int = -1) -> bytes: ...


def preload_gzip() -> None:
    """zlib is there already."""


def preload_bzip2() -> None:
    """Import what bzip2 data needs."""
    from bz2 import BZ2Decompressor  # noqa: F401


def preload_xz() -> None:
    """Import what xz data needs."""
    from lzma import LZMADecompressor  # noqa: F401


def preload_zstandard() -> None:
    """Import what Zstandard data needs; without the package, its commands say so."""
    try:
        from zstandard import ZstdDecompressor  # noqa: F401
    except ImportError:
        return


def inflated(call: Invocation, source: Source, kind: str, *, plain: bool) -> Iterator[bytes]:
    """The decompressed blocks of a source. kind: gzip, bzip2, xz or zstandard; plain: pass other data through.

    Raises Damaged or TrailingGarbage at the end, and Failure where the run's budget is used up.
    """
    counters = call.run.counters
    read = source.read
    check = call.check

    def pull() -> bytes:
        check()
        return read(limits.INFLATE_IN)

    for block in _FORMATS[kind](pull, plain):
        if block:
            used = counters.get(_COUNTER, 0) + len(block)
            if used > limits.INFLATE_TOTAL:
                raise Failure(f"decompressed data over the limit ({limits.INFLATE_TOTAL} bytes)")
            counters[_COUNTER] = used
            check()
            yield block


def _passed(data: bytes, read: Read) -> Iterator[bytes]:
    while data:
        yield data
        data = read()


def _at_least(size: int, data: bytes, read: Read) -> bytes:
    """data made longer to size bytes, as far as there is more."""
    while len(data) < size and (more := read()):
        data += more
    return data


# gzip (RFC 1952)


def _gzip(read: Read, plain: bool) -> Iterator[bytes]:
    data = _at_least(2, b"", read)
    if not data.startswith(_GZIP):
        if plain:
            yield from _passed(data, read)
            return
        if len(data) < 2:
            raise Damaged("unexpected end of file")
        if data.startswith(b"\x1f\x9d"):
            raise Damaged("the format of compress is not supported")
        raise Damaged("not in gzip format")
    while data:
        data = yield from _gzip_member(data, read)
        data = _at_least(2, data, read)
        if data.startswith(_GZIP):
            continue
        if plain:
            yield from _passed(data, read)
            return
        if data[:1] == b"\0":  # padding
            while data and not data.strip(b"\0"):
                data = read()
        if len(data) == 1:
            raise Damaged("unexpected end of file")
        if data:
            raise TrailingGarbage("decompression OK, trailing garbage ignored")


def _gzip_member(data: bytes, read: Read) -> Generator[bytes, None, bytes]:
    """One member; returns what follows it."""
    decoder = zlib.decompressobj(_GZIP_LAYER)
    while not decoder.eof:
        data = data or read()
        if not data:
            yield decoder.flush()
            raise Damaged("unexpected end of file")
        before = decoder.copy()
        try:
            block = decoder.decompress(data, limits.INFLATE_OUT)
        except zlib.error as error:
            yield from _salvaged(before, data)
            raise Damaged(_zlib_message(str(error))) from None
        data = decoder.unconsumed_tail
        yield block
    return decoder.unused_data


def _salvaged(decoder: _Decompress, data: bytes) -> Iterator[bytes]:
    """What can be had of data before the error in it: in pieces, the last of which byte by byte."""
    for size in (256, 1):
        try:
            while data:
                before = decoder.copy()
                yield decoder.decompress(data[:size])
                data = data[size:]
        except zlib.error:
            decoder, data = before, data[:size]


def _zlib_message(text: str) -> str:
    if "data check" in text:
        return "invalid compressed data--crc error"
    if "length check" in text:
        return "invalid compressed data--length error"
    return "invalid compressed data--format violated"


# bzip2 and xz: decoders that cannot be copied, and lose what an error interrupts


class _Format:
    """How to decode streams of one format: a maker of decoders, its errors, and what to say of them."""

    def __init__(
        self, new: Callable[[], _Decoder], errors: type[Exception] | tuple[type[Exception], ...], short: str,
        message: Callable[[Exception], str],
    ) -> None:  # fmt: skip
        self.new = new
        self.errors = errors
        self.short = short
        self.message = message

    def stream(self, data: bytes, read: Read) -> Generator[bytes, None, bytes]:
        """One stream; returns what follows it."""
        decoder = self.new()
        held: list[bytes] = []
        length = given = 0
        while not decoder.eof:
            if decoder.needs_input:
                data = data or read()
                if not data:
                    raise Damaged(self.short)
                if length <= _HELD:
                    held.append(data)
                    length += len(data)
            try:
                block = decoder.decompress(data, _STEP)
            except self.errors as error:
                if length <= _HELD:
                    yield from self.again(b"".join(held), given)
                raise Damaged(self.message(error)) from None
            data = b""
            given += len(block)
            yield block
        return decoder.unused_data

    def again(self, data: bytes, given: int) -> Iterator[bytes]:
        """What a stream gives between the first bytes that it gave and its error, byte by byte."""
        decoder = self.new()
        try:
            while given:
                block = decoder.decompress(data, min(given, _STEP))
                data = b""
                given -= len(block)
                if not block and decoder.needs_input:
                    return
            for _ in range(_STEP):
                yield decoder.decompress(data, 1)
                data = b""
        except self.errors:
            return


def _bzip2(read: Read, plain: bool) -> Iterator[bytes]:
    from bz2 import BZ2Decompressor

    short = "compressed file ends unexpectedly"
    known = _Format(BZ2Decompressor, OSError, short, lambda error: "data integrity error when decompressing")
    data = _at_least(4, b"", read)
    if not data.startswith(b"BZh"):
        if plain:
            yield from _passed(data, read)
            return
        raise Damaged("not a bzip2 file" if data else short)
    while data:
        data = yield from known.stream(data, read)
        data = _at_least(3, data, read)
        if data and not data.startswith(b"BZh"):
            raise TrailingGarbage("trailing garbage after EOF ignored")


def _xz(read: Read, plain: bool) -> Iterator[bytes]:
    from lzma import FORMAT_ALONE, FORMAT_XZ, LZMADecompressor, LZMAError

    data = _at_least(_XZ_HEADER, b"", read)
    is_xz = data.startswith(b"\xfd7zXZ\0")
    alone = not is_xz and data[:1] == b"]" and data[1:4] in (b"\0\0\0", b"\0\0\x80", b"\0\0\x01")
    if not is_xz and not alone and data[:2] != b"]\0":
        if plain:
            yield from _passed(data, read)
            return
        raise Damaged("File format not recognized")
    form = FORMAT_XZ if is_xz else FORMAT_ALONE
    new = partial(LZMADecompressor, form, limits.LZMA_MEMORY)
    known = _Format(new, (LZMAError, ValueError), "Unexpected end of input", _xz_message)
    while data:
        data = yield from known.stream(data, read)
        if not is_xz:
            return
        data = data.lstrip(b"\0")
        while not data and (data := read()):
            data = data.lstrip(b"\0")
        data = _at_least(_XZ_HEADER, data, read)
        if data and len(data) < _XZ_HEADER:
            raise Damaged("Unexpected end of input")


_XZ_HEADER = 12


def _xz_message(error: Exception) -> str:
    text = str(error)
    if "emory" in text:
        return f"Memory usage limit reached ({limits.LZMA_MEMORY} bytes)"
    if "format" in text:
        return "File format not recognized"
    return "Unsupported options" if "nsupported" in text else "Compressed data is corrupt"


# Zstandard (RFC 8878): its decoder bounds no output, so it gets block by block, none of which gives above 128 KiB


class _Frames:
    """Cuts Zstandard data into frame headers and blocks."""

    def __init__(self, read: Read) -> None:
        self.read = read
        self.data = b""
        self.at = 0

    def peek(self, size: int) -> bytes:
        """The next size bytes, fewer at the end; they stay."""
        if len(self.data) - self.at < size:
            self.data = _at_least(size, self.data[self.at :], self.read)
            self.at = 0
        return self.data[self.at : self.at + size]

    def take(self, size: int) -> bytes:
        """The next size bytes. Raises Damaged when there are fewer."""
        taken = self.peek(size)
        if len(taken) < size:
            raise Damaged("unexpected end of file")
        self.at += size
        return taken

    def skip(self, size: int) -> None:
        """Leave out size bytes."""
        while size:
            step = len(self.take(min(size, limits.INFLATE_IN)))
            size -= step

    def header(self) -> tuple[bytes, bool]:
        """A frame's header, and whether a checksum ends the frame."""
        descriptor = self.take(5)[4]
        self.at -= 5
        single = descriptor >> 5 & 1
        content = (single, 2, 4, 8)[descriptor >> 6]
        return self.take(5 + (1 - single) + (0, 1, 2, 4)[descriptor & 3] + content), bool(descriptor >> 2 & 1)


def _zstandard(read: Read, plain: bool) -> Iterator[bytes]:
    try:
        from zstandard import ZstdDecompressor, ZstdError
    except ImportError:
        raise Failure("Zstandard data needs the zstandard package") from None
    frames = _Frames(read)
    if not frames.peek(1):
        raise Damaged("unexpected end of file")
    while magic := frames.peek(4):
        if magic[1:] == b"\x2a\x4d\x18" and magic[0] & 0xF0 == 0x50:
            frames.take(4)
            frames.skip(int.from_bytes(frames.take(4), "little"))
            continue
        if magic != _ZSTD_MAGIC:
            if not plain:
                raise Damaged("unsupported format")
            yield from _passed(frames.data[frames.at :], read)
            return
        decoder = ZstdDecompressor(max_window_size=limits.ZSTD_WINDOW).decompressobj()
        try:
            yield from _zstandard_frame(frames, decoder)
        except ZstdError as error:
            raise Damaged(_zstandard_message(str(error))) from None


def _zstandard_frame(frames: _Frames, decoder: ZstdDecompressionObj) -> Iterator[bytes]:
    header, checksum = frames.header()
    yield decoder.decompress(header)
    last = 0
    while not last:
        head = frames.take(3)
        number = int.from_bytes(head, "little")
        last, kind, size = number & 1, number >> 1 & 3, number >> 3
        if kind == 3 or size > _ZSTD_BLOCK:
            raise Damaged("Data corruption detected")
        yield decoder.decompress(head + frames.take(1 if kind == 1 else size))
    if checksum:
        yield decoder.decompress(frames.take(4))


def _zstandard_message(text: str) -> str:
    if "memory" in text:
        return f"frame requires too much memory for decoding ({limits.ZSTD_WINDOW} bytes at most)"
    return "Restored data doesn't match checksum" if "checksum" in text else "Data corruption detected"


_FORMATS: dict[str, Callable[[Read, bool], Iterator[bytes]]] = {
    "gzip": _gzip,
    "bzip2": _bzip2,
    "xz": _xz,
    "zstandard": _zstandard,
}
