"""The shell beside bash: `make bench`, or `python -m bench [WORD]` for the lines that hold a word."""

from __future__ import annotations

import compileall
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable

import rshell
from bench.measure import Row, best, spawned, table
from rshell import Policy, Runner, parse

SCRIPT = """\
cd /var/log && for f in *.log app/*.log; do
  if [ -s "$f" ] && grep -q "ERROR" "$f"; then
    count=$(grep -c ERROR "$f" | head -n 1)
    printf '%s: %s errors in "%s"\\n' "$f" "$count" "${PWD}"
  elif [ ! -r "$f" ]; then
    echo "cannot read $f" >&2
  else
    { echo "ok $f"; cat "$f" 2>/dev/null | tail -n 3 | sort -u; } || true
  fi
done
"""


def runner_for(path: str | None = None) -> Runner:
    """A Runner that allows every command and reads one directory."""
    policy = Policy(
        allowed_commands=["rshell:*"], allowed_paths=[f"{path}:ro"] if path else [], max_execution_time=120.0
    )
    return Runner(policy, cwd=path or "/", warnings=None)


def checked(runner: Runner, script: str) -> Callable[[], None]:
    """Return a function that runs a script and fails when the script does."""

    def call() -> None:
        result = runner.run(script)
        if result.stderr or result.timed_out:
            raise RuntimeError(f"{script[:60]!r}: {result.stderr[:200]!r}")

    return call


def bash(script: str, cwd: str | None = None) -> Callable[[], None]:
    """Return a function that starts bash for a script."""
    return spawned(["bash", "-c", script], cwd)


def start_up() -> list[Row]:
    """Starting the command, beside the bare interpreter and bash. Modules are compiled, as an installation has them."""
    compileall.compile_dir(str(pathlib.Path(rshell.__file__).parent), quiet=1)
    program = shutil.which("rshell", path=os.path.dirname(sys.executable)) or "rshell"
    ours, python, other = best(
        spawned([program, "--allow-all-commands", "-c", "echo hi"]),
        spawned([sys.executable, "-c", "pass"]),
        bash("echo hi"),
        runs=9,
    )
    return [Row("start-up: echo hi", ours, other), Row("start-up: echo hi", ours, python, "python3 -c pass")]


def reused() -> list[Row]:
    """Short scripts in a Runner that lives on, beside starting bash for each."""
    rows = []
    with runner_for() as runner:
        for what, script in (
            ("echo hi", "echo hi"),
            ("three-stage pipeline", "echo a b c | cat | head -n 1"),
            ("20 stages", "echo a" + " | cat" * 19),
            ("substitution, test, printf", 'x=$(echo abc); [ "$x" = abc ] && printf "%s\\n" "$x"'),
        ):
            ours = best(checked(runner, script), runs=5, inner=200)[0]
            other = best(bash(script), runs=5, inner=3)[0]
            rows.append(Row(f"reused Runner: {what}", ours, other, "starting bash"))
    return rows


def language() -> list[Row]:
    """Loops, where the evaluator is all that counts."""
    # Ten times ten thousand: one brace expansion makes at most 16,384 words.
    loop = "for k in {1..10}; do for i in {1..10000}; do x=$i; [ $x = 5 ]; done; done; true"
    nested = "for a in {1..100}; do for b in {1..200}; do if [ $a = $b ]; then echo $a; fi; done; done"
    substitutions = "for a in {1..1000}; do x=$(echo $a); done"
    rows = []
    with runner_for() as runner:
        for what, script in (
            ("100,000 turns: x=$i; [ $x = 5 ]", loop),
            ("20,000 turns, nested, with if", nested),
            ("1,000 substitutions", substitutions),
        ):
            ours, other = best(checked(runner, script), bash(script), runs=3)
            rows.append(Row(what, ours, other))
    return rows


def streams() -> list[Row]:
    """Data through a pipeline."""
    script = "cat /dev/zero | head -c 100000000 | cat >/dev/null"
    with Runner(
        Policy(allowed_commands=["rshell:*"], allowed_paths=["/dev:ro"], max_execution_time=120.0),
        cwd="/",
        warnings=None,
    ) as runner:
        ours, other = best(checked(runner, script), bash(script), runs=3)
    return [Row("100 MB through cat | head -c | cat", ours, other)]


def parsing() -> list[Row]:
    """Parsing alone, beside bashlex on the same text."""
    import bashlex

    text = SCRIPT * 10
    ours, other = best(lambda: parse(text), lambda: bashlex.parse(text), runs=3)
    return [Row(f"parsing {len(text) / 1000:.0f} kB", ours, other, "bashlex")]


def globbing() -> list[Row]:
    """Patterns over a directory of 5,000 files."""
    with tempfile.TemporaryDirectory() as where:
        for number in range(5_000):
            pathlib.Path(where, f"file-{number:04d}.{'log' if number % 2 else 'txt'}").touch()
        script = "for f in *.log; do :; done; echo *7*.txt"
        with runner_for(where) as runner:
            ours, other = best(checked(runner, script), bash(script, where), runs=5)
    return [Row("glob over 5,000 files, twice", ours, other)]


def main() -> int:
    """Measure and print."""
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    version = subprocess.run(["bash", "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
    groups = [start_up, reused, language, streams, parsing, globbing]
    rows = [row for group in groups if word in group.__name__ for row in group()]
    print(table(f"Python {sys.version.split(' ')[0]} beside {version}", rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
