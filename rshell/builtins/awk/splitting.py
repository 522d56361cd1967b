"""Splitting a text into fields (POSIX awk, "Regular Expressions" and FS)."""

from __future__ import annotations

import re
from collections.abc import Callable

from rshell.builtins.awk import bounds
from rshell.builtins.awk.errors import AwkError
from rshell.builtins.awk.patterns import Pattern, Patterns

Splitter = Callable[[bytes], list[bytes]]

_WORDS = re.compile(rb"[^ \t\n]+")
_MOST = bounds.ELEMENTS


def is_plain(text: bytes) -> bool:
    """Tell whether bytes.split() divides text as awk does: it also takes these for blanks."""
    return b"\r" not in text and b"\v" not in text and b"\f" not in text


def blanks(text: bytes) -> list[bytes]:
    """Split at runs of blanks and newlines."""
    if is_plain(text):
        return bounded(text.split(None, _MOST))  # text: ours (no other blanks, seen above)
    if len(text) > _MOST:
        return bounded([match[0] for match, _ in zip(_WORDS.finditer(text), range(_MOST + 1), strict=False)])
    return _WORDS.findall(text)


def bounded(fields: list[bytes]) -> list[bytes]:
    """fields, when there are not too many."""
    if len(fields) > _MOST:
        raise AwkError(f"too many fields or elements ({_MOST} at most)")
    return fields


def splitter(separator: bytes, patterns: Patterns, paragraphs: bool = False) -> Splitter:
    """The function that splits at FS. With paragraphs (RS is empty) a newline separates too."""
    if separator == b" ":
        return blanks
    if separator == b"":
        return each_character
    if (len(separator) == 1 and separator != b"\\") or _one_character(separator):
        if patterns.ignore_case and separator.lower() != separator.upper():
            return at_pattern(patterns.get(separator))
        if paragraphs:
            return lambda text: bounded(text.replace(b"\n", separator).split(separator, _MOST)) if text else []
        return lambda text: bounded(text.split(separator, _MOST)) if text else []
    if separator == b"\\":
        return lambda text: bounded(text.split(b"\\", _MOST)) if text else []
    if paragraphs:
        return at_pattern(patterns.get(b"(" + separator + b")|\n"))
    return at_pattern(patterns.get(separator))


def _one_character(text: bytes) -> bool:
    return not text.isascii() and len(text) < 5 and len(text.decode("utf-8", "surrogateescape")) == 1


def each_character(text: bytes) -> list[bytes]:
    """Split into characters."""
    if len(text) > 4 * _MOST:
        raise AwkError(f"too many fields or elements ({_MOST} at most)")
    if text.isascii():
        return bounded([text[i : i + 1] for i in range(len(text))])
    wide = text.decode("utf-8", "surrogateescape")
    return bounded([character.encode("utf-8", "surrogateescape") for character in wide])


def at_pattern(pattern: Pattern) -> Splitter:
    """The function that splits at matches of a pattern; an empty match separates nothing."""

    def split(text: bytes) -> list[bytes]:
        return split_with_separators(text, pattern)[0]

    return split


def split_with_separators(text: bytes, pattern: Pattern) -> tuple[list[bytes], list[bytes]]:
    """The fields and what stands between them."""
    if not text:
        return [], []
    fields: list[bytes] = []
    between: list[bytes] = []
    start = at = 0
    search = pattern.search
    while at <= len(text):
        found = search(text, at)
        if found is None:
            break
        if found[0] == found[1]:
            at = after(text, found[1])
            continue
        fields.append(text[start : found[0]])
        between.append(text[found[0] : found[1]])
        start = at = found[1]
        if len(fields) > _MOST:
            break
    fields.append(text[start:])
    return bounded(fields), between


def contents(text: bytes, pattern: Pattern) -> tuple[list[bytes], list[bytes]]:
    """Fields by what they hold (FPAT): every match that is not empty, and what stands around them."""
    fields: list[bytes] = []
    around: list[bytes] = []
    start = at = 0
    while at <= len(text):
        found = pattern.search(text, at)
        if found is None:
            break
        if found[0] == found[1]:
            # an empty match is an empty field, unless it touches the field before
            if not (fields and found[0] == start) and (found[0] < len(text) or not fields):
                around.append(text[start : found[0]])
                fields.append(b"")
                start = found[0]
            at = after(text, found[1])
            continue
        around.append(text[start : found[0]])
        fields.append(text[found[0] : found[1]])
        start = at = found[1]
        if len(fields) > _MOST:
            break
    around.append(text[start:])
    return bounded(fields), around


def after(text: bytes, at: int) -> int:
    """The position behind the character at a position."""
    at += 1
    while at < len(text) and text[at] & 0xC0 == 0x80:
        at += 1
    return at
