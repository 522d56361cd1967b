"""The escapes that sed itself translates, and the replacement of s.

Script text is held as str with one character a byte (Latin-1).
"""

from __future__ import annotations

from rshell.builtins.sed.script import Part

_CONTROLS = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_BASES = {"d": ("0123456789", 10, 3), "o": ("01234567", 8, 3), "x": ("0123456789abcdefABCDEF", 16, 2)}


def escape(text: str, at: int) -> tuple[str, int] | None:
    """The character that an escape stands for, and where it ends; at is behind the backslash. None: no such escape."""
    letter = text[at : at + 1]
    if letter in _CONTROLS:
        return _CONTROLS[letter], at + 1
    if letter in _BASES:
        digits, base, most = _BASES[letter]
        end = at + 1
        while end < len(text) and end - at <= most and text[end] in digits:
            end += 1
        if end == at + 1:
            return letter, end
        value = 0
        for digit in text[at + 1 : end].lower():
            value = value * base + "0123456789abcdef".index(digit)
        return chr(value & 0xFF), end
    if letter == "c" and at + 1 < len(text):
        control = text[at + 1]
        end = at + 2
        if control == "\\" and text.startswith("\\", end):
            end += 1
        return chr(ord(control.upper()) ^ 0x40 if control.isascii() else ord(control) ^ 0x40), end
    return None


def regex_source(text: str) -> bytes:
    """A regular expression with sed's own escapes translated, in brackets too."""
    out: list[str] = []
    at = 0
    while at < len(text):
        character = text[at]
        at += 1
        if character != "\\" or at == len(text):
            out.append(character)
            continue
        found = escape(text, at)
        if found is None:
            out.append("\\" + text[at])
            at += 1
        else:
            out.append(found[0])
            at = found[1]
    return "".join(out).encode("latin-1")


def plain_text(text: str) -> bytes:
    """The text of a, i and c, or one side of y: escapes translated, other backslashes dropped."""
    out: list[str] = []
    at = 0
    while at < len(text):
        character = text[at]
        at += 1
        if character != "\\" or at == len(text):
            out.append(character)
            continue
        out_of, at = escape(text, at) or (text[at], at + 1)
        out.append(out_of)
    return "".join(out).encode("latin-1")


def replacement(text: str, *, posix: bool) -> list[Part]:
    """The right side of s, taken apart. A \\u or \\l without a character behind it is lost, as in GNU sed."""
    parts: list[Part] = []
    literal: list[str] = []
    case = first = ""

    def end_part(group: int) -> None:
        nonlocal first
        if literal or group >= 0:
            parts.append(Part("".join(literal).encode("latin-1"), group, case, first))
        literal.clear()
        first = ""

    at = 0
    while at < len(text):
        character = text[at]
        at += 1
        if character == "&":
            end_part(0)
            continue
        if character != "\\" or at == len(text):
            literal.append(character)
            continue
        letter = text[at]
        if letter in "0123456789":
            at += 1
            end_part(ord(letter) - 0x30)
        elif letter in "LUEul" and not posix:
            at += 1
            end_part(-1)
            if letter in "LUE":
                case = letter if letter != "E" else ""
            else:
                first = letter
        else:
            found, at = escape(text, at) or (letter, at + 1)
            literal.append(found)
    end_part(-1)
    return parts
