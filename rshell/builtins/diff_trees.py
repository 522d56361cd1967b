"""diff's comparison of directories, through their handles."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Failure, decode, encode, reason
from rshell.builtins.diff_files import Side
from rshell.builtins.pattern import compile_shell_pattern

if TYPE_CHECKING:
    from rshell.builtins.command import Invocation
    from rshell.builtins.diff_files import Comparison
    from rshell.builtins.options import Options
    from rshell.sandbox import Directory

_TROUBLE = 2


class Trees:
    """Compares two directories name by name. switches: the options as given, each with a blank before it."""

    def __init__(self, call: Invocation, comparison: Comparison, switches: str, options: Options) -> None:
        self.call = call
        self.comparison = comparison
        self.switches = switches
        self.recursive = "recursive" in options
        self.new_right = "new-file" in options
        self.new_left = self.new_right or "unidirectional-new-file" in options
        self.excluded = [compile_shell_pattern(pattern) for pattern in options.all("exclude")]

    def operands(self, left: str, right: str, sides: list[Side]) -> int:
        """Compare the directories that two operands name."""
        handles: list[Directory | None] = []
        for path, side in zip((left, right), sides, strict=True):
            try:
                handles.append(None if side.empty else self.call.directory(path))
            except OSError as failure:
                self.fail(path, failure)
                return _TROUBLE
        if self.comparison.same_file(sides[0], sides[1]):
            return 0
        return self.pair(handles[0], left, handles[1], right, ())

    def fail(self, path: str, failure: OSError) -> None:
        self.call.flush()
        self.call.error(f"{path}: {reason(failure)}", _TROUBLE)

    def names(self, directory: Directory | None, path: str) -> set[bytes] | None:
        """The names in a directory but for excluded ones; None when it cannot be listed."""
        if directory is None:
            return set()
        try:
            names = [entry.name for entry in directory.entries(limits.LS_ENTRIES)]
        except OSError as failure:
            self.fail(path, failure)
            return None
        return {encode(name) for name in names if not any(matches(name) for matches in self.excluded)}

    def pair(
        self, left: Directory | None, left_path: str, right: Directory | None, right_path: str,
        above: tuple[tuple[tuple[int, int] | None, tuple[int, int] | None], ...],
    ) -> int:  # fmt: skip
        """Compare two open directories, either of which may be missing; return the worst status."""
        call = self.call
        here = (left.identity if left else None, right.identity if right else None)
        for path, identity, side in ((left_path, here[0], 0), (right_path, here[1], 1)):
            if identity is not None and any(pair[side] == identity for pair in above):
                call.flush()
                call.error(f"{path}: recursive directory loop", _TROUBLE)
                return _TROUBLE
        if len(above) >= limits.DIFF_DEPTH:
            raise Failure(f"{left_path}: directories nested too deep ({limits.DIFF_DEPTH} levels at most)", _TROUBLE)
        ours, theirs = self.names(left, left_path), self.names(right, right_path)
        if ours is None or theirs is None:
            return _TROUBLE
        status = 0
        for raw in sorted(ours | theirs):
            call.check()
            name = decode(raw)
            status = max(
                status,
                self.entry(
                    name, left if raw in ours else None, _joined(left_path, name),
                    right if raw in theirs else None, _joined(right_path, name),
                    (left_path, right_path), (*above, here),
                ),
            )  # fmt: skip
        return status

    def entry(
        self, name: str, left: Directory | None, left_path: str, right: Directory | None, right_path: str,
        parents: tuple[str, str], above: tuple[tuple[tuple[int, int] | None, tuple[int, int] | None], ...],
    ) -> int:  # fmt: skip
        """Compare what has one name in both directories, or in one of them."""
        call = self.call
        sides = [
            Side(path, None, FileNotFoundError(errno.ENOENT, "no such file or directory"))
            if directory is None
            else Side.of(directory, name, path)
            for directory, path in ((left, left_path), (right, right_path))
        ]
        if (left is None and not self.new_left) or (right is None and not self.new_right):
            there = parents[0] if right is None else parents[1]
            call.print(f"Only in {there}: {name}")
            return 1
        if left is None:
            sides[0].take_as_empty(sides[1])
        elif right is None:
            sides[1].take_as_empty(sides[0])
        failed = [side for side in sides if side.failure is not None]
        for side in failed:
            if side.failure is not None:
                self.fail(side.name, side.failure)
        if failed:
            return _TROUBLE
        one, other = sides
        if one.is_directory and other.is_directory:
            if not self.recursive:
                call.print(f"Common subdirectories: {left_path} and {right_path}")
                return 0
            return self.below(name, left, left_path, right, right_path, above)
        if one.is_directory or other.is_directory:
            return self.comparison.different_kinds(one, other)
        return self.comparison.run(one, other, self.switches)

    def below(
        self, name: str, left: Directory | None, left_path: str, right: Directory | None, right_path: str,
        above: tuple[tuple[tuple[int, int] | None, tuple[int, int] | None], ...],
    ) -> int:  # fmt: skip
        """Go down on both sides."""
        opened: list[Directory | None] = []
        try:
            for directory, path in ((left, left_path), (right, right_path)):
                try:
                    opened.append(None if directory is None else directory.directory(name, follow=True))
                except OSError as failure:
                    self.fail(path, failure)
                    return _TROUBLE
            return self.pair(opened[0], left_path, opened[1], right_path, above)
        finally:
            for handle in opened:
                if handle is not None:
                    handle.close()


def _joined(path: str, name: str) -> str:
    return f"{path.rstrip('/')}/{name}"
