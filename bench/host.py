"""Host commands beside the real tools: `python -m bench.host`."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial

from bench.measure import Row, best, table
from rshell import Policy, Runner
from tests.host.oracle import ENVIRONMENT, possible, real
from tests.host.proc_tree import base, process

PROCESSES = 2_000


def rows() -> list[Row]:
    """`ps` on 2,000 made-up processes, the real ps on the same tree where mount namespaces may be made."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        tree = base(pathlib.Path(folder))
        for pid in range(1, PROCESSES + 1):
            process(tree, pid, f"worker-{pid % 40}", uid=pid % 7, user_ticks=pid, age=pid)
        policy = Policy(allowed_commands=["rshell:*"], proc_path=folder)
        with Runner(policy, cwd="/", warnings=None) as runner:
            for script in ("ps -ef", "ps aux", "ps -eo pid,comm --sort -rss"):
                sides: list[Callable[[], object]] = [partial(runner.run, script)]
                if possible():
                    sides.append(partial(real, tree, *script.split(" ")))
                times = best(*sides, runs=3)
                found.append(
                    Row(f"{script}, {PROCESSES} processes", times[0], times[1] if len(times) > 1 else None, "ps")
                )
    with Runner(Policy(allowed_commands=["rshell:*"]), cwd="/", warnings=None) as runner:
        for script in ("free -h", "uname -a", "id", "date"):
            ours, other = best(
                partial(runner.run, script),
                partial(subprocess.run, script.split(" "), capture_output=True, env=ENVIRONMENT),
            )
            found.append(Row(script, ours, other, "starting it"))
    return found


if __name__ == "__main__":
    print(table("Host commands", rows()))
    sys.exit(0)
