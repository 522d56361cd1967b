"""Random calls of the text commands, beside the real tools. RSHELL_FUZZ=N tries N instead of 50."""

from __future__ import annotations

import functools
import os
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st

from rshell import Policy, Runner
from tests.builtins.oracle import quoted

EXAMPLES = settings(
    max_examples=int(os.environ.get("RSHELL_FUZZ", "50")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

# What lines are made of: numbers, sizes, months, versions, blanks, control characters, valid and invalid UTF-8.
PIECES = [
    b"a", b"b", b"A", b"abc", b"x y z", b" ", b"  ", b"\t", b":", b",", b"_", b"-", b"12", b"-3.5", b"0", b"007", b"1K",
    b"2M", b"Jan", b"feb", b"v1.10", b"v1.9", b"f-1.tar.gz", b".x", b"1e3", b"0x1f", b"\0", b"\r", b"\x0b", b"\x0c",
    b"\x01", b"\x7f", b"\xff", b"\xc3", b"\xc3\xa9", b"\xe4\xb8\xad", b"\xf0\x9f\x98\x80", b"\xe2\x80\x89", b"\xc2\xa0",
    b"\xe4\xb8", b"\xf4\x90\x80\x80", b"\"", b"'", b"\\", b"{}", b"%d",
]  # fmt: skip
_LINES = st.lists(st.sampled_from(PIECES), max_size=5).map(b"".join)
_ENDS = st.sampled_from([b"\n"] * 6 + [b"\r\n", b"\0"])


@st.composite
def texts(draw: st.DrawFn, most: int = 40) -> bytes:
    """Input: often empty or short, with repeated lines, now and then very long or with many lines."""
    lines = draw(st.lists(_LINES, max_size=most))
    if lines and draw(st.booleans()):
        lines = [line for line in lines for _ in range(draw(st.integers(1, 3)))]
    end = draw(_ENDS)
    text = end.join(lines) + draw(st.sampled_from([b"", end, b"\n"]))
    shape = draw(st.integers(0, 30))
    if shape == 0:
        text += b"y" * draw(st.integers(1, 200_000))
    elif shape == 1 and text:
        text *= 1 + 20_000 // len(text)
    return text


def options(*choices: st.SearchStrategy[str] | str, most: int = 3) -> st.SearchStrategy[list[str]]:
    """Some of the options, in any order; a strategy stands for an option with a drawn argument."""
    return st.lists(st.one_of([st.just(c) if isinstance(c, str) else c for c in choices]), max_size=most)


def tool(name: str) -> None:
    """Skip the module where the real tool is missing."""
    if not shutil.which(name):
        pytest.skip(f"no {name} on this machine", allow_module_level=True)


@functools.cache
def _place() -> tuple[pathlib.Path, Runner]:
    where = pathlib.Path(tempfile.mkdtemp(prefix="rshell-text-"))
    (where / "d").mkdir()
    policy = Policy(allowed_commands=["rshell:*"], allowed_paths=[f"{where}:ro"], max_execution_time=60.0)
    return where, Runner(policy, cwd=str(where), warnings=None)


def agree(
    argv: Sequence[str], stdin: bytes = b"", *, locale: str = "C.UTF-8", from_file: bool = False, **files: bytes
) -> None:
    """The same output and status here and there, for files of these names and this standard input."""
    where, runner = _place()
    for name, text in files.items():
        (where / name).write_bytes(text)
    (where / "stdin").write_bytes(stdin)
    script = f"{quoted(*argv)} < stdin" if from_file else f"cat stdin | {quoted(*argv)}"
    ours = runner.run(script)
    assert ours.stderr is not None and b"internal error" not in ours.stderr, (argv, ours.stderr)
    assume(not ours.output_truncated)
    words = [word.encode("utf-8", "surrogateescape") for word in argv]
    env = {"PATH": "/usr/bin:/bin", "LC_ALL": locale}
    if from_file:
        with (where / "stdin").open("rb") as file:
            theirs = subprocess.run(words, stdin=file, capture_output=True, cwd=where, check=False, env=env)
    else:
        theirs = subprocess.run(words, input=stdin, capture_output=True, cwd=where, check=False, env=env)
    assert (ours.stdout, ours.exit_code) == (theirs.stdout, theirs.returncode), (argv, ours.stderr, theirs.stderr)
    assert bool(ours.stderr) == bool(theirs.stderr), (argv, ours.stderr, theirs.stderr)
