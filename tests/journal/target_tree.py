"""A host's journal directories, made from the committed fixtures."""

from __future__ import annotations

import os
from pathlib import Path

from rshell import SystemdTarget
from tests.journal import make_fixtures as made

SEQNUM_ID = "ab" * 16
TIMES = slice(184, 200)  # realtime of the first and of the last entry, in the header
STATE = 16


class Tree:
    """DIR/journal/MACHINE-ID with files that look as systemd leaves them."""

    def __init__(self, root: Path, variant: str = "zstd-keyed-compact") -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        packed = made.unpack(root, variant)
        self.data = packed.read_bytes()
        packed.unlink()
        self.machine = self.data[40:56].hex()
        self.journal = root / "journal"
        self.directory = self.journal / self.machine
        self.directory.mkdir(parents=True)
        (root / "machine-id").write_text(self.machine + "\n")

    def target(self, socket: str | None = None) -> SystemdTarget:
        return SystemdTarget([str(self.journal)], f"{self.root}/machine-id", socket)

    def add(self, name: str, age: float = 0.0, *, now: float = 0.0, state: int = 2, machine: str | None = None) -> Path:
        """A file whose entries and last change are age seconds old."""
        data = bytearray(self.data)
        newest = round((now - age) * 1_000_000)
        data[STATE] = state
        data[40:56] = bytes.fromhex(machine or self.machine)
        data[TIMES] = (newest - 1_000_000).to_bytes(8, "little") + newest.to_bytes(8, "little")
        path = self.directory / name
        path.write_bytes(data)
        os.utime(path, (now - age, now - age))
        return path

    def names(self) -> set[str]:
        return {path.name for path in self.directory.iterdir()}


def archived(number: int, when: float = 1.0) -> str:
    """The name of an archived file."""
    return f"system@{SEQNUM_ID}-{number:016x}-{round(when * 1_000_000):016x}.journal"


def set_aside(number: int, when: float = 1.0) -> str:
    """The name of a file that journald set aside as damaged."""
    return f"system@{round(when * 1_000_000):016x}-{number:016x}.journal~"
