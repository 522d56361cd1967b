"""The sandbox: the only code that opens a path which a script named."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rshell import limits
from rshell.sandbox import files, kernel
from rshell.sandbox.directory import Directory
from rshell.sandbox.errors import Changed, failure
from rshell.sandbox.files import File, WriteBudget, open_read
from rshell.sandbox.kernel import FileSystem
from rshell.sandbox.roots import DIRECTORY, LOOK, NOFOLLOW, O_PATH, OpenRoot, RootTable, decode, encode
from rshell.sandbox.walk import Walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rshell.policy import Root

_LOOKS = 5  # at a name that changes between the look and the open
_NO_FOLLOW = {"follow_symlinks": False} if os.access in os.supports_follow_symlinks else {}
_EFFECTIVE = {"effective_ids": True} if os.access in os.supports_effective_ids else {}


def absolute(cwd: str, path: str) -> str:
    """A script's path as the sandbox takes it: against a directory, nothing collapsed."""
    if path[:1] == "/":
        return path
    return (cwd if cwd.endswith("/") else cwd + "/") + path


class Sandbox:
    """Access to the allowed directories, and to nothing else.

    Every path is an absolute str, ``..``, ``.`` and ``//`` in it as the script gave them. Errors are
    OSError: PermissionError with EACCES for what the policy denies. Nothing can be written unless it
    is built with ``writable``. For one caller at a time. ``close`` gives the roots back.
    """

    def __init__(
        self,
        roots: Sequence[Root],
        *,
        host_prefix: str | None = None,
        max_write_bytes: int = limits.WRITE_BYTES,
        writable: bool = False,
    ) -> None:
        self.writable = writable
        self.max_write_bytes = max_write_bytes
        self.budget = WriteBudget(max_write_bytes)
        self._table = RootTable(roots)
        self.warnings: list[str] = self._table.warnings
        self.roots: tuple[OpenRoot, ...] = tuple(self._table.opened)
        self._prefixes: tuple[bytes, ...] = ()
        if host_prefix is not None:
            given = encode(host_prefix).rstrip(b"/")
            self._prefixes = (os.path.realpath(given or b"/"), given)
        if writable:
            kernel.prepare()
        self._sessions = 0
        self._parents: dict[bytes, Directory] = {}

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every root; the sandbox can reach nothing after."""
        self._forget()
        self._table.close()

    def begin_run(self) -> None:
        """Start a run: its writes are counted from zero."""
        self.budget = WriteBudget(self.max_write_bytes)
        self._forget()

    # The last parent directories, for the calls of one command

    @contextmanager
    def session(self) -> Iterator[None]:
        """Within it the last few parent directories stay open: a command's many names cost one walk.

        What was kept is dropped when any session begins or ends.
        """
        self._forget()
        self._sessions += 1
        try:
            yield
        finally:
            self._sessions -= 1
            self._forget()

    def _forget(self) -> None:
        parents = self._parents
        while parents:
            parents.popitem()[1].close()

    def _walk(self, path: bytes, follow: bool = True) -> Walk:
        """Walk for reading; the caller closes what it gets."""
        walk = Walk(self._table, self._prefixes)
        try:
            if self._sessions and not self._table.nested:
                head, _, last = path.rpartition(b"/")
                if last not in (b"", b".", b"..") and head not in self._table.by_path:
                    try:
                        parent = self._parent(head)
                    except PermissionError:
                        pass  # above every root, where the path itself may still name one
                    else:
                        walk.start(parent.fd, encode(parent.real))
                        walk.onward(last, follow)
                        return walk
            walk.to(path, follow)
        except BaseException:
            walk.close()
            raise
        return walk

    def _parent(self, head: bytes) -> Directory:
        kept = self._parents.pop(head, None)
        if kept is None:
            kept = self._open_directory(head or b"/", decode(head))
            if len(self._parents) >= limits.PARENTS_KEPT:
                self._parents.pop(next(iter(self._parents))).close()
        self._parents[head] = kept
        return kept

    # Reading

    def stat(self, path: str, follow: bool = True) -> os.stat_result:
        """stat, or with follow off lstat."""
        return self._stat(checked(path), follow)

    def _stat(self, path: bytes, follow: bool = True) -> os.stat_result:
        walk = self._walk(path, follow)
        try:
            return walk.found or os.fstat(walk.fd)
        finally:
            walk.close()

    def open(self, path: str) -> File:
        """Open a regular file, or one of the devices null, zero, full, random, urandom, for reading.

        NotRegular for a FIFO, a socket or another device: none of these is ever opened.
        """
        return self._open(checked(path))

    def _open(self, path: bytes) -> File:
        for _ in range(_LOOKS):
            walk = self._walk(path)
            try:
                if walk.found is None:
                    raise failure(errno.EISDIR)
                file = open_read(walk.fd, walk.name, walk.found)
            finally:
                walk.close()
            if file is not None:
                return file
        raise Changed

    def readlink(self, path: str) -> str:
        """What a symbolic link says; EINVAL when it is none."""
        walk = self._walk(checked(path), follow=False)
        try:
            if walk.found is None:
                raise failure(errno.EINVAL)
            return decode(os.readlink(walk.name, dir_fd=walk.fd))
        finally:
            walk.close()

    def directory(self, path: str, follow: bool = True) -> Directory:
        """Open a directory; with follow off a link to one is not a directory."""
        return self._open_directory(checked(path), path, follow)

    def _open_directory(self, path: bytes, shown: str, follow: bool = True) -> Directory:
        walk = Walk(self._table, self._prefixes, modes=self.writable)
        fd = -1
        try:
            if follow:
                # A directory is entered, not looked at: the kernel says whether it is one.
                walk.to(path + b"/")
                where, writable = walk.path, walk.writable
                fd = walk.take()
            else:
                walk.to(path, follow=False)
                where, writable = walk.path, walk.writable
                if walk.found is None:
                    fd = walk.take()
                else:
                    fd = os.open(walk.name, DIRECTORY | NOFOLLOW, dir_fd=walk.fd)
                    where = (b"" if where == b"/" else where) + b"/" + walk.name
            opened = Directory(self, fd, shown, where, writable)
            fd = -1
        finally:
            if fd >= 0:
                os.close(fd)
            walk.close()
        if self.writable:
            self.govern(opened)
        return opened

    def access(self, path: str, mode: int) -> bool:
        """Whether the kernel would let this process use it so (os.R_OK, W_OK, X_OK, F_OK).

        It is an answer, not a grant: os.W_OK in a ``:ro`` root says what the kernel would, and writing there fails.
        """
        try:
            return self._access(checked(path), mode)
        except OSError:
            return False

    def _access(self, path: bytes, mode: int) -> bool:
        walk = Walk(self._table, self._prefixes)
        try:
            walk.to(path)
            name = walk.name if walk.found is not None else b"."
            return os.access(name, mode, dir_fd=walk.fd, **_NO_FOLLOW, **_EFFECTIVE)
        finally:
            walk.close()

    def mode_of(self, path: str) -> bool:
        """Whether a ``:rw`` root governs a path whose directory exists. OSError outside every root."""
        walk = Walk(self._table, self._prefixes, modes=True)
        try:
            try:
                walk.to(checked(path))
                if walk.found is not None and stat.S_ISDIR(walk.found.st_mode):
                    walk.onward_into()
            except FileNotFoundError:
                if walk.pending:
                    raise
            return walk.writable
        finally:
            walk.close()

    def resolve(self, path: str, missing: str = "none") -> str:
        """The canonical path: no links, no ``.``, no ``..``.

        Missing says what need not exist: ``none``, only the ``last`` component, or ``any``.
        """
        walk = Walk(self._table, self._prefixes)
        path_left = checked(path)
        try:
            while True:
                try:
                    walk.to(path_left)
                except (FileNotFoundError, NotADirectoryError) as exc:
                    rest = [name for name in reversed(walk.pending) if name not in (b"", b".")]
                    if missing == "none" or (missing == "last" and (rest or exc.errno == errno.ENOTDIR)):
                        raise
                    tail = [walk.name]
                    while rest and tail:
                        name = rest.pop(0)
                        if name == b"..":
                            tail.pop()
                        else:
                            tail.append(name)
                    if not tail:
                        # What was missing is left behind again: the rest is looked at like any path.
                        path_left = b"/".join([walk.path, *rest])
                        continue
                else:
                    tail = [walk.name] if walk.found is not None else []
                here = walk.path
                return decode(b"/".join([b"" if here == b"/" else here, *tail]) or b"/")
        finally:
            walk.close()

    def birth_time(self, path: str, follow: bool = True) -> int | None:
        """When a file was made, in nanoseconds since the epoch; None where that is not kept."""
        walk = self._walk(checked(path), follow)
        try:
            return kernel.birth_time(walk.fd, walk.name if walk.found is not None else b"")
        finally:
            walk.close()

    def file_system(self, path: str) -> FileSystem:
        """The file system that a file is on. May block: to be called in a thread that can be left behind."""
        walk = self._walk(checked(path))
        try:
            if walk.found is None or not O_PATH:
                return kernel.file_system(walk.fd)
            fd = os.open(walk.name, LOOK, dir_fd=walk.fd)
            try:
                return kernel.file_system(fd)
            finally:
                os.close(fd)
        finally:
            walk.close()

    # For Directory: a link in it leads anywhere, so it is walked from its root

    def stat_at(self, where: bytes, name: bytes) -> os.stat_result:
        """stat of a name in a directory, by its canonical path."""
        return self._stat(where + b"/" + name)

    def open_at(self, where: bytes, name: bytes) -> File:
        """open of a name in a directory, by its canonical path."""
        return self._open(where + b"/" + name)

    def directory_at(self, where: bytes, name: bytes, shown: str, follow: bool) -> Directory:
        """directory of a name in a directory, by its canonical path."""
        return self._open_directory(where + b"/" + name, shown, follow)

    def access_at(self, where: bytes, name: bytes, mode: int) -> bool:
        """access of a name in a directory, by its canonical path."""
        try:
            return self._access(where + b"/" + name, mode)
        except OSError:
            return False

    def is_special(self, path: bytes) -> bool:
        """Whether a canonical path is a root inside another one."""
        return self._table.nested and path in self._table.by_path

    def govern(self, directory: Directory) -> None:
        """Give a directory that is another root, by device and inode, that root's mode."""
        try:
            directory.set_mode(self._table.by_identity.get(directory.identity))
        except BaseException:
            directory.close()
            raise

    # Writing

    def _write_walk(self, path: str, follow: bool) -> Walk:
        """Walk to what is to be written; the directory it is in may be written, and no link led there."""
        if not self.writable:
            raise failure(errno.EACCES)
        walk = Walk(self._table, links=False, modes=True)
        try:
            try:
                walk.to(checked(path), follow)
            except FileNotFoundError:
                # Only the last component may be missing, and nothing is said of names in a :ro root.
                if walk.pending or not follow:
                    raise
            else:
                if walk.found is None:
                    raise failure(errno.EISDIR)
            if not walk.writable:
                raise failure(errno.EACCES)
        except BaseException:
            walk.close()
            raise
        return walk

    def open_write(self, path: str, *, append: bool = False, create: bool = True, truncate: bool = False) -> File:
        """Open a regular file for writing, in a ``:rw`` root.

        No symbolic link may be in the path, and the file may have one name only. It is truncated when
        all that has been checked on the open file; a new one is made 0o666 less the umask.
        """
        walk = self._write_walk(path, follow=True)
        try:
            file = files.open_write(walk.fd, walk.name, self.budget, append=append, create=create)
            if truncate and not file.created:
                try:
                    file.truncate(0)
                except BaseException:
                    file.close()
                    raise
            return file
        finally:
            walk.close()

    def unlink(self, path: str) -> None:
        """Remove a regular file, or a symbolic link itself, in a ``:rw`` root. Never a directory."""
        walk = self._write_walk(path, follow=False)
        try:
            self.unlink_at(walk.fd, walk.name, walk.writable)
        finally:
            walk.close()

    def unlink_at(self, directory: int, name: bytes, writable: bool) -> None:
        """unlink of a name in an open directory."""
        if not (self.writable and writable):
            raise failure(errno.EACCES)
        files.check_removable(os.stat(name, dir_fd=directory, follow_symlinks=False))
        os.unlink(name, dir_fd=directory)


def checked(path: str) -> bytes:
    """A path's bytes, if the kernel could take it."""
    raw = encode(path)
    if len(raw) >= limits.PATH_BYTES:
        raise failure(errno.ENAMETOOLONG)
    if b"\0" in raw:
        raise failure(errno.EINVAL)
    if raw[:1] != b"/":
        raise failure(errno.ENOENT)
    return raw
