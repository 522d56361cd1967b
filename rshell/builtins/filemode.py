"""File modes as text, and symbolic modes as numbers (stat(2), chmod(1))."""

from __future__ import annotations

import re

_KINDS = {0o100000: "f", 0o040000: "d", 0o120000: "l", 0o010000: "p", 0o140000: "s", 0o020000: "c", 0o060000: "b"}
_FORMAT = 0o170000
_OCTAL = re.compile(r"[0-7]{1,9}")
_CLAUSE = re.compile(r"([ugoa]*)((?:[-+=](?:[rwxXst]*|[ugo]|[0-7]+))+)")
_ACTION = re.compile(r"([-+=])([0-7]+|[ugo]|[rwxXst]*)")
_WHO = {"u": 0o4700, "g": 0o2070, "o": 0o1007, "a": 0o7777}
_BITS = {"r": 0o444, "w": 0o222, "x": 0o111, "s": 0o6000, "t": 0o1000}
_COPIED = {"u": 6, "g": 3, "o": 0}
_TRIPLES = tuple((r + w, x) for r in ("-", "r") for w in ("-", "w") for x in ("-", "x"))  # by the three permission bits


def kind_of(mode: int) -> str:
    """The letter of a file type as find names it: one of ``f d l p s c b``, or ``?``."""
    return _KINDS.get(mode & _FORMAT, "?")


def mode_text(mode: int) -> str:
    """The ten characters of ls -l: ``-rw-r--r--``."""
    text = _cache.get(mode)
    if text is None:
        text = _cache[mode] = _mode_text(mode)
    return text


_cache: dict[int, str] = {}  # a mode is 16 bits: it cannot grow without bound


def _mode_text(mode: int) -> str:
    kind = kind_of(mode)
    text = "-" if kind == "f" else kind
    for shift, special, letter in ((6, 0o4000, "s"), (3, 0o2000, "s"), (0, 0o1000, "t")):
        plain, execute = _TRIPLES[mode >> shift & 7]
        if mode & special:
            execute = letter if execute == "x" else letter.upper()
        text += plain + execute
    return text


def parse_mode(text: str) -> tuple[int, int] | None:
    """What an octal or symbolic mode makes of 0, for files and for directories; None when it is none."""
    if _OCTAL.fullmatch(text):
        mode = int(text, 8)  # text: ours
        return (mode, mode) if mode <= 0o7777 else None
    clauses = []
    for clause in text.split(","):
        match = _CLAUSE.fullmatch(clause)
        if match is None:
            return None
        clauses.append((match[1], match[2]))
    modes = []
    for directory in (False, True):
        mode = 0
        for who, actions in clauses:
            mode = _apply(mode, who, actions, directory)
        modes.append(mode)
    return modes[0], modes[1]


def _apply(mode: int, who: str, actions: str, directory: bool) -> int:
    affected = 0
    for letter in who or "a":
        affected |= _WHO[letter]
    for action in _ACTION.finditer(actions):
        sign, what = action[1], action[2]
        if what[:1] in _COPIED and what:
            three = mode >> _COPIED[what] & 7
            bits = three << 6 | three << 3 | three
        elif what[:1] in tuple("01234567") and what:
            bits = int(what, 8)  # text: ours
        else:
            bits = 0
            for letter in what:
                if letter == "X":
                    bits |= 0o111 if directory or mode & 0o111 else 0
                else:
                    bits |= _BITS[letter]
        bits &= affected
        if sign == "+":
            mode |= bits
        elif sign == "-":
            mode &= ~bits
        else:
            mode = mode & ~affected | bits
    return mode


def device_numbers(device: int) -> tuple[int, int]:
    """Major and minor number of a device, as Linux packs them (makedev(3))."""
    return (device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF), (device & 0xFF) | (device >> 12 & ~0xFF)
