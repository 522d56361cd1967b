"""jq on 200,000 JSON lines, beside the real jq: `make bench-jq`, or `python -m bench.jq [FILE]`."""

from __future__ import annotations

import json
import pathlib
import random
import subprocess
import sys
import tempfile

from bench.measure import Row, best, spawned, table
from rshell import Policy, Runner

LINES = 200_000
CALLS = (
    ["-c", 'select(.level=="ERROR") | .msg'],
    ["-c", "-s", "group_by(.svc) | map({svc: .[0].svc, n: length})"],
    ["-r", ".msg"],
    ["-c", "{ts, level}"],
    ["."],
    ["-n", "reduce inputs as $x ({}; .[$x.svc] += $x.ms)"],
)


def write(path: pathlib.Path) -> None:
    """Write the file that is read, unless it is there."""
    if path.exists():
        return
    dice = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        for number in range(LINES):
            line = {
                "ts": f"2026-01-01T00:00:{number % 60:02}Z",
                "level": dice.choice(["INFO", "WARN", "ERROR", "DEBUG"]),
                "svc": dice.choice("abcdefg") * 5,
                "msg": f"request {number} handled for user {number * 7}",
                "n": number,
                "ms": round(number * 0.37, 2),
            }
            file.write(json.dumps(line) + "\n")


def main() -> int:
    """Measure and print."""
    path = pathlib.Path(
        sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(tempfile.gettempdir()) / "rshell-bench.jsonl"
    )
    write(path)
    policy = Policy(allowed_commands=["rshell:jq"], allowed_paths=[f"{path.parent}:ro"], max_execution_time=120.0)
    rows: list[Row] = []
    with Runner(policy, cwd=str(path.parent), warnings=None) as runner:

        def ours(script: str) -> None:
            result = runner.run(script, stdout=lambda data: None)
            if result.stderr or result.exit_code or result.output_truncated:
                raise RuntimeError(f"{script[:60]!r}: {result.exit_code} {result.stderr[:200]!r}")

        for call in CALLS:
            script = f"jq {' '.join(call[:-1])} '{call[-1]}' {path.name} >/dev/null"
            times = best(lambda script=script: ours(script), spawned(["jq", *call, str(path)]), runs=3)  # type: ignore[misc]
            rows.append(Row(" ".join(call)[:46], times[0], times[1], "jq"))
        one = "jq -n 1"
        times = best(lambda: ours(one), spawned(["jq", "-n", "1"]), inner=20)
        rows.append(Row("one line, warm", times[0], times[1], "jq"))
    version = subprocess.run(["jq", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    print(table(f"Python {sys.version.split(' ')[0]} beside {version}", rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
