"""strings against binutils', and its messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builtins.oracle import Ours, Theirs, same

TEXT = b"hello\nab\0worldly\x80tab\there%d\x7f\xffxyz\n" + b"long" * 50_000 + b"\0tail"


@pytest.mark.parametrize(
    "options",
    ["", "-a", "-n 2", "-3", "-n 010", "-n 0x6", "-t o", "-t d", "-t x", "-o", "-o -t d", "-t d -o", "-f", "-f -t x", "-s :", "-s ''", "--radix=d --bytes=5",
     "--output-separator=XX", "--print-file-name", "-n 300", "-n 200001", "-n 0", "-n x", "-n 08", "-t z"],
)  # fmt: skip
def test_as_binutils(run: Ours, bash: Theirs, tmp_path: Path, options: str) -> None:
    for text in (TEXT, b"", b"abc", b"abcd", b"\0" * 5 + b"abcd"):
        (tmp_path / "f%s").write_bytes(text)
        same(run, bash, f"strings {options} f%s")
        same(run, bash, f"cat f%s | strings {options}")
        same(run, bash, f"strings {options} nope - f%s f%s")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("nope", "'nope': No such file\n"),
        ("d", "Warning: 'd' is a directory\n"),
        ("-n 0", "invalid minimum string length 0\n"),
        ("-n 1x", "invalid integer argument 1x\n"),
    ],
)
def test_messages(run: Ours, tmp_path: Path, call: str, message: str) -> None:
    (tmp_path / "d").mkdir()
    result = run(f"strings {call}")
    assert (result.stdout, result.stderr, result.exit_code) == (b"", f"strings: {message}".encode(), 1)
