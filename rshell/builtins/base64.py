"""base64: encode bytes as text, and back (GNU coreutils, RFC 4648)."""

from __future__ import annotations

import re
from binascii import a2b_base64, b2a_base64
from typing import TYPE_CHECKING

from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError
from rshell.builtins.quoting import quote
from rshell.builtins.text import clamped

if TYPE_CHECKING:
    from collections.abc import Iterator

BASE64 = Command(
    "base64",
    "encode bytes as base64 text, or decode it",
    "base64 [OPTION]... [FILE]",
    options=(
        Option("-d", "--decode", help="decode"),
        Option("-i", "--ignore-garbage", help="with -d: skip what is not of the alphabet"),
        Option("-w", "--wrap", value="COLS", help="break lines after COLS characters (76); 0: do not"),
    ),
)

_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_GARBAGE = bytes(set(range(256)) - set(_ALPHABET) - {ord("=")})
_FOREIGN = re.compile(rb"[^A-Za-z0-9+/]")
_WIDTH = 76
_BLOCK = 96 * 1024  # whole groups of three bytes, and of four characters
_WIDEST = 1 << 62


@BASE64.main
def base64(call: Invocation) -> int:
    """Encode or decode one input."""
    options = call.options
    wrap = options.get("wrap")
    width = _WIDTH if wrap is None else clamped(wrap, -1, _WIDEST)
    if width is None or width < 0:
        raise Failure(f"invalid wrap size: {quote(wrap or '')}")
    if width == _WIDEST:  # GNU: what does not fit in a number is not wrapped, either
        width = 0
    if len(call.operands) > 1:
        raise UsageError(f"extra operand {quote(call.operands[1])}")
    for given in call.inputs():
        if "decode" in options:
            _decode(call, given.source.blocks(_BLOCK), ignore="ignore-garbage" in options)
        else:
            _encode(call, given.source.blocks(_BLOCK), width)
    return call.status


def _encode(call: Invocation, blocks: Iterator[bytes], width: int) -> None:
    held = b""
    column = 0
    for block in blocks:
        call.check()
        data = held + block
        end = len(data) - len(data) % 3
        held = data[end:]
        column = _wrapped(call, b2a_base64(data[:end], newline=False), column, width)
    if held:
        column = _wrapped(call, b2a_base64(held, newline=False), column, width)
    if column and width:
        call.write(b"\n")


def _wrapped(call: Invocation, text: bytes, column: int, width: int) -> int:
    """Write text in lines of width characters, the first of which has column characters already."""
    if not width:
        call.write(text)
        return 0
    if column + len(text) < width:
        call.write(text)
        return column + len(text)
    first = width - column
    last = first + (len(text) - first) // width * width
    lines = [text[:first], *[text[at : at + width] for at in range(first, last, width)], text[last:]]
    call.write(b"\n".join(lines))
    return len(text) - last


def _decode(call: Invocation, blocks: Iterator[bytes], *, ignore: bool) -> None:
    held = b""
    unwanted = _GARBAGE if ignore else b"\n"
    for block in blocks:
        call.check()
        text = held + block.translate(None, unwanted)
        end = len(text) - len(text) % 4
        held = text[end:]
        _groups(call, text[:end])
    if held:
        _groups(call, held)


def _groups(call: Invocation, text: bytes) -> None:
    """Decode whole groups of four (the last may be short), padded ones among them."""
    at = 0
    while at < len(text):
        call.check()
        foreign = _FOREIGN.search(text, at)
        if foreign is None and len(text) % 4 == 0:
            call.write(a2b_base64(text[at:]))
            return
        good = len(text) if foreign is None else foreign.start()
        good -= good % 4
        call.write(a2b_base64(text[at:good]))
        group = text[good : good + 4]
        letters = group.rstrip(b"=") if len(group) == 4 else group
        sound = len(group) == 4 and 2 <= len(letters) < 4 and not _FOREIGN.search(letters)
        if not sound:  # what can be made of its beginning comes out still
            broken = _FOREIGN.search(group)
            whole = group if broken is None else group[: broken.start()]
            if len(whole) >= 2:
                call.write(a2b_base64(whole.ljust(4, b"A"))[: len(whole) - 1])
            call.flush()
            raise Failure("invalid input")
        call.write(a2b_base64(group))
        at = good + 4


COMMANDS = {"base64": BASE64}
