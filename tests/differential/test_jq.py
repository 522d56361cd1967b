"""Generated jq programs over small values: the real jq and we give the same output and status."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rshell import Policy, Runner
from tests.builtins.oracle import quoted

pytestmark = pytest.mark.skipif(not shutil.which("jq"), reason="no jq on this machine")

EXAMPLES = int(os.environ.get("RSHELL_FUZZ", "50"))
ENVIRONMENT = {"LC_ALL": "C.UTF-8", "TZ": "UTC"}

# Numbers stay small and exact: 1.6 rounds what 1.7 and we keep.
VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1, -2, 3, 2.5, "", "a", "b", "ab,c", "é", "10"]),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)),
    max_leaves=6,
)
PATHS = st.sampled_from(
    [".", ".a", ".b", ".[0]", ".[-1]", ".[]", ".[]?", ".a?", ".[1:]", ".[:1]?", '.["c"]', "..", ".a.b?", "first(.[]?)"]
)
LITERALS = st.sampled_from(
    ["null", "true", "false", "0", "1", "2", "-1", "0.5", '"a"', '"b,"', "[]", "{}", "[1, 2]", '{"a": 1}', "empty"]
)
FUNCTIONS = st.sampled_from(
    ["length", "keys", "type", "not", "add", "any", "all", "tostring", "tojson", "sort", "min", "max", "flatten", "to_entries",
     "floor", "explode", "tonumber", "values", "scalars", "unique", "@json", "@uri", "@html", "[paths]", "[leaf_paths]", "[..]"]
)  # fmt: skip


def _extended(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.tuples(inner, inner)
    three = st.tuples(inner, inner, inner)
    return st.one_of(
        two.map(lambda t: f"({t[0]} | {t[1]})"),
        two.map(lambda t: f"({t[0]}, {t[1]})"),
        st.tuples(
            inner,
            st.sampled_from(["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or", "//"]),
            inner,
        ).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        inner.map(lambda e: f"[{e}]"),
        two.map(lambda t: f"{{a: ({t[0]}), b: ({t[1]})}}"),
        inner.map(lambda e: f'[try ({e}) catch "c"]'),
        inner.map(lambda e: f"[({e})?]"),
        three.map(lambda t: f"if {t[0]} then {t[1]} else {t[2]} end"),
        two.map(lambda t: f"({t[0]} as $x | {t[1]} | [., $x])"),
        two.map(lambda t: f"({t[0]} as [$x, $y] | {t[1]} | [., $x, $y])"),
        two.map(lambda t: f"(reduce ({t[0]}) as $x (0; {t[1]}))"),
        two.map(lambda t: f"[foreach ({t[0]}) as $x (0; {t[1]}; [., $x])]"),
        inner.map(lambda e: f"[.[]? | select({e})]"),
        inner.map(lambda e: f"[map({e})?]"),
        inner.map(lambda e: f"[limit(2; {e})]"),
        inner.map(lambda e: f"first({e})"),
        inner.map(lambda e: f"(def f(g): [g, g]; f({e}))"),
        inner.map(lambda e: f"(def f($x): [$x, x]; f({e}))"),
        inner.map(lambda e: f'"<\\({e})>"'),
        inner.map(lambda e: f"[label $out | {e} | ., break $out]"),
        st.tuples(PATHS, st.sampled_from(["=", "|=", "+=", "//="]), inner).map(lambda t: f"({t[0]} {t[1]} ({t[2]}))"),
        inner.map(lambda e: f"[path(.. | select({e}))]"),
        st.sampled_from(
            [
                "del(.[0]?)",
                "del(.a?)",
                "[to_entries?]",
                '[test("a")?]',
                '[gsub("a";"-")?]',
                '[split(",")?]',
                '[join(",")?]',
            ]
        ),
    )


# 1.6's try also catches what fails behind it; in brackets nothing comes behind.
PROGRAMS = st.recursive(st.one_of(PATHS, LITERALS, FUNCTIONS), _extended, max_leaves=6)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    program=PROGRAMS,
    values=st.lists(VALUES, max_size=3),
    options=st.sampled_from([["-c"], [], ["-cS"], ["-r"], ["-cs"]]),
)
def test_generated_programs_give_what_jq_gives(program: str, values: list[object], options: list[str]) -> None:
    text = "\n".join(json.dumps(value) for value in values).encode()
    # 1.6 ends with the status of the last input, 1.7 (and we) with that of any error: so errors become values.
    arguments = [*options, f'try ({program}) catch ["caught"]']
    done = subprocess.run(
        ["jq", *arguments], input=text, capture_output=True, timeout=20, env={**ENVIRONMENT, "PATH": os.environ["PATH"]}
    )
    with Runner(Policy(allowed_commands=["rshell:jq"], env=ENVIRONMENT), warnings=None) as runner:
        ours = runner.run(quoted("jq", *arguments), stdin=text)
    theirs = done.stdout, done.returncode
    assert (ours.stdout, ours.exit_code) == theirs, (program, text, ours.stderr, done.stderr)
