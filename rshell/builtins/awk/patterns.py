"""Regular expressions for awk: plain strings by find, all else by the shared engine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from rshell import limits
from rshell.builtins import regex
from rshell.builtins.awk.errors import AwkError

if TYPE_CHECKING:
    from rshell.builtins.context import Run

_PLAIN = re.compile(rb"(\^)?((?:[^\\^$.\[\]|()*+?{}]|\\[./\"&,:;=@%#!~`'<>$^|()*+?{}\[\]-])*)(\$)?")
_SPECIAL_ESCAPES = (b"\\<", b"\\>", b"\\`", b"\\'")


class Pattern(Protocol):
    """A compiled regular expression; positions are bytes."""

    def test(self, text: bytes) -> bool:
        """Tell whether the text holds a match."""

    def search(self, text: bytes, at: int = 0) -> tuple[int, int] | None:
        """The leftmost longest match at or after at."""

    def groups(self, text: bytes, at: int = 0) -> list[tuple[int, int]] | None:
        """The match and its groups; (-1, -1) for a group that took no part."""


class Plain:
    """A pattern that is a plain string."""

    def __init__(self, text: bytes) -> None:
        self.text = text

    def test(self, text: bytes) -> bool:
        return self.text in text

    def search(self, text: bytes, at: int = 0) -> tuple[int, int] | None:
        start = text.find(self.text, at)
        return None if start < 0 else (start, start + len(self.text))

    def groups(self, text: bytes, at: int = 0) -> list[tuple[int, int]] | None:
        found = self.search(text, at)
        return None if found is None else [found]


class Anchored(Plain):
    """A plain string after ^."""

    def test(self, text: bytes) -> bool:
        return text.startswith(self.text)

    def search(self, text: bytes, at: int = 0) -> tuple[int, int] | None:
        return (0, len(self.text)) if at == 0 and text.startswith(self.text) else None


class General:
    """Any other pattern."""

    def __init__(self, source: bytes, ignore_case: bool, guard: Run | None) -> None:
        try:
            self._engine = regex.compile_pattern(source, syntax="awk", ignore_case=ignore_case, guard=guard)
        except regex.PatternError as failure:
            raise AwkError(f"invalid regular expression: {failure}") from None
        self.search = self._engine.search
        self.groups = self._engine.groups

    def test(self, text: bytes) -> bool:
        return self.search(text) is not None


def _compiled(source: bytes, ignore_case: bool, guard: Run | None) -> Pattern:
    match = _PLAIN.fullmatch(source)
    if match and not match[3] and not ignore_case and not any(escape in source for escape in _SPECIAL_ESCAPES):
        text = re.sub(rb"\\(.)", rb"\1", match[2])
        if text or match[1]:
            return Anchored(text) if match[1] else Plain(text)
    return General(source, ignore_case, guard)


class Patterns:
    """The regular expressions of one run, kept by their text. guard: the run, whose deadline ends long searches."""

    def __init__(self, guard: Run | None = None) -> None:
        self._guard = guard
        self._kept: dict[tuple[bytes, bool], Pattern] = {}
        self.ignore_case = False

    def get(self, source: bytes) -> Pattern:
        """The pattern for a text. Raises AwkError when it is not one."""
        key = (source, self.ignore_case)
        pattern = self._kept.get(key)
        if pattern is None:
            if len(self._kept) >= limits.PATTERNS_KEPT:
                del self._kept[next(iter(self._kept))]
            pattern = self._kept[key] = _compiled(source, self.ignore_case, self._guard)
        return pattern
