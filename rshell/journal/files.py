"""The files of the configured journal directories, found and opened without following links.

`JournalDirectory` is also what cleanup works on: it holds the directory's descriptor.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from rshell import limits
from rshell.journal.format import JournalError

STANDARD_DIRECTORIES = ("/var/log/journal", "/run/log/journal")
STANDARD_MACHINE_ID = "/etc/machine-id"
NAMES_SEEN = 10_000  # directory entries looked at in one journal directory

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9:_.\\-]*(@[0-9a-f]{32}(-[0-9a-f]{16}){2}|@[0-9a-f]{16}-[0-9a-f]{16})?"
                   r"\.journal~?", re.ASCII)  # fmt: skip
_MACHINE_ID = re.compile(r"[0-9a-f]{32}", re.ASCII)
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FILE = _DIRECTORY & ~getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


class Target(Protocol):
    """Where the journal is: what `rshell.SystemdTarget` has. Nothing given means the local host."""

    @property
    def journal_dirs(self) -> Sequence[str] | None:
        """Directories that hold one directory a machine ID."""

    @property
    def machine_id_path(self) -> str | None:
        """The file with the machine ID."""

    @property
    def journal_control_socket(self) -> str | None:
        """journald's Varlink socket; not used for reading."""


@dataclass(frozen=True, slots=True)
class Found:
    """A journal file as a directory lists it."""

    directory: int  # descriptor
    name: str
    device: int
    inode: int
    size: int
    modified: int  # nanoseconds
    allocated: int  # bytes

    @property
    def identity(self) -> tuple[int, int, int, str]:
        """What stays while it is the same file under the same name."""
        return self.device, self.inode, self.directory, self.name


def reason(error: OSError) -> str:
    """The errno part of an error, in lower case."""
    return os.strerror(error.errno or 0).lower()


def read_machine_id(path: str) -> str:
    """The machine ID in the file `path`, 32 lower-case hexadecimal digits; raises JournalError."""
    try:
        fd = os.open(path, _FILE)
    except OSError as error:
        raise JournalError(f"machine ID {path}: {reason(error)}") from None
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise JournalError(f"machine ID {path}: not a regular file")
        text = os.read(fd, 64).decode("latin-1")
    except OSError as error:
        raise JournalError(f"machine ID {path}: {reason(error)}") from None
    finally:
        os.close(fd)
    text = text.removesuffix("\n")
    if not _MACHINE_ID.fullmatch(text) or text == "0" * 32:
        raise JournalError(f"machine ID {path}: not a machine ID")
    return text


class JournalDirectory:
    """DIR/MACHINE-ID, open."""

    def __init__(self, path: str, machine_id: str) -> None:
        self.path = path
        try:
            top = os.open(path, _DIRECTORY)
            try:
                self.fd = os.open(machine_id, _DIRECTORY, dir_fd=top)
            finally:
                os.close(top)
        except OSError as error:
            raise JournalError(f"journal directory {path}: {reason(error)}") from None

    def close(self) -> None:
        """Close the descriptor; again does nothing."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def scan(self) -> list[Found]:
        """Its regular files with a journal's name, by name; raises JournalError."""
        found = []
        try:
            with os.scandir(self.fd) as listing:
                for seen, entry in enumerate(listing):
                    if seen >= NAMES_SEEN:
                        raise JournalError(f"journal directory {self.path}: more than {NAMES_SEEN} names")
                    if _NAME.fullmatch(entry.name):
                        try:
                            status = os.stat(entry.name, dir_fd=self.fd, follow_symlinks=False)
                        except FileNotFoundError:  # removed by a rotation just now
                            continue
                        if stat.S_ISREG(status.st_mode):
                            found.append(_found(self.fd, entry.name, status))
        except OSError as error:
            raise JournalError(f"journal directory {self.path}: {reason(error)}") from None
        return sorted(found, key=lambda file: file.name)


def _found(directory: int, name: str, status: os.stat_result) -> Found:
    return Found(directory, name, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns,
                 getattr(status, "st_blocks", 0) * 512)  # fmt: skip


def open_file(found: Found) -> int:
    """Open a listed file if it still is what was listed; raises JournalError."""
    try:
        fd = os.open(found.name, _FILE, dir_fd=found.directory)
    except OSError as error:
        raise JournalError(f"{found.name}: {reason(error)}") from None
    status = os.fstat(fd)
    if (status.st_dev, status.st_ino) != (found.device, found.inode) or not stat.S_ISREG(status.st_mode):
        os.close(fd)
        raise JournalError(f"{found.name}: file was replaced")
    return fd


class Source(Protocol):
    """A set of journal files that may change."""

    machine_id: bytes | None

    def scan(self) -> list[Found]:
        """The files as they are now, each once; raises JournalError."""

    def open(self, found: Found) -> int:
        """A descriptor for one of them; raises JournalError."""

    def close(self) -> None:
        """Close what is open."""


class TargetSource:
    """The files of a target's journal directories."""

    def __init__(self, directories: Sequence[str], machine_id_path: str, *, need_all: bool) -> None:
        machine_id = read_machine_id(machine_id_path)
        self.machine_id: bytes | None = bytes.fromhex(machine_id)
        self.directories: list[JournalDirectory] = []
        errors = []
        for path in directories:
            try:
                self.directories.append(JournalDirectory(path, machine_id))
            except JournalError as error:
                errors.append(error)
        if not self.directories or (need_all and errors):
            self.close()
            raise errors[0] if errors else JournalError("no journal directory")

    def scan(self) -> list[Found]:
        """The files of all directories; a file that two of them hold appears once."""
        files: dict[tuple[int, int], Found] = {}
        for directory in self.directories:
            for found in directory.scan():
                files.setdefault((found.device, found.inode), found)
        if len(files) > limits.JOURNAL_FILES:
            raise JournalError(f"more than {limits.JOURNAL_FILES} journal files")
        return list(files.values())

    def open(self, found: Found) -> int:
        """Open a file of `scan`."""
        return open_file(found)

    def close(self) -> None:
        """Close the directories."""
        for directory in self.directories:
            directory.close()


def target_source(target: Target | None) -> TargetSource:
    """The files of a target; without one, or with one that names nothing, of this host.

    JournalError names the path that is missing or wrong.
    """
    if target is None or not (target.journal_dirs or target.machine_id_path or target.journal_control_socket):
        return TargetSource(STANDARD_DIRECTORIES, STANDARD_MACHINE_ID, need_all=False)
    if not target.machine_id_path:
        raise JournalError("the target has no machine ID path")
    if not target.journal_dirs:
        raise JournalError("the target has no journal directory")
    return TargetSource(tuple(target.journal_dirs), target.machine_id_path, need_all=True)


class PathSource:
    """Journal files that the application names itself."""

    machine_id: bytes | None = None

    def __init__(self, paths: Sequence[str]) -> None:
        if len(paths) > limits.JOURNAL_FILES:
            raise JournalError(f"more than {limits.JOURNAL_FILES} journal files")
        self._paths = [os.path.abspath(path) for path in paths]

    def scan(self) -> list[Found]:
        """The named files; one that is no regular file is an error."""
        files: dict[tuple[int, int], Found] = {}
        for path in self._paths:
            try:
                status = os.stat(path, follow_symlinks=False)
            except OSError as error:
                raise JournalError(f"{path}: {reason(error)}") from None
            if not stat.S_ISREG(status.st_mode):
                raise JournalError(f"{path}: not a regular file")
            files.setdefault((status.st_dev, status.st_ino), _found(-1, path, status))
        return list(files.values())

    def open(self, found: Found) -> int:
        """Open a file of `scan`; its name is an absolute path."""
        return open_file(found)

    def close(self) -> None:
        """Nothing is kept open."""
