"""The walk: from a root's descriptor to the last component of a path, one checked step at a time.

A path is matched to the most specific root and followed from that root's descriptor. The kernel is
given single names only, never ``..`` and never a link to follow: links are read through the
descriptor that showed them to be links, and what they say is walked like the rest of the path.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

from rshell import limits
from rshell.sandbox.errors import LinkRefused, failure
from rshell.sandbox.roots import DIRECTORY, LOOK, NOFOLLOW, O_PATH

if TYPE_CHECKING:
    from rshell.sandbox.roots import OpenRoot, RootTable

_STEP = DIRECTORY | NOFOLLOW
NAME_BYTES = 255


class Walk:
    """Where a walk stands: a directory below a starting point, and what is looked for in it.

    After ``to``: ``fd`` is the directory reached, ``name`` the last component in it, not a link unless
    links were not to be followed, with ``found`` its lstat. An empty ``name`` means the directory itself.
    ``close`` gives back every descriptor that the walk opened.

    With ``links`` off the first symbolic link ends the walk. With ``modes`` on ``writable`` says
    whether the most specific root, by path or by device and inode, may be written.
    """

    __slots__ = (
        "_levels", "_links", "_modes", "_names", "_prefixes", "_table", "_top", "_top_fd", "_top_writable",
        "fd", "found", "hops", "name", "pending",
    )  # fmt: skip

    def __init__(
        self, table: RootTable, prefixes: tuple[bytes, ...] = (), *, links: bool = True, modes: bool = False
    ) -> None:
        self._table = table
        self._prefixes = prefixes
        self._links = links
        self._modes = modes
        self._top = b""
        self._top_fd = -1
        self._top_writable = False
        self._levels: list[tuple[int, bool]] = []
        self._names: list[bytes] = []
        self.fd = -1
        self.name = b""
        self.found: os.stat_result | None = None
        self.hops = 0
        self.pending: list[bytes] = []

    @property
    def path(self) -> bytes:
        """The canonical path of the directory reached."""
        if not self._names:
            return self._top
        return (b"" if self._top == b"/" else self._top) + b"/" + b"/".join(self._names)

    @property
    def writable(self) -> bool:
        """Whether the directory reached may be written in; known with ``modes`` on."""
        return self._levels[-1][1] if self._levels else self._top_writable

    def close(self) -> None:
        """Close what the walk opened."""
        levels = self._levels
        while levels:
            os.close(levels.pop()[0])
        self._names.clear()
        self.fd = self._top_fd

    def take(self) -> int:
        """The descriptor of the directory reached, now the caller's."""
        if self._levels:
            self._names.pop()
            fd = self._levels.pop()[0]
            self.fd = -1
            return fd
        return os.dup(self._top_fd)

    def start(self, fd: int, path: bytes) -> None:
        """Begin at an open directory instead of a root; the descriptor stays its owner's."""
        self._top_fd = self.fd = fd
        self._top = path

    def to(self, path: bytes, follow: bool = True) -> None:
        """Walk an absolute path from its root."""
        self.pending = path.split(b"/")[::-1]
        self._enter()
        self._steps(follow)

    def onward(self, path: bytes, follow: bool = True) -> None:
        """Walk a relative path from where ``start`` has put us."""
        self.pending = path.split(b"/")[::-1]
        self._steps(follow)

    def onward_into(self) -> None:
        """Go into the directory that was found."""
        name, self.found = self.name, None
        self.name = b""
        self._down(name)
        if self.pending:  # a link has taken its place
            raise failure(errno.ESTALE)

    def _enter(self) -> None:
        """Take what is pending as an absolute path and go to the most specific root that it names.

        Outside every root nothing is asked of the kernel: there ``..`` is taken by its letters.
        """
        self.close()
        pending = self.pending
        by_path = self._table.by_path
        best: OpenRoot | None = by_path.get(b"/")
        at = index = len(pending)
        key = b""
        while index:
            index -= 1
            name = pending[index]
            if not name or name == b".":
                continue
            if name == b"..":
                if best is not None:
                    break
                key = key.rpartition(b"/")[0]
                continue
            key += b"/" + name
            root = by_path.get(key)
            if root is not None:
                best = root
                at = index
        if best is None:
            raise failure(errno.EACCES)
        del pending[at:]
        self._begin(best)

    def _begin(self, root: OpenRoot) -> None:
        self.close()
        self._top = root.real
        self._top_fd = self.fd = root.fd
        self._top_writable = root.writable

    def _steps(self, follow: bool) -> None:
        pending = self.pending
        nested = self._table.nested
        while pending:
            name = pending.pop()
            if not name or name == b".":
                continue
            if name == b"..":
                self._up()
                continue
            self.name = name
            if len(name) > NAME_BYTES:
                raise failure(errno.ENAMETOOLONG)
            if nested:
                here = self.path
                root = self._table.by_path.get((b"" if here == b"/" else here) + b"/" + name)
                if root is not None:
                    self._begin(root)
                    self.name = b""
                    continue
            if pending:
                self._down(name)
                continue
            found = os.stat(name, dir_fd=self.fd, follow_symlinks=False)
            if follow and stat.S_ISLNK(found.st_mode):
                self._follow(name)
                continue
            self.found = found
            return
        self.name = b""
        self.found = None

    def _up(self) -> None:
        if self._levels:
            os.close(self._levels.pop()[0])
            self._names.pop()
            self.fd = self._levels[-1][0] if self._levels else self._top_fd
        elif self._top != b"/":
            # Above a root's top the walk starts anew with the rest, against all roots.
            self.pending.extend(self._top.rpartition(b"/")[0].split(b"/")[::-1])
            self._enter()

    def _down(self, name: bytes) -> None:
        try:
            child = os.open(name, _STEP, dir_fd=self.fd)
        except OSError as exc:
            if exc.errno not in (errno.ENOTDIR, errno.ELOOP):
                raise
        else:
            self._levels.append((child, self.writable))
            self._names.append(name)
            self.fd = child
            if self._modes:
                found = os.fstat(child)
                writable = self._table.by_identity.get((found.st_dev, found.st_ino))
                if writable is not None:
                    self._levels[-1] = (child, writable)
            return
        self._follow(name)

    def _follow(self, name: bytes) -> None:
        """Put what a link says in front of what is pending."""
        target = self._read(name)
        self.hops += 1
        if self.hops > limits.SYMLINK_HOPS:
            raise failure(errno.ELOOP)
        pending = self.pending
        if target is None:
            # It was a link a moment ago and is a directory now: look again. Counted, so that it ends.
            pending.append(name)
            return
        if not self._links:
            raise LinkRefused
        if not target:
            raise failure(errno.ENOENT)
        if target[:1] != b"/":
            pending.extend(target.split(b"/")[::-1])
            return
        pending.extend(self._at_host(target).split(b"/")[::-1])
        self._enter()

    def _read(self, name: bytes) -> bytes | None:
        """What a link says, read through the descriptor that was checked; None for what is no link now."""
        if not O_PATH:
            try:
                return os.readlink(name, dir_fd=self.fd)
            except OSError as exc:
                if exc.errno == errno.EINVAL:
                    raise failure(errno.ENOTDIR) from None
                raise
        fd = os.open(name, LOOK, dir_fd=self.fd)
        try:
            mode = os.fstat(fd).st_mode
            if stat.S_ISLNK(mode):
                return os.readlink(b"", dir_fd=fd)
        finally:
            os.close(fd)
        if stat.S_ISDIR(mode) or not self.pending:
            return None
        raise failure(errno.ENOTDIR)

    def _at_host(self, target: bytes) -> bytes:
        """An absolute target of a link below the host prefix is meant from the prefix."""
        if not self._prefixes:
            return target
        here = self.path
        real = self._prefixes[0]
        if not below(here, real) or any(below(target, prefix) for prefix in self._prefixes):
            return target
        parts = target.split(b"/")
        while parts and parts[0] in (b"", b".", b".."):
            del parts[0]
        return real + b"/" + b"/".join(parts)


def below(path: bytes, directory: bytes) -> bool:
    """Whether a path is a directory's or starts with it, by the letters."""
    return path == directory or path.startswith(directory if directory == b"/" else directory + b"/")
