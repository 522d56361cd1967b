"""Open files: what a command reads and, in remediation mode, writes."""

from __future__ import annotations

import errno
import os
import stat
import sys
from typing import TYPE_CHECKING

from rshell.sandbox import kernel
from rshell.sandbox.errors import Changed, HardLinkRefused, LinkRefused, NotRegular, WriteLimit, failure
from rshell.sandbox.roots import NOFOLLOW

if TYPE_CHECKING:
    pass

_COMMON = (
    NOFOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)
)  # fmt: skip
_READ = os.O_RDONLY | _COMMON
_WRITE = os.O_WRONLY | _COMMON
_DEVICES = ("null", "zero", "full", "random", "urandom")
_LOOKS = 5  # at a name that changes between the look and the open

_numbers: frozenset[int] | None = None


def _readable_devices() -> frozenset[int]:
    """The device numbers of null, zero, full, random and urandom."""
    global _numbers
    if _numbers is None:
        if sys.platform == "linux":
            _numbers = frozenset(os.makedev(1, minor) for minor in (3, 5, 7, 8, 9))
        else:
            found = []
            for name in _DEVICES:
                try:
                    found.append(os.stat(f"/dev/{name}").st_rdev)
                except OSError:
                    continue
            _numbers = frozenset(found)
    return _numbers


class WriteBudget:
    """How many bytes a run may still write to files."""

    __slots__ = ("left",)

    def __init__(self, limit: int) -> None:
        self.left = limit


class File:
    """An open regular file, or one of the five devices. Closes with ``close`` or as a context manager.

    ``created`` says whether opening it for writing made it. Errors are OSError.
    """

    __slots__ = ("_budget", "_fd", "created", "is_regular")

    def __init__(self, fd: int, *, is_regular: bool, budget: WriteBudget | None = None, created: bool = False) -> None:
        self._fd = fd
        self._budget = budget
        self.is_regular = is_regular
        self.created = created

    def __enter__(self) -> File:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close it; harmless when it is closed."""
        fd = self._fd
        if fd >= 0:
            self._fd = -1
            os.close(fd)

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._fd < 0

    def stat(self) -> os.stat_result:
        """What the kernel says of the open file."""
        return os.fstat(self._fd)

    def birth_time(self) -> int | None:
        """When it was made, in nanoseconds since the epoch; None where that is not kept."""
        return kernel.birth_time(self._fd, b"")

    @property
    def size(self) -> int:
        """Its length in bytes now; 0 for a device."""
        return os.fstat(self._fd).st_size

    def read(self, size: int) -> bytes:
        """At most size bytes from the current position; empty at the end."""
        return os.read(self._fd, size)

    def pread(self, size: int, offset: int) -> bytes:
        """At most size bytes from an offset; the position stays."""
        return os.pread(self._fd, size, offset)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move the position (whence as for os.lseek) and return it."""
        return os.lseek(self._fd, offset, whence)

    def write(self, data: bytes | bytearray | memoryview) -> int:
        """Write all of data and return its length.

        Raises WriteLimit after writing what fits in the run's budget.
        """
        budget = self._budget
        if budget is None:
            raise failure(errno.EBADF)
        with memoryview(data).cast("B") as view:
            fits = min(len(view), budget.left)
            done = 0
            while done < fits:
                count = os.write(self._fd, view[done:fits])
                done += count
                budget.left -= count
            if fits < len(view):
                raise WriteLimit
            return done

    def truncate(self, size: int) -> None:
        """Cut or extend it to size bytes."""
        if self._budget is None:
            raise failure(errno.EBADF)
        os.ftruncate(self._fd, size)


def check_readable(found: os.stat_result) -> None:
    """Refuse what must not be opened for reading."""
    mode = found.st_mode
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise failure(errno.EISDIR)
    if stat.S_ISCHR(mode) and found.st_rdev in _readable_devices():
        return
    raise NotRegular


def same(one: os.stat_result, other: os.stat_result) -> bool:
    """Whether two looks saw one file of one type."""
    return (
        one.st_ino == other.st_ino
        and one.st_dev == other.st_dev
        and stat.S_IFMT(one.st_mode) == stat.S_IFMT(other.st_mode)
    )


def open_read(directory: int, name: bytes, found: os.stat_result) -> File | None:
    """Open what was looked at; None when another thing has taken its name since."""
    check_readable(found)
    try:
        fd = os.open(name, _READ, dir_fd=directory)
    except OSError as exc:
        # A link or a socket: neither is what was looked at.
        if exc.errno in (errno.ELOOP, errno.ENXIO):
            return None
        raise
    try:
        opened = os.fstat(fd)
        if same(found, opened):
            file = File(fd, is_regular=stat.S_ISREG(opened.st_mode))
            fd = -1
            return file
        return None
    finally:
        if fd >= 0:
            os.close(fd)


def _check_target(found: os.stat_result) -> None:
    mode = found.st_mode
    if stat.S_ISREG(mode):
        if found.st_nlink != 1:
            raise HardLinkRefused
        return
    if stat.S_ISLNK(mode):
        raise LinkRefused
    if stat.S_ISDIR(mode):
        raise failure(errno.EISDIR)
    raise NotRegular


def open_write(directory: int, name: bytes, budget: WriteBudget, *, append: bool, create: bool) -> File:
    """Open a name in a directory for writing, without changing what it holds.

    Regular files with one name only. A new file is made exclusively, so that an existing one is
    always looked at first.
    """
    extra = os.O_APPEND if append else 0
    for _ in range(_LOOKS):
        fd = -1
        created = False
        try:
            try:
                found = os.stat(name, dir_fd=directory, follow_symlinks=False)
            except FileNotFoundError:
                if not create:
                    raise
                try:
                    fd = os.open(name, _WRITE | os.O_CREAT | os.O_EXCL | extra, 0o666, dir_fd=directory)
                except FileExistsError:
                    continue
                created = True
            else:
                _check_target(found)
                try:
                    fd = os.open(name, _WRITE | extra, dir_fd=directory)
                except OSError as exc:
                    if exc.errno in (errno.ELOOP, errno.ENXIO, errno.ENOENT):
                        continue
                    raise
            if _only_name(directory, name, fd):
                file = File(fd, is_regular=True, budget=budget, created=created)
                fd = -1
                return file
        finally:
            if fd >= 0:
                os.close(fd)
    raise Changed


def check_removable(found: os.stat_result) -> None:
    """Refuse to remove what is neither a regular file nor a symbolic link."""
    mode = found.st_mode
    if stat.S_ISDIR(mode):
        raise failure(errno.EISDIR)
    if not stat.S_ISREG(mode) and not stat.S_ISLNK(mode):
        raise NotRegular


def _only_name(directory: int, name: bytes, fd: int) -> bool:
    """Whether an open file is a regular one whose only name is this one, at this moment.

    The link count of the descriptor alone is not enough: a file of elsewhere that was linked here when we
    opened it, and unlinked since, counts one link too. Asked by name after the open, one answer
    says both that the name still is this file and that there is no other.
    """
    opened = os.fstat(fd)
    _check_target(opened)
    for _ in range(4):  # the kernel looks up, then counts: an unlink in between hides a name once, hardly each time
        try:
            now = os.stat(name, dir_fd=directory, follow_symlinks=False)
        except FileNotFoundError:
            return False
        if not same(opened, now):
            return False
        _check_target(now)
    return True
