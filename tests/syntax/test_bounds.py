"""What hostile scripts meet: bounds with a message, in time that grows with the length alone."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import TypeVar

import pytest

from rshell import limits
from rshell.syntax import ShellSyntaxError, parse, validate

T = TypeVar("T")

TOO_DEEP = "nesting too deep (100 levels at most)"

# How to nest: what comes before, what after, and how many constructs that opens.
NESTED = {
    "( )": ("( ", " )", 1),
    "{ }": ("{ ", "; }", 1),
    "if": ("if ", "; then a; fi", 1),
    "then": ("if a; then ", "; fi", 1),
    "elif": ("if a; then b; elif ", "; then c; fi", 1),
    "else": ("if a; then b; else ", "; fi", 1),
    "while": ("while ", "; do a; done", 1),
    "until": ("until a; do ", "; done", 1),
    "for": ("for i in a; do ", "; done", 1),
    "for words": ("for i in $( ", "); do b; done", 2),
    "select": ("select x in a; do ", "; done", 1),
    "case": ("case a in b) ", " ;; esac", 1),
    "case subject": ("case $( ", ") in b) a ;; esac", 2),
    "function": ("f() { ", "; }", 2),
    "function keyword": ("function f { ", "; }", 2),
    "coproc": ("coproc { ", "; }", 2),
    "C-style for": ("for ((;;)); do ", "; done", 1),
    "$( )": ("$( ", ")", 1),
    "<( )": ("a <( ", ")", 1),
    '"$( )"': ('a "$( ', ')"', 2),
    "${ }": ("a ${x:-$( ", ")}", 2),
    '"${ }"': ('a "${x:-$( ', ')}"', 3),
    "$(( ))": ("a $(( $( ", ") ))", 2),
    "$[ ]": ("a $[ $( ", ") ]", 2),
    "((": ("(( ", "); a)", 2),
    "$((": ("a $(( ", "); b)", 2),
    "array": ("a=( $( ", ") )", 2),
    "subscript": ("a[$( ", ")]=b", 1),
    "[[ ]]": ("[[ $( ", ") ]]", 1),
    "extended glob": ("a @($( ", "))", 1),
    "redirection": ("a > $( ", ")", 1),
    "pipe": ("a | ( ", " )", 1),
    "negation": ("! ( ", " )", 1),
    "assignment": ("x=$( ", ")", 1),
}


def from_below(frames: int, call: Callable[[], T]) -> T:
    """The call's result, with so many frames of Python under it."""
    return call() if frames == 0 else from_below(frames - 1, call)


def outcome(script: str) -> str:
    try:
        parse(script)
    except ShellSyntaxError as error:
        return error.message
    return "parsed"


def nest(kinds: list[str]) -> str:
    script = "x"
    for kind in reversed(kinds):
        before, after, _ = NESTED[kind]
        script = before + script + after
    return script


@pytest.mark.parametrize("kind", NESTED)
def test_a_hundred_levels_and_one_more(kind: str) -> None:
    opens = NESTED[kind][2]
    deepest = limits.NESTING // opens
    assert from_below(250, lambda: outcome(nest([kind] * deepest))) == "parsed"
    assert from_below(250, lambda: outcome(nest([kind] * (deepest + 1)))) == TOO_DEEP


def test_a_hundred_levels_of_each_pair() -> None:
    for first, second in itertools.product(NESTED, repeat=2):
        pairs = limits.NESTING // (NESTED[first][2] + NESTED[second][2])
        script = nest([first, second] * pairs)
        assert from_below(250, lambda: outcome(script)) == "parsed", (first, second)  # noqa: B023
        deeper = nest([first, second] * (pairs + 1))
        assert from_below(250, lambda: outcome(deeper)) == TOO_DEEP, (first, second)  # noqa: B023


def test_nested_heredocs() -> None:
    def script(levels: int) -> str:
        text = "x"
        for level in range(levels):
            text = f"$(cat <<E{level}\n{text}\nE{level}\n)"
        return text

    assert from_below(250, lambda: outcome(script(50))) == "parsed"
    assert from_below(250, lambda: outcome(script(51))) == TOO_DEEP


def test_nested_backquotes() -> None:
    script = "x"
    for _ in range(8):
        script = "`echo " + script.replace("\\", "\\\\").replace("`", "\\`") + "`"
    assert outcome(script) == "parsed"


def test_running_out_of_python_frames_is_the_same_error() -> None:
    assert from_below(700, lambda: outcome(nest(["$( )"] * 100))) == TOO_DEEP


def test_validation_needs_no_more_frames_for_deeper_trees() -> None:
    program = parse(nest(["if", '"$( )"', "{ }"] * 25))
    from_below(700, lambda: validate(program))


def test_script_length() -> None:
    assert outcome("#" * limits.SCRIPT) == "parsed"
    assert outcome("#" * (limits.SCRIPT + 1)) == f"script too large ({limits.SCRIPT} bytes at most)"
    with pytest.raises(ShellSyntaxError) as caught:
        parse("# \u00e9", limit=3)
    assert str(caught.value) == "script too large (3 bytes at most)"
    parse("# \u00e9", limit=4)
    with pytest.raises(ShellSyntaxError):
        parse(b"# \xc3\xa9", limit=3)


def test_tree_nodes() -> None:
    words = limits.TREE_NODES // 2 - 10
    assert outcome("a " * words) == "parsed"
    assert outcome("a " * (words + 10)) == f"script too large ({limits.TREE_NODES} syntax nodes at most)"


HOSTILE = [
    "(", '"', "$(", "`", "{ ", "{", ")", "}", "$((", "((", "( (", "${", "${x:-", "$[", "[[ ", "'", "$'", "\\", "\\\n", "a;", "a|",
    "a&&", "! ", "time ", "<<E ", "<<E\n", "<<-E\n\t", "<", ">", "a=(", "a[", "a[ ", "a[ b] ", "a", "1", "\n", "# \n", " ", "~", "*", "@(", "@",
    "case ", "case a in ", "if ", "for ", "f()", "function ", "coproc ", "coproc a ", "<(", "a'b' ", "\\a", '"a"', "$a", '"$a"', "''",
    "=", "a=", "~:", "a=~", "2>", "{a}>", "&>", "\r", "\udc80", "\ud800", "$", '"$', "`\\`", "do ", "x() {", '"`', "${x'", '${x"',
    "$(case a in a)", "$((a)", "((a)", "select x in", "$(<<E\n", "<<E;", '<<"', "<<E\\\n", "<<E\na\\\n", "a;;", "a[$(", "a[`", "{fd", "1{",
    "(a)", "a()", "a@(", "?()", "${a[", "${#", "${!", "${${", '"${', "${x#'", '$"', "((;", "for ((", "&", "a &", "a=(b)", "a=1 ", ">a ",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=repr)
def test_hostile_scripts_end_soon(text: str) -> None:
    """Only ShellSyntaxError, and in time that does not grow faster than the script."""
    for before, after in (("", ""), ('a "', ""), ("cat <<E\n", "\nE\n")):
        script = before + text * (300_000 // len(text)) + after
        began = time.process_time()
        try:
            parse(script)
        except ShellSyntaxError:
            pass
        assert time.process_time() - began < 8
