"""What a sed script is made of, once it is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rshell.builtins.command import Failure

if TYPE_CHECKING:
    from rshell.builtins.regex import Pattern

NO_REGEX = "no previous regular expression"


class ScriptError(Failure):
    """A script that cannot be used, or an error in running it."""


@dataclass(slots=True)
class Regex:
    """A regular expression of a script; pattern None is the empty one, which repeats the last that was used."""

    pattern: Pattern | None
    multiline: bool = False


@dataclass(slots=True)
class Address:
    """One address.

    kind: 'line' (number), 'step' (number, step), 'last', 'regex', and as second address also
    'plus' (number lines more) and 'multiple' (up to a multiple of number).
    """

    kind: str
    number: int = 0
    step: int = 0
    regex: Regex | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a replacement: text, then a group (-1: none), both in this case.

    case: '', 'L' or 'U'; first: '', 'l' or 'u' for the first character alone.
    """

    text: bytes
    group: int = -1
    case: str = ""
    first: str = ""


@dataclass(slots=True)
class Substitution:
    """The s command. number: which match is the first to be replaced. prints: its p flag."""

    regex: Regex
    parts: list[Part]
    every: bool = False
    prints: bool = False
    number: int = 1

    @property
    def groups(self) -> int:
        """The highest group that the replacement refers to."""
        return max((part.group for part in self.parts), default=-1)

    @property
    def constant(self) -> bytes | None:
        """The replacement when it is the same for all matches."""
        if any(part.group >= 0 or part.case or part.first for part in self.parts):
            return None
        return b"".join(part.text for part in self.parts)


@dataclass(slots=True)
class Command:
    """One command: its letter, addresses, and what belongs to it.

    number: of l, q and Q (-1: none). text: of a, i and c. label: of b, t, T and ':'. table: of y, characters to
    characters. block_end: of '{', the index of its '}'.
    """

    name: str
    first: Address | None = None
    second: Address | None = None
    negated: bool = False
    number: int = -1
    text: bytes = b""
    label: bytes = b""
    substitution: Substitution | None = None
    table: dict[str, str] = field(default_factory=dict)
    block_end: int = 0
    zero: bool = False  # the first address is line 0: the range is open from the start


@dataclass(slots=True)
class Script:
    """A whole script. quiet: its first line is #n."""

    commands: list[Command] = field(default_factory=list)
    labels: dict[bytes, int] = field(default_factory=dict)
    quiet: bool = False
