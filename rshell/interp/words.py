"""Word expansion, compiled (POSIX XCU 2.6; bash's order).

A word becomes one of two closures: a Single gives one string (assignment values, double quotes,
here-documents), a Fields appends any number of fields to a list (command words). What
can be settled beforehand is: literal text, whether a word can split or match files at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from rshell import limits
from rshell.interp import brace
from rshell.interp.endings import ExpansionError
from rshell.interp.shell import DEFAULT_IFS
from rshell.syntax.tree import CommandSub, DoubleQuoted, Literal, Parameter, Quoted, Word

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rshell.interp.shell import Shell
    from rshell.syntax.tree import Part, Sequence

Single: TypeAlias = Callable[["Shell"], str]
Fields: TypeAlias = Callable[["Shell", list[str]], None]
CompileSubstitution: TypeAlias = Callable[["Sequence"], Single]

_FIELDS_PER_CLOCK = 0x3FFF  # one less than the fields between two looks at the clock: a mask
_SURROGATE = re.compile("[\ud800-\udfff]").search

# one field that is being put together: its pieces, each with whether it was quoted
_Field: TypeAlias = list[tuple[str, bool]]


def compile_single(parts: tuple[Part, ...], substitution: CompileSubstitution) -> Single:
    """Compile parts to the one string they give, without splitting or file names."""
    singles = [_single(part, substitution) for part in parts]
    if not singles:
        return _constant("")
    if len(singles) == 1:
        return singles[0]
    if all(isinstance(part, (Literal, Quoted)) for part in parts):
        return _constant(rejoin("".join(p.text for p in parts if isinstance(p, (Literal, Quoted)))))

    def concatenate(sh: Shell) -> str:
        pieces = []
        size = 0
        for single in singles:
            piece = single(sh)
            size += len(piece)
            if size > limits.COMMAND_BYTES:
                raise ExpansionError(f"expansion too long ({limits.COMMAND_BYTES} bytes at most)")
            pieces.append(piece)
        if size > limits.STEP_BYTES:
            sh.run.charge(size)
            sh.run.bulky = True
        text = "".join(pieces)
        return text if text.isascii() else rejoin(text)

    return concatenate


def compile_words(words: Iterable[Word], substitution: CompileSubstitution) -> Callable[[Shell], list[str]]:
    """Compile the words of a command to one closure that gives the fields."""
    # a word that brace expansion leaves with nothing, `{,a}`, is no word
    expanded = [made for word in words for made in brace.expand(word) if made.parts]
    constants = [_literal(word) for word in expanded]
    if all(text is not None for text in constants):
        fixed = [text for text in constants if text is not None]
        return lambda sh: fixed.copy()
    steps = [
        (text, None, None) if text is not None else (None, *_step(word, substitution))
        for word, text in zip(expanded, constants, strict=True)
    ]

    def fields(sh: Shell) -> list[str]:
        out: list[str] = []
        for text, single, many in steps:
            if text is not None:
                out.append(text)
            elif single is not None:
                out.append(single(sh))
            elif many is not None:
                many(sh, out)
        if len(out) > 16 or sh.run.bulky:
            sh.run.bulky = False
            check_size(sh, out)
        return out

    return fields


def has_pattern(text: str) -> bool:
    """Whether text holds a character that can make it, or the word it is a part of, a pattern."""
    return "*" in text or "?" in text or "[" in text


def check_size(sh: Shell, fields: list[str]) -> None:
    """Refuse the words of a command that are too many or too long; count their steps."""
    if len(fields) > limits.COMMAND_WORDS:
        raise ExpansionError(f"too many words ({limits.COMMAND_WORDS} at most)")
    size = sum(map(len, fields))
    if size > limits.COMMAND_BYTES:
        raise ExpansionError(f"words too long ({limits.COMMAND_BYTES} bytes at most)")
    sh.run.charge(size)


def rejoin(text: str) -> str:
    """Decode text anew when bytes that came from different pieces may make a character together."""
    if _SURROGATE(text) is None:
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def _literal(word: Word) -> str | None:
    """The one field of a word that needs no expansion at all, else None."""
    pieces = []
    if len(word.parts) == 1 and type(word.parts[0]) is Literal and "]" not in word.parts[0].text:
        text = word.parts[0].text  # `[` the command is no pattern
        return None if "*" in text or "?" in text else text
    for part in word.parts:
        if type(part) is Quoted or (type(part) is Literal and not has_pattern(part.text)):
            pieces.append(part.text)
        elif type(part) is DoubleQuoted and all(type(inner) in (Quoted, Literal) for inner in part.parts):
            pieces.extend(inner.text for inner in part.parts if isinstance(inner, (Quoted, Literal)))
        else:
            return None
    return rejoin("".join(pieces))


def _step(word: Word, substitution: CompileSubstitution) -> tuple[Single | None, Fields | None]:
    """The closure of a word that needs expansion: a Single where it always makes one field."""
    parts = word.parts
    always = any(type(p) in (Quoted, DoubleQuoted) for p in parts) or any(type(p) is Literal and p.text for p in parts)
    splits = any(type(p) in (Parameter, CommandSub) for p in parts)
    globs = any(type(p) is Literal and has_pattern(p.text) for p in parts)
    if always and not splits and not globs:
        return compile_single(parts, substitution), None
    if len(parts) == 1 and type(parts[0]) is Parameter and parts[0].name != "?":
        return None, _variable_fields(parts[0].name)
    return None, _general(parts, substitution)


def _variable_fields(name: str) -> Fields:
    """The commonest word: $name alone."""

    def fields(sh: Shell, out: list[str]) -> None:
        value = sh.vars.get(name)
        if not value:
            return
        if sh.special(value) is None:
            out.append(value)
            return
        made: list[_Field] = []
        current, started = _split(sh, value, [], False, made)
        if started:
            made.append(current)
        _finish(sh, made, out)

    return fields


def _general(parts: tuple[Part, ...], substitution: CompileSubstitution) -> Fields:
    steps: list[tuple[Single, bool, bool]] = []  # value, quoted, may split
    for part in parts:
        splits = type(part) in (Parameter, CommandSub)
        steps.append((_single(part, substitution), not splits and type(part) is not Literal, splits))

    def fields(sh: Shell, out: list[str]) -> None:
        made: list[_Field] = []
        current: _Field = []
        started = False
        for single, quoted, splits in steps:
            value = single(sh)
            if not splits:
                current.append((value, quoted))
                started = True
            elif value:
                current, started = _split(sh, value, current, started, made)
        if started:
            made.append(current)
        _finish(sh, made, out)

    return fields


def _split(sh: Shell, value: str, current: _Field, started: bool, made: list[_Field]) -> tuple[_Field, bool]:
    """Field splitting (POSIX XCU 2.6.5) of one expansion's value, going on from the field current.

    Finished fields go to made; returns the field that is open at the end, and whether it has begun.
    """
    ifs = sh.ifs
    if not ifs:
        current.append((value, False))
        return current, True
    at = 0
    for match in _delimiter(ifs)(value):
        start = match.start()
        if start > at:
            current.append((value[at:start], False))
            started = True
        if started or match.group(1) is not None:
            made.append(current)
            current, started = [], False
            if not len(made) & _FIELDS_PER_CLOCK:
                sh.run.check()
                if len(made) > limits.COMMAND_WORDS:
                    raise ExpansionError(f"too many words ({limits.COMMAND_WORDS} at most)")
        at = match.end()
    if at < len(value):
        current.append((value[at:], False))
        started = True
    return current, started


@lru_cache(maxsize=32)
def _delimiter(ifs: str) -> Callable[[str], Iterable[re.Match[str]]]:
    """Find what ends fields: IFS white space, or one other IFS character (group 1) with white space around."""
    space = "".join(c for c in ifs if c in DEFAULT_IFS)
    other = "".join(c for c in ifs if c not in DEFAULT_IFS)
    spaces = f"[{re.escape(space)}]" if space else None
    if not other:
        return re.compile(f"((?!))|{spaces}+").finditer  # group 1 never matches
    if spaces is None:
        return re.compile(f"([{re.escape(other)}])").finditer
    return re.compile(f"{spaces}*([{re.escape(other)}]){spaces}*|{spaces}+").finditer


def _finish(sh: Shell, made: list[_Field], out: list[str]) -> None:
    """Match the fields against file names where they hold patterns, and remove the quoting."""
    size = 0
    for number, field in enumerate(made):
        if not ~number & _FIELDS_PER_CLOCK:
            sh.run.check()
        text = field[0][0] if len(field) == 1 else "".join([piece for piece, _ in field])
        size += len(text)
        if size > limits.COMMAND_BYTES:
            raise ExpansionError(f"words too long ({limits.COMMAND_BYTES} bytes at most)")
        if not text.isascii():
            text = rejoin(text)
        if any(not quoted and has_pattern(piece) for piece, quoted in field):
            found = _matches(sh, field)
            if found:
                out.extend(found)
                continue
        out.append(text)
    if size > limits.STEP_BYTES:
        sh.run.charge(size)
    if len(out) > limits.COMMAND_WORDS:
        raise ExpansionError(f"too many words ({limits.COMMAND_WORDS} at most)")


def _matches(sh: Shell, field: _Field) -> list[str]:
    """The file names that a field matches, its quoted pieces taken as they are."""
    from rshell.builtins.pattern import escape  # many scripts have no pattern
    from rshell.interp.glob import matches

    return matches(sh, "".join([escape(piece) if quoted else piece for piece, quoted in field]))


# The parts


def _constant(text: str) -> Single:
    return lambda sh: text


def _single(part: Part, substitution: CompileSubstitution) -> Single:
    if isinstance(part, (Literal, Quoted)):
        return _constant(part.text)
    if isinstance(part, DoubleQuoted):
        return compile_single(part.parts, substitution)
    if isinstance(part, Parameter):
        return _parameter(part.name)
    if isinstance(part, CommandSub):
        return substitution(part.body)
    raise ExpansionError(f"{type(part).__name__} is not supported")  # the validator refuses these before


def _parameter(name: str) -> Single:
    if name == "?":
        return lambda sh: str(sh.status)

    def value(sh: Shell) -> str:
        return sh.vars.get(name, "")

    return value
