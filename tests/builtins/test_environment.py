"""env, printenv, timeout, type, which and command: what a script may ask of its shell, and no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builtins.oracle import Ours

ENV = {"A": "1", "B": "two words"}


@pytest.mark.parametrize(
    ("script", "stdout", "status"),
    [
        ("env", "A=1\nB=two words\n", 0),
        ("X=3 env", "A=1\nB=two words\nX=3\n", 0),
        ("Y=3; env", "A=1\nB=two words\n", 0),
        ("env -i", "", 0),
        ("env - X=1", "X=1\n", 0),
        ("env -u A", "B=two words\n", 0),
        ("env -0u B", "A=1\0", 0),
        ("env A=9 printenv A", "9\n", 0),
        ("env -i A=9 env", "A=9\n", 0),
        ("echo in | env cat", "in\n", 0),
        ("env false", "", 1),
        ("env -C d cat f", "inside\n", 0),
        ("env -C nope cat f", "", 125),
        ("env nope", "", 127),
        ("env -C d", "", 125),
        ("env -0 cat", "", 125),
        ("env env env printenv A", "1\n", 0),
        ("printenv", "A=1\nB=two words\n", 0),
        ("printenv B A", "two words\n1\n", 0),
        ("printenv A NONE", "1\n", 1),
        ("X=1; printenv X", "", 1),
        ("timeout 5 echo a", "a\n", 0),
        ("timeout 5 false", "", 1),
        ("timeout 0 echo a", "a\n", 0),
        ("timeout 0.05 sleep 5", "", 124),
        ("timeout --preserve-status 0.05 sleep 5", "", 143),
        ("timeout -s KILL 0.05 sleep 5", "", 137),
        ("timeout -k 1 -s INT 5 echo a", "a\n", 0),
        ("timeout 0.05 yes | tail -n 1", "y\n", 0),
        ("timeout 5 timeout 0.05 sleep 4", "", 124),
        ("echo in | timeout 5 cat", "in\n", 0),
        ("timeout x echo", "", 125),
        ("timeout 5", "", 125),
        ("timeout -s NONE 5 echo", "", 125),
        ("timeout 5 nope", "", 127),
        ("which cat nope sort", "cat\nsort\n", 1),
        ("which -a cat", "cat\n", 0),
        ("which", "", 1),
        ("type cat if", "cat is a shell builtin\nif is a shell keyword\n", 0),
        ("type -t cat while nope", "builtin\nkeyword\n", 1),
        ("type -p cat", "", 0),
        ("type -P cat", "", 1),
        ("type -a echo", "echo is a shell builtin\n", 0),
        ("command -v cat if", "cat\nif\n", 0),
        ("command -v nope", "", 1),
        ("command -v nope cat", "cat\n", 0),
        ("command -V cat", "cat is a shell builtin\n", 0),
        ("command echo a", "a\n", 0),
        ("command command -- echo a", "a\n", 0),
        ("command", "", 0),
        ("command nope", "", 127),
        ("command cd d; cat f", "inside\n", 0),
        ("command exit 3; echo no", "", 3),
        ("for i in 1 2; do command break; done; echo $i", "1\n", 0),
        ("printf 'x\\n' | (command read v; echo $v)", "x\n", 0),
    ],
)
def test_environment(run: Ours, tmp_path: Path, script: str, stdout: str, status: int) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d/f").write_text("inside\n")
    result = run(script, env=ENV)
    shown = [line for line in (result.stdout or b"").split(b"\n") if not line.startswith(b"ALLOWED_PATHS=")]
    assert (b"\n".join(shown).decode(), result.exit_code) == (stdout, status), result.stderr


def test_only_what_the_policy_allows_is_named_or_run(run: Ours) -> None:
    allowed = ["rshell:which", "rshell:type", "rshell:command", "rshell:env", "rshell:timeout", "rshell:echo"]
    script = "which cat; type -t cat; command -v cat; command cat; env cat; timeout 5 cat; command echo $?"
    result = run(script, allowed_commands=allowed)
    assert result.stdout == b"127\n"
    assert result.stderr == b"cat: command not allowed\n" * 3


def test_messages(run: Ours) -> None:
    result = run("type nope; command -V nope; timeout x a; env -u '' a")
    assert result.stderr == (
        b"type: nope: not found\ncommand: nope: not found\ntimeout: invalid time interval 'x'\n"
        b"Try 'timeout --help' for more information.\nenv: cannot unset '': invalid argument\n"
    )
