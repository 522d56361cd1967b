"""read against bash's."""

from __future__ import annotations

import pytest

from tests.builtins.oracle import Ours, Theirs, same

CASES = [
    ("-n 0 a", b"xy\n"), ("-N 0 a", b"xy\n"), ("-n 3 a b", b"x y z\n"), ("-N 3 a b", b"x y z\n"), ("-N 3 a b", b"x"), ("-n 3 a b", b"a\\\nbcd"),
    ("-n 3 a", b"a\\bcd"), ("-rn 3 a", b"a\\bcd"), ("-N 3 a", b"a\\bcd"), ("-N 3 a", b"a\nbcd"), ("-n 2 a", "ééé".encode()), ("-N 2 a", "ééé".encode()),
    ("-n 2 a", b"\xff\xfe\xfd\xfc"), ("-d x a b", b"one two\nthree x rest"), ("-d '' a", b"one\0two"), ("a", b"o\0ne\n"), ("-d xyz a", b"1y2x3"),
    ("a b", b"  one   two  \n"), ("a b", b"one\\ two three\\\nfour\n"), ("a b", b"one two\\ \n"), ("a", b"  one two  \\  \n"), ("a", b""), ("a b", b"\n"),
    ("-r a", b"a\\\nb"), ("a", b"abc\\"), ("-r a", b"abc\\"), ("-p 'P> ' a", b"x\n"), ("-t 1 a", b"x\n"), ("-t .5 a", b"x\n"), ("-s a", b"x\n"),
    ("-n2 -d x a", b"axb\n"), ("-N2 -d x a", b"axb\n"), ("-t 99999999999999999999 a", b"x\n"), ("a a", b"1 2\n"), ("-r a b", b"x y \\ \n"), ("-n 3 -- a", b"abcdef"),
    ("-d ' ' a", b"  x y"), ("-d : a b", b" x : y"), ("-N 4 a", b"a b "), ("-n1 a", b"\\\nx"), ("-d x a", b"1\\x2x3"), ("a", b"x\\"), ("a b", b"x y\\ \n"),
]  # fmt: skip

SPLITTING = [
    (":", "a b", b"x:y:\n"), (":", "a b", b"x:y::\n"), (":", "a b", b":x\n"), (":", "a b", b"x\n"), (":", "a", b"x:\n"), (":", "a", b":x:\n"), (":", "a", b"x::\n"),
    (": ", "a b", b" x : y : z : \n"), (": ", "a b", b"x : \n"), ("", "a b", b" x y \n"), (":", "-r a b", b"x\\:y:z\n"), (":", "a b", b"x\\:y:z\n"),
    ("\\", "a b", b"x\\y\n"), ("\\", "-r a b", b"x\\y\n"), ("é", "a b", "1é2\n".encode()), ("x", "a b", b"1xx2\n"), ("x", "a b", b"1xx\n"), ("x", "a b", b"x\n"),
    ("x", "a b", b"1x2x\n"), ("x", "a", b"1x2x\n"), (" x", "a", b" 1 x \n"), (" x", "a b", b" 1 x 2 x \n"), ("-]^", "a b", b"1]2^3-4\n"),
]  # fmt: skip

WRONG = [
    "-n abc a",
    "-n -1 a",
    "-n '' a",
    "-n 99999999999999999999 a",
    "-t abc a",
    "-t -1 a",
    "-t 1e3 a",
    "1x",
    "a 1x",
    "-- -x",
    "''",
    "a-b",
]

SHOW = 'echo "$?[$a][$b]"; cat'


@pytest.mark.parametrize(("args", "stdin"), CASES)
def test_as_bash(run: Ours, bash: Theirs, args: str, stdin: bytes) -> None:
    same(run, bash, f"read {args}; {SHOW}", stdin)


@pytest.mark.parametrize(("ifs", "args", "stdin"), SPLITTING)
def test_splitting_as_bash(run: Ours, bash: Theirs, ifs: str, args: str, stdin: bytes) -> None:
    same(run, bash, f"IFS='{ifs}' read {args}; {SHOW}", stdin)


@pytest.mark.parametrize("args", WRONG)
def test_wrong_use_as_bash(run: Ours, bash: Theirs, args: str) -> None:
    same(run, bash, f"read {args}; {SHOW}", b"x\n", stderr=True)


def test_without_a_name_reply_gets_the_line_as_it_is(run: Ours, bash: Theirs) -> None:
    same(run, bash, 'read; echo "[$REPLY]"', b"  x y  \n")


def test_a_clock_stops_the_waiting(run: Ours, bash: Theirs) -> None:
    same(run, bash, '(printf ab; sleep 0.3) | { read -t 0.1 a; echo "$?[$a]"; }')
    same(run, bash, 'sleep 0.3 | { read -t 0 a; echo "$?[$a]"; }')


def test_a_loop_over_lines(run: Ours, bash: Theirs) -> None:
    same(run, bash, 'n=; while read -r a b; do echo "<$b|$a>"; n=x$n; done; echo $n', b"1 one\n2  two \n\n3\\\n4 four")


def test_the_prompt_goes_to_stderr(run: Ours) -> None:
    assert run("read -p 'Name: ' x", stdin=b"a\n").stderr == b"Name: "


def test_counts_are_bounded(run: Ours) -> None:
    assert run("read -n 1048576 x", stdin=b"a\n").exit_code == 0
    result = run("read -n 1048577 x", stdin=b"a\n")
    assert (result.exit_code, result.stderr) == (1, b"read: 1048577: too many characters (1048576 at most)\n")


@pytest.mark.parametrize("option", ["-a", "-e", "-i x", "-u 3"])
def test_options_that_are_refused_say_so(run: Ours, option: str) -> None:
    result = run(f"read {option} x", stdin=b"a\n")
    assert result.exit_code == 2
    assert b"is not supported: " in result.stderr
