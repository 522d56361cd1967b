"""zgrep against gzip's."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from tests.builtins.oracle import Ours, Theirs, same

TEXT = b"".join(b"%d lines of Text\n" % number for number in range(5_000))


@pytest.fixture(autouse=True)
def _files(tmp_path: Path) -> None:
    if not shutil.which("zgrep"):
        pytest.skip("no zgrep on this machine")
    packed = gzip.compress(TEXT, mtime=0)
    for name, data in (
        ("p.gz", packed), ("two.gz", packed + gzip.compress(b"77 more\n", mtime=0)), ("plain", TEXT), ("garbage.gz", packed + b"garbage"),
        ("e", b""), ("bin.gz", gzip.compress(b"a\0b lines\n", mtime=0)), ("patterns", b"^12\n^13\n"),
    ):  # fmt: skip
        (tmp_path / name).write_bytes(data)
    (tmp_path / "short.gz").write_bytes(packed[: len(packed) // 2])


@pytest.mark.parametrize(
    "options",
    ["77", "-c 77", "-n 4977", "-l 77", "-L 77", "-L zzz", "-l zzz", "-q 77", "-q zzz", "-i text$ -c", "-v lines -c", "-o '^..77'", "-h 4977", "-H 4977", "-hH 4977",
     "-m 2 7", "-e 4977 -e 4978", "-f patterns -c", "-E '^(4|3)977'", "-F .", "-w 77", "-x 77", "-A 1 4977", "-1 4977", "-s 4977", "--label=foo -H 4977", "-nH 4977",
     "-r x", "-z x", "--include=x x", "-lc 4977", "-b 4977", "-c lines -m0", "--regexp=4977", "a.b"],
)  # fmt: skip
def test_as_zgrep(run: Ours, bash: Theirs, options: str) -> None:
    for operands in (
        "p.gz",
        "p",
        "two.gz plain",
        "garbage.gz",
        "plain nope p.gz",
        "- < p.gz",
        "< plain",
        "e",
        "bin.gz",
        ".",
    ):
        same(run, bash, f"zgrep {options} {operands}")


def test_damaged_files_are_searched_as_far_as_they_go(run: Ours) -> None:
    result = run("zgrep -c lines short.gz p.gz")
    assert result.exit_code == 2
    assert result.stderr == b"zgrep: short.gz: unexpected end of file\n"
    first, second = (result.stdout or b"").split(b"\n")[:2]
    assert first.startswith(b"short.gz:")
    assert first > b"short.gz:1"
    assert second == b"p.gz:5000"


def test_messages(run: Ours) -> None:
    assert run("zgrep x nope").stderr == b"zgrep: nope: no such file or directory\n"
    refused = run("zgrep -r x").stderr or b""
    assert refused.startswith(b"zgrep: option '-r' is not supported: it searches the files given, line by line\n")
    assert run("zgrep x .").stderr == b"zgrep: .: is a directory\n"
