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
from tests.host.net_tree import TCP_HEADING, network
from tests.host.oracle import ENVIRONMENT, possible, real
from tests.host.proc_tree import base, process

PROCESSES = 2_000
SOCKETS = 20_000
MOUNTS = 1_000


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
    return found + socket_rows() + mount_rows()


def socket_rows() -> list[Row]:
    """`ss` on 20,000 made-up sockets, the real ss on the same tree."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        tree = network(pathlib.Path(folder))
        lines = (
            f"{at:4}: 0F02000A:{at % 65536:04X} {at:08X}:01BB 01 00000000:00000000 02:00067AB0 00000000    33        0 "
            f"{at} 2 00000000abcd0003 20 4 30 10 -1\n"
            for at in range(SOCKETS)
        )
        (tree / "net/tcp").write_text(TCP_HEADING + "".join(lines))
        with Runner(Policy(allowed_commands=["rshell:*"], proc_path=str(tree)), cwd="/", warnings=None) as runner:
            for script in ("ss -tan", "ss -tanoe"):
                environment = {**ENVIRONMENT, "PROC_ROOT": str(tree)}
                other = partial(subprocess.run, script.split(" "), capture_output=True, env=environment)
                times = best(partial(runner.run, script), other, runs=3)
                found.append(Row(f"{script}, {SOCKETS} sockets", times[0], times[1], "ss"))
    return found


def mount_rows() -> list[Row]:
    """`df` on 1,000 made-up mounts of directories that are there."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "self").mkdir()
        with open(root / "self/mountinfo", "w") as table:
            for at in range(MOUNTS):
                (root / f"m{at}").mkdir()
                table.write(f"{at} 1 0:{at} / {root}/m{at} rw - tmpfs t{at} rw\n")
        with Runner(Policy(allowed_commands=["rshell:*"], proc_path=folder), cwd="/", warnings=None) as runner:
            return [Row(f"df -a, {MOUNTS} mounts", best(partial(runner.run, "df -a"), runs=3)[0], None, "df")]


if __name__ == "__main__":
    print(table("Host commands", rows()))
    sys.exit(0)
