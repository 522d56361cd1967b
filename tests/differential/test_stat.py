"""Random formats over random trees: stat beside GNU stat. RSHELL_FUZZ=N tries N."""

from __future__ import annotations

import os
import shlex
import subprocess

from hypothesis import given, settings
from hypothesis import strategies as st

from rshell import Policy, Runner
from tests.differential.file_trees import TREES, planted

EXAMPLES = settings(max_examples=int(os.environ.get("RSHELL_FUZZ", "50")), deadline=None)

_DIRECTIVE = st.builds(
    "%{}{}{}{}".format,
    st.text("-+ #0'I", max_size=2),
    st.one_of(st.just(""), st.integers(1, 30).map(str)),
    st.one_of(st.just(""), st.just("."), st.integers(0, 15).map(".{}".format)),
    st.sampled_from([*"aAbBdDfFgGhinorRstTuUwWxXyYzZqQ%", "Hd", "Ld", "Hr", "Lr", "H", "Lx"]),
)
# GNU writes a stray s after a link's target when %N has flags that it drops
_PIECES = st.one_of(
    st.sampled_from(["%N", "%20N", "%-20N", "%.2N"]),
    _DIRECTIVE,
    _DIRECTIVE,
    st.sampled_from(["|", " ", "\\n", "\\x41", "\\101", "\\\\", "\\q", "%", "é"]),
)
_FORMATS = st.lists(_PIECES, min_size=1, max_size=6).map("".join)


@EXAMPLES
@given(TREES, st.sampled_from(["", "-L"]), st.sampled_from(["", "-t", "--format", "--printf"]), _FORMATS)
def test_stat_agrees(tree: dict[bytes, object], follow: str, kind: str, text: str) -> None:
    given_format = f"{kind}={shlex.quote(text)}" if kind.startswith("--") else kind
    script = f"stat {follow} {given_format} ./* nowhere"
    with planted(tree) as where:
        for name in os.listdir(os.fsencode(where)):
            path = os.fsencode(where) + b"/" + name
            if os.path.islink(path):
                os.readlink(path)  # the first look at a new link changes its access time
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
