"""Measure the commands that look at files beside GNU's: python -m bench.files."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Callable

from bench.measure import Row, best, spawned, table
from rshell import Policy, Runner
from rshell.builtins import registry

_FILES = 50_000
_A_DIRECTORY = 100
_LISTED = 1_000
_SMALL = 5_000


def checked(runner: Runner, script: str) -> Callable[[], None]:
    """A function that runs script and insists on its success."""

    def call() -> None:
        result = runner.run(script)
        if result.exit_code != 0:
            raise RuntimeError(f"{script}: exit {result.exit_code}: {result.stderr!r}")

    return call


def plant(where: pathlib.Path) -> None:
    """Make a tree of 50,000 files, a directory of 1,000 and one of 5,000 small files."""
    for number in range(_FILES // _A_DIRECTORY):
        directory = where / "tree" / f"d{number // 25}" / f"s{number}"
        directory.mkdir(parents=True)
        for at in range(_A_DIRECTORY):
            (directory / f"file{at}.{'log' if at % 20 == 0 else 'txt'}").touch()
    (where / "listed").mkdir()
    for number in range(_LISTED):
        (where / "listed" / f"file-{number:04}").write_bytes(b"x" * number)
    (where / "small").mkdir()
    for number in range(_SMALL):
        (where / "small" / f"f{number}").write_text("needle\n" if number % 50 == 0 else "hay\n")


CASES = (
    ("find: 50,000 files by name", "find tree -name '*.log'"),
    ("find: all of 50,000 files", "find tree"),
    ("find: 50,000 files by size", "find tree -type f -size +1k"),
    ("find: -printf of 50,000 files", "find tree -type f -printf '%s %p\\n'"),
    ("find -exec grep -l + : 5,000 small files", "find small -type f -exec grep -l needle {} +"),
    ("ls -l: 1,000 entries", "ls -l listed"),
    ("ls: 1,000 entries", "ls listed"),
    ("ls -R: 50,000 files", "ls -R tree"),
    ("du -s: 50,000 files", "du -s tree"),
)


def main() -> int:
    """Measure and print."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        where = pathlib.Path(name)
        plant(where)
        policy = Policy(allowed_commands=["rshell:*"], allowed_paths=[f"{where}:ro"], max_execution_time=120.0)
        with Runner(policy, cwd=str(where), warnings=None) as runner:
            known = registry.names()
            for what, script in CASES:
                if any(word in script.split(" ") and word not in known for word in ("find", "ls", "du", "grep")):
                    continue
                argv = ["sh", "-c", f"exec {script}"]
                ours, other = best(checked(runner, script), spawned(argv, name), runs=5)
                rows.append(Row(what, ours, other, "GNU"))
    version = subprocess.run(["find", "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
    print(table(f"Python {sys.version.split(' ')[0]} beside {version}", rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
