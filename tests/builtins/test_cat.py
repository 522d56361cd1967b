"""cat against GNU's."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from tests.builtins.oracle import Ours, Theirs, same

TEXTS = [
    b"", b"\n", b"a", b"a\n", b"a\nb", b"\n\n\n", b"a\n\n\n\nb\n", b"x\r\n\r\r\n\t\x01\xff\x80\x7f\n\n", b"\r", b"\n\n\nq\n\n\n", b"line\n" * 50_000,
    b"a\tb\r\n" * 40_000 + b"\n" * 200_000, bytes(range(256)),
]  # fmt: skip
OPTIONS = [
    "",
    "-n",
    "-b",
    "-s",
    "-E",
    "-T",
    "-v",
    "-A",
    "-e",
    "-t",
    "-u",
    "-ns",
    "-bs",
    "-bE",
    "-nE",
    "-sE",
    "-nsET",
    "-vE",
    "-sbvE",
    "-bn",
    "--show-all",
    "--squeeze-blank --number",
]


@pytest.mark.parametrize("options", OPTIONS)
def test_as_gnu(run: Ours, bash: Theirs, tmp_path: Path, options: str) -> None:
    for text in TEXTS:
        (tmp_path / "f").write_bytes(text)
        same(run, bash, f"cat {options} f")


def test_lines_go_on_from_file_to_file(run: Ours, bash: Theirs, tmp_path: Path) -> None:
    parts = [b"", b"a", b"b\n", b"\n\n", b"c\r", b"\nd\n", b"\n"]
    for at, part in enumerate(parts):
        (tmp_path / str(at)).write_bytes(part)
    names = [" ".join(map(str, order)) for order in product(range(len(parts)), repeat=2)]
    for options in ("-n", "-s", "-b", "-E", "-A", "-nsE"):
        same(run, bash, "\n".join(f"cat {options} {name} {name}; echo =" for name in names))


def test_operands_and_stdin(run: Ours, bash: Theirs, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"file\n")
    for script in ("cat", "cat -", "cat f - f", "cat - -", "cat none f", "cat -- f", "cat < f", "cat - < f f"):
        same(run, bash, script, b"stdin\n")


def test_errors(run: Ours, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    for operand, message in (
        ("none", "none: no such file or directory"),
        ("d", "d: is a directory"),
        ("/etc/passwd", "/etc/passwd: permission denied"),
    ):
        result = run(f"cat {operand}")
        assert (result.exit_code, result.stdout, result.stderr) == (1, b"", f"cat: {message}\n".encode())
    result = run("cat -x")
    assert (result.exit_code, result.stderr) == (
        1,
        b"cat: invalid option -- 'x'\nTry 'cat --help' for more information.\n",
    )
