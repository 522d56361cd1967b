"""Open directories: listings, and everything one can ask about a name in one."""

from __future__ import annotations

import errno
import os
import stat
import sys
from typing import TYPE_CHECKING

from rshell.sandbox.errors import TooManyEntries, failure
from rshell.sandbox.files import open_read
from rshell.sandbox.roots import DIRECTORY, NOFOLLOW, O_PATH, decode, encode
from rshell.sandbox.walk import NAME_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rshell.sandbox.access import Sandbox
    from rshell.sandbox.files import File

_STEP = DIRECTORY | NOFOLLOW
_LIST = _STEP & ~O_PATH
# Names of a listing by descriptor come decoded as the process decodes file names.
_DECODED = sys.getfilesystemencoding() == "utf-8" and sys.getfilesystemencodeerrors() == "surrogateescape"

_KINDS = {
    stat.S_IFREG: "f",
    stat.S_IFDIR: "d",
    stat.S_IFLNK: "l",
    stat.S_IFIFO: "p",
    stat.S_IFSOCK: "s",
    stat.S_IFCHR: "c",
    stat.S_IFBLK: "b",
}


def kind_of(mode: int) -> str:
    """The letter of a file type, as find names it: one of ``f d l p s c b``, or ``?``."""
    return _KINDS.get(stat.S_IFMT(mode), "?")


class Entry:
    """A name in a listing. ``kind`` comes from the listing itself: one of ``f d l p s c b ?``."""

    __slots__ = ("_directory", "kind", "name")

    def __init__(self, directory: Directory, name: str, kind: str) -> None:
        self._directory = directory
        self.name = name
        self.kind = kind

    def __repr__(self) -> str:
        return f"Entry({self.name!r}, {self.kind!r})"

    @property
    def raw(self) -> bytes:
        """The name's bytes."""
        return encode(self.name)

    def stat(self, follow: bool = False) -> os.stat_result:
        """Ask the kernel now, through the directory's descriptor, which must still be open."""
        return self._directory.stat(self.name, follow)


class Directory:
    """An open directory: the right to what is in it, whatever its path leads to later.

    ``path`` is what the caller called it. Close it with ``close`` or as a context manager.
    """

    __slots__ = ("_fd", "_identity", "_sandbox", "_where", "_writable", "path")

    def __init__(self, sandbox: Sandbox, fd: int, path: str, where: bytes, writable: bool = False) -> None:
        self._sandbox = sandbox
        self._fd = fd
        self._where = where
        self._writable = writable
        self._identity: tuple[int, int] | None = None
        self.path = path

    def __enter__(self) -> Directory:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Directory({self.path!r})"

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

    @property
    def identity(self) -> tuple[int, int]:
        """Device and inode."""
        if self._identity is None:
            found = os.fstat(self._fd)
            self._identity = (found.st_dev, found.st_ino)
        return self._identity

    @property
    def device(self) -> int:
        """The number of the device that holds it."""
        return self.identity[0]

    @property
    def inode(self) -> int:
        """Its inode number."""
        return self.identity[1]

    @property
    def real(self) -> str:
        """Its canonical path when it was opened."""
        return decode(self._where)

    def entries(self, limit: int | None = None) -> Iterator[Entry]:
        """List it, in the directory's own order, without ``.`` and ``..``.

        One descriptor of its own, closed when the iteration ends or is dropped. After limit entries
        one more raises TooManyEntries.
        """
        # scandir's own entries stay in here: their stat after the close asks whatever has the number then.
        fd = os.open(b".", _LIST, dir_fd=self._fd)
        try:
            with os.scandir(fd) as listing:
                left = -1 if limit is None else limit
                for found in listing:
                    if not left:
                        raise TooManyEntries
                    left -= 1
                    name = found.name
                    if not _DECODED:
                        name = decode(os.fsencode(name))
                    if found.is_file(follow_symlinks=False):
                        kind = "f"
                    elif found.is_dir(follow_symlinks=False):
                        kind = "d"
                    elif found.is_symlink():
                        kind = "l"
                    else:
                        kind = self._rare(name)
                    yield Entry(self, name, kind)
        finally:
            os.close(fd)

    def statuses(self) -> Iterator[tuple[str, os.stat_result | OSError]]:
        """lstat everything in it: each name with its status, or with the error that was got for one.

        As entries(), for commands that look at all there is: half the time of a stat for each entry.
        """
        fd = os.open(b".", _LIST, dir_fd=self._fd)
        try:
            with os.scandir(fd) as listing:
                for found in listing:
                    name = found.name if _DECODED else decode(os.fsencode(found.name))
                    try:
                        yield name, found.stat(follow_symlinks=False)
                    except OSError as exc:
                        yield name, exc
        finally:
            os.close(fd)

    def _rare(self, name: str) -> str:
        try:
            return kind_of(self.stat(name, follow=False).st_mode)
        except OSError:
            return "?"

    def stat(self, name: str, follow: bool = True) -> os.stat_result:
        """stat of a name in it, or with follow off lstat; links are followed as the sandbox follows them."""
        raw = self._name(name)
        found = os.stat(raw, dir_fd=self._fd, follow_symlinks=False)
        if follow and stat.S_ISLNK(found.st_mode):
            return self._sandbox.stat_at(self._where, raw)
        return found

    def open(self, name: str) -> File:
        """Open a regular file, or one of the five devices, in it for reading."""
        raw = self._name(name)
        found = os.stat(raw, dir_fd=self._fd, follow_symlinks=False)
        if not stat.S_ISLNK(found.st_mode):
            file = open_read(self._fd, raw, found)
            if file is not None:
                return file
        return self._sandbox.open_at(self._where, raw)

    def directory(self, name: str, follow: bool = False) -> Directory:
        """Open a directory in it."""
        raw = self._name(name)
        child = self._where + (b"" if self._where == b"/" else b"/") + raw
        path = self.path + ("" if self.path.endswith("/") else "/") + name
        if self._sandbox.is_special(child):
            return self._sandbox.directory_at(self._where, raw, path, follow)
        try:
            fd = os.open(raw, _STEP, dir_fd=self._fd)
        except OSError as exc:
            if follow and exc.errno in (errno.ELOOP, errno.ENOTDIR):
                return self._sandbox.directory_at(self._where, raw, path, follow)
            raise
        opened = Directory(self._sandbox, fd, path, child, self._writable)
        if self._sandbox.writable:
            self._sandbox.govern(opened)
        return opened

    def readlink(self, name: str) -> str:
        """What a symbolic link in it says."""
        return decode(os.readlink(self._name(name), dir_fd=self._fd))

    def access(self, name: str, mode: int) -> bool:
        """As Sandbox.access, for a name in it."""
        try:
            raw = self._name(name)
        except OSError:
            return False
        return self._sandbox.access_at(self._where, raw, mode)

    def unlink(self, name: str) -> None:
        """Remove a regular file, or a symbolic link itself, from it; as Sandbox.unlink."""
        self._sandbox.unlink_at(self._fd, self._name(name), self._writable)

    def set_mode(self, writable: bool | None) -> None:
        """Take another root's mode: for the sandbox's own code only."""
        if writable is not None:
            self._writable = writable

    @property
    def fd(self) -> int:
        """Its descriptor: for the sandbox's own code only."""
        return self._fd

    @staticmethod
    def _name(name: str) -> bytes:
        raw = encode(name)
        if not raw or b"/" in raw or raw == b"..":
            raise failure(errno.ENOENT)
        if len(raw) > NAME_BYTES:
            raise failure(errno.ENAMETOOLONG)
        if b"\0" in raw:
            raise failure(errno.EINVAL)
        return raw
