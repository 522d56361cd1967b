"""The directories that a walk has gone into, of which only the last few are held open."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from rshell.builtins.command import Invocation

if TYPE_CHECKING:
    from rshell.sandbox import Directory

_OPEN = 32


class Descent:
    """A stack of directories by path. A context manager: it closes what is open.

    A directory that was closed on the way down is opened again by its path when the walk comes back,
    and must then be the same one.
    """

    def __init__(self, call: Invocation, *, follow: bool = False) -> None:
        self._call = call
        self._follow = follow
        self._levels: list[tuple[str, Directory, tuple[int, int]]] = []

    def __enter__(self) -> Descent:
        return self

    def __exit__(self, *exc: object) -> None:
        while self._levels:
            self.leave()

    def __len__(self) -> int:
        return len(self._levels)

    def enter(self, path: str, handle: Directory) -> None:
        """Take an open directory as the place where the walk is; it is closed here."""
        self._levels.append((path, handle, handle.identity))
        if len(self._levels) > _OPEN:
            self._levels[-_OPEN - 1][1].close()

    def leave(self) -> None:
        """Go back to the directory above."""
        self._levels.pop()[1].close()

    def below(self, name: str) -> Directory:
        """Open a directory in the place where the walk is. Raises OSError."""
        path, handle, identity = self._levels[-1]
        if handle.closed:
            handle = self._call.run.sandbox.directory(self._call.absolute(path), follow=len(self) == 1 or self._follow)
            if handle.identity != identity:
                handle.close()
                raise FileNotFoundError(errno.ESTALE, "file changed while it was looked at")
            self._levels[-1] = (path, handle, identity)
        return handle.directory(name, follow=self._follow)

    def loops(self, identity: tuple[int, int]) -> bool:
        """Whether a directory is one of those that the walk is in."""
        return any(level[2] == identity for level in self._levels)
