"""Brace expansion: `a{b,c}d`, `{1..9}`, `{a..e..2}` (bash manual, 3.5.1).

It is done on the tree, before anything else, once per word: what it makes does not depend on
variables.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from rshell import limits
from rshell.interp.endings import ExpansionError
from rshell.syntax.tree import Literal, Parameter, Quoted, Word

if TYPE_CHECKING:
    from rshell.syntax.tree import Part

# A word taken apart: single unquoted characters, and everything else as it is.
Atom: TypeAlias = "str | Part"

_DEPTH = 32  # braces in braces


def expand(word: Word) -> list[Word]:
    """The words that word stands for; itself when there is nothing to expand.

    Raises ExpansionError when there would be more than limits.BRACE_WORDS.
    """
    if not any(type(p) is Literal and "{" in p.text for p in word.parts):
        return [word]
    atoms: list[Atom] = []
    for part in word.parts:
        if type(part) is Literal:
            atoms.extend(part.text)
        else:
            atoms.append(part)
    made = _expand(atoms, 0)
    if len(made) == 1:
        return [word]
    return [Word(_parts(atoms), word.line) for atoms in made]


def _parts(atoms: list[Atom]) -> tuple[Part, ...]:
    parts: list[Part] = []
    text: list[str] = []
    for atom in atoms:
        if isinstance(atom, str) and not text and parts and _joins(parts[-1], atom):
            # braces are expanded before variables are seen: in {a,$x}c the name is xc
            parts[-1] = Parameter(parts[-1].name + atom)
            continue
        if isinstance(atom, str):
            text.append(atom)
            continue
        if text:
            parts.append(Literal("".join(text)))
            text.clear()
        parts.append(atom)
    if text:
        parts.append(Literal("".join(text)))
    return tuple(parts)


def _joins(part: Part, letter: str) -> TypeGuard[Parameter]:
    """Whether letter behind part would have been read as part of its name."""
    if not isinstance(part, Parameter) or part.braced or part.operation:
        return False
    if not letter.isascii() or not (letter == "_" or letter.isalnum()):
        return False
    return part.name[0].isalpha() or part.name[0] == "_"


def _expand(atoms: list[Atom], depth: int) -> list[list[Atom]]:
    """Expand the first brace that is one, and what follows it."""
    if depth > _DEPTH:
        raise ExpansionError(f"brace expansion: nesting too deep ({_DEPTH} levels at most)")
    results: list[list[Atom]] = [[]]
    at = 0
    plain = 0  # start of the text that has not been copied
    closings = _closings(atoms)
    while at < len(atoms):
        if atoms[at] != "{" or at not in closings:
            at += 1
            continue
        close = closings[at]
        inside = atoms[at + 1 : close]
        choices = _alternatives(inside, depth)
        if choices is None:
            at += 1
            continue
        before = atoms[plain:at]
        if len(results) * len(choices) > limits.BRACE_WORDS:
            raise _too_many()
        results = [r + before + c for r in results for c in choices]
        at = plain = close + 1
    rest = atoms[plain:]
    return [r + rest for r in results] if rest else results


def _closings(atoms: list[Atom]) -> dict[int, int]:
    """Where each opening brace that is closed has its closing one."""
    found: dict[int, int] = {}
    open_at: list[int] = []
    for at, atom in enumerate(atoms):
        if atom == "{":
            open_at.append(at)
        elif atom == "}" and open_at:
            found[open_at.pop()] = at
    return found


def _alternatives(inside: list[Atom], depth: int) -> list[list[Atom]] | None:
    """What a brace stands for; None when it is no expansion."""
    pieces: list[list[Atom]] = [[]]
    level = 0
    for atom in inside:
        if atom == "{":
            level += 1
        elif atom == "}":
            level -= 1
        if atom == "," and level == 0:
            pieces.append([])
        else:
            pieces[-1].append(atom)
    if len(pieces) > 1:
        made: list[list[Atom]] = []
        for piece in pieces:
            made.extend(_expand(piece, depth + 1) if "{" in piece else [piece])
            if len(made) > limits.BRACE_WORDS:
                raise _too_many()
        return made
    if not all(isinstance(atom, str) for atom in inside):
        return None
    values = _sequence("".join(str(atom) for atom in inside))
    return None if values is None else [_letters(v) for v in values]


def _letters(value: str) -> list[Atom]:
    # what a range makes is text: a backslash or bracket from {Z..a} is no pattern
    return [c if c.isalnum() or c == "-" else Quoted(c) for c in value]


@lru_cache(maxsize=1)
def _range_pattern() -> re.Pattern[str]:
    number = "[+-]?[0-9]{1,18}"
    step = rf"(?:\.\.({number}))?\Z"
    return re.compile(rf"({number})\.\.({number}){step}|([A-Za-z])\.\.([A-Za-z]){step}")


def _sequence(text: str) -> list[str] | None:
    """The values of `1..9..2` or `a..e`; None when text is no range."""
    match = _range_pattern().match(text)
    if match is None:
        return None
    first, last, step, letter, end, letter_step = match.groups()
    if first is not None:
        low, high = int(first), int(last)  # text: ours
        width = 0
        if any(len(n.lstrip("+-")) > 1 and n.lstrip("+-").startswith("0") for n in (first, last)):
            width = max(len(first.lstrip("+")), len(last.lstrip("+")))
        return [_padded(n, width) for n in _range(low, high, step)]
    return [chr(n) for n in _range(ord(letter), ord(end), letter_step)]


def _padded(number: int, width: int) -> str:
    return f"{number:0{width}d}" if width else str(number)


def _range(low: int, high: int, step: str | None) -> range:
    by = abs(int(step)) if step else 1  # text: ours
    by = by or 1
    if abs(high - low) // by + 1 > limits.BRACE_WORDS:
        raise _too_many()
    return range(low, high + 1, by) if low <= high else range(low, high - 1, -by)


def _too_many() -> ExpansionError:
    return ExpansionError(f"brace expansion: too many words ({limits.BRACE_WORDS} at most)")
