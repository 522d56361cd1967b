"""find -regex: GNU's regular expression dialects, brought to the engine's two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell.builtins.command import Failure

if TYPE_CHECKING:
    from collections.abc import Callable

_EXTENDED = ("awk", "gnu-awk", "posix-awk", "posix-egrep", "egrep", "posix-extended")


def compile_path_regex(text: str, syntax: str, *, ignore_case: bool) -> Callable[[str], bool]:
    """A test whether a regular expression matches a whole path. Raises Failure."""
    raise Failure(f"-regex: '{text}': regular expressions are not supported yet; use -path with a shell pattern")
