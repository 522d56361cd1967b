"""cd and pwd against bash's."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from rshell import Policy, Runner
from tests.builtins.oracle import Ours, Theirs, same

SCRIPTS = [
    "cd d; pwd; cd e; pwd; cd ..; pwd; cd -; pwd; echo $OLDPWD $PWD", "cd d/e/../..; pwd", "cd ./d/.//e/; pwd", "cd l; pwd; pwd -P; pwd -L; cd ..; pwd",
    "cd -P l; pwd; cd ..; pwd", "cd -L -P l; pwd", "cd -PL l; pwd", "cd l/..; pwd", "cd -P l/..; pwd", "cd ''; echo $?; pwd", "cd none; echo $?; pwd",
    "cd plain; echo $?", "cd d e; echo $?; pwd", "cd none/..; echo $?; pwd", "cd plain/..; echo $?; pwd", "cd -; echo $?", "cd d; cd -- -; pwd", "cd; echo $?",
    "HOME=$PWD/d; cd; pwd", "HOME=; cd; echo $?; pwd", "OLDPWD=$PWD/d; cd -; pwd", "cd -x; echo $?", "pwd -x; echo $?", "pwd x", "(cd d; pwd); pwd", "cd d | cat; pwd",
]  # fmt: skip


@pytest.mark.parametrize("script", SCRIPTS)
def test_as_bash(run: Ours, bash: Theirs, tmp_path: Path, script: str) -> None:
    (tmp_path / "d/e").mkdir(parents=True)
    (tmp_path / "l").symlink_to("d/e")
    (tmp_path / "plain").write_bytes(b"")

    def same_place(text: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return bash("unset OLDPWD HOME; " + text, stdin)

    same(run, same_place, script)


def test_messages(run: Ours, tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"")
    for script, message in (
        ("cd none", "none: no such file or directory"),
        ("cd plain", "plain: not a directory"),
        ("cd a b", "too many arguments"),
        ("cd", "HOME not set"),
        ("cd -", "OLDPWD not set"),
        ("cd /etc", "/etc: permission denied"),
        ("cd ..", "..: permission denied"),
    ):
        result = run(script)
        assert (result.exit_code, result.stderr) == (1, f"cd: {message}\n".encode())


def test_a_removed_directory_can_be_left(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    with Runner(Policy(allowed_commands=["rshell:*"], allowed_paths=[str(tmp_path)]), cwd=str(tmp_path)) as runner:
        runner.run("cd d")
        (tmp_path / "d").rmdir()
        assert runner.run("cat x; cd .. && pwd").stdout == f"{tmp_path}\n".encode()
