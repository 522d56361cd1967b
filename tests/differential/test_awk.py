"""Generated awk programs over small inputs: gawk and we give the same output and status."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rshell import Policy, Runner
from tests.builtins.oracle import quoted

pytestmark = pytest.mark.skipif(not shutil.which("gawk"), reason="no gawk on this machine")

EXAMPLES = int(os.environ.get("RSHELL_FUZZ", "50"))
ENVIRONMENT = {"LC_ALL": "C.UTF-8", "TZ": "UTC"}

NUMBERS = st.sampled_from(["0", "1", "2", "3", "10", "0.5", "1e3", "100", "7"])
STRINGS = st.sampled_from(['""', '"a"', '"b"', '"10"', '"9"', '"3x"', '" 2 "', '"abc"', '"a b"', '"é"', '"+1"', '".5"'])
NAMES = st.sampled_from(["x", "y", "NF", "NR"])
VARIABLES = st.sampled_from(["x", "y"])
FIELDS = st.sampled_from(["$0", "$1", "$2", "$3", "$NF", "$(NF > 1 ? 2 : 1)"])
REGEXES = st.sampled_from(
    ["/a/", "/^[0-9]+$/", "/b*/", "/[a-c]+/", "/ /", "/./", "/a|b/", "/(ab)?c/", "/[^a]/", "/x$/", "/[[:digit:]]/"]
)
ATOMS = st.one_of(NUMBERS, STRINGS, NAMES, FIELDS, st.just("a[$1]"), st.just("a[1]"), st.just("length(a)"))


def _extended(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.tuples(inner, inner)
    return st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(inner, st.sampled_from(["<", "<=", "==", "!=", ">", ">="]), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        two.map(lambda t: f"({t[0]} && {t[1]})"),
        two.map(lambda t: f"({t[0]} || {t[1]})"),
        two.map(lambda t: f"({t[0]} {t[1]})"),
        st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} ? {t[1]} : {t[2]})"),
        inner.map(lambda e: f"(!{e})"),
        inner.map(lambda e: f"(-{e})"),
        inner.map(lambda e: f"({e} % 7)"),
        inner.map(lambda e: f"({e} / 4)"),
        st.tuples(VARIABLES, st.sampled_from(["=", "+=", "-=", "*="]), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        VARIABLES.map(lambda v: f"{v}++"),
        VARIABLES.map(lambda v: f"(--{v})"),
        st.tuples(inner, REGEXES).map(lambda t: f"({t[0]} ~ {t[1]})"),
        inner.map(lambda e: f"length({e})"),
        st.tuples(inner, inner).map(lambda t: f"index({t[0]}, {t[1]})"),
        st.tuples(inner, st.integers(-2, 5), st.integers(-1, 5)).map(lambda t: f"substr({t[0]}, {t[1]}, {t[2]})"),
        inner.map(lambda e: f"toupper({e})"),
        inner.map(lambda e: f"int({e})"),
        st.tuples(inner, REGEXES).map(lambda t: f"match({t[0]}, {t[1]}) RSTART RLENGTH"),
        st.tuples(st.sampled_from(["%d", "%5.2f", "%s|%s", "%-6s|", "%c", "%05d", "%x", "%e", "%.2s"]), inner, inner).map(
            lambda t: f'sprintf("{t[0]}", {t[1]}, {t[2]})'
        ),
        st.tuples(REGEXES, st.sampled_from(['"<&>"', '"x"', '""', '"\\\\&"']), inner).map(lambda t: f"gensub({t[0]}, {t[1]}, \"g\", {t[2]} \"\")"),
    )  # fmt: skip


# gensub gets its text with "" behind it: gawk 5.2 reads freed memory where it is a number.
EXPRESSIONS = st.recursive(ATOMS, _extended, max_leaves=6)


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(EXPRESSIONS, inner).map(lambda t: f"if ({t[0]}) {{ {t[1]} }}"),
        st.tuples(EXPRESSIONS, inner, inner).map(lambda t: f"if ({t[0]}) {{ {t[1]} }} else {{ {t[2]} }}"),
        inner.map(lambda s: f"for (i = 0; i < 3; i++) {{ {s} }}"),
        inner.map(lambda s: f"n = 0; while (n++ < 2) {{ {s} }}"),
        st.tuples(inner, inner).map(lambda t: f"{t[0]}; {t[1]}"),
    )


SIMPLE = st.one_of(
    EXPRESSIONS.map(lambda e: f"print {e}"),
    st.tuples(EXPRESSIONS, EXPRESSIONS).map(lambda t: f"print {t[0]}, {t[1]}"),
    EXPRESSIONS.map(lambda e: f"x = {e}"),
    EXPRESSIONS.map(lambda e: f"a[$1] = {e}"),
    EXPRESSIONS.map(lambda e: f"$2 = {e}; print; print NF"),
    st.just("a[$1]++"),
    st.just("delete a[1]"),
    st.just("NF = 2; print"),
    st.just('$5 = "z"; print'),
    st.tuples(st.sampled_from(["sub", "gsub"]), REGEXES, st.sampled_from(['"[&]"', '"-"'])).map(
        lambda t: f"print {t[0]}({t[1]}, {t[2]}), $0, NF"
    ),
    st.tuples(EXPRESSIONS, st.sampled_from(["/a/", '" "', '"b"', '""', "/[ab]/"])).map(
        lambda t: f"k = split({t[0]}, p, {t[1]}); print k, p[1], p[k]"
    ),
    st.sampled_from(["next", "getline; print", "getline y; print y"]),
)
STATEMENTS = st.recursive(SIMPLE, _compound, max_leaves=4)
PATTERNS = st.one_of(st.just(""), EXPRESSIONS, REGEXES, st.just("NR == 2"), st.just("NR == 1, /b/"))
RULES = st.tuples(PATTERNS, STATEMENTS).map(lambda t: f"{t[0]} {{ {t[1]} }}")
PROGRAMS = st.tuples(st.lists(RULES, min_size=1, max_size=3), st.booleans()).map(
    lambda t: "BEGIN { delete a }\n" + "\n".join(t[0]) + ("\nEND { print NR, NF, $0, x, y }" if t[1] else "")
)
WORDS = st.sampled_from(["a", "b", "abc", "1", "10", "3x", "0", "-2", "é", "x", "1e2", "0.50", ""])
LINES = st.lists(WORDS, max_size=4).map(" ".join)
TEXTS = st.tuples(st.lists(LINES, max_size=4).map("\n".join), st.sampled_from(["", "\n"])).map("".join)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    program=PROGRAMS,
    text=TEXTS,
    options=st.sampled_from([[], ["-F:"], ["-F", "[ab]"], ["-vOFS=-"], ["-vRS="], ["-F", "b"]]),
)
def test_generated_programs_give_what_gawk_gives(program: str, text: str, options: list[str]) -> None:
    arguments = [*options, program]
    done = subprocess.run(
        ["gawk", *arguments],
        input=text.encode(),
        capture_output=True,
        timeout=20,
        env={**ENVIRONMENT, "PATH": os.environ["PATH"]},
    )
    with Runner(Policy(allowed_commands=["rshell:awk"], env=ENVIRONMENT), warnings=None) as runner:
        ours = runner.run(quoted("awk", *arguments), stdin=text.encode())
    theirs = done.stdout, done.returncode
    assert (ours.stdout, ours.exit_code) == theirs, (program, text, ours.stderr, done.stderr)
