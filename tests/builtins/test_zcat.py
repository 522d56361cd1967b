"""zcat, bzcat, xzcat and zstdcat: the real tools' output for sound data, what was valid and an error for the rest."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import subprocess
from pathlib import Path

import pytest
import zstandard

from rshell import limits
from tests.builtins.oracle import Ours, Theirs, same

TEXT = b"".join(b"%d lines of text\n" % number for number in range(20_000))
PACKERS = {
    "zcat": lambda data: gzip.compress(data, mtime=0),
    "bzcat": bz2.compress,
    "xzcat": lzma.compress,
    "zstdcat": zstandard.ZstdCompressor(level=3, write_checksum=True).compress,
}
TOOLS = sorted(PACKERS)


def needs(tool: str) -> None:
    if not shutil.which(tool):
        pytest.skip(f"no {tool} on this machine")


@pytest.mark.parametrize("tool", TOOLS)
def test_sound_data(run: Ours, bash: Theirs, tmp_path: Path, tool: str) -> None:
    needs(tool)
    pack = PACKERS[tool]
    for name, data in (
        ("a", pack(TEXT)), ("empty", pack(b"")), ("two", pack(TEXT) + pack(b"more\n")), ("three", pack(b"") + pack(b"x") * 2),
        ("padded", pack(TEXT) + b"\0" * 8), ("zeros", pack(b"\0" * 3_000_000)), ("plain", TEXT), ("short", b"x"),
    ):  # fmt: skip
        (tmp_path / name).write_bytes(data)
    for name in ("a", "empty", "two", "three", "zeros"):
        same(run, bash, f"{tool} {name}")
        same(run, bash, f"cat {name} | {tool}")
        same(run, bash, f"{tool} < {name}")
    for script in ("a two a", "-f plain", "-f short a", "-cdk a", "--force plain", "nope", "a nope two"):
        same(run, bash, f"{tool} {script}")


def test_as_gzip(run: Ours, bash: Theirs, tmp_path: Path) -> None:
    packed = PACKERS["zcat"](TEXT)
    for name, data in (
        ("garbage", packed + b"garbage"), ("one.gz", packed + b"\0" * 9), ("zeros", packed + b"\0\0x"), ("half", packed + b"\x1f"),
        ("e", b""), ("p", TEXT), ("m", packed[:2] + b"\x07" + packed[3:]),
    ):  # fmt: skip
        (tmp_path / name).write_bytes(data)
    (tmp_path / "d").mkdir()
    for operands in (
        "garbage",
        "one",
        "zeros",
        "half",
        "e",
        "p",
        "m",
        "d",
        "d one",
        "garbage nope",
        "nope garbage",
        "-q garbage",
        "-f e",
        "no.gz",
    ):
        same(run, bash, f"zcat {operands}")
        same(run, bash, f"zcat < {operands.split(' ')[-1]}") if (tmp_path / operands).is_file() else None


@pytest.mark.parametrize("tool", TOOLS)
def test_a_truncated_member_gives_what_was_valid(run: Ours, tmp_path: Path, tool: str) -> None:
    packed = PACKERS[tool](TEXT)
    message = {"bzcat": b"compressed file ends unexpectedly", "xzcat": b"Unexpected end of input"}
    for length in (1, 5, 11, len(packed) // 2, len(packed) - 5, len(packed) - 1):
        (tmp_path / "f").write_bytes(packed[:length])
        result = run(f"{tool} f")
        assert result.exit_code == 1 or (tool == "zstdcat" and length == 1)
        assert result.stdout is not None
        if length > 11:
            assert TEXT.startswith(result.stdout)
            assert result.stderr == tool.encode() + b": f: " + message.get(tool, b"unexpected end of file") + b"\n"
    assert len(result.stdout) > 100_000


@pytest.mark.parametrize("tool", TOOLS)
def test_a_corrupt_member_gives_what_was_valid(run: Ours, tmp_path: Path, tool: str) -> None:
    packed = bytearray(PACKERS[tool](TEXT))
    packed[-6 if tool != "xzcat" else -40] ^= 255
    (tmp_path / "end").write_bytes(packed)
    packed[len(packed) // 2] ^= 255
    (tmp_path / "middle").write_bytes(packed)
    result = run(f"{tool} end; echo; {tool} middle; cat end | {tool}")
    assert (result.exit_code, (result.stderr or b"").count(b"\n")) == (1, 3)
    assert len(result.stdout or b"") > len(TEXT) if tool != "zstdcat" else True


def test_what_gzip_prints_before_an_error(run: Ours, tmp_path: Path) -> None:
    packed = bytearray(PACKERS["zcat"](TEXT))
    packed[-6] ^= 255
    (tmp_path / "f").write_bytes(packed)
    result = run("zcat f")
    assert (result.stdout, result.exit_code) == (TEXT, 1)
    assert result.stderr == b"zcat: f: invalid compressed data--crc error\n"


@pytest.mark.parametrize(
    ("tool", "message"),
    [("zcat", b"not in gzip format"), ("bzcat", b"not a bzip2 file"), ("xzcat", b"File format not recognized")],
)
def test_other_formats(run: Ours, tmp_path: Path, tool: str, message: bytes) -> None:
    (tmp_path / "f").write_bytes(TEXT)
    result = run(f"{tool} f")
    assert (result.stdout, result.exit_code, result.stderr) == (b"", 1, tool.encode() + b": f: " + message + b"\n")


def test_a_bomb_meets_the_bound(run: Ours, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "INFLATE_TOTAL", 5_000_000)
    for tool, pack in PACKERS.items():
        (tmp_path / "at").write_bytes(pack(bytes(5_000_000)))
        (tmp_path / "past").write_bytes(pack(bytes(5_000_001)))
        assert run(f"{tool} at | wc -c").stdout == b"5000000\n"
        result = run(f"{tool} past > /dev/null")
        assert result.exit_code == 1
        assert result.stderr == f"{tool}: decompressed data over the limit (5000000 bytes)\n".encode()


def test_memory_bounds(run: Ours, tmp_path: Path) -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 128 << 20}]
    (tmp_path / "x").write_bytes(lzma.compress(b"x", filters=filters))
    assert run("xzcat x").stderr == b"xzcat: x: Memory usage limit reached (67108864 bytes)\n"
    parameters = zstandard.ZstdCompressionParameters(window_log=24)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    (tmp_path / "z").write_bytes(packer.compress(b"x" * 20_000_000) + packer.flush())
    result = run("zstdcat z")
    assert result.exit_code == 1
    assert result.stderr == b"zstdcat: z: frame requires too much memory for decoding (8388608 bytes at most)\n"


def test_blocks_of_zstandard_frames(run: Ours, bash: Theirs, tmp_path: Path) -> None:
    needs("zstd")
    (tmp_path / "t").write_bytes(TEXT)
    for options in ("-1", "-19", "--no-check", "--content-size", "-3 --single-thread"):
        packed = subprocess.run(
            ["zstd", "-q", "-c", *options.split(" "), "t"], cwd=tmp_path, capture_output=True, check=True
        ).stdout
        for data in (
            packed,
            b"\x50\x2a\x4d\x18\x03\0\0\0abc" + packed,
            packed + b"\x5f\x2a\x4d\x18\0\0\0\0" + packed,
            packed + b"tail",
        ):
            (tmp_path / "f").write_bytes(data)
            same(run, bash, "zstdcat f")
