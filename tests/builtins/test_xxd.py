"""xxd against vim's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builtins.oracle import Ours, Theirs, same

TEXT = b"abc\nde\0\xff\xe9f" + bytes(range(256)) + b"\0" * 100 + b"tail"
ZEROS = [b"\0" * size + tail for size in (0, 15, 16, 17, 32, 48, 50, 64, 80) for tail in (b"", b"x" * 16, b"y")]


@pytest.mark.parametrize(
    "options",
    ["", "-u", "-b", "-e", "-p", "-ps", "-i", "-d", "-a", "-C -i", "-u -i", "-u -p", "-c 8", "-c8", "-c 3 -g 1", "-g 0", "-g 1", "-g4", "-g 3", "-g 100",
     "-c 256 -g 16", "-c 257", "-c 0", "-c -1", "-p -c 0", "-p -c 1", "-p -c 300", "-i -c 5", "-i -c 0", "-b -c 4 -g 2", "-b -g 0", "-e -g 2", "-e -g 3", "-e -g 8",
     "-e -c 7", "-e -u", "-e -c 10 -g 4", "-l 20", "-l20", "-len 5", "-l 0", "-l 0x11", "-l 010", "-l x", "-s 5", "-s 0x20", "-s +5", "-s -4", "-s -0", "-seek 3",
     "-s 370", "-s 371", "-s 400", "-s -400", "-s5 -l 5", "-o 100", "-o 0x10 -d", "-o -1", "-n foo -i", "-i -n 9x", "-p -l 31", "-i -s 3 -l 4", "-a -l 100", "-a -a",
     "--", "-z", "-c"],
)  # fmt: skip
def test_as_vims(run: Ours, bash: Theirs, tmp_path: Path, options: str) -> None:
    for text in (TEXT, b"", b"a", b"x" * 16, b"z" * 30):
        (tmp_path / "f-1.é").write_bytes(text)
        same(run, bash, f"xxd {options} f-1.é")
        same(run, bash, f"cat f-1.é | xxd {options}")
        same(run, bash, f"xxd {options} < f-1.é")


@pytest.mark.parametrize("text", ZEROS)
def test_lines_of_zeros(run: Ours, bash: Theirs, text: bytes) -> None:
    same(run, bash, "xxd -a", text)
    same(run, bash, "xxd -a -b -c 4", text)


@pytest.mark.parametrize("options", ["", "-c 8", "-g 1", "-u", "-p", "-g 0 -c 5", "-c 20"])
def test_there_and_back(run: Ours, bash: Theirs, tmp_path: Path, options: str) -> None:
    (tmp_path / "f").write_bytes(TEXT)
    same(run, bash, f"xxd {options} f | xxd -r {options}")


@pytest.mark.parametrize(
    "dump",
    ["00000000: 6162 6364  abcd", "0000: 61 62 63", "00000010: 61", "3: 6162\n1: 63", "61 62", "garbage: 6162 63", "0: 6", "0: 616", "0:6162", "0:  6162",
     "0:   6162", "0: 61  62", "0: 6162 zz 63", "00000000: 6162 6364  abcd\r\n00000004: 65  e\r", "  0: 6162", "0000: 6162\n\n0002: 6364", "xyz", "0 61 62",
     "0: 61:62", "5: ", "0: 61\n3: 62\n", "00000000: 6162 6364 6566 6768 696a 6b6c 6d6e 6f70 7172  abc", "616263", "0: 61 6 2 63 64"],
)  # fmt: skip
def test_back(run: Ours, bash: Theirs, dump: str) -> None:
    for text in (dump, dump + "\n"):
        for options in ("-r", "-r -p", "-r -c 2", "-r -s 2", "-r -s -3", "-r -c 300", "-r -b", "-r -i"):
            same(run, bash, f"xxd {options}", text.encode())


def test_large(run: Ours, bash: Theirs, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(TEXT * 1000)
    for options in ("", "-p", "-i", "-b -l 50000", "-e", "-s 100000"):
        same(run, bash, f"xxd {options} f")
    assert run("xxd f | xxd -r | cmp - f; xxd -p f | xxd -r -p | cmp - f").stdout == b""


def test_messages(run: Ours) -> None:
    for options, message, status in (
        ("-c 257", "invalid number of columns (max. 256).", 1),
        ("-e -g 3", "number of octets per group must be a power of 2 with -e.", 1),
        ("nope", "nope: no such file or directory", 2),
        ("a b", "an output file is not supported", 1),
        ("-E", "option '-E' is not supported: characters are shown as ASCII", 1),
        ("-s -5", "sorry cannot seek.", 4),
    ):
        result = run(f"xxd {options}")
        assert (result.stderr, result.exit_code) == (f"xxd: {message}\n".encode(), status)
