"""od against GNU's."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tests.builtins.oracle import Ours, Theirs, same

TEXT = b"abc\nde\0\xff\xe9f" + bytes(range(256)) + b"\0" * 100 + b"tail"
FLOATS = struct.pack("<8d", 0.1, -1e300, 3.0, float("inf"), float("-inf"), 1e-310, 123456.789, 2.5) + struct.pack(
    "<7f", 0.1, -1e30, 3.0, 1e-40, 1.5e-45, 3.4028235e38, 1 / 3
)


@pytest.mark.parametrize(
    "options",
    ["", "-a", "-b", "-c", "-d", "-f", "-i", "-l", "-o", "-s", "-x", "-B", "-D", "-e", "-F", "-h", "-H", "-I", "-L", "-O", "-X", "-A d",
     "-A x", "-A n", "-A o -c", "-A q", "-t x1z", "-t x1zc", "-t x1 -t c -w12", "-t d1x2u8", "-t d1x2u8z -w8", "-t o4f4f8", "-t a -t c",
     "-cz", "-t cz", "-t az", "-t fF", "-t fD", "-t f4z", "-v", "-v -c -A x", "-w", "-w8", "-w3", "-w0", "-w1 -c", "--width=4 -t x1", "-j 3",
     "-j 0x10", "-j 010", "-j 1k", "-j 1z", "-j x", "-N 3", "-N 0", "-N 1k", "-N x", "-N 10b", "-j 3 -N 21", "-j 369", "-j 370", "-j 371",
     "-t x3", "-t q", "-t xq", "-t ''", "-t dC", "-t uS", "-t xI", "-t oL", "-t x9999999999", "--endian=big -x", "--endian=little -x",
     "--endian=b -t f8", "--endian=foo", "-t f3", "-An -tx1 -w1", "-Ax -tu1 -j1 -N5", "--address-radix=x --format=x8"],
)  # fmt: skip
def test_as_gnu(run: Ours, bash: Theirs, tmp_path: Path, options: str) -> None:
    for text in (TEXT, b"", b"a", FLOATS, b"x" * 100 + b"y"):
        (tmp_path / "f").write_bytes(text)
        same(run, bash, f"od {options} f")
        same(run, bash, f"cat f | od {options} - f nope")
        same(run, bash, f"od {options} < f")


@pytest.mark.parametrize(
    "operands", ["f 1", "f +1", "f 10b", "f 8", "f 8.", "f 0x9", "+3", "f +3.b", "f 5 6", "-c f 2", "-v f 2"]
)
def test_old_offsets(run: Ours, bash: Theirs, tmp_path: Path, operands: str) -> None:
    (tmp_path / "f").write_bytes(TEXT)
    same(run, bash, f"od {operands} < f")


def test_what_is_left_unread(run: Ours, bash: Theirs, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(TEXT)
    same(run, bash, "{ od -N 3 -j 1 -c; od -N 4 -c; } < f")


def test_large(run: Ours, bash: Theirs, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes((TEXT + b"\0" * 5000) * 100)
    same(run, bash, "od -x f")
    same(run, bash, "cat f | od -c -j 12345 -w20")


def test_messages(run: Ours) -> None:
    for options, message in (
        ("-t x3", "invalid type string 'x3';\nthis system doesn't provide a 3-byte integral type"),
        ("-t q", "invalid character 'q' in type string 'q'"),
        ("-A q", "invalid output address radix 'q'; it must be one character from [doxn]"),
        ("-j 9", "cannot skip past end of combined input"),
        ("-N x", "invalid -N argument 'x'"),
        ("-j 1z", "invalid suffix in -j argument '1z'"),
        ("-t fL", "16-byte floating point numbers are not supported: use f4 or f8"),
        ("-w99999", "width over the limit (10000 bytes)"),
        ("-N 99999999999999999999999999", "-N argument '99999999999999999999999999' too large"),
    ):
        result = run(f"od {options}", stdin=b"x")
        assert (result.stderr, result.exit_code) == (f"od: {message}\n".encode(), 1)
    assert b"use strings" in (run("od -S 3").stderr or b"")
