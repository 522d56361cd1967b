"""Random options over random trees: ls beside GNU ls. RSHELL_FUZZ=N tries N."""

from __future__ import annotations

import os
import subprocess

from hypothesis import given, settings
from hypothesis import strategies as st

from rshell import Policy, Runner
from tests.differential.file_trees import TREES, planted

EXAMPLES = settings(max_examples=int(os.environ.get("RSHELL_FUZZ", "50")), deadline=None)

_OPTIONS = st.lists(
    st.one_of(
        st.sampled_from([f"-{letter}" for letter in "1AbBcCdFghiklmnoNpqQrRsStUvxXH"]),
        st.sampled_from(["--full-time", "--time-style=long-iso", "--time-style=iso", "--group-directories-first"]),
        st.sampled_from(
            ["--hide='a*'", "-I '*b'", "--si", "-w 40", "-T 0", "--file-type", "--quoting-style=shell-escape"]
        ),
        st.sampled_from(["--sort=size", "--sort=width", "--block-size=K", "--block-size=1000", "--format=commas"]),
    ),
    max_size=5,
)


@EXAMPLES
@given(TREES, _OPTIONS, st.sampled_from(["", ".", "a", "a b", "./*"]))
def test_ls_agrees(tree: dict[bytes, object], options: list[str], operands: str) -> None:
    script = f"ls {' '.join(options)} {operands}"
    with planted(tree) as where:
        theirs = subprocess.run(
            ["bash", "-c", script],
            cwd=where,
            capture_output=True,
            check=False,
            env={"PATH": "/usr/bin:/bin", "LC_CTYPE": "C.UTF-8"},
        )
        policy = Policy(allowed_commands=["rshell:*"], allowed_paths=[f"{os.path.dirname(os.path.dirname(where))}:ro"])
        with Runner(policy, cwd=where, warnings=None) as runner:
            ours = runner.run(script)
    assert (ours.stdout, ours.exit_code) == (theirs.stdout, theirs.returncode), (script, ours.stderr, theirs.stderr)
    assert bool(ours.stderr) == bool(theirs.stderr), (script, ours.stderr, theirs.stderr)
