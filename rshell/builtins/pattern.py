"""Shell patterns: `*`, `?` and `[…]` (POSIX XCU 2.13, fnmatch(3) in C.UTF-8).

For globs, find -name, --include and the like. Names are str; an undecodable byte is one character. No pattern
takes more than pattern × name steps.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

Matcher: TypeAlias = Callable[[str], bool]

_SPECIAL = "*?[\\"
_CLASSES = frozenset(
    ("alpha", "digit", "alnum", "upper", "lower", "space", "blank", "punct", "print", "graph", "cntrl", "xdigit")
)


class Bracket:
    """A bracket expression: single characters, ranges and classes; negated or not."""

    __slots__ = ("characters", "classes", "negated", "ranges")

    def __init__(self, negated: bool) -> None:
        self.negated = negated
        self.characters: set[str] = set()
        self.ranges: list[tuple[str, str]] = []
        self.classes: list[str] = []

    def holds(self, character: str) -> bool:
        """Whether it matches character."""
        found = (
            character in self.characters
            or any(low <= character <= high for low, high in self.ranges)
            or any(in_class(character, name) for name in self.classes)
        )
        return found is not self.negated


class Any:
    """`?`: any one character."""

    __slots__ = ()


class Star:
    """`*`: any string."""

    __slots__ = ()


_ANY = Any()
_STAR = Star()
_Item: TypeAlias = str | Bracket | Any | Star


def escape(text: str) -> str:
    """text as a pattern that matches itself."""
    if not any(c in text for c in _SPECIAL):
        return text
    return "".join([f"\\{c}" if c in _SPECIAL else c for c in text])


def compile_shell_pattern(
    text: str, *, period: bool = False, pathname: bool = False, ignore_case: bool = False
) -> Matcher:
    """A function that tells whether a name matches the pattern.

    period: a leading dot must be matched by a dot. pathname: `*`, `?` and brackets do not match a
    slash, and with period no dot behind one. ignore_case: letters match in either case.
    """
    return _compile(text, period, pathname, ignore_case)


@lru_cache(maxsize=200)
def _compile(text: str, period: bool, pathname: bool, ignore_case: bool) -> Matcher:
    items = _parse(text)
    if ignore_case:
        items = [_folded(item) for item in items]
    if pathname:
        return _by_components(items, period, ignore_case)
    matcher = _simple(items) or _general(items)
    if ignore_case:
        matcher = _folding(matcher)
    if period and items[:1] != ["."]:
        return _no_leading_dot(matcher)
    return matcher


def _no_leading_dot(matcher: Matcher) -> Matcher:
    return lambda name: name[:1] != "." and matcher(name)


def _folding(matcher: Matcher) -> Matcher:
    return lambda name: matcher(name.lower() if name.isascii() else _lower(name))


def _lower(name: str) -> str:
    """name in lower case, character by character: one stays one."""
    return "".join([low if len(low := c.lower()) == 1 else c for c in name])


def _folded(item: _Item) -> _Item:
    if isinstance(item, str):
        return _lower(item)
    if isinstance(item, Bracket):
        wide = Bracket(item.negated)
        wide.characters = {_lower(c) for c in item.characters}
        wide.classes = ["lower" if c == "upper" else c for c in item.classes]
        wide.ranges = list(item.ranges)
        for low, high in item.ranges:  # the letters of a range, in the other case
            wide.characters.update(_lower(chr(n)) for n in range(ord(low), min(ord(high), ord(low) + 0x250) + 1))
        return wide
    return item


def _parse(text: str) -> list[_Item]:
    items: list[_Item] = []
    at = 0
    while at < len(text):
        character = text[at]
        at += 1
        if character == "*":
            if not items or items[-1] is not _STAR:
                items.append(_STAR)
        elif character == "?":
            items.append(_ANY)
        elif character == "\\" and at < len(text):
            items.append(text[at])
            at += 1
        elif character == "[":
            bracket, after = _bracket(text, at)
            items.append("[" if bracket is None else bracket)
            at = after
        else:
            items.append(character)
    return items


def _bracket(text: str, at: int) -> tuple[Bracket | None, int]:
    """The bracket expression whose `[` stands before at; None when it is not closed."""
    start = at
    bracket = Bracket(negated=text[at : at + 1] in ("!", "^") and at < len(text))
    if bracket.negated:
        at += 1
    first = True
    while at < len(text):
        if text[at] == "]" and not first:
            return bracket, at + 1
        first = False
        if text[at] == "[" and text[at + 1 : at + 2] == ":":
            end = text.find(":]", at + 2)
            name = text[at + 2 : end] if end > 0 else ""
            if name in _CLASSES:
                bracket.classes.append(name)
                at = end + 2
                continue
        low, at = _element(text, at)
        if low is None:
            break
        if text[at : at + 1] == "-" and text[at + 1 : at + 2] not in ("]", ""):
            high, at = _element(text, at + 1)
            if high is None:
                break
            bracket.ranges.append((low, high))
        else:
            bracket.characters.add(low)
    return None, start


def _element(text: str, at: int) -> tuple[str | None, int]:
    """One character of a bracket expression, and where the next begins."""
    if text[at] == "\\":
        return (text[at + 1], at + 2) if at + 1 < len(text) else (None, at)
    for kind in ".=":
        if text[at] == "[" and text[at + 1 : at + 2] == kind and text[at + 3 : at + 5] == f"{kind}]":
            return text[at + 2], at + 5
    return text[at], at + 1


def _simple(items: list[_Item]) -> Matcher | None:
    """The patterns that a str method answers: text, prefix*, *suffix, *part*, a*b."""
    stars = items.count(_STAR)
    if stars > 2 or any(isinstance(item, (Bracket, Any)) for item in items):
        return None
    pieces = [""]
    for item in items:
        if isinstance(item, str):
            pieces[-1] += item
        else:
            pieces.append("")
    if stars == 0:
        return pieces[0].__eq__
    first, last = pieces[0], pieces[-1]
    if stars == 1:
        if not first:
            return lambda name: name.endswith(last)
        if not last:
            return lambda name: name.startswith(first)
        least = len(first) + len(last)
        return lambda name: len(name) >= least and name.startswith(first) and name.endswith(last)
    middle = pieces[1]
    if first or last:
        return None
    return lambda name: middle in name


def _general(items: list[_Item]) -> Matcher:
    """The two-pointer algorithm: on a mismatch only the last star gives way."""
    pattern = tuple(items)

    def match(name: str) -> bool:
        at = item_at = 0
        star = mark = -1
        while at < len(name):
            item = pattern[item_at] if item_at < len(pattern) else None
            if item is _STAR:
                star, mark = item_at, at
                item_at += 1
                continue
            character = name[at]
            if item is not None and (
                item is _ANY or item == character or (isinstance(item, Bracket) and item.holds(character))
            ):
                at += 1
                item_at += 1
                continue
            if star < 0:
                return False
            mark += 1
            at, item_at = mark, star + 1
        while item_at < len(pattern) and pattern[item_at] is _STAR:
            item_at += 1
        return item_at == len(pattern)

    return match


def _by_components(items: list[_Item], period: bool, ignore_case: bool) -> Matcher:
    """With pathname: every component for itself."""
    components: list[list[_Item]] = [[]]
    for item in items:
        if item == "/":
            components.append([])
        else:
            components[-1].append(item)
    matchers: list[Matcher] = []
    for component in components:
        matcher = _simple(component) or _general(component)
        if ignore_case:
            matcher = _folding(matcher)
        matchers.append(_no_leading_dot(matcher) if period and component[:1] != ["."] else matcher)

    def match(path: str) -> bool:
        names = path.split("/")
        return len(names) == len(matchers) and all(m(n) for m, n in zip(matchers, names, strict=True))

    return match


def in_class(character: str, name: str) -> bool:
    """Whether character is in the class [:name:] of C.UTF-8."""
    code = ord(character)
    if code < 0x80:
        return character in _ascii_class(name)
    from rshell.builtins.regex_classes import class_ranges  # long tables, for rare patterns

    return any(low <= code <= high for low, high in class_ranges(name))


@lru_cache(maxsize=len(_CLASSES))
def _ascii_class(name: str) -> frozenset[str]:
    digits = "0123456789"
    lower = "abcdefghijklmnopqrstuvwxyz"
    upper = lower.upper()
    graph = "".join(map(chr, range(0x21, 0x7F)))
    return frozenset(
        {
            "digit": digits,
            "lower": lower,
            "upper": upper,
            "alpha": lower + upper,
            "alnum": lower + upper + digits,
            "space": " \t\n\v\f\r",
            "blank": " \t",
            "punct": "".join(c for c in graph if not c.isalnum()),
            "graph": graph,
            "print": graph + " ",
            "cntrl": "".join(map(chr, [*range(0x20), 0x7F])),
            "xdigit": digits + "abcdefABCDEF",
        }[name]
    )
