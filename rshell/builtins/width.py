"""Characters as a terminal sees them: which print, which separate words, how many columns each takes.

The classes are those of glibc's C.UTF-8 (iswprint, iswspace, wcwidth), told from the Unicode database; what glibc
sees otherwise stands in the tables here.
"""

from __future__ import annotations

import unicodedata

# Spaces by iswspace, and the no-break spaces that wc takes for spaces too.
SPACES = frozenset("\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u2028\u2029\u205f\u3000")
NO_BREAK_SPACES = frozenset("\u00a0\u2007\u202f\u2060")

_UNPRINTABLE = frozenset(("Cc", "Cs", "Cn"))
_ZERO_WIDTH = frozenset(("Mn", "Me", "Cf"))
_ODD_WIDTHS = (
    ("\u00ad", "\u00ad", 1),
    ("\u0600", "\u0605", 1),
    ("\u06dd", "\u06dd", 1),
    ("\u070f", "\u070f", 1),
    ("\u0890", "\u0891", 1),
    ("\u08e2", "\u08e2", 1),
    ("\u1160", "\u11ff", 0),
    ("\u2028", "\u2029", -1),
    ("\u3248", "\u324f", 2),
    ("\u4dc0", "\u4dff", 2),
    ("\ud7b0", "\ud7c6", 0),
    ("\ud7cb", "\ud7fb", 0),
    ("\U000110bd", "\U000110bd", 1),
    ("\U000110cd", "\U000110cd", 1),
)
_known: dict[str, int] = {}


def width(character: str) -> int:
    """The columns a character takes, -1 when it cannot be printed (wcwidth(3))."""
    columns = _known.get(character)
    if columns is None:
        columns = _known[character] = _width(character)
        if len(_known) > 20_000:
            _known.clear()
    return columns


def _width(character: str) -> int:
    for first, last, columns in _ODD_WIDTHS:
        if first <= character <= last:
            return columns
    category = unicodedata.category(character)
    if category in _UNPRINTABLE:
        return -1
    if category in _ZERO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
