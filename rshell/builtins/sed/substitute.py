"""The s command on one text: finding what to replace, and putting the replacement together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.regex import character_length
from rshell.builtins.sed.script import ScriptError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from rshell.builtins.regex import Pattern, Span
    from rshell.builtins.sed.script import Part, Substitution

    Render: TypeAlias = Callable[[bytes, Sequence[Span]], bytes]
    Substitute: TypeAlias = Callable[[bytes], bytes | None]


def renderer(parts: list[Part]) -> Render:
    """A function that makes the replacement for a match, from the text and the spans of its groups."""
    if any(part.case or part.first for part in parts):
        return lambda data, spans: _with_case(parts, data, spans)
    if len(parts) == 1 and parts[0].group < 0:
        text = parts[0].text
        return lambda data, spans: text
    if len(parts) == 1 and parts[0].group == 0:
        before = parts[0].text

        def whole(data: bytes, spans: Sequence[Span]) -> bytes:
            start, end = spans[0]
            return before + data[start:end]

        return whole
    if all(not part.text and part.group >= 0 for part in parts):
        numbers = [part.group for part in parts]

        def groups(data: bytes, spans: Sequence[Span]) -> bytes:
            return b"".join([data[a:b] for a, b in [spans[n] for n in numbers]])

        return groups

    def mixed(data: bytes, spans: Sequence[Span]) -> bytes:
        out: list[bytes] = []
        for part in parts:
            out.append(part.text)
            if part.group >= 0:
                start, end = spans[part.group]
                out.append(data[start:end])
        return b"".join(out)

    return mixed


def _with_case(parts: list[Part], data: bytes, spans: Sequence[Span]) -> bytes:
    """A \\u or \\l before an empty group waits for the next piece."""
    out: list[bytes] = []
    waiting = ""
    for part in parts:
        first = part.first or waiting
        waiting = ""
        if part.text:
            out.append(_cased(part.text, part.case, first))
            first = ""
        if part.group >= 0:
            start, end = spans[part.group]
            if end > start:
                out.append(_cased(data[start:end], part.case, first))
            elif part.first:
                waiting = first
    return b"".join(out)


def _cased(data: bytes, case: str, first: str) -> bytes:
    if not case and not first:
        return data
    text = data.decode("utf-8", "surrogateescape")
    head, tail = (text[:1], text[1:]) if first else ("", text)
    if first:
        head = _each(head, str.upper if first == "u" else str.lower)
    if case:
        tail = _each(tail, str.upper if case == "U" else str.lower)
    return (head + tail).encode("utf-8", "surrogateescape")


def _each(text: str, convert: Callable[[str], str]) -> str:
    """Convert character by character, as the C library does: one that would become several stays."""
    if text.isascii():
        return convert(text)
    return "".join(c if len(convert(c)) != 1 else convert(c) for c in text)


def substitute(command: Substitution, pattern: Pattern, check: Callable[[], None]) -> Substitute:
    """A function that gives a text with its matches replaced, None when there was none to replace."""
    if command.groups > pattern.ngroups:
        raise ScriptError(f"-e expression #1, char 0: invalid reference \\{command.groups} on `s' command's RHS")
    constant = command.constant
    literal = pattern.literal
    if literal and constant is not None and command.number == 1:
        return _plain(literal, constant, command.every)
    render = renderer(command.parts) if command.parts else renderer_of_nothing
    find: Callable[[bytes, int], Sequence[Span] | None]
    find = pattern.groups if command.groups > 0 else lambda data, at: _one(pattern.search(data, at))
    every, number = command.every, command.number
    bound = limits.SED_SPACE

    def first(data: bytes) -> bytes | None:
        spans = find(data, 0)
        if spans is None:
            return None
        start, end = spans[0]
        return data[:start] + render(data, spans) + data[end:]

    def several(data: bytes) -> bytes | None:
        spans = find(data, 0)
        if spans is None:
            return None
        out: list[bytes] = []
        copied = at = count = size = 0
        last = -1
        replaced = False
        while spans is not None:
            start, end = spans[0]
            if end > start or start != last:
                count += 1
                if count >= number:
                    text = render(data, spans)
                    out += (data[copied:start], text)
                    copied = end
                    replaced = True
                    size += len(text)
                    if not every or size > bound:  # what is too long is noticed by the caller
                        break
                    if not count & 0xFFF:
                        check()
            last = end
            at = end if end > start else end + character_length(data, end)
            if at > len(data):
                break
            spans = find(data, at)
        if not replaced:
            return None
        out.append(data[copied:])
        return b"".join(out)

    return several if every or number > 1 else first


def renderer_of_nothing(data: bytes, spans: Sequence[Span]) -> bytes:
    """Replace by nothing."""
    return b""


def _one(span: Span | None) -> Sequence[Span] | None:
    return None if span is None else (span,)


def _plain(literal: bytes, text: bytes, every: bool) -> Substitute:
    count = -1 if every else 1
    bound = limits.SED_SPACE
    longer = len(text) - len(literal)

    def replace(data: bytes) -> bytes | None:
        if literal not in data:
            return None
        if every and longer > 0 and len(data) + longer * data.count(literal) > bound:
            raise ScriptError(f"pattern space limit exceeded ({bound} bytes)")
        return data.replace(literal, text, count)

    return replace
