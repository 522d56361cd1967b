"""Hashes against their published values; payloads that lie about their size or are bombs."""

from __future__ import annotations

import lzma
import tracemalloc

import lz4.block
import pytest
import zstandard

from rshell.journal import JournalError
from rshell.journal.compression import decompress
from rshell.journal.format import OBJECT_LZ4, OBJECT_XZ, OBJECT_ZSTD
from rshell.journal.hashes import jenkins64, siphash24

TEXT = b"MESSAGE=" + bytes(range(256)) * 40 + b"tail" * 500


def lz4_payload(data: bytes, stated: int | None = None) -> bytes:
    size = len(data) if stated is None else stated
    return size.to_bytes(8, "little") + bytes(lz4.block.compress(data, store_size=False))


PACKED = {
    OBJECT_XZ: lzma.compress(TEXT, check=lzma.CHECK_NONE),
    OBJECT_LZ4: lz4_payload(TEXT),
    OBJECT_ZSTD: zstandard.compress(TEXT),
}


def unpack(flags: int, payload: bytes, limit: int) -> bytes:
    return decompress(flags, lambda at, count: payload[at : at + count], len(payload), limit)


def test_siphash_of_the_paper() -> None:
    assert siphash24(bytes(range(16)), bytes(range(15))) == 0xA129CA6149BE45E5


def test_lookup3_of_its_author() -> None:
    # lookup3.c, driver5: hashlittle2 with seeds 0, 0
    assert jenkins64(b"") == 0xDEADBEEFDEADBEEF
    assert jenkins64(b"Four score and seven years ago") == 0x17770551CE7226E6


@pytest.mark.parametrize("flags", PACKED)
@pytest.mark.parametrize("limit", [1, 8, 65, 1_000, len(TEXT) - 1, len(TEXT), len(TEXT) + 1, 1 << 20])
def test_the_first_bytes_of_a_payload(flags: int, limit: int) -> None:
    assert unpack(flags, PACKED[flags], limit) == TEXT[:limit]


@pytest.mark.parametrize("flags", PACKED)
def test_a_payload_that_ends_too_early(flags: int) -> None:
    for end in (0, 1, 9, len(PACKED[flags]) // 2):
        with pytest.raises(JournalError):
            unpack(flags, PACKED[flags][:end], 1 << 20)


@pytest.mark.parametrize("stated", [0, 1, len(TEXT) - 1, len(TEXT) + 1, 1 << 40, (1 << 64) - 1])
def test_an_lz4_payload_that_lies_about_its_size(stated: int) -> None:
    with pytest.raises(JournalError):
        unpack(OBJECT_LZ4, lz4_payload(TEXT, stated), 1 << 20)


def test_a_long_lz4_payload_is_not_decompressed_whole() -> None:
    long = bytes(range(256)) * 20_000 + b"end"
    for limit in (10, 65_536, 3_000_000):
        assert unpack(OBJECT_LZ4, lz4_payload(long), limit) == long[:limit]


@pytest.mark.parametrize("flags", PACKED)
def test_a_bomb_takes_no_more_memory_than_was_asked_for(flags: int) -> None:
    size = 200 << 20
    zeros = bytes(1 << 20)
    if flags == OBJECT_LZ4:
        payload = lz4_payload(b"M=" + bytes(64 << 20))
    elif flags == OBJECT_XZ:
        packer = lzma.LZMACompressor(check=lzma.CHECK_NONE, preset=0)
        payload = b"".join(packer.compress(zeros) for _ in range(200)) + packer.flush()
    else:
        writer = zstandard.ZstdCompressor(level=1).compressobj(size=size)
        payload = b"".join(writer.compress(zeros) for _ in range(200)) + writer.flush()
    tracemalloc.start()
    try:
        assert len(unpack(flags, payload, 65_536)) == 65_536
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


def test_a_zstandard_window_above_the_bound() -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=27, enable_ldm=True, write_content_size=True)
    writer = zstandard.ZstdCompressor(compression_params=parameters).compressobj(size=130 << 20)
    payload = b"".join(writer.compress(bytes(1 << 20)) for _ in range(130)) + writer.flush()
    with pytest.raises(JournalError):
        unpack(OBJECT_ZSTD, payload, 65_536)


def test_two_codecs_at_once() -> None:
    with pytest.raises(JournalError):
        unpack(OBJECT_XZ | OBJECT_LZ4, b"x" * 100, 10)
