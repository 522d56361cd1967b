"""Random regular expressions: what matches, beside grep, sed and sed -E."""

from __future__ import annotations

import subprocess

from hypothesis import assume, given
from hypothesis import strategies as st

from rshell.builtins.regex import PatternError, compile_pattern
from tests.differential.text_tools import EXAMPLES, tool

tool("grep")
tool("sed")

_COMMON = [
    "a", "b", "ab", "c", "1", " ", "-", ".", ".*", "[ab]", "[^a]", "[a-c]", "[]a]", "[^]a]", "[a-]", "[[:alpha:]]",
    "[[:digit:][:space:]]", "[^[:upper:]]", "[[=a=]]", "[[.-.]]", r"[\]", "^", "$", "*", r"\w", r"\W", r"\s", r"\S", r"\.",
    r"\*", "é", ",", "A",
]  # fmt: skip
_BASIC = [
    *_COMMON, r"\(", r"\)", r"\|", r"\+", r"\?", r"\{2\}", r"\{1,2\}", r"\{,2\}", r"\{1,\}",
    "+", "?", "|", "(", ")", "{", "}", "{2}",
]  # fmt: skip
_EXTENDED = [*_COMMON, "(", ")", "|", "+", "?", "{2}", "{1,2}", "{,2}", "{1,}", "()", r"\(", r"\)", r"\|", r"\+", r"\{"]
_LINES = st.lists(
    st.sampled_from(["a", "b", "c", "ab", "1", " ", "-", "é", "É", "A", "\\", "*", ".", "(", "+", "]", ","])
)
_TEXTS = st.lists(_LINES.map("".join), min_size=1, max_size=8).map(
    lambda lines: "".join(f"{n}\n" for n in lines).encode()
)


def real(argv: list[str], data: bytes) -> subprocess.CompletedProcess[bytes]:
    env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    return subprocess.run(argv, input=data, capture_output=True, check=False, env=env)


def agree_with_grep(pattern: str, syntax: str, option: str, data: bytes, fold: bool) -> None:
    try:
        compiled = compile_pattern(pattern.encode(), syntax=syntax, ignore_case=fold)
    except PatternError as failure:
        assume("back-references" not in str(failure))
        assert real(["grep", option, "-e", pattern], data).returncode == 2, failure
        return
    theirs = real(["grep", option, *(["-i"] if fold else []), "-e", pattern], data)
    assert theirs.returncode < 2, theirs.stderr
    assert b"".join(data[start:end] + b"\n" for start, end in compiled.matching_lines(data)) == theirs.stdout


@EXAMPLES
@given(st.lists(st.sampled_from(_BASIC), max_size=7).map("".join), _TEXTS, st.booleans())
def test_basic_expressions_select_the_lines_that_grep_selects(pattern: str, data: bytes, fold: bool) -> None:
    agree_with_grep(pattern, "grep", "-G", data, fold)


@EXAMPLES
@given(st.lists(st.sampled_from(_EXTENDED), max_size=7).map("".join), _TEXTS, st.booleans())
def test_extended_expressions_select_the_lines_that_grep_selects(pattern: str, data: bytes, fold: bool) -> None:
    # grep reads an interval without operand in two ways, depending on which of its matchers gets to see it.
    assume(not any(start + "{" in f"|{pattern}" for start in ("|", "(", "^", "$", "*", "+", "?", "}")))
    agree_with_grep(pattern, "egrep", "-E", data, fold)


@EXAMPLES
@given(st.booleans(), st.lists(st.sampled_from(_COMMON), min_size=1, max_size=6).map("".join), st.booleans(), _TEXTS)
def test_replacements_stand_where_sed_puts_them(extended: bool, pattern: str, every: bool, data: bytes) -> None:
    compiled_syntax = "ere" if extended else "bre"
    theirs = real(["sed", *(["-E"] if extended else []), f"s/{pattern}/<&>/{'g' if every else ''}"], data)
    try:
        compiled = compile_pattern(pattern.encode(), syntax=compiled_syntax)
    except PatternError as failure:
        assert theirs.returncode == 1, failure
        return
    assert theirs.returncode == 0, theirs.stderr
    out = []
    for line in data[:-1].split(b"\n"):
        at = 0
        for start, end in compiled.spans(line):
            out += [line[at:start], b"<", line[start:end], b">"]
            at = end
            if not every:
                break
        out += [line[at:], b"\n"]
    assert b"".join(out) == theirs.stdout
