"""Backslash escapes: those of $'…' and those inside backquotes."""

from __future__ import annotations

import re
from typing import Final

# Compiled when first used; re keeps them.
_ANSI: Final = (
    r"(?s)\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c(.))"
)
_LETTERS: Final = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_BACKQUOTE: Final = r"\\([$`\\])"
_BACKQUOTE_IN_DOUBLE: Final = r"\\([$`\\\"])"


def prepare() -> None:
    """Compile what this module needs now, before constructs are nested."""
    for pattern in (_ANSI, _BACKQUOTE, _BACKQUOTE_IN_DOUBLE):
        re.compile(pattern)


def _byte(value: int) -> str:
    return chr(value) if value < 0x80 else chr(0xDC00 + value)


def _escape(match: re.Match[str]) -> str:
    letter, octal, two, four, eight, control = match.groups()
    if letter is not None:
        return _LETTERS[letter]
    if octal is not None:
        return _byte(int(octal, 8) & 0xFF)  # text: ours
    if two is not None:
        return _byte(int(two, 16))  # text: ours
    if control is not None:
        # \cX clears all but the low five bits; \c? is DEL.
        return "\x7f" if control == "?" else chr(ord(control) & 0x1F)
    value = int(four or eight, 16)  # text: ours
    if value > 0x10FFFF or 0xD800 <= value < 0xE000:
        return match.group()
    return chr(value)


def ansi(text: str) -> str:
    """The value of $'text'. Bytes from \\x and octal escapes are decoded with their neighbours; NUL ends it."""
    if "\\" not in text:
        return text
    value = re.sub(_ANSI, _escape, text)
    end = value.find("\0")
    if end >= 0:
        value = value[:end]
    return redecoded(value)


def redecoded(text: str) -> str:
    """text with escaped bytes that are UTF-8 together made characters. Any other surrogate becomes its bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raw = b"".join(
            bytes((code & 0xFF,)) if 0xDC80 <= (code := ord(c)) <= 0xDCFF else c.encode("utf-8", "surrogatepass")
            for c in text
        )
        return raw.decode("utf-8", "surrogateescape")
    return text


def unbackquoted(text: str, in_double_quotes: bool) -> str:
    """The script between backquotes (POSIX XCU 2.6.3)."""
    if "\\" not in text:
        return text
    return re.sub(_BACKQUOTE_IN_DOUBLE if in_double_quotes else _BACKQUOTE, r"\1", text)
