"""What regular expressions need to know of text: characters, lines, the plain text in a pattern."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell import limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rshell.builtins.regex_syntax import Token

Span = tuple[int, int]


def has_case(tokens: list[Token]) -> bool:
    return any(t.low >= 0x80 or chr(t.low).isalpha() for t in tokens)


def encoded(tokens: list[Token]) -> bytes:
    return "".join(chr(t.low) for t in tokens).encode("utf-8", "surrogateescape")


def required(tokens: list[Token]) -> bytes:
    """The longest string that every match holds, as far as it can be seen without looking into groups."""
    best: list[Token] = []
    run: list[Token] = []
    depth = 0
    for token in tokens:
        if token.kind == "literal" and depth == 0:
            run.append(token)
            continue
        if token.kind == "repeat" and run and depth == 0:
            run.pop()  # what was repeated is not sure to be there once, nor to be there only once
        elif token.kind == "or" and depth == 0:
            return b""
        best = max(best, run, key=len)
        run = []
        depth += (token.kind == "open") - (token.kind == "close")
    best = max(best, run, key=len)
    return b"" if any(t.low == 0x0A for t in best) else encoded(best)


def line_cut(block: bytes, pos: int, end: int) -> int:
    """Where a slice of whole lines from pos on ends."""
    cut = pos + limits.REGEX_SLICE
    if cut >= end:
        return end
    return block.rfind(b"\n", pos, cut) + 1 or block.find(b"\n", cut, end) + 1 or end


def text_spans(search: Callable[[bytes, int], Span | None], data: bytes, pos: int, end: int) -> Iterator[Span]:
    last = -1
    while pos <= end:
        found = search(data, pos)
        if found is None:
            return
        start, stop = found
        if stop > start:
            yield found
            pos = last = stop
            continue
        if start != last:
            yield found
        pos = start + character_length(data, start)


def character_length(data: bytes, at: int) -> int:
    """How many bytes the character at a position has; 1 for a byte that begins none."""
    lead = data[at] if at < len(data) else 0
    if lead < 0xC2:
        return 1
    length = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    try:
        data[at : at + length].decode()
    except UnicodeDecodeError:
        return 1
    return length if at + length <= len(data) else 1
