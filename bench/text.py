"""Text commands on the log of bench.log, beside GNU's: `make bench-text`, or `python -m bench.text [WORD]`.

GNU runs with LC_ALL=C, started by bash, into a pipe that is read; ours runs in this process, into /dev/null.
"""

from __future__ import annotations

import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable

from bench import log
from bench.measure import Row, best, table
from rshell import Policy, Runner

# script, and how many times GNU's time it may take
SCRIPTS: list[tuple[str, float]] = [
    ("wc -l log", 4),
    ("wc log", 1),
    ("wc utf8", 3),
    ("grep -c ERROR log", 3),
    ("grep ERROR log", 3),
    ("grep -cE 'user.*(failed|retry)' log", 4),
    ("grep -ci error log", 2),
    ("cut -d ' ' -f 3 log", 2),
    ("sort log", 3),
    ("sort -k3,3 log", 2.5),
    ("sort -k8 log", 4),
    ("sort -rn numbers", 4),
    ("cut -d ' ' -f 3 log | sort | uniq -c", 2),
    ("sed s/ERROR/E/ log", 1.2),
    ("sed -n /ERROR/p log", 1.2),
    ("sed -E 's/(..)(..)/\\2\\1/' log", 4),
    ("tr a-z A-Z < log", 1),
    ("tac log", 4),
    ("rev ascii", 4),
    ("nl log", 4),
    ("paste log log", 4),
    ("comm keys keys2", 4),
    ("join keys keys2", 4),
    ("tail -n 5 log", 2),
    ("zcat log.gz", 1.5),
    ("zgrep -c ERROR log.gz", 1.5),
    ("sha256sum log", 1.2),
    ("sha1sum log", 1.2),
    ("md5sum log", 1.2),
    ("cksum log", 1.2),  # GNU folds 16 bytes at once; the mirrored copy of ours alone takes longer than its whole run
    ("base64 log", 2),
    ("diff -u five five2", 5),
    ("grep ERROR log | cut -d ' ' -f 3 | sort | uniq -c | sort -rn | head -5", 3),
]


def drained(script: str, cwd: str) -> Callable[[], None]:
    """Return a function that runs a script in bash under LC_ALL=C and reads what it prints."""

    def call() -> None:
        argv = ["bash", "-c", script]
        env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
        with subprocess.Popen(argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            while os.read(process.stdout.fileno(), 1 << 20):
                pass

    return call


def _ours(runner: Runner, script: str) -> Callable[[], None]:
    def call() -> None:
        result = runner.run(f"{{ {script}; }} > /dev/null")
        if result.stderr or result.timed_out:
            raise RuntimeError(f"{script}: {result.stderr!r}")

    return call


def _inputs(where: pathlib.Path) -> None:
    """Write the files that the scripts read."""
    log.write(where / "log")
    lines = (where / "log").read_bytes().split(b"\n")[:-1]
    # util-linux's rev ends at what is no character of its locale.
    (where / "ascii").write_bytes(b"".join(line.decode("utf-8").encode("ascii", "replace") + b"\n" for line in lines))
    # Two files that join on a key of their own, half of which the other has too.
    for name, step in (("keys", 2), ("keys2", 3)):
        keyed = [b"%08d %b\n" % (step * number, line) for number, line in enumerate(lines)]
        (where / name).write_bytes(b"".join(keyed))
    (where / "numbers").write_bytes(b"".join(line.partition(b" ms=")[2].partition(b" ")[0] + b"\n" for line in lines))
    (where / "log.gz").write_bytes(gzip.compress((where / "log").read_bytes(), 6))
    five = lines[:48_000]
    (where / "five").write_bytes(b"\n".join(five) + b"\n")
    for number in range(100):  # a changed, a missing or an added line at each
        at = 7 + number * 470
        five[at : at + 1] = [[b"changed"], [], [five[at], b"added"]][number % 3]
    (where / "five2").write_bytes(b"\n".join(five) + b"\n")
    text = "".join(f"{number} réponse du serveur — 中文 mots {number % 97}\n" for number in range(500_000))
    (where / "utf8").write_text(text, encoding="utf-8")


def main() -> int:
    """Measure and print; the status is 1 when a row is past its bound."""
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    rows: list[Row] = []
    late: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        _inputs(pathlib.Path(name))
        policy = Policy(allowed_commands=["rshell:*"], allowed_paths=[f"{name}:ro"], max_execution_time=120.0)
        with Runner(policy, cwd=name, warnings=None) as runner:
            for script, bound in SCRIPTS:
                if word not in script or not shutil.which(script.partition(" ")[0]):
                    continue
                if b"command not found" in (runner.run(f"{{ {script}; }} > /dev/null").stderr or b""):
                    print(f"no such command yet: {script}")
                    continue
                ours, other = best(_ours(runner, script), drained(script, name), runs=5)
                rows.append(Row(script[:46], ours, other, f"GNU, at most {bound}"))
                if ours > bound * other:
                    late.append(script)
    print(table("Text commands beside GNU's", rows))
    for script in late:
        print(f"past its bound: {script}")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
