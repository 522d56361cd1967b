"""Quoting of a word so that the shell reads it back: bash's printf %q."""

from __future__ import annotations

import re
import unicodedata

from rshell.builtins.command import encode

_SPECIAL = re.compile(r"[ !\"$&'()*,;<>?\[\\\]^`{|}]|^[#~]|(?<=[:=])~")
_NAMED = {
    "\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r", "\x1b": "\\E",
    "\\": "\\\\", "'": "\\'",
}  # fmt: skip
_NOT_PRINTED = {"Cc", "Cn", "Cs", "Zl", "Zp"}


def printable(character: str) -> bool:
    """Whether iswprint(3) holds in C.UTF-8."""
    return " " <= character <= "~" or (character >= "\x80" and unicodedata.category(character) not in _NOT_PRINTED)


def quote(text: str) -> str:
    """text as one word of shell input: with backslashes, or as $'...' when it holds what does not print."""
    if text == "":
        return "''"
    if (text.isascii() and text.isprintable()) or all(map(printable, text)):
        return _SPECIAL.sub(r"\\\g<0>", text)
    pieces = []
    for character in text:
        if character in _NAMED:
            pieces.append(_NAMED[character])
        elif printable(character):
            pieces.append(character)
        else:
            pieces += [f"\\{byte:03o}" for byte in encode(character)]
    return f"$'{''.join(pieces)}'"
