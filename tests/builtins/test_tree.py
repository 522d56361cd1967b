"""tree beside Steve Baker's tree on a tree with one of everything."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rshell import Policy, Runner, limits
from tests.builtins import sample_tree
from tests.builtins.oracle import same
from tests.builtins.test_du import deep
from tests.differential.file_trees import TREES, planted

if TYPE_CHECKING:
    from tests.builtins.oracle import Ours, Theirs

CALLS = r"""
tree
tree -a
tree -d
tree -f
tree -ad
tree -L 1
tree -L 0
tree -L x
tree -L 2a dir
tree dir empty
tree nope
tree nope dir
tree a
tree fifo
tree -d fifo
tree dangling
tree -fa dir
tree dir/
tree -f dir/ dir//
tree -d -L 1 dir ./empty
tree ld
tree -adL 2 -f .
tree odd
tree empty
tree dir/sub
tree ''
tree dir dir
tree -L
tree -Z
tree --noreport dir
"""

needs_tree = pytest.mark.skipif(not shutil.which("tree"), reason="no tree on this machine")


@needs_tree
@pytest.mark.parametrize("call", [line for line in CALLS.split("\n") if line])
def test_as_tree(call: str, run: Ours, bash: Theirs, tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    sample_tree.build(tmp_path / "tree", time.time())
    (tmp_path / "tree/odd").mkdir()
    for name in (b"\xc2\x85\xe2\x80\xa8", b"\xc3\xa9\xff", b"\xef\xbf\xbe", b"ctl\1\x1b\x7f"):
        sample_tree.write(tmp_path, b"tree/odd/" + name)
    (tmp_path / "tree/odd/link").symlink_to("x\ny")
    same(run, bash, f"cd tree; {call}")


@needs_tree
@settings(max_examples=int(os.environ.get("RSHELL_FUZZ", "50")), deadline=None)
@given(
    TREES,
    st.lists(st.sampled_from(["-a", "-d", "-f", "-L 1", "-L 2"]), max_size=4),
    st.sampled_from(["", "a b", "./*"]),
)
def test_tree_agrees(tree: dict[bytes, object], options: list[str], operands: str) -> None:
    script = f"tree {' '.join(options)} {operands}"
    with planted(tree) as where:
        theirs = subprocess.run(
            ["bash", "-c", script], cwd=where, capture_output=True, check=False,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        policy = Policy(allowed_commands=["rshell:*"], allowed_paths=[f"{os.path.dirname(os.path.dirname(where))}:ro"])
        with Runner(policy, cwd=where, warnings=None) as runner:
            ours = runner.run(script)
    assert (ours.stdout, ours.exit_code) == (theirs.stdout, theirs.returncode), (script, ours.stderr, theirs.stderr)


def test_depth_has_its_bound(make_runner: Callable[..., Runner], tmp_path: Path) -> None:
    for levels, good in ((limits.LS_DEPTH - 1, True), (limits.LS_DEPTH, False)):
        where = tmp_path / str(levels)
        where.mkdir()
        deep(where, levels)
        result = make_runner().run(f"tree {levels} | tail -n 1")
        assert result.stdout == f"{levels + 1} directories, 0 files\n".encode()
        assert good is (b"nesting too deep" not in result.stderr), result.stderr


def test_a_link_out_of_the_roots_is_not_looked_at(run: Ours, tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("/etc")
    result = run("tree; tree /etc")
    assert result.stdout == (
        ".\n└── out -> /etc\n\n1 directory, 1 file\n/etc  [error opening dir]\n\n0 directories, 0 files\n".encode()
    )
