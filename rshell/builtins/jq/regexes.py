"""match and what is built on it, on RE2: no back-references and no look-around."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rshell.builtins.jq import bounds
from rshell.builtins.jq.errors import JqError, TooMuch
from rshell.builtins.jq.registry import function
from rshell.builtins.jq.values import described
from rshell.builtins.regex import PatternError, compile_pattern

if TYPE_CHECKING:
    from rshell.builtins.jq.machine import Machine
    from rshell.builtins.regex import Pattern

_NONE = (-1, -1)
_GROUP = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\(\?P?<([A-Za-z_][A-Za-z0-9_]*)>|\((?!\?)", re.DOTALL)
_TRANSLATED = {
    "h": "[0-9a-fA-F]",
    "H": "[^0-9a-fA-F]",
    "Z": "(?:\\n?\\z)",
    "d": "\\p{Nd}",
    "D": "\\P{Nd}",
    "e": "\\x1b",
}


@lru_cache(200)
def _translated(pattern: str, flags: str) -> tuple[bytes, tuple[str | None, ...]]:
    """The pattern in RE2's syntax, and the names of its groups."""
    names: list[str | None] = []
    out: list[str] = []
    at = 0
    inside = False
    while at < len(pattern):
        character = pattern[at]
        if character == "\\" and at + 1 < len(pattern):
            letter = pattern[at + 1]
            if inside and letter in "hH":
                out.append("0-9a-fA-F")
            else:
                out.append(_TRANSLATED.get(letter, "\\" + letter) if letter not in "Z" or not inside else "\\Z")
            at += 2
            continue
        if inside:
            inside = character != "]"
        elif character == "[":
            inside = True
            extra = 2 if pattern.startswith("^]", at + 1) else 1 if pattern[at + 1 : at + 2] in ("^", "]") else 0
            out.append(pattern[at : at + 1 + extra])
            at += 1 + extra
            continue
        elif character == "(":
            match = _GROUP.match(pattern, at)
            if match is not None:
                names.append(match[1])
                if match[1]:
                    out.append(f"(?P<{match[1]}>")
                    at = match.end()
                    continue
        elif "x" in flags and character in " \t\n\r":
            at += 1
            continue
        elif "x" in flags and character == "#":
            at = pattern.find("\n", at) + 1 or len(pattern)
            continue
        out.append(character)
        at += 1
    prefix = "i" if "i" in flags else ""
    prefix += "s" if "s" in flags or "p" in flags else ""
    return ((f"(?{prefix})" if prefix else "") + "".join(out)).encode("utf-8", "replace"), tuple(names)


class _Found:
    """Turns byte positions of one text into positions of characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.data = text.encode("utf-8", "replace")
        self.plain = len(self.data) == len(text)
        self.last = (0, 0)

    def characters(self, at: int) -> int:
        """How many characters stand before a byte."""
        if self.plain:
            return at
        byte, count = self.last
        if at < byte:
            byte = count = 0
        count += len(self.data[byte:at].decode("utf-8", "replace"))
        self.last = (at, count)
        return count


def _prepared(
    machine: Machine, value: Any, pattern: Any, flags: Any
) -> tuple[_Found, Pattern, tuple[str | None, ...], str]:
    if pattern.__class__ is list:
        if len(pattern) > 1 and flags in (None, "", "g"):
            flags = (
                (flags or "") + (pattern[1] or "") if pattern[1].__class__ is str or pattern[1] is None else pattern[1]
            )
        pattern = pattern[0] if pattern else None
    if value.__class__ is not str:
        raise JqError(f"{described(value)} cannot be matched, as it is not a string")
    if pattern.__class__ is not str:
        raise JqError(f"{described(pattern)} cannot be matched, as it is not a string")
    if flags is not None and flags.__class__ is not str:
        raise JqError(f"{described(flags)} is not a string")
    flags = flags or ""
    if flags.strip("gimnpslx"):
        raise JqError(f"{flags} is not a valid modifier string")
    text, names = _translated(pattern, flags)
    try:
        compiled = compile_pattern(text, syntax="re2", guard=machine.guard)
    except PatternError as failure:
        raise JqError(f"{pattern} (at offset 0) is not a valid regex: {failure}") from None
    return _Found(value), compiled, names, flags


@function("matches", 2, machine=True)
def matches(machine: Machine, value: Any, pattern: Any, flags: Any) -> list[dict[str, Any]]:
    """Every match, or the first without the flag g."""
    found, compiled, names, given = _prepared(machine, value, pattern, flags)
    data = found.data
    results: list[dict[str, Any]] = []
    at = 0
    size = 0
    while at <= len(data):
        spans = compiled.groups(data, at)
        if spans is None:
            break
        machine.tick()
        start, end = spans[0]
        if not ("n" in given and start == end):
            results.append(_shown(found, spans, names))
            size += (end - start) + 64 * bounds.CELL
            if size > bounds.RETAINED:
                raise TooMuch(f"values too large ({bounds.RETAINED} bytes at most)")
        if "g" not in given:
            break
        at = end if end > start else end + 1
        while at < len(data) and 0x80 <= data[at] < 0xC0:
            at += 1
    return results


def _shown(found: _Found, spans: list[tuple[int, int]], names: tuple[str | None, ...]) -> dict[str, Any]:
    captures = []
    offset, length, text = _part(found, spans[0])
    for number, span in enumerate(spans[1:]):
        part = _part(found, span)
        captures.append(
            {
                "offset": part[0],
                "length": part[1],
                "string": part[2],
                "name": names[number] if number < len(names) else None,
            }
        )
    return {"offset": offset, "length": length, "string": text, "captures": captures}


def _part(found: _Found, span: tuple[int, int]) -> tuple[int, int, str | None]:
    start, end = span
    if start < 0:
        return -1, 0, None
    text = found.data[start:end].decode("utf-8", "replace")
    return found.characters(start), len(text), text


@function("test", 2, machine=True)
def test(machine: Machine, value: Any, pattern: Any, flags: Any) -> bool:
    found, compiled, _, given = _prepared(machine, value, pattern, flags)
    if "n" in given:
        return bool(matches(machine, value, pattern, flags))
    return compiled.search(found.data) is not None


@function("capture_object")
def capture_object(value: Any) -> dict[str, Any]:
    """The named groups of a match."""
    return {part["name"]: part["string"] for part in value["captures"] if part["name"] is not None}


@function("replaced", 2)
def replaced(value: Any, edits: Any, new: Any) -> str:
    """The text with its matches replaced (the last step of sub)."""
    pieces = []
    at = 0
    for edit, text in zip(edits, new, strict=True):
        if text.__class__ is not str:
            raise JqError(f"{described(value[at : edit['offset']])} and {described(text)} cannot be added")
        pieces.append(value[at : edit["offset"]])
        pieces.append(text)
        at = edit["offset"] + edit["length"]
    pieces.append(value[at:])
    result = "".join(pieces)
    if len(result) > bounds.RETAINED:
        raise TooMuch(f"values too large ({bounds.RETAINED} bytes at most)")
    return result
