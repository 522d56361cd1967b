"""cmp against GNU's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builtins.oracle import Ours, Theirs, same

FILES = {
    "x": b"abc\ndef\n", "y": b"abc\ndxf\n", "z": b"abc\n", "e": b"", "w": b"abc\nde\0\xff\x7f", "n": b"abc",
    "big": b"0123456789\n" * 50_000, "big2": b"0123456789\n" * 40_000 + b"x" + b"0123456789\n" * 10_000,
}  # fmt: skip
OPTIONS = [
    "", "-b", "-l", "-lb", "-s", "-n 3", "-n 0", "-n 6", "-n 4", "-n 1k", "-i 5", "-i 1:2", "-i 100", "-i 0x1", "-i 010", "-n x", "-i 1:x",
    "-i :", "-ls", "-q", "-s -n 3", "-l -n 7", "-l -i 4", "--print-bytes --verbose", "--quiet", "--silent", "--bytes=5 -n 7", "-i 2 -i 1",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _files(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_bytes(text)


@pytest.mark.parametrize("options", OPTIONS)
def test_as_gnu(run: Ours, bash: Theirs, options: str) -> None:
    for one, other in (
        ("x", "y"),
        ("y", "x"),
        ("x", "z"),
        ("z", "x"),
        ("x", "e"),
        ("e", "x"),
        ("e", "e"),
        ("x", "w"),
        ("x", "n"),
        ("n", "z"),
    ):
        same(run, bash, f"cmp {options} {one} {other}")
        same(run, bash, f"cat {one} | cmp {options} - {other}")
    same(
        run,
        bash,
        f"cmp {options} x x; cmp {options} x ./x; cmp {options} nope x; cmp {options} x nope; cmp {options} . x",
    )


@pytest.mark.parametrize("options", ["", "-n 440000", "-n 440001", "-s", "-b", "-i 439999", "-l -n 440010"])
def test_large(run: Ours, bash: Theirs, options: str) -> None:
    same(run, bash, f"cmp {options} big big2")
    same(run, bash, f"cat big2 | cmp {options} big")


@pytest.mark.parametrize("operands", ["", "x", "x y 5 5", "x y 1", "x y 1 2 3", "x y 1 c", "- -", "- x"])
def test_operands(run: Ours, bash: Theirs, operands: str) -> None:
    same(run, bash, f"cmp {operands} < x")


def test_messages(run: Ours) -> None:
    hint = b"Try 'cmp --help' for more information.\n"
    for operands, message in (
        ("x z", b"cmp: EOF on z after byte 4, line 1\n"),
        ("x n", b"cmp: EOF on n after byte 3, in line 1\n"),
        ("-l x z", b"cmp: EOF on z after byte 4\n"),
        ("x e", b"cmp: EOF on e which is empty\n"),
        ("-ls x y", b"cmp: options -l and -s are incompatible\n" + hint),
        ("-n foo x y", b"cmp: invalid --bytes value 'foo'\n" + hint),
        ("x y 1 2 3", b"cmp: extra operand '3'\n" + hint),
        ("", b"cmp: missing operand after 'cmp'\n" + hint),
        ("x nope", b"cmp: nope: no such file or directory\n"),
        (". x", b"cmp: .: is a directory\n"),
        ("-s x nope", b""),
    ):
        assert run(f"cmp {operands}").stderr == message
