"""Comparing a script's outcome with that of the real shell and tools, in the same test run."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rshell import Result

Ours = Callable[..., "Result"]
Theirs = Callable[..., "subprocess.CompletedProcess[bytes]"]


def quoted(*words: str) -> str:
    """words as the text of a command line."""
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)


def without_program(stderr: bytes) -> bytes:
    """bash's messages without the program and line in front."""
    return re.sub(rb"^bash: line \d+: ", b"", stderr, flags=re.MULTILINE)


def same(run: Ours, bash: Theirs, script: str, stdin: bytes = b"", *, stderr: bool = False) -> None:
    """The script gives the same output and status here and there; with stderr the same messages too."""
    theirs = bash(script, stdin)
    ours = run(script, stdin=stdin)
    assert (ours.stdout, ours.exit_code) == (theirs.stdout, theirs.returncode), (script, ours.stderr, theirs.stderr)
    if stderr:
        assert ours.stderr == without_program(theirs.stderr), script
