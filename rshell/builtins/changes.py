"""Changes to files: opened through the sandbox, and recorded when they have been made."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from rshell.builtins.text import OutOfRange, size

if TYPE_CHECKING:
    from rshell.builtins.command import Invocation
    from rshell.sandbox import File


class Target:
    """A file that a command changes. close() records what was written to it, or cut off.

    It is a context manager. Opening raises OSError, and leaves no new file behind.
    """

    __slots__ = ("_action", "_amount", "_call", "_path", "file")

    def __init__(self, call: Invocation, path: str, *, append: bool = False, create: bool, truncate: bool) -> None:
        """append: at its end. create: make it if it is missing. truncate: empty it first."""
        if not path:
            raise FileNotFoundError(errno.ENOENT, "no such file or directory")
        self._call = call
        self._path = call.absolute(path)
        self._action = ""
        self._amount = 0
        self.file: File = call.run.sandbox.open_write(self._path, append=append, create=create, truncate=truncate)
        if truncate or self.file.created:
            self._action = "write"
        elif append:
            self._action = "append"

    def __enter__(self) -> Target:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def write(self, data: bytes) -> None:
        """Write all of data. Raises OSError; what was written before that stays, and is recorded."""
        budget = self._call.run.sandbox.budget
        left = budget.left
        try:
            self.file.write(data)
        finally:
            self._amount += left - budget.left

    def truncate(self, length: int) -> int:
        """Cut or extend it to length bytes; how many were cut off."""
        before = self.file.size
        try:
            self.file.truncate(length)
        except OSError:
            self._withdraw()
            raise
        self._action = "truncate"
        self._amount = max(0, before - length)
        return self._amount

    def _withdraw(self) -> None:
        """Remove a file that was made for nothing."""
        if self.file.created:
            self._action = ""
            self._call.run.sandbox.unlink(self._path)

    def close(self) -> None:
        """Close it; harmless when it is closed."""
        if not self.file.closed:
            self.file.close()
            if self._action:
                self._call.run.record(self._action, self._path, self._amount, self._call.name)


def byte_count(text: str) -> int | None:
    """A size with a suffix for a file's length: K, KiB, KB and so on, no blocks; None when it is none.

    Raises OutOfRange.
    """
    if not text or text[0] not in "0123456789" or text.endswith("b"):
        return None
    return size(text)


__all__ = ["OutOfRange", "Target", "byte_count"]
