"""awk on a log of 500,000 lines and 50 MB, beside mawk: `make bench-awk`, or `python -m bench.awk [FILE]`."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile

from bench import log
from bench.measure import Row, best, spawned, table
from rshell import Policy, Runner

PROGRAMS = (
    "{print $3}",
    '$3=="ERROR"{n++} END{print n}',
    "{c[$3]++} END{for(k in c) print k, c[k]}",
    "/ERROR/",
    '$2=="ERROR"{split($NF,a,"="); print a[2]}',
    "{n+=length($0)} END{print n, NR}",
    "/id=[0-9a-f]*ff$/{n++} END{print n}",
    '{gsub("ip=","IP:"); print}',
)


def main() -> int:
    """Measure and print."""
    path = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(tempfile.gettempdir()) / "rshell-bench.log")
    log.write(path)
    policy = Policy(allowed_commands=["rshell:awk"], allowed_paths=[f"{path.parent}:ro"], max_execution_time=120.0)
    rows: list[Row] = []
    with Runner(policy, cwd=str(path.parent), warnings=None) as runner:

        def ours(script: str) -> None:
            result = runner.run(script, stdout=lambda data: None)
            # what a run may print is bounded: the part up to the bound is not what is measured
            if result.stderr or result.exit_code or result.output_truncated:
                raise RuntimeError(f"{script[:60]!r}: {result.exit_code} {result.stderr[:200]!r}")

        for program in PROGRAMS:
            script = f"awk '{program}' {path.name} >/dev/null"
            times = best(lambda script=script: ours(script), spawned(["mawk", program, str(path)]), runs=3)  # type: ignore[misc]
            rows.append(Row(program[:46], times[0], times[1], "mawk"))
        one = "awk 'BEGIN{x=1}'"
        times = best(lambda: ours(one), spawned(["mawk", "BEGIN{x=1}"]), inner=20)
        rows.append(Row("one line, warm", times[0], times[1], "mawk"))
    version = subprocess.run(["mawk", "-W", "version"], capture_output=True, text=True, check=True).stdout.split("\n")[
        0
    ]
    print(table(f"Python {sys.version.split(' ')[0]} beside {version}", rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
