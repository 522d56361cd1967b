"""Every program of the table gives what gawk gives, in the same run."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.builtins.awk.programs import INPUTS, PROGRAMS
from tests.builtins.oracle import quoted

if TYPE_CHECKING:
    from rshell import Result

pytestmark = pytest.mark.skipif(not shutil.which("gawk"), reason="no gawk on this machine")

ENVIRONMENT = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": "/x"}


def gawk(arguments: list[str], stdin: bytes, cwd: Path) -> tuple[bytes, int]:
    done = subprocess.run(
        ["gawk", *arguments],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        timeout=20,
        env={**ENVIRONMENT, "PATH": os.environ["PATH"]},
    )
    return done.stdout, done.returncode


@pytest.mark.parametrize("program", PROGRAMS, ids=repr)
def test_a_program_gives_what_gawk_gives(
    program: str | list[str], make_runner: Callable[..., object], tmp_path: Path
) -> None:
    arguments = [program] if isinstance(program, str) else program
    runner = make_runner(env=ENVIRONMENT)
    for stdin in INPUTS:
        result: Result = runner.run(quoted("awk", *arguments), stdin=stdin)  # type: ignore[attr-defined]
        stdout, status = gawk(arguments, stdin, tmp_path)
        assert (result.stdout, result.exit_code) == (stdout, status), result.stderr
