"""Generated calls of printf, echo, test and read, against bash. RSHELL_FUZZ=N tries N of each."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rshell import Policy, Runner

EXAMPLES = settings(
    max_examples=int(os.environ.get("RSHELL_FUZZ", "50")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner(Policy(allowed_commands=["rshell:*"]), cwd="/", warnings=None) as made:
        yield made


def quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def compare(runner: Runner, lines: list[str], stdin: bytes = b"") -> None:
    """Run the lines as one script in both shells."""
    script = "\n".join(lines) + "\n"
    theirs = subprocess.run(
        ["bash", "-c", script],
        input=stdin,
        capture_output=True,
        check=False,
        timeout=60,
        env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
    )
    runner.reset()
    ours = runner.run(script, stdin=stdin)
    assert b"internal error" not in (ours.stderr or b"")
    assert (ours.stdout, ours.exit_code) == (theirs.stdout, theirs.returncode)


character = st.sampled_from([*list("ab0178xuUcn\\\\\\%'\" -é\n~#=:"), "😀"])
text = st.text(character, max_size=8)
digits = st.from_regex(r"\A[-+ ]?(0x|0)?[0-9a-f]{0,22}[ x]?\Z")
number = st.one_of(
    digits,
    st.integers(-(2**65), 2**65).map(str),
    st.floats().map(repr),
    st.from_regex(r"\A[-+]?[0-9]{0,22}(\.[0-9]{0,22})?([eE][-+]?[0-9]{1,4})?\Z"),
    text.filter(lambda word: "\n" not in word),
)
conversion = st.builds(
    "%{}{}{}{}".format,
    st.text(st.sampled_from("-+ #0"), max_size=2),
    st.one_of(st.just(""), st.integers(1, 30).map(str)),
    st.one_of(st.just(""), st.just("."), st.integers(0, 25).map(".{}".format)),
    st.sampled_from("sbqcdiouxXeEfFgGaA"),
)


def differs_on_purpose(form: str, arguments: list[str]) -> bool:
    """%#x of zero keeps its prefix here; hexadecimal floating point is read as a double; surrogates are not written."""
    joined = form + " ".join(arguments)
    return ("#" in form and ("x" in form or "X" in form)) or "0x" in joined or "0X" in joined or "ud" in joined.lower()


@EXAMPLES
@given(
    calls=st.lists(
        st.tuples(
            st.lists(st.one_of(conversion, text.filter(lambda word: "%" not in word)), max_size=3),
            st.lists(number, max_size=4),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_printf(runner: Runner, calls: list[tuple[list[str], list[str]]]) -> None:
    lines = []
    for parts, arguments in calls:
        form = "".join(parts)
        if not differs_on_purpose(form, arguments):
            lines.append(f'printf -- {" ".join(map(quoted, [form, *arguments]))}; echo " $?"')
    compare(runner, lines)


@EXAMPLES
@given(
    calls=st.lists(
        st.tuples(st.sampled_from(["", "-e", "-ne", "-n", "-E", "-eE"]), st.lists(text, max_size=3)),
        min_size=1,
        max_size=20,
    )
)
def test_echo(runner: Runner, calls: list[tuple[str, list[str]]]) -> None:
    compare(runner, [f"echo {options} {' '.join(map(quoted, words))}" for options, words in calls])


operator = st.sampled_from(
    [
        "=",
        "==",
        "!=",
        "<",
        ">",
        "-eq",
        "-ne",
        "-lt",
        "-le",
        "-gt",
        "-ge",
        "-a",
        "-o",
        "!",
        "(",
        ")",
        "-n",
        "-z",
        "-f",
        "-e",
        "-nt",
        "-ef",
    ]
)
operand = st.one_of(st.sampled_from(["", "a", "b", "1", "-1", "007", " 2 ", "x y", "/", "/none", "é"]), operator)


@EXAMPLES
@given(calls=st.lists(st.lists(st.one_of(operator, operand), max_size=7), min_size=1, max_size=30))
def test_test(runner: Runner, calls: list[list[str]]) -> None:
    # What only says whether a file exists would depend on the policy.
    lines = []
    for words in calls:
        words = [word for word in words if word not in ("/", "/none")]
        lines += [f"test {' '.join(map(quoted, words))}; echo $?", f"[ {' '.join(map(quoted, words))} ]; echo $?"]
    compare(runner, lines)


@EXAMPLES
@given(
    calls=st.lists(
        st.tuples(
            st.sampled_from(["", " ", ":", ": ", " \t\n", "x", "\\", "é"]),
            st.sampled_from(["", "-r", "-n 3", "-N 3", "-d :", "-rn 4", "-d x -r", "-rN 2"]),
            st.sampled_from(["", "a", "a b", "a b c"]),
        ),
        min_size=1,
        max_size=6,
    ),
    stdin=st.text(st.sampled_from(list("ab x: \t\\\\\n\né")), max_size=60),
)
def test_read(runner: Runner, calls: list[tuple[str, str, str]], stdin: str) -> None:
    lines = []
    for separators, options, names in calls:
        if "\\" in stdin:
            separators = separators.replace("é", "x")  # bash takes an escaped separator of two bytes apart
        lines.append(f"IFS={quoted(separators)} read {options} {names}")
        lines.append('echo "$?[$a][$b][$c][$REPLY]"')
    if stdin.endswith("\\"):
        stdin += "e"  # bash leaves a byte of its own in REPLY when the input ends in a backslash
    compare(runner, [*lines, "cat"], stdin.encode())
