"""Random expressions over random trees: find beside GNU find. RSHELL_FUZZ=N tries N."""

from __future__ import annotations

import os
import subprocess

from hypothesis import given, settings
from hypothesis import strategies as st

from rshell import Policy, Runner
from tests.differential.file_trees import TREES, planted

EXAMPLES = settings(max_examples=int(os.environ.get("RSHELL_FUZZ", "50")), deadline=None)

_SIGN = st.sampled_from(["", "+", "-"])
_TESTS = st.one_of(
    st.sampled_from(
        ["-name 'a*'", "-name '*?b'", "-iname A", "-path './*a*'", "-empty", "-type f", "-type d", "-type l,p", "-true"]
    ),
    st.sampled_from(["-xtype f", "-xtype d", "-lname '*a*'", "-false", "-prune", "-name '.*'", "-links 1", "-user root"]),
    st.sampled_from(["-perm 644", "-perm -u+x", "-perm /222", "-perm -1000", "-newermt 2001-01-01", "-newer a"]),
    st.builds(
        lambda sign, number, unit: f"-size {sign}{number}{unit}",
        _SIGN, st.integers(0, 9), st.sampled_from(["", "c", "k", "w", "M"]),
    ),
    st.builds(lambda sign, days: f"-mtime {sign}{days}", _SIGN, st.integers(0, 20_000)),
    st.sampled_from(["-print", r"-printf '%p|%y|%Y|%s|%m|%l|%d|%h|%f|%T@\n'", r"-exec echo {} \;", "-exec echo {} +"]),
    st.sampled_from(["-execdir echo {} +", "-print0", "-quit"]),
)  # fmt: skip
_EXPRESSIONS = st.recursive(
    _TESTS,
    lambda inner: st.one_of(
        st.builds(lambda one, other: f"{one} {other}", inner, inner),
        st.builds(lambda one, other: f"{one} -o {other}", inner, inner),
        # GNU find may swap the sides of a comma that have no side effects, and with them the answer
        st.builds(lambda one, other: f"{one} -print , {other} -print", inner, inner),
        st.builds(lambda one: rf"! \( {one} \)", inner),
        st.builds(lambda one: rf"\( {one} \)", inner),
    ),
    max_leaves=5,
)
_OPTIONS = st.sampled_from(
    ["", "-depth", "-maxdepth 1", "-mindepth 1", "-mindepth 1 -maxdepth 2", "-depth -maxdepth 2"]
)


@EXAMPLES
@given(TREES, st.sampled_from(["", "-P", "-H", "-L"]), st.sampled_from([".", "./", "a", ". a"]), _OPTIONS, _EXPRESSIONS)
def test_find_agrees(tree: dict[bytes, object], links: str, start: str, options: str, expression: str) -> None:
    if "-depth" in options:
        start = start.rstrip("/")  # GNU loses the slash of a directory it has left, sometimes
    script = f"find {links} {start} {options} {expression}"
    with planted(tree) as where:
        theirs = subprocess.run(
            ["bash", "-c", script],
            cwd=where,
            capture_output=True,
            check=False,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        )
        policy = Policy(allowed_commands=["rshell:*"], allowed_paths=[f"{os.path.dirname(os.path.dirname(where))}:ro"])
        with Runner(policy, cwd=where, warnings=None) as runner:
            ours = runner.run(script)
    assert (ours.stdout, ours.exit_code) == (theirs.stdout, theirs.returncode), (script, ours.stderr, theirs.stderr)
    assert bool(ours.stderr) == bool(theirs.stderr), (script, ours.stderr, theirs.stderr)
