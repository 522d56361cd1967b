"""Make small journal files with systemd-journal-remote.

Run as `python -m tests.journal.make_fixtures` it rewrites the committed files in tests/journal/fixtures
(Debian: `apt-get install systemd-journal-remote`). Tests also call `write` when the tool is there.
"""

from __future__ import annotations

import lzma
import os
import struct
import subprocess
import tempfile
from pathlib import Path

import lz4.block
import zstandard

FIXTURES = Path(__file__).parent / "fixtures"
REMOTE = next(
    (path for path in ("/lib/systemd/systemd-journal-remote", "/usr/lib/systemd/systemd-journal-remote")
     if os.path.exists(path)), None,
)  # fmt: skip

# name → the environment that makes systemd write so
VARIANTS = {
    f"{codec}-{'keyed' if keyed else 'legacy'}-{'compact' if compact else 'regular'}": {
        "SYSTEMD_JOURNAL_COMPRESS": "0" if codec == "plain" else codec,
        "SYSTEMD_JOURNAL_KEYED_HASH": str(keyed),
        "SYSTEMD_JOURNAL_COMPACT": str(compact),
    }
    for codec in ("plain", "zstd", "lz4", "xz")
    for keyed in (0, 1)
    for compact in (0, 1)
}
COMMITTED = ("plain-legacy-regular", "zstd-keyed-compact", "lz4-keyed-regular", "xz-legacy-compact")

BOOTS = ("0b0000000000000000000000000000a1", "0b0000000000000000000000000000a2")
START = 1_780_000_000_000_000
COREDUMP = b"fc2e22bc6ee647b6b90729ab34a250b1"

Fields = list[tuple[str, bytes]]


def entries(count: int = 60) -> list[tuple[int, int, str, Fields]]:
    """(realtime, monotonic, boot ID, fields), the same at each call."""
    made: list[tuple[int, int, str, Fields]] = []
    for number in range(count):
        boot = BOOTS[number * 2 // count]
        unit = ("web.service", "db.service", "job@1.service")[number % 3]
        fields: Fields = [
            ("_HOSTNAME", b"host"), ("_UID", b"0"), ("_PID", b"%d" % (100 + number % 3)), ("PRIORITY", b"%d" % (number % 8)),
            ("_SYSTEMD_UNIT", unit.encode()), ("_SYSTEMD_SLICE", b"system.slice"), ("SYSLOG_IDENTIFIER", unit[:3].encode()),
        ]  # fmt: skip
        message = b"message %d" % number
        if number % 20 == 5:
            message = b"two lines\nand \xff\xfe bytes\t\x1b[31m %d" % number
        elif number % 20 == 6:
            message = b"long %d " % number + b"abcdefghij" * 9_000
        elif number % 20 == 7:
            message = b"repetitive %d " % number + b"x" * 2_000
        elif number % 20 == 8:
            message = b""
        elif number % 20 == 9:
            fields[2] = ("_PID", b"1")
            fields[4:5] = [("UNIT", b"web.service"), ("_SYSTEMD_UNIT", b"init.scope")]
        elif number % 20 == 10:
            fields[4:5] = [("MESSAGE_ID", COREDUMP), ("COREDUMP_UNIT", b"web.service")]
        elif number % 20 == 11:
            fields[4:5] = [("OBJECT_SYSTEMD_UNIT", b"web.service")]
        elif number % 20 == 12:
            fields[1] = ("_UID", b"1000")
            fields[4:5] = [("OBJECT_SYSTEMD_UNIT", b"web.service"), ("UNIT", b"web.service")]
        elif number % 20 == 13:
            fields += [("TAG", b"one"), ("TAG", b"two")]
        if number % 20 != 14:
            fields.append(("MESSAGE", message))
        made.append((START + number * 1_000_000, 5_000_000 + number * 1_000_000, boot, fields))
    return made


def stream(made: list[tuple[int, int, str, Fields]]) -> bytes:
    """In journal export format."""
    out = bytearray()
    for realtime, monotonic, boot, fields in made:
        out += b"__REALTIME_TIMESTAMP=%d\n__MONOTONIC_TIMESTAMP=%d\n_BOOT_ID=%s\n" % (
            realtime,
            monotonic,
            boot.encode(),
        )
        for name, value in fields:
            if b"\n" in value:
                out += name.encode() + b"\n" + len(value).to_bytes(8, "little") + value + b"\n"
            else:
                out += name.encode() + b"=" + value + b"\n"
        out += b"\n"
    return bytes(out)


def write(path: Path, variant: str, made: list[tuple[int, int, str, Fields]]) -> None:
    """Write entries to a new journal file in one of VARIANTS."""
    assert REMOTE is not None
    subprocess.run([REMOTE, "-o", str(path), "-"], input=stream(made), check=True, capture_output=True,
                   env={**os.environ, **VARIANTS[variant]})  # fmt: skip
    path.write_bytes(recompress(path.read_bytes(), variant.partition("-")[0]))


def recompress(data: bytes, codec: str) -> bytes:
    """The same journal with its compressed payloads in another codec.

    systemd writes all of them only from version 254 on. A payload that changes moves to the end of the
    file's arena, which systemd makes larger than it needs, and what refers to it is changed.
    """
    flag = {"plain": 0, "xz": 1, "lz4": 2, "zstd": 4}[codec]
    out = bytearray(data)
    compact = out[12] & 16
    (header_size,), (table, size) = struct.unpack_from("<Q", out, 88), struct.unpack_from("<QQ", out, 104)
    (tail,) = struct.unpack_from("<Q", out, 136)
    objects = []
    at = header_size
    while at <= tail:
        kind, flags, length = struct.unpack_from("<BB6xQ", out, at)
        objects.append((at, kind, flags & 7, length))
        at += -(-length // 8) * 8
    moved = {}
    start = 72 if compact else 64
    for place, kind, flags, length in objects:
        (following,) = struct.unpack_from("<Q", out, place + 24)
        if kind != 1 or not flags or flags == flag or following:  # hash chains keep their order
            continue
        payload = pack(codec, unpack_payload(flags, bytes(out[place + start : place + length])))
        new = out[place : place + start] + payload
        new[1] = flag
        struct.pack_into("<Q", new, 8, len(new))
        out[at : at + len(new)] = new
        moved[place] = tail = at
        at += -(-len(new) // 8) * 8
    fields = [(bucket, "Q") for bucket in range(table, table + size, 8)]
    for place, kind, _flags, length in objects:
        if kind == 1 or kind == 2:
            fields += [(place + 24, "Q"), (place + 32, "Q")]
        elif kind == 3:
            fields += [
                (item, "I" if compact else "Q") for item in range(place + 64, place + length, 4 if compact else 16)
            ]
    fields += [(place + 32, "Q") for place in moved.values()]
    for place, shape in fields:
        (value,) = struct.unpack_from("<" + shape, out, place)
        if value in moved:
            struct.pack_into("<" + shape, out, place, moved[value])
    struct.pack_into("<QQ", out, 136, tail, len(objects) + len(moved))
    out[12] = out[12] & ~0b1011 | {0: 0, 1: 1, 2: 2, 4: 8}[flag]
    assert len(out) == len(data)
    return bytes(out)


def pack(codec: str, payload: bytes) -> bytes:
    """Compress as systemd does."""
    if codec == "xz":
        return lzma.compress(payload, check=lzma.CHECK_NONE)
    if codec == "lz4":
        return len(payload).to_bytes(8, "little") + bytes(lz4.block.compress(payload, store_size=False))
    return zstandard.compress(payload) if codec == "zstd" else payload


def unpack_payload(flags: int, payload: bytes) -> bytes:
    """The payload that systemd compressed."""
    if flags == 1:
        return lzma.decompress(payload)
    if flags == 2:
        return bytes(lz4.block.decompress(payload[8:], uncompressed_size=int.from_bytes(payload[:8], "little")))
    return zstandard.ZstdDecompressor().decompress(payload, max_output_size=1 << 24)


def unpack(directory: Path, variant: str) -> Path:
    """A committed fixture, unpacked into `directory`."""
    target = directory / f"{variant}.journal"
    target.write_bytes(lzma.decompress((FIXTURES / f"{variant}.journal.xz").read_bytes()))
    return target


def main() -> None:
    """Rewrite the committed fixtures."""
    FIXTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for variant in COMMITTED:
            path = Path(scratch) / f"{variant}.journal"
            write(path, variant, entries())
            packed = lzma.compress(path.read_bytes(), preset=9)
            (FIXTURES / f"{variant}.journal.xz").write_bytes(packed)
            print(variant, len(packed))


if __name__ == "__main__":
    main()
