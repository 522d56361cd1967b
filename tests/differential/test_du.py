"""Random options over random trees: du beside GNU du. RSHELL_FUZZ=N tries N."""

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
        st.sampled_from([f"-{letter}" for letter in "abchklmSs0LDHPx"]),
        st.sampled_from(["-d 0", "-d1", "-d 2", "-t 1K", "-t -4K", "-t 1", "--inodes", "--apparent-size", "--si"]),
        st.sampled_from(["--exclude='a*'", "--exclude=b", "--exclude='*/b'", "--exclude='[!a]'", "-B 512", "-B KB"]),
    ),
    max_size=5,
)


@EXAMPLES
@given(TREES, _OPTIONS, st.sampled_from(["", ".", "a", "a b", "./*", "a .", "a/ a"]), st.booleans())
def test_du_agrees(tree: dict[bytes, object], options: list[str], operands: str, linked: bool) -> None:
    script = f"du {' '.join(options)} {operands}"
    with planted(tree) as where:
        if linked:
            for name in sorted(os.listdir(os.fsencode(where))):
                path = os.path.join(os.fsencode(where), name)
                if os.path.isfile(path) and not os.path.islink(path):
                    os.link(path, os.fsencode(where) + b"/linked")
                    break
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
