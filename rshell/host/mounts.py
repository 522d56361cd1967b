"""Mounted file systems, from self/mountinfo below the proc path (proc(5)), and the room in them (statvfs(3)).

What asks a file system itself can wait for ever on one that does not answer: look() is for a thread.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from rshell import limits
from rshell.host.source import require

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_SIZE = 64 * 1024 * 1024
# ID, parent, device, root, mount point, options and optional fields, type, source
_LINE = re.compile(
    rb"^[0-9]+ [0-9]+ ([0-9]{1,10}):([0-9]{1,10}) ([^ \n]+) ([^ \n]+) [^\n]*? - ([^ \n]+) ([^ \n]*)(?: |$)",
    re.MULTILINE,
)
_ESCAPE = re.compile(rb"\\([0-7]{3})")
# what GNU coreutils takes for having no room of its own, and for being on another machine
_DUMMY = frozenset(
    ("autofs", "proc", "subfs", "debugfs", "devpts", "fusectl", "fuse.portal", "mqueue", "rpc_pipefs", "sysfs",
     "devfs", "kernfs", "ignore", "none")
)  # fmt: skip
_REMOTE = frozenset(
    ("acfs", "afs", "auristorfs", "beegfs", "ceph", "cifs", "coda", "fhgfs", "fuse.ceph", "fuse.glusterfs",
     "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "glusterfs", "gpfs", "ibrix", "lustre", "ncpfs", "nfs", "nfs4",
     "ocfs2", "pvfs2", "smb3", "smbfs", "vxfs")
)  # fmt: skip


class Mount(NamedTuple):
    """One mount. root: which directory of the file system is mounted. device: its number as stat gives it."""

    source: str
    target: str
    type: str
    root: str
    device: int

    @property
    def dummy(self) -> bool:
        """Whether it has no room of its own."""
        return self.type in _DUMMY

    @property
    def remote(self) -> bool:
        """Whether it is on another machine."""
        return ":" in self.source or self.type in _REMOTE or self.source == "-hosts"


class Usage(NamedTuple):
    """Room and inodes: in all, free, and free for anyone; of blocks in bytes."""

    size: int
    free: int
    available: int
    files: int
    files_free: int


class Mounts:
    """The readers for one proc path."""

    def __init__(self, proc_path: str, check: Callable[[], None]) -> None:
        self._proc = proc_path
        self._check = check

    def all(self) -> tuple[list[Mount], bool]:
        """The mounts in the kernel's order, at most limits.MOUNTS, and whether those are all."""
        content = require(f"{self._proc}/self/mountinfo", _SIZE)
        found: list[Mount] = []
        whole = len(content) < _SIZE
        for match in _LINE.finditer(content):
            if len(found) >= limits.MOUNTS:
                whole = False
                break
            major, minor, root, target, kind, source = match.groups()
            device = os.makedev(int(major) & 0xFFFFFFFF, int(minor) & 0xFFFFFFFF)  # text: ours
            found.append(Mount(_text(source), _text(target), _text(kind), _text(root), device))
            if len(found) & 1023 == 0:
                self._check()
        return found, whole

    @staticmethod
    def devices(targets: Sequence[str]) -> list[int | None]:
        """The device that each mount point shows now; None where it cannot be known. It may wait."""
        found: list[int | None] = []
        for target in targets:
            try:
                found.append(os.stat(_bytes(target)).st_dev)
            except (OSError, ValueError):
                found.append(None)
        return found

    @staticmethod
    def usage(targets: Sequence[str]) -> list[Usage | OSError]:
        """The room at each mount point, or why it is not known. It may wait."""
        found: list[Usage | OSError] = []
        for target in targets:
            try:
                stat = os.statvfs(_bytes(target))
            except (OSError, ValueError) as failure:
                found.append(failure if isinstance(failure, OSError) else OSError(2, os.strerror(2)))
                continue
            unit = stat.f_frsize or stat.f_bsize
            available = stat.f_bavail - (1 << 64 if stat.f_bavail >> 63 else 0)
            found.append(Usage(stat.f_blocks * unit, stat.f_bfree * unit, available * unit, stat.f_files, stat.f_ffree))
        return found


def _text(content: bytes) -> str:
    if b"\\" in content:
        content = _ESCAPE.sub(lambda match: bytes([int(match[1], 8) & 0xFF]), content)  # text: ours
    return content.decode("utf-8", "surrogateescape")


def _bytes(target: str) -> bytes:
    return target.encode("utf-8", "surrogateescape")
