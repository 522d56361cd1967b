"""head against GNU's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builtins.oracle import Ours, Theirs, same

TEXTS = [
    b"",
    b"\n",
    b"a",
    b"a\n",
    b"a\nb",
    b"\n\n\n",
    b"a\0b\0c",
    b"one\ntwo\nthree\n" * 3,
    b"line\n" * 5_000,
    b"x" * 300_000 + b"\n" + b"y" * 10,
    b"12345678\n" * 60_000,
]
OPTIONS = [
    "", "-n 0", "-n 1", "-n 3", "-c 2", "-c 0", "-n -1", "-n -0", "-n -2", "-n -3", "-c -1", "-c -0", "-c -3", "-z -n1", "-z -n -1", "-2", "-2c", "-1k", "-v -n 1", "-1v",
    "-n 2K", "-c 1b", "-n +2", "-c 1kB", "-n 4999", "-n -4999", "-c -24990", "-n 5000", "-n -5000", "-n -59999", "-c 1KiB", "--lines=2", "--bytes=-2", "-n 1 -c 5", "-c 5 -n 1", "-c 1M", "-n 99999999999999999",
]  # fmt: skip
WRONG = [
    "-n x",
    "-n ''",
    "-n 1x",
    "-n -",
    "-c 1kiBx",
    "-c 3R",
    "-n 0x1",
    "-n '1 '",
    "-n 1_0",
    "-n ٣",
    "-q=x",
    "--quiet=x",
    "-x",
    "--lines",
]


@pytest.mark.parametrize("options", OPTIONS)
def test_as_gnu(run: Ours, bash: Theirs, tmp_path: Path, options: str) -> None:
    for text in TEXTS:
        (tmp_path / "f").write_bytes(text)
        same(run, bash, f"head {options} f")
        same(run, bash, f"head {options} < f")
        same(run, bash, f"cat f | head {options}")


@pytest.mark.parametrize("options", WRONG)
def test_wrong_use(run: Ours, bash: Theirs, options: str) -> None:
    same(run, bash, f"head {options}", b"a\n")


@pytest.mark.parametrize("options", ["-n 2", "-c 5", "-n 0", "-n -2", "-c -7", "-n 100"])
def test_a_file_as_stdin_is_left_right_after_what_was_printed(
    run: Ours, bash: Theirs, tmp_path: Path, options: str
) -> None:
    for text in (b"one\ntwo\nthree\nfour\nfive\n", b"12345678\n" * 60_000):
        (tmp_path / "f").write_bytes(text)
        same(run, bash, f"{{ head {options}; echo =; head -n 1; echo =; cat; }} < f")
        same(run, bash, "{ read x; head -n 1; echo =; cat; } < f")


def test_of_a_pipe_the_rest_of_the_last_read_is_lost(run: Ours, bash: Theirs) -> None:
    same(run, bash, "printf '1\\n2\\n3\\n' | { head -n 1; cat; }")
    same(run, bash, "printf '1\\n2\\n3\\n' | { head -c 1; cat; }")


def test_headers(run: Ours, bash: Theirs, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(name.encode() * 3 + b"\n")
    (tmp_path / "d").mkdir()
    for script in (
        "head a b",
        "head -q a b",
        "head -v a",
        "head -v -q a b",
        "head a none b",
        "head a d b",
        "head - a",
        "head -v",
        "head none",
        "head a -",
    ):
        same(run, bash, script, b"stdin\n")


def test_messages(run: Ours, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    assert run("head none").stderr == b"head: cannot open 'none' for reading: no such file or directory\n"
    assert run("head d").stderr == b"head: error reading 'd': is a directory\n"
    assert run("head /etc/passwd").stderr == b"head: cannot open '/etc/passwd' for reading: permission denied\n"
    assert run("head -n x").stderr == b"head: invalid number of lines: 'x'\n"
    assert run("head -c x").stderr == b"head: invalid number of bytes: 'x'\n"


def test_what_is_held_back_is_bounded(run: Ours) -> None:
    result = run("cat /dev/zero | head -c -100000000", allowed_paths=["/dev:ro"])
    assert (result.exit_code, result.stdout) == (1, b"")
    assert result.stderr == b"head: too much to hold back (67108864 bytes at most)\n"
