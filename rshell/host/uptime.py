"""How long the system has been up, and how busy it was (proc(5): uptime, loadavg)."""

from __future__ import annotations

import re

from rshell.host.source import require

_DECIMAL = re.compile(rb"([0-9]{1,15})(?:\.([0-9]{1,9}))?[0-9]*(?=[ \n]|$)")


class Uptime:
    """One look at the clock that started with the system."""

    def __init__(self, proc_path: str) -> None:
        self._proc = proc_path
        self.seconds = _decimals(require(f"{proc_path}/uptime", 4096))[0]

    @property
    def load(self) -> tuple[float, float, float]:
        """The load averages over 1, 5 and 15 minutes."""
        one, five, fifteen = (*_decimals(require(f"{self._proc}/loadavg", 4096)), 0.0, 0.0)[:3]
        return one, five, fifteen


def _decimals(content: bytes) -> list[float]:
    found = []
    for field in content.rstrip(b"\n").split(b" "):
        match = _DECIMAL.fullmatch(field)
        if match is None:
            break
        found.append(float(match[0]))  # text: ours
    return found or [0.0]
