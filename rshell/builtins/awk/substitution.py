"""sub, gsub and gensub."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rshell.builtins.awk import bounds, tree
from rshell.builtins.awk.errors import AwkError, SyntaxFault
from rshell.builtins.awk.patterns import Pattern, Plain
from rshell.builtins.awk.runtime import Frame, Runtime
from rshell.builtins.awk.splitting import after

if TYPE_CHECKING:
    from rshell.builtins.awk.compile import Expressions

Piece = bytes | int  # text, or the number of a group whose match goes there


@lru_cache(maxsize=200)
def _replacement(text: bytes) -> tuple[Piece, ...]:
    r"""sub's replacement: & is the match, \& an ampersand, \\& a backslash and the match."""
    pieces: list[Piece] = []
    literal = bytearray()
    at = 0
    while at < len(text):
        if text[at] == 0x5C:
            end = at
            while text.startswith(b"\\", end):
                end += 1
            count = end - at
            at = end
            if not text.startswith(b"&", end):  # backslashes elsewhere are what they are
                literal += b"\\" * count
                continue
            literal += b"\\" * (count // 2)
            if count % 2:
                literal += b"&"
                at += 1
        elif text[at] == 0x26:
            pieces += [bytes(literal), 0]
            literal.clear()
            at += 1
        else:
            literal.append(text[at])
            at += 1
    return _without_empty([*pieces, bytes(literal)])


@lru_cache(maxsize=200)
def _numbered(text: bytes) -> tuple[Piece, ...]:
    r"""gensub's replacement: & and \0 are the match, \1 to \9 its groups, \& an ampersand."""
    pieces: list[Piece] = []
    literal = bytearray()
    at = 0
    while at < len(text):
        byte = text[at]
        following = text[at + 1 : at + 2]
        if byte == 0x5C and following:
            if following in b"0123456789":
                pieces += [bytes(literal), following[0] - 0x30]
                literal.clear()
            else:
                literal += following
            at += 2
            continue
        if byte == 0x26:
            pieces += [bytes(literal), 0]
            literal.clear()
        else:
            literal.append(byte)
        at += 1
    return _without_empty([*pieces, bytes(literal)])


def _without_empty(pieces: list[Piece]) -> tuple[Piece, ...]:
    return tuple(piece for piece in pieces if piece != b"")


def _put_in(pieces: tuple[Piece, ...], text: bytes, groups: list[tuple[int, int]]) -> bytes:
    out: list[bytes] = []
    for piece in pieces:
        if isinstance(piece, bytes):
            out.append(piece)
        elif piece < len(groups) and groups[piece][0] >= 0:
            out.append(text[groups[piece][0] : groups[piece][1]])
    return b"".join(out)


def _grouped(pieces: tuple[Piece, ...]) -> bool:
    return any(isinstance(piece, int) and piece > 0 for piece in pieces)


def substitute(
    runtime: Runtime, pattern: Pattern, pieces: tuple[Piece, ...], text: bytes, which: int
) -> tuple[bytes, int]:
    """Replace match number which, or all of them for 0; returns the text and how many were replaced."""
    constant = b"".join(piece for piece in pieces if isinstance(piece, bytes))
    fixed = all(isinstance(piece, bytes) for piece in pieces)
    if fixed and which == 0 and type(pattern) is Plain and pattern.text:
        count = text.count(pattern.text)
        if len(text) + count * (len(constant) - len(pattern.text)) > bounds.STRINGS:
            raise _too_long()
        return (text.replace(pattern.text, constant), count) if count else (text, 0)
    grouped = _grouped(pieces)
    out: list[bytes] = []
    size = count = seen = 0
    at = copied = 0
    last_end = -1
    while at <= len(text):
        groups: list[tuple[int, int]] | None
        if grouped:
            groups = pattern.groups(text, at)
        else:
            found = pattern.search(text, at)
            groups = None if found is None else [found]
        if not groups:
            break
        start, end = groups[0]
        if start == end == last_end:  # an empty match right behind a match does not count
            at = after(text, at)
            continue
        seen += 1
        if which in (0, seen):
            new = constant if fixed else _put_in(pieces, text, groups)
            out += (text[copied:start], new)
            size += start - copied + len(new)
            copied = end
            count += 1
            if size > bounds.STRINGS:
                raise _too_long()
            if which:
                break
        last_end = end
        at = end if end > start else after(text, end)
        runtime.ticks -= 1
        if runtime.ticks < 0:
            runtime.tick()
    if not count:
        return text, 0
    out.append(text[copied:])
    if size + len(text) - copied > bounds.STRINGS:
        raise _too_long()
    return b"".join(out), count


def _too_long() -> AwkError:
    return AwkError(f"string too long ({bounds.STRINGS} bytes at most)")


def _build(compiler: Expressions, node: tree.BuiltinCall, which: int) -> Callable[[Frame], float]:
    runtime = compiler.runtime
    pattern, replacement = compiler.pattern(node.arguments[0]), compiler.text(node.arguments[1])
    given: tree.Expression = node.arguments[2] if len(node.arguments) > 2 else tree.Field(tree.Number(0.0))
    while isinstance(given, tree.Grouping):
        given = given.inner
    subject = compiler.text(given)
    store = compiler.store(given) if isinstance(given, tree.Target) else None
    if store is None and not isinstance(given, tree.String | tree.Number | tree.BuiltinCall | tree.Concatenation):
        raise SyntaxFault(node.line, f"{node.name}: the third argument must be a variable, an element or a field")

    def change(f: Frame) -> float:
        expression = pattern(f)
        pieces = _replacement(replacement(f))
        text, count = substitute(runtime, expression, pieces, subject(f), which)
        if count and store is not None:
            store(f, text)
        return float(count)

    return change


def build_sub(compiler: Expressions, node: tree.BuiltinCall) -> Any:
    """sub(pattern, replacement [, target])."""
    return _build(compiler, node, 1)


def build_gsub(compiler: Expressions, node: tree.BuiltinCall) -> Any:
    """gsub(pattern, replacement [, target])."""
    return _build(compiler, node, 0)


def build_gensub(compiler: Expressions, node: tree.BuiltinCall) -> Callable[[Frame], bytes]:
    """gensub(pattern, replacement, how [, text]): "g" for all matches, or the number of one."""
    runtime = compiler.runtime
    pattern, replacement, how = (
        compiler.pattern(node.arguments[0]),
        compiler.text(node.arguments[1]),
        compiler.value(node.arguments[2]),
    )
    text = compiler.text(node.arguments[3] if len(node.arguments) > 3 else tree.Field(tree.Number(0.0)))
    from rshell.builtins.awk.values import to_number

    def gensub(f: Frame) -> bytes:
        expression = pattern(f)
        pieces = _numbered(replacement(f))
        wanted = how(f)
        if runtime.text(wanted)[:1] in (b"g", b"G"):
            which = 0
        else:
            number = to_number(wanted)
            which = max(1, int(number)) if -1e15 < number < 1e15 else 1  # text: ours
        return substitute(runtime, expression, pieces, text(f), which)[0]

    return gensub
