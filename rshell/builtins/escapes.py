"""Backslash escapes as bash's echo -e, printf and printf %b read them.

Which ones exist differs a little between the three; the differences are the arguments of expand().
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_SIMPLE = {
    b"a": b"\a", b"b": b"\b", b"e": b"\x1b", b"E": b"\x1b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t",
    b"v": b"\v", b"\\": b"\\",
}  # fmt: skip
_QUOTES = {b'"': b'"', b"'": b"'", b"?": b"?"}

_REST = rb"x([0-9A-Fa-f]{0,2})|u([0-9A-Fa-f]{0,4})|U([0-9A-Fa-f]{0,8})|(.))"
# Octal: after a zero three digits (echo), three digits with or without a leading zero (%b), three in all (formats).
_ECHO = re.compile(rb"\\(?:0([0-7]{0,3})|" + _REST, re.DOTALL)
_ARGUMENT = re.compile(rb"\\(?:0([0-7]{0,3})|(?=[1-7])([0-7]{1,3})|" + _REST, re.DOTALL)
_FORMAT = re.compile(rb"\\(?:([0-7]{1,3})|" + _REST, re.DOTALL)


def code_point(number: int) -> bytes:
    """The UTF-8 of a code point; bash goes on up to 31 bits. A surrogate becomes U+FFFD."""
    if number < 0x80:
        return bytes((number,))
    if 0xD800 <= number <= 0xDFFF:
        number = 0xFFFD
    if number >= 0x80000000:
        return b""
    tail = []
    lead = 0x3F  # the largest value that the first byte still holds
    while number > lead:
        tail.append(0x80 | number & 0x3F)
        number >>= 6
        lead = 0x1F if lead == 0x3F else lead >> 1
    return bytes((0xFF & ~(lead * 2 + 1) | number, *reversed(tail)))


class Stop(Exception):
    """An escape that ends all output was met: \\c. so_far holds the bytes before it."""

    def __init__(self, so_far: bytes) -> None:
        self.so_far = so_far


def _expand(
    text: bytes,
    pattern: re.Pattern[bytes],
    simple: dict[bytes, bytes],
    stops: bool,
    complain: Callable[[str], None] | None,
) -> bytes:
    pieces = []
    at = 0
    for match in pattern.finditer(text):
        pieces.append(text[at : match.start()])
        at = match.end()
        *octals, two, four, eight, other = match.groups()
        octal = next((o for o in octals if o is not None), None)
        if octal is not None:
            pieces.append(bytes((int(octal or b"0", 8) & 0xFF,)))  # text: ours (matched above)
        elif other is not None:
            if other == b"c" and stops:
                raise Stop(b"".join(pieces))
            pieces.append(simple.get(other) or match[0])
        elif two:
            pieces.append(bytes((int(two, 16),)))  # text: ours (matched above)
        elif four or eight:
            pieces.append(code_point(int(four or eight, 16)))  # text: ours (matched above)
        else:
            pieces.append(match[0])
            if complain is not None:
                letter = match[0][1:2]
                complain(f"missing {'hex' if letter == b'x' else 'unicode'} digit for \\{chr(letter[0])}")
    pieces.append(text[at:])
    return b"".join(pieces)


def expand_echo(text: bytes) -> bytes:
    """Expand what echo -e takes. Raises Stop at \\c."""
    return _expand(text, _ECHO, _SIMPLE, True, None)


def expand_argument(text: bytes, complain: Callable[[str], None]) -> bytes:
    """Expand an argument of %b. Raises Stop at \\c."""
    return _expand(text, _ARGUMENT, _SIMPLE, True, complain)


def expand_format(text: bytes, complain: Callable[[str], None]) -> bytes:
    """Expand a literal part of a printf format."""
    return _expand(text, _FORMAT, _SIMPLE | _QUOTES, False, complain)
