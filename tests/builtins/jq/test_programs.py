"""Every program of the table gives what the real jq gives, in the same run."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.builtins.jq.programs import EVERYWHERE, ONCE, OTHERWISE, VALUES
from tests.builtins.oracle import quoted

if TYPE_CHECKING:
    from rshell import Result

pytestmark = pytest.mark.skipif(not shutil.which("jq"), reason="no jq on this machine")

ENVIRONMENT = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": "/x"}


def same(run: Callable[..., Result], arguments: list[str], stdin: bytes) -> None:
    done = subprocess.run(
        ["jq", *arguments],
        input=stdin,
        capture_output=True,
        timeout=60,
        env={**ENVIRONMENT, "PATH": os.environ["PATH"]},
    )
    ours = run(quoted("jq", *arguments), stdin=stdin, env=ENVIRONMENT)
    assert (ours.stdout.decode(), ours.exit_code) == (done.stdout.decode(), done.returncode), (
        arguments,
        ours.stderr,
        done.stderr,
    )


@pytest.mark.parametrize("program", [program for program in EVERYWHERE if program not in OTHERWISE])
def test_on_every_kind_of_value(run: Callable[..., Result], program: str) -> None:
    same(run, ["-c", f'try ({program}) catch ["caught", .]'], VALUES)


@pytest.mark.parametrize("program", [program for program in ONCE if program not in OTHERWISE])
def test_once(run: Callable[..., Result], program: str) -> None:
    same(run, ["-n", "-c", program], b"")
