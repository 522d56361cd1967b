"""print > "file" and >> "file": only in remediation mode, through the sandbox, each change recorded."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from rshell import Policy, Runner

PROGRAMS = [
    'BEGIN { print "a" > "f"; print "b" > "f"; print "c" >> "g" }',
    '{ print $1 > $2; printf "%s-%s\\n", $1, NR > "all" }',
    '{ n = "o" NR; print > n } END { print NR >> "all" }',
    'BEGIN { print "x" > "/dev/stdout"; print "y" > "f" ".txt" }',
    'BEGIN { f = "q"; print 1, 2 > f; print 3 > f } END { print "end" > f }',
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_same_files_as_gawk(program: str, tmp_path: Path) -> None:
    for side in ("ours", "real"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "in").write_text("a x\nb y\nc x\n")
        (tmp_path / side / "g").write_text("old\n")
    real = subprocess.run(["gawk", program, "in"], cwd=tmp_path / "real", capture_output=True, check=True)
    policy = Policy(allowed_commands=["rshell:*"], allowed_paths=[f"{tmp_path}:rw"], mode="remediation")
    with Runner(policy, cwd=str(tmp_path / "ours")) as runner:
        result = runner.run(f"awk '{program}' in")
    assert (result.exit_code, result.stdout, result.stderr) == (0, real.stdout, b"")
    files = {side: {p.name: p.read_bytes() for p in (tmp_path / side).iterdir()} for side in ("ours", "real")}
    assert files["ours"] == files["real"]
    assert {change.path for change in result.changes} <= {f"{tmp_path}/ours/{name}" for name in files["real"]}
    assert result.changes


def test_read_only_mode_refuses_before_the_program_runs(tmp_path: Path) -> None:
    with Runner(Policy(allowed_commands=["rshell:*"], allowed_paths=[f"{tmp_path}:rw"]), cwd=str(tmp_path)) as runner:
        result = runner.run("""awk 'BEGIN { print "before"; print "a" > "f" }'""")
    assert (result.exit_code, result.stdout) == (2, b"")
    assert result.stderr == b"awk: line 1: > file redirection is not supported\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["/outside", "../outside", "link", "ro/f", "", "fifo"])
def test_the_sandbox_decides(name: str, tmp_path: Path) -> None:
    import os

    root = tmp_path / "root"
    (root / "ro").mkdir(parents=True)
    (tmp_path / "victim").write_text("kept")
    (root / "link").symlink_to(tmp_path / "victim")
    os.mkfifo(root / "fifo")
    paths = [f"{root}:rw", f"{root}/ro:ro"]
    policy = Policy(allowed_commands=["rshell:*"], allowed_paths=paths, mode="remediation")
    with Runner(policy, cwd=str(root)) as runner:
        result = runner.run(f"""awk 'BEGIN {{ print "a" > "{name}" }}'""")
    assert result.exit_code == 2
    assert b"can't redirect to" in result.stderr
    assert result.changes == ()
    assert (tmp_path / "victim").read_text() == "kept"
    assert not (tmp_path / "outside").exists()


def test_open_files_are_bounded(tmp_path: Path) -> None:
    policy = Policy(allowed_commands=["rshell:*"], allowed_paths=[f"{tmp_path}:rw"], mode="remediation")
    with Runner(policy, cwd=str(tmp_path)) as runner:
        assert runner.run("""awk 'BEGIN { for (i = 0; i < 64; i++) print i > "f" i }'""").exit_code == 0
        over = runner.run("""awk 'BEGIN { for (i = 0; i < 65; i++) print i > "f" i }'""")
    assert over.stderr == b"awk: too many open files (64 at most)\n"
