"""find -regex: GNU's regular expression dialects, brought to the engine's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell.builtins.command import Failure, encode
from rshell.builtins.regex import PatternError, compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from rshell.builtins.context import Run

# what find calls a dialect, and what the engine's translator calls it
_DIALECTS = {
    "findutils-default": "findutils",
    "emacs": "emacs",
    "posix-basic": "bre",
    "ed": "bre",
    "sed": "bre",
    "grep": "grep",
    "posix-minimal-basic": "minimal",
    "posix-extended": "posix-extended",
    "posix-egrep": "egrep",
    "egrep": "egrep",
    "awk": "old-awk",
    "gnu-awk": "gnu-awk",
    "posix-awk": "posix-awk",
}


def compile_path_regex(text: str, syntax: str, *, ignore_case: bool, guard: Run | None = None) -> Callable[[str], bool]:
    """A test whether a regular expression matches a whole path. Raises Failure."""
    try:
        pattern = compile_pattern(
            encode(text), syntax=_DIALECTS[syntax], ignore_case=ignore_case, whole_line=True, guard=guard
        )
    except PatternError as failure:
        raise Failure(f"failed to compile regular expression '{text}': {failure}") from None
    search = pattern.search
    return lambda path: search(encode(path)) is not None
