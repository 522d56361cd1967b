"""test and [ against bash's."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from rshell.builtins import registry
from tests.builtins.oracle import Ours, Theirs, quoted, same

ARGUMENTS = [
    (), ("",), ("a",), ("-n",), ("-z",), ("-lt",), ("!",), ("-t", "x"), ("-t", "99999999999"), ("-t", ""), ("x", "-foo", "y"), ("-q", "x"), ("a", "b"),
    ("!", "a", "b"), ("(", "a", "b", ")"), ("(", "-n", "x", ")"), ("!", "(", "a", ")"), ("a", "=", "b", "c"), ("a", "b", "c", "d"),
    ("-n", "a", "-n", "b"), ("-n", "a", "-a"), ("a", "-a", "-a", "b"), ("!", "!", "a", "=", "b"), ("a", "=", "b", "-a", "(", "c", "=", "c"),
    ("(", "a", ")", "b", "c"), (" 5 ", "-eq", "5"), ("+5", "-eq", "5"), ("", "-eq", "0"), ("-", "-eq", "0"), ("9223372036854775807", "-gt", "0"),
    ("9223372036854775808", "-gt", "0"), ("x", "-eq", "y"), ("-e", "=", "-e", "-o", "a"), ("!", "!"), ("!", "!", "!"), ("!", "!", "!", "!"),
    ("!", "!", "!", "!", "a"), ("(", ")"), ("(", "(", ")", ")"), ("(", "a"), ("a", "-o", "b", "-a", ""), ("a", "-a", "b", "-o", "", "-a", "x"), ("=", "="),
    ("a", "=~", "b"), ("-a", "-a", "-a"), ("-a", "a", "-a", "b"), ("-f", "=", "x"), ("(", "a", "=", "a", ")", "-a", "b"),
    ("(", "(", "a", ")", ")", "-a", "b"), ("(", "a", "b", "c", "d", ")"), ("(", ")", "a", "b", "c"), ("a", "-o", "-o", "b", "c"),
    ("-n", "x", "y", "z", "w"), ("-nt", "-nt", "-nt"), ("-R", "x"), ("-o", "errexit"), ("-v", "nope"), ("a", "=", "b", "-x"), ("a", "=", "b", "-o"),
    ("a", "=", "b", "!", "c"), ("1", "-eq", "1", "-a", "x", "-eq", "1"), ("1", "-eq", ""), ("a", "<", "b"), ("é", ">", "z"), ("٣", "-eq", "3"), ("1_0", "-eq", "10"),
    ("0x10", "-eq", "16"), ("010", "-eq", "10"), ("-0", "-eq", "0"), ("--1", "-eq", "1"), ("1 2", "-eq", "1"), ("00000000000000000000000001", "-eq", "1"),
]  # fmt: skip

FILES = [
    (operator, path)
    for operator in [
        "-a",
        "-b",
        "-c",
        "-d",
        "-e",
        "-f",
        "-g",
        "-h",
        "-k",
        "-p",
        "-r",
        "-s",
        "-u",
        "-x",
        "-G",
        "-L",
        "-N",
        "-O",
        "-S",
    ]
    for path in (
        "file",
        "empty",
        "dir",
        "link",
        "dangling",
        "none",
        "",
        "fifo",
        "script",
        "sticky",
        "secret",
        "dir/",
        "file/",
        "dir/../file",
    )
]
PAIRS = [
    (one, operator, two)
    for operator in ("-nt", "-ot", "-ef")
    for one in ("file", "old", "none", "link", "hard")
    for two in ("file", "old", "none", "dir/../file")
]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "file").write_bytes(b"data\n")
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "dir").mkdir()
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "old").write_bytes(b"old")
    os.utime(tmp_path / "old", (1, 1))
    os.link(tmp_path / "file", tmp_path / "hard")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "script").write_bytes(b"#!/bin/sh\n")
    (tmp_path / "script").chmod(0o6755)
    (tmp_path / "sticky").mkdir()
    (tmp_path / "sticky").chmod(0o1777)
    (tmp_path / "secret").write_bytes(b"x")
    (tmp_path / "secret").chmod(0)
    return tmp_path


@pytest.mark.parametrize("args", ARGUMENTS)
def test_as_bash(run: Ours, bash: Theirs, args: tuple[str, ...]) -> None:
    same(run, bash, f"test {quoted(*args)}", stderr=True)
    same(run, bash, f"[ {quoted(*args)} ]", stderr=True)


def test_files_as_bash(run: Ours, bash: Theirs, tree: Path) -> None:
    script = "\n".join(f"test {quoted(*args)}; echo {quoted(*args)} $?" for args in FILES + PAIRS)
    same(run, bash, script, stderr=True)


def test_a_missing_bracket(run: Ours) -> None:
    for script in ("[", "[ a", "[ 1 -eq 1", "[ a ] b"):
        result = run(script)
        assert (result.exit_code, result.stderr) == (2, b"[: missing `]'\n")


def test_a_variable_that_is_set(run: Ours, bash: Theirs) -> None:
    same(run, bash, "x=; test -v x; echo $?; test -v y; echo $?; [ -v x -a ! -v y ]; echo $?")


def test_parentheses_are_bounded(run: Ours) -> None:
    deep = "\\( " * 40 + "a -a b" + " \\)" * 40
    assert run(f"test {deep}").exit_code == 0
    result = run(f"test \\( {deep} \\)")
    assert (result.exit_code, result.stderr) == (2, b"test: parentheses nested too deep\n")


def test_help(run: Ours) -> None:
    for script in ("test --help", "[ --help"):
        result = run(script)
        assert result.exit_code == 0
        assert result.stdout.startswith(b"Usage: ")


@pytest.mark.parametrize("name", ["test", "["])
def test_the_short_way_gives_what_the_long_way_gives(run: Ours, name: str) -> None:
    """Every call that the short way takes is also made with ! in front twice, which it does not take."""
    quick: Callable[..., int | None] | None = registry.find(name).quick  # type: ignore[union-attr]
    assert quick is not None
    taken = 0
    closing = ["]"] if name == "[" else []
    for args in ARGUMENTS:
        short = quick([*args, *closing], lambda data: None)
        if short is None:
            continue
        taken += 1
        assert run(f"{name} {quoted(*args, *closing)}").exit_code == short
        if args:
            assert run(f"{name} '(' {quoted(*args)} ')' -a x {quoted(*closing)}").exit_code == short or len(args) < 3
    assert taken >= 10
