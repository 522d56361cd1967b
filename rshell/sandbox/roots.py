"""The allowed directories: opened once, matched by path and by identity."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rshell.sandbox.errors import reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rshell.policy import Root

# Search permission is enough to go through a directory. Where there is no O_PATH, read permission is needed too.
O_PATH: int = getattr(os, "O_PATH", 0)
DIRECTORY: int = O_PATH | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
LOOK: int = O_PATH | NOFOLLOW | getattr(os, "O_CLOEXEC", 0)  # at what need not be a directory


def encode(path: str) -> bytes:
    """A path as the kernel takes it. The process's own encoding plays no part."""
    return path.encode("utf-8", "surrogateescape")


def decode(path: bytes) -> str:
    """A path as scripts see it."""
    return path.decode("utf-8", "surrogateescape")


class OpenRoot:
    """An allowed directory, held open.

    ``path`` is what the policy says and ``real`` where that led when it was opened: both name it.
    """

    __slots__ = ("fd", "identity", "path", "real", "writable")

    def __init__(self, root: Root) -> None:
        self.path = root.path
        self.writable = root.writable
        name = encode(root.path)
        self.fd = os.open(name, DIRECTORY)
        try:
            found = os.fstat(self.fd)
            self.identity = (found.st_dev, found.st_ino)
            # What the policy's own path goes through is the operator's affair: links in it are followed.
            self.real = os.path.realpath(name)
        except BaseException:
            os.close(self.fd)
            raise

    def __repr__(self) -> str:
        return f"OpenRoot({self.path!r}, writable={self.writable})"


class RootTable:
    """All roots of a sandbox, and the questions asked about them."""

    def __init__(self, roots: Sequence[Root]) -> None:
        self.warnings: list[str] = []
        self.opened: list[OpenRoot] = []
        self.by_path: dict[bytes, OpenRoot] = {}
        self.by_identity: dict[tuple[int, int], bool] = {}
        try:
            for root in roots:
                try:
                    self.opened.append(OpenRoot(root))
                except OSError as exc:
                    self.warnings.append(f"AllowedPaths: skipping {root.path}: {reason(exc)}")
            self._index()
        except BaseException:
            self.close()
            raise

    def _index(self) -> None:
        for root in self.opened:
            # One directory granted twice under two names is writable when both grants say so.
            self.by_identity[root.identity] = root.writable and self.by_identity.get(root.identity, True)
            self.by_path.setdefault(encode(root.path), root)
        for root in self.opened:
            root.writable = self.by_identity[root.identity]
            self.by_path.setdefault(root.real, root)
        paths = list(self.by_path)
        self.nested = any(
            inner != outer and inner.startswith(outer.rstrip(b"/") + b"/") for inner in paths for outer in paths
        )

    def close(self) -> None:
        """Close every root; nothing can be reached after."""
        while self.opened:
            os.close(self.opened.pop().fd)
        self.by_path.clear()
