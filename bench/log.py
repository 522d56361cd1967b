"""A log of 500,000 lines and 50 MB, the same on every machine.

    python -m bench.log FILE [LINES]

One line in 20 is an error, addresses repeat as they do in life, a few lines are long and a few are
not ASCII. No clock and no random module is used: a linear congruence gives the variety.
"""

from __future__ import annotations

import os
import pathlib
import sys
from collections.abc import Iterator

LINES = 500_000
LEVELS = ["INFO"] * 15 + ["DEBUG"] * 2 + ["WARN"] * 2 + ["ERROR"]
SERVICES = ("api", "auth", "billing", "cache", "db-writer", "gateway", "ingest", "scheduler")
EVENTS = (
    "request served", "connection accepted from peer", "cache miss for session key", "job finished",
    "retrying after timeout", "upstream answered", "configuration reloaded", "queue drained to disk",
)  # fmt: skip
FAILURES = ("connection refused by upstream", "deadline exceeded", "disk quota reached", "réponse invalide")


def lines(count: int = LINES) -> Iterator[str]:
    """Yield the log's lines without their ends."""
    state = 12345
    for number in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        pick = state >> 33
        level = LEVELS[pick % 20]
        second = number // 6
        status = 503 if level == "ERROR" else 200
        event = FAILURES[pick // 20 % 4] if level == "ERROR" else EVENTS[pick // 20 % 8]
        line = (
            f"2024-03-{1 + second // 86400:02d}T{second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d}Z"
            f" {level:5} {SERVICES[pick // 160 % 8]}[{1000 + pick // 1280 % 40}]:"
            f" {event} ip=10.{pick % 4}.{pick // 7 % 16}.{pick // 11 % 250}"
            f" st={status} ms={pick % 1900} id={pick:08x}"
        )
        if pick % 5000 == 0:
            line += " trace=" + f"{pick:08x}." * 200
        yield line


def write(path: pathlib.Path, count: int = LINES) -> pathlib.Path:
    """Write the log unless it is there already, whole; return its path."""
    marker = path.with_name(f"{path.name}.{count}")
    if not (marker.exists() and path.exists()):
        part = path.with_name(f"{path.name}.part")
        with open(part, "w", encoding="utf-8", newline="\n") as out:
            out.writelines(f"{line}\n" for line in lines(count))
        os.replace(part, path)
        marker.touch()
    return path


def main() -> int:
    """Write the log that the command line names."""
    if not 2 <= len(sys.argv) <= 3:
        print(__doc__, file=sys.stderr)
        return 2
    path = write(pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else LINES)
    print(f"{path}: {path.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
