"""What an expression looks at: one file, as far as it has been asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell.builtins.filemode import kind_of

if TYPE_CHECKING:
    import os

    from rshell.builtins.command import Invocation
    from rshell.sandbox import Directory

_ENOENT = 2


class Vanished(Exception):
    """The file under a test could not be looked at: it is reported, and the expression is false."""

    def __init__(self, failure: OSError) -> None:
        super().__init__()
        self.failure = failure


class Visit:
    """The file that the walk has reached; one object serves a whole walk.

    name: the last component. kind: the letter of its type (of a link's target where links are followed).
    prefix: what stands before name in its path. handle: the directory it is in, None for a starting
    point. start: the starting point as given. depth: levels below it. prune, stop: what the
    expression asks of the walk.
    """

    __slots__ = (
        "call",
        "depth",
        "follow",
        "follow_starts",
        "handle",
        "kind",
        "known",
        "name",
        "prefix",
        "prune",
        "start",
        "stop",
    )  # fmt: skip

    def __init__(self, call: Invocation, *, follow: bool, follow_starts: bool) -> None:
        self.call = call
        self.follow = follow
        self.follow_starts = follow_starts
        self.name = ""
        self.prefix = ""
        self.kind = "?"
        self.start = ""
        self.depth = 0
        self.handle: Directory | None = None
        self.prune = False
        self.stop = False
        self.known: os.stat_result | None = None

    @property
    def path(self) -> str:
        """The path as find shows it."""
        return self.start if self.handle is None else self.prefix + self.name

    @property
    def base(self) -> str:
        """The last component: what -name matches; of a starting point without its trailing slashes."""
        if self.handle is not None:
            return self.name
        return self.start.rstrip("/").rpartition("/")[2] or ("/" if self.start else "")

    def enter(self, start: str) -> None:
        """Come to a starting point. Raises OSError when there is none."""
        self.start = start
        self.handle = None
        self.depth = 0
        self.prefix = ""
        self.name = start
        self.known = self._look()
        self.kind = kind_of(self.known.st_mode)

    def set(self, name: str, kind: str) -> None:
        """Come to a name in the directory at hand."""
        self.name = name
        self.kind = kind
        self.known = None

    def stat(self) -> os.stat_result:
        """stat, or lstat where links are not followed; asked once. Raises Vanished."""
        found = self.known
        if found is None:
            try:
                found = self.known = self._look()
            except OSError as failure:
                raise Vanished(failure) from None
        return found

    def look(self) -> None:
        """Learn the type of a link where links are followed. Raises OSError."""
        self.known = self._look()
        self.kind = kind_of(self.known.st_mode)

    def _look(self) -> os.stat_result:
        if self.follow or (self.handle is None and self.follow_starts):
            try:
                return self.ask(follow=True)
            except OSError as failure:
                if failure.errno != _ENOENT:
                    raise
        return self.ask(follow=False)

    def ask(self, *, follow: bool) -> os.stat_result:
        """Ask the kernel, in spite of what is known. Raises OSError."""
        if self.handle is None:
            return self.call.stat(self.start, follow=follow)
        return self.handle.stat(self.name, follow)

    def access(self, mode: int) -> bool:
        """Whether the kernel would let this process read (4), write (2) or execute (1) it."""
        if self.handle is None:
            return self.call.run.sandbox.access(self.call.absolute(self.start), mode)
        return self.handle.access(self.name, mode)

    def readlink(self) -> str:
        """What a symbolic link says. Raises OSError."""
        if self.handle is None:
            return self.call.run.sandbox.readlink(self.call.absolute(self.start))
        return self.handle.readlink(self.name)

    def directory(self) -> Directory:
        """Open it as a directory; the caller closes it. Raises OSError."""
        if self.handle is None:
            return self.call.directory(self.start, follow=self.follow or self.follow_starts)
        return self.handle.directory(self.name, follow=self.follow)
