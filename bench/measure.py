"""How everything is measured: wall time, the best of several runs, both sides in the same run.

The best run is the one least disturbed by others on the machine; both sides are treated alike and
take turns, so that a slow minute hits both.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

BASH_ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}


@dataclass(frozen=True)
class Row:
    """One line of the table: what was done, our seconds, the other's seconds, and who that is."""

    what: str
    ours: float
    other: float | None
    rival: str = "bash"


def spawned(argv: Sequence[str], cwd: str | None = None) -> Callable[[], None]:
    """Return a function that runs a program to its end, its output thrown away."""

    def call() -> None:
        subprocess.run(
            argv, cwd=cwd, env=BASH_ENV, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            check=True,
        )  # fmt: skip

    return call


def best(*sides: Callable[[], object], runs: int = 5, inner: int = 1) -> list[float]:
    """Return for each side its best time in seconds for one call; each run makes ``inner`` calls."""
    times = [float("inf")] * len(sides)
    for _ in range(runs):
        for index, side in enumerate(sides):
            start = time.perf_counter()
            for _ in range(inner):
                side()
            times[index] = min(times[index], (time.perf_counter() - start) / inner)
    return times


def shown(seconds: float | None) -> str:
    """Seconds in the unit that reads best."""
    if seconds is None:
        return "–"
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1 or unit == "µs":
            return f"{seconds * factor:.3g} {unit}" if seconds * factor < 1000 else f"{seconds * factor:.0f} {unit}"
    return ""


def table(title: str, rows: Sequence[Row]) -> str:
    """Lay the rows out as a table of text."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    lines = [f"{title} ({os.cpu_count()} cores, load {load:.1f})", ""]
    lines.append(f"{'':46} {'ours':>10} {'other':>10}  {'ours/other':>10}  other is")
    for row in rows:
        ratio = f"{row.ours / row.other:.2f}" if row.other else "–"
        lines.append(f"{row.what:46} {shown(row.ours):>10} {shown(row.other):>10}  {ratio:>10}  {row.rival}")
    return "\n".join(lines)
