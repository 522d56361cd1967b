"""xargs against findutils', through the shell's own dispatch."""

from __future__ import annotations

from pathlib import Path

import pytest

from rshell import limits
from tests.builtins.oracle import Ours, Theirs, same

INPUTS = [
    b"", b"\n", b"a b\nc\n", b"a 'b c' \"d e\" f\\ g\n", b"one\n\ntwo \nthree\n", b"  lead\n", b"''\n\"\" x", b"a\\\nb\n", b"x\0y\0", b"a,b,c\n", b"p _ q\n", b"a \"b\n", b"'",
]  # fmt: skip
CALLS = [
    "", "echo", "-n1 echo", "-n 2 echo x", "-L1 echo", "-L 2 echo", "-l echo", "-I{} echo '[{}]' {}{}", "-i echo {}", "-IX echo X", "-0 -n1 echo", "-d, -n1 echo", "-d '\\n' -n1 echo",
    "-d '\\x2c' echo", "-r echo", "-E _ echo", "-e_ echo", "-s 14 echo", "-x -n 5 -s 14 echo", "-s 12 echo", "-P 4 -n 9 echo", "-n1 false", "-n1 -t echo", "-a in -n1 echo",
    "-n2 -L1 echo", "-L1 -n2 echo", "-I{} -n2 echo {}", "-n2 -I{} echo {}", "cat", "-n x", "-n 0", "-s 0", "-d ab", "-d ''", "-z", "-a nope",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_as_findutils(run: Ours, bash: Theirs, tmp_path: Path, call: str) -> None:
    (tmp_path / "in").write_bytes(b"from file\n")
    for text in INPUTS:
        same(run, bash, f"xargs {call}", text)


def test_command_lines_are_filled_as_findutils_fills_them(run: Ours, bash: Theirs) -> None:
    same(run, bash, "xargs | wc", b"".join(b"%d\n" % number for number in range(60_000)))
    same(run, bash, "xargs -n 1000 echo x | wc", b"".join(b"%d\n" % number for number in range(60_000)))


def test_what_may_not_run(run: Ours) -> None:
    result = run("xargs ls", stdin=b"x", allowed_commands=["rshell:xargs"])
    assert (result.stderr, result.exit_code) == (b"ls: command not allowed\n", 127)
    result = run("xargs nonesuch", stdin=b"x")
    assert (result.stderr, result.exit_code) == (b"nonesuch: command not found\n", 127)
    result = run("xargs -n1", stdin=b"x", allowed_commands=["rshell:xargs"])
    assert (result.stderr, result.exit_code) == (b"echo: command not allowed\n", 127)


def test_statuses(run: Ours) -> None:
    assert run("xargs -n1 false", stdin=b"a b").exit_code == 123
    assert run("xargs xargs nonesuch", stdin=b"a b").exit_code == 123


def test_depth_is_bounded(run: Ours) -> None:
    fits = "xargs " * (limits.DISPATCH_DEPTH - 1) + "xargs echo"
    assert run(fits.replace("xargs xargs", "xargs -a in xargs")).exit_code in (0, 1, 123)
    result = run("xargs " * 30 + "echo", stdin=b"x")
    assert result.exit_code != 0 and result.stdout == b""


def test_invocations_are_bounded(run: Ours, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "INVOCATIONS", 3)
    assert run("xargs -n1", stdin=b"a b c").stdout == b"a\nb\nc\n"
    result = run("xargs -n1", stdin=b"a b c d")
    assert (result.stdout, result.exit_code) == (b"a\nb\nc\n", 1)
    assert result.stderr == b"xargs: too many commands (3 at most)\n"


def test_nothing_reads_the_arguments_input(run: Ours) -> None:
    assert run("xargs -n1 cat -", stdin=b"- -").stdout == b""


@pytest.mark.parametrize("option", ["-p", "-o", "--show-limits"])
def test_what_needs_a_terminal_is_refused(run: Ours, option: str) -> None:
    result = run(f"xargs {option} echo", stdin=b"a")
    assert result.stderr is not None and b"is not supported" in result.stderr
    assert (result.stdout, result.exit_code) == (b"", 1)
