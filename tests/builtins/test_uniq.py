"""uniq against GNU's, and its messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builtins.oracle import Ours, Theirs, same

TEXT = b"a\na\nA\nb x\nc x\nc  x\n\n\nd\nd\nd\ne"
OPTIONS = [
    "", "-c", "-d", "-u", "-D", "-i", "-ci", "-cd", "-cu", "-du", "-Du", "-Dd", "-f 1", "-s 1", "-w 1", "-w 0", "-f 1 -s 1 -w 1", "-z", "-cz", "-1", "+1", "-f 99999999999999999999999",
    "--group", "--group=prepend", "--group=append", "--group=both", "--group=separate", "--all-repeated=prepend", "--all-repeated=separate", "--all-repeated=none",
    "--group=b", "--group -i", "--count --ignore-case", "-c -D", "--group -c", "--group=x", "--all-repeated=x", "-f x", "-w -1", "-x",
]  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS)
def test_as_gnu(run: Ours, bash: Theirs, tmp_path: Path, options: str) -> None:
    for text in (TEXT, TEXT + b"\n", b"", b"\n", TEXT.replace(b"\n", b"\0"), b"same\n" * 60_000, b"one\n" * 40_000 + b"two\n"):
        (tmp_path / "f").write_bytes(text)
        same(run, bash, f"uniq {options} f")
        same(run, bash, f"cat f | uniq {options} -")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("nope", "nope: no such file or directory\n"),
        ("d", "error reading 'd'\n"),
        ("-f x", "x: invalid number of fields to skip\n"),
        ("-c -D", "printing all duplicated lines and repeat counts is meaningless\n"),
        ("--group -d", "--group is mutually exclusive with -c/-d/-D/-u\n"),
        ("a b", "output file 'b' is not supported: output goes to standard output\n"),
        ("a - c", "extra operand 'c'\n"),
        (
            "--group=x",
            "invalid argument 'x' for '--group'\nValid arguments are:\n"
            "  - 'prepend'\n  - 'append'\n  - 'separate'\n  - 'both'\n",
        ),
    ],
)
def test_messages(run: Ours, tmp_path: Path, call: str, message: str) -> None:
    (tmp_path / "d").mkdir()
    result = run(f"uniq {call}")
    assert result.stderr is not None and result.stderr.startswith(f"uniq: {message}".encode())
    assert (result.stdout, result.exit_code) == (b"", 1)
