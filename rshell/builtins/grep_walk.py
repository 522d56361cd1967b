"""Which files grep reads: operands, and with -r what is below them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import reason
from rshell.builtins.pattern import compile_shell_pattern
from rshell.builtins.streams import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import TypeAlias

    from rshell.builtins.command import Invocation
    from rshell.sandbox import Directory, File

    _Level: TypeAlias = tuple[Directory, str, Generator[tuple[str, str], None, None]]

_ENTRIES = 1_000_000  # names in one directory
_DEPTH = limits.FIND_DEPTH


class Filter:
    """--include and --exclude: the last glob that matches a name decides.

    Where none matches, a name is skipped when the first glob given was an --include.
    """

    def __init__(self, globs: list[tuple[bool, str]]) -> None:
        self.rules = [(include, compile_shell_pattern(glob)) for include, glob in reversed(globs)]
        self.default = bool(globs) and globs[0][0]

    def skips(self, name: str, *, operand: bool = False) -> bool:
        """Whether to skip a name; of an operand, every tail that begins behind a slash counts too."""
        if not self.rules:
            return False
        names = [name]
        if operand:
            names += [name[at + 1 :] for at in range(len(name) - 1) if name[at] == "/" and name[at + 1] != "/"]
        for include, matches in self.rules:
            if any(matches(tail) for tail in names):
                return not include
        return self.default


class Walk:
    """Goes through directories by their handles.

    search: called with an open stream and the path to show. fail: with a path and its reason.
    """

    def __init__(
        self,
        call: Invocation,
        search: Callable[[Source, str], None],
        fail: Callable[[str, str], None],
        *,
        follow: bool,
        files: Filter,
        directories: Filter,
    ) -> None:
        self.call = call
        self.search = search
        self.fail = fail
        self.follow = follow
        self.files = files
        self.directories = directories

    def below(self, top: Directory, path: str) -> None:
        """Search all files below a directory, in the order of the listings. path: '' for no prefix."""
        stack: list[_Level] = [(top, path, self._names(top, path))]
        call = self.call
        try:
            while stack:
                call.check()
                directory, prefix, names = stack[-1]
                name, kind = next(names, ("", ""))
                if not name:
                    stack.pop()
                    directory.close()
                    continue
                shown = f"{prefix}{name}"
                if kind == "f":
                    if not self.files.skips(name):
                        self._file(directory, name, shown)
                elif kind == "d" and not self.directories.skips(name):
                    child = self._enter(directory, name, shown, stack)
                    if child is not None:
                        stack.append((child, f"{shown}/", self._names(child, f"{shown}/")))
        finally:
            for directory, _, names in stack:
                names.close()  # its listing holds a descriptor
                directory.close()

    def _names(self, directory: Directory, prefix: str) -> Generator[tuple[str, str], None, None]:
        try:
            for entry in directory.entries(_ENTRIES):
                kind = entry.kind
                if kind == "l":
                    if not self.follow:
                        continue
                    kind = self._behind(directory, entry.name, prefix)
                yield entry.name, kind
        except OSError as failure:
            self.fail(prefix.rstrip("/") or prefix or ".", reason(failure))

    def _behind(self, directory: Directory, name: str, prefix: str) -> str:
        """What a symbolic link leads to."""
        try:
            mode = directory.stat(name).st_mode & 0o170000
        except OSError as failure:
            self.fail(f"{prefix}{name}", reason(failure))
            return ""
        return {0o100000: "f", 0o040000: "d"}.get(mode, "")

    def _enter(self, directory: Directory, name: str, shown: str, stack: list[_Level]) -> Directory | None:
        if len(stack) >= _DEPTH:
            self.fail(shown, f"more than {_DEPTH} directories deep")
            return None
        try:
            child = directory.directory(name, follow=self.follow)
        except OSError as failure:
            self.fail(shown, reason(failure))
            return None
        if self.follow and any(child.identity == above.identity for above, _, _ in stack):
            self.call.warn(f"{shown}: warning: recursive directory loop")
            child.close()
            return None
        return child

    def _file(self, directory: Directory, name: str, shown: str) -> None:
        try:
            file = directory.open(name)
        except OSError as failure:
            self.fail(shown, reason(failure))
            return
        try:
            self.search(self._source(file, shown), shown)
        finally:
            file.close()

    def _source(self, file: File, shown: str) -> Source:
        check = self.call.run.check

        def pull(size: int) -> bytes:
            check()
            try:
                return file.read(size)
            except OSError as failure:
                self.fail(shown, reason(failure))
                return b""

        return Source(pull, file)
