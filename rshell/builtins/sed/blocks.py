"""Scripts that look at each line alone, done on whole blocks of lines.

Such a script is a row of s, y and d, each without address or with a regular expression; under -n a p (or
the p of s) ends it. Each command becomes a function from a block of lines to a block of lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell.builtins.sed.substitute import renderer, renderer_of_nothing

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from rshell.builtins.regex import Pattern, Span
    from rshell.builtins.sed.script import Command, Script, Substitution

    Change: TypeAlias = Callable[[bytes], bytes]

_GROWTH = 64  # how many times a block may grow; what grows more is done line by line, within the bounds of a line


def block_plan(script: Script, *, quiet: bool) -> Change | None:
    """A function that does to a block of lines what the script does to each; None when there is no such function."""
    commands = script.commands
    if not commands or script.labels:
        return None
    prints = quiet and (commands[-1].name == "p" or _prints(commands[-1]))
    changes: list[Change] = []
    growth = 1
    for command in commands:
        last = command is commands[-1]
        if not _simple(command) or ((command.name == "p" or _prints(command)) and not (quiet and last)):
            return None
        change = _change(command, last)
        if change is None:
            return None
        growth *= _growth(command)
        changes.append(change)
    if growth > _GROWTH:
        return None
    if quiet and not prints:
        return _nothing
    if len(changes) == 1:
        return changes[0]

    def apply(block: bytes) -> bytes:
        for change in changes:
            block = change(block)
        return block

    return apply


def _nothing(block: bytes) -> bytes:
    return b""


def _same(block: bytes) -> bytes:
    return block


def _prints(command: Command) -> bool:
    return command.substitution is not None and command.substitution.prints


def _simple(command: Command) -> bool:
    """Whether a command is one of those, and what it is for depends on nothing but a line's own text."""
    if command.name not in ("s", "y", "d", "p") or command.second is not None:
        return False
    if command.first is None:
        return not command.negated
    regex = command.first.regex
    return regex is not None and regex.pattern is not None and not regex.multiline


def _growth(command: Command) -> int:
    substitution = command.substitution
    if substitution is None:
        return 1
    pattern = substitution.regex.pattern
    length = sum(len(part.text) + (part.group >= 0) for part in substitution.parts)
    literal = pattern.literal if pattern is not None else None
    if literal and substitution.constant is not None:
        return max(1, -(-length // len(literal)))
    return max(1, length)


def _change(command: Command, last: bool) -> Change | None:
    first = command.first
    pattern = first.regex.pattern if first is not None and first.regex is not None else None
    if command.name in "dp":
        if pattern is None:
            return _nothing if command.name == "d" else _same
        return _kept(pattern) if (command.name == "p") is not command.negated else _dropped(pattern)
    change = _translation(command) if command.name == "y" else _substitution(command.substitution, last)
    if change is None or pattern is None:
        return change
    if _prints(command):
        kept = _dropped(pattern) if command.negated else _kept(pattern)
        return lambda block: change(kept(block))
    return _within(pattern, change, command.negated)


def _kept(pattern: Pattern) -> Change:
    lines = pattern.matching_lines
    return lambda block: b"".join([block[start : end + 1] for start, end in lines(block)])


def _dropped(pattern: Pattern) -> Change:
    lines = pattern.matching_lines

    def rest(block: bytes) -> bytes:
        pieces: list[bytes] = []
        at = 0
        for start, end in lines(block):
            if at < start:
                pieces.append(block[at:start])
            at = end + 1
        pieces.append(block[at:])
        return b"".join(pieces)

    return rest


def _within(pattern: Pattern, change: Change, negated: bool) -> Change:
    """change, for the lines alone that match, or for the others."""
    lines = pattern.matching_lines

    def apply(block: bytes) -> bytes:
        pieces: list[bytes] = []
        at = 0
        for start, end in lines(block):
            between, line = block[at:start], block[start : end + 1]
            if negated:
                pieces += (change(between), line)
            else:
                pieces += (between, change(line))
            at = end + 1
        pieces.append(change(block[at:]) if negated else block[at:])
        return b"".join(pieces)

    return apply


def _translation(command: Command) -> Change | None:
    before, after = "".join(command.table.keys()), "".join(command.table.values())
    if not (before + after).isascii() or "\n" in before + after:
        return None
    table = bytes.maketrans(before.encode(), after.encode())
    return lambda block: block.translate(table)


def _substitution(substitution: Substitution | None, last: bool) -> Change | None:
    if substitution is None or substitution.number > 1:
        return None
    regex = substitution.regex
    pattern = regex.pattern
    if pattern is None or regex.multiline or substitution.groups > pattern.ngroups:
        return None
    if not last and any(b"\n" in part.text for part in substitution.parts):
        return None
    render = renderer(substitution.parts) if substitution.parts else renderer_of_nothing
    literal = pattern.literal
    if literal:
        if b"\n" in literal:
            return _nothing if substitution.prints else _same
        change = _plain(literal, render(literal, [(0, len(literal))]), substitution.every)
    elif literal is not None:
        return None
    else:
        change = _searched(substitution, pattern)
    if substitution.prints:
        kept = _kept(pattern)
        return lambda block: change(kept(block))
    return change


def _plain(literal: bytes, text: bytes, every: bool) -> Change:
    if every:
        return lambda block: block.replace(literal, text)
    length = len(literal)

    def first(block: bytes) -> bytes:
        find = block.find
        at = find(literal)
        pieces: list[bytes] = []
        add = pieces.append
        copied = 0
        while at >= 0:
            add(block[copied:at])
            copied = at + length
            at = find(b"\n", copied)
            if at >= 0:
                at = find(literal, at)
        if not pieces:
            return block
        add(block[copied:])
        return text.join(pieces)

    return first


def _searched(substitution: Substitution, pattern: Pattern) -> Change:
    every, capture = substitution.every, substitution.groups > 0
    constant = substitution.constant
    numbers = [part.group for part in substitution.parts]
    plain_groups = bool(numbers) and all(
        part.group >= 0 and not (part.text or part.case or part.first) for part in substitution.parts
    )
    render = renderer(substitution.parts) if substitution.parts else renderer_of_nothing
    search = pattern.block_groups
    fixed = pattern.fixed_groups if plain_groups and capture else None
    if fixed is not None:
        return _rearranged(pattern, [fixed[number] for number in numbers], numbers, fixed[0][1], every)

    def change(block: bytes) -> bytes:
        found = search(block, every=every, capture=capture)
        if not found:
            return block
        pieces: list[bytes] = []
        add = pieces.append
        copied = 0
        if constant is not None:
            for spans in found:
                start, end = spans[0]
                add(block[copied:start])
                copied = end
            add(block[copied:])
            return constant.join(pieces)
        for spans in found:
            start, end = spans[0]
            add(block[copied:start])
            if plain_groups:
                for number in numbers:
                    first, after = spans[number]
                    add(block[first:after])
            else:
                add(render(block, spans))
            copied = end
        add(block[copied:])
        return b"".join(pieces)

    return change


def _rearranged(pattern: Pattern, wanted: list[Span], numbers: list[int], width: int, every: bool) -> Change:
    """Put groups of fixed places in another order; where all characters are bytes, the match tells where they are."""
    search, groups = pattern.block_groups, pattern.groups

    def change(block: bytes) -> bytes:
        pieces: list[bytes] = []
        add = pieces.append
        copied = 0
        for ((start, end),) in search(block, every=every, capture=False):
            add(block[copied:start])
            copied = end
            if end - start == width:
                for first, after in wanted:
                    add(block[start + first : start + after])
            else:
                match = block[start:end]
                spans = groups(match) or []
                pieces += [match[a:b] for a, b in [spans[number] for number in numbers]]
        add(block[copied:])
        return b"".join(pieces)

    return change
