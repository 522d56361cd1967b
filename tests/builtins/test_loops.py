"""break, continue and exit against bash's."""

from __future__ import annotations

import pytest

from tests.builtins.oracle import Ours, Theirs, quoted, same

OPERANDS = [
    "",
    "abc",
    "0",
    "-1",
    "1 2",
    "''",
    "' 1 '",
    "+1",
    "-- 1",
    "-x",
    "2",
    "99999999999999999999",
    "0x1",
    "0 1",
    "abc 1",
    "5",
    "--",
    "1_0",
    "9223372036854775807",
]


@pytest.mark.parametrize("operands", OPERANDS)
@pytest.mark.parametrize("command", ["break", "continue"])
def test_leaving_loops_as_bash(run: Ours, bash: Theirs, command: str, operands: str) -> None:
    same(
        run,
        bash,
        f"for i in 1 2; do for j in a b; do {command} {operands}; echo s$?; done; echo o$?; done; echo after $?",
        stderr=True,
    )


@pytest.mark.parametrize(
    "operands",
    [
        "",
        "abc",
        "1 2",
        "abc 2",
        "-1",
        "-- 3",
        "-x",
        "''",
        "' 3 '",
        "+3",
        "256",
        "9223372036854775807",
        "9223372036854775808",
        "3x",
        "-- -x",
        "' '",
        "-5",
        "--",
        "1_0",
        "0x10",
        "007",
        "٣",
    ],
)
def test_exit_as_bash(run: Ours, bash: Theirs, operands: str) -> None:
    same(run, bash, f"false; exit {operands}; echo after", stderr=True)


def test_while_loops_as_bash(run: Ours, bash: Theirs) -> None:
    same(
        run,
        bash,
        "while true; do echo a; break; done; echo $?; until false; do false; break 0; done; echo $?",
        stderr=True,
    )


@pytest.mark.parametrize("command", ["break", "continue"])
def test_outside_a_loop(run: Ours, command: str) -> None:
    result = run(f"{command} abc; echo $?")
    assert result.stdout == b"0\n"
    assert result.stderr == f"{command} is only useful in a loop\n".encode()


def test_help_of_break_and_continue_as_bash(run: Ours, bash: Theirs) -> None:
    for command in ("break", "continue"):
        same(run, bash, f"for i in 1 2; do {command} --help; echo $?; done")


def test_quoted_words_are_numbers_too(run: Ours, bash: Theirs) -> None:
    same(run, bash, f"for i in 1 2; do break {quoted('1')}; done; echo $i")


def test_a_negated_break_as_bash(run: Ours, bash: Theirs) -> None:
    for command in ("break", "continue", "break 0", "continue 2"):
        same(run, bash, f"for i in 1 2; do for j in 1 2; do ! {command}; echo no; done; echo $?; done; echo $?")
