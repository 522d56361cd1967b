"""The sets of tr: escapes, ranges, classes, repeats, and what GNU demands of two of them together."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rshell import limits
from rshell.builtins.command import Failure

CLASSES: dict[bytes, bytes] = {
    b"alnum": b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    b"alpha": b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    b"blank": b"\t ",
    b"cntrl": bytes((*range(32), 127)),
    b"digit": b"0123456789",
    b"graph": bytes(range(33, 127)),
    b"lower": b"abcdefghijklmnopqrstuvwxyz",
    b"print": bytes(range(32, 127)),
    b"punct": bytes(byte for byte in range(33, 127) if not chr(byte).isalnum()),  # text: ours
    b"space": b"\t\n\v\f\r ",
    b"upper": b"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    b"xdigit": b"0123456789ABCDEFabcdef",
}
_CASES = (b"upper", b"lower")
_ESCAPES = dict(zip(b"abfnrtv", b"\a\b\f\n\r\t\v", strict=True))
_OCTAL = b"01234567"
_SPECIAL = {7: "\\a", 8: "\\b", 12: "\\f", 10: "\\n", 13: "\\r", 9: "\\t", 11: "\\v", 92: "\\\\"}
_COUNT = re.compile(rb"(0[0-7]*|[1-9][0-9]*)", re.ASCII)
_STAR_DIGITS = re.compile(rb"\*[0-9]*\]", re.ASCII)


@dataclass(slots=True)
class Part:
    """One element of a set. kind: char, range, class, equivalence or repeat; count is of a repeat, -1 for [c*]."""

    kind: str
    members: bytes
    name: bytes = b""
    count: int = 0

    @property
    def case(self) -> bytes:
        """b"upper", b"lower", or nothing."""
        return self.name if self.name in _CASES else b""

    def __len__(self) -> int:
        return max(self.count, 0) if self.kind == "repeat" else len(self.members)

    def expand(self, most: int) -> bytes:
        """Its bytes, at most so many of them."""
        return self.members * min(self.count, most) if self.kind == "repeat" else self.members


def unescape(text: bytes) -> tuple[bytes, list[bool], list[str]]:
    """The bytes of a set, which of them were escaped, and warnings."""
    out = bytearray()
    escaped: list[bool] = []
    warnings: list[str] = []
    at = 0
    while at < len(text):
        byte = text[at]
        at += 1
        if byte != 0x5C:
            out.append(byte)
            escaped.append(False)
            continue
        if at == len(text):
            warnings.append("warning: an unescaped backslash at end of string is not portable")
            out.append(byte)
            escaped.append(False)
            break
        byte = text[at]
        at += 1
        if byte in _OCTAL:
            start = at - 1
            value = byte - 48
            while at < len(text) and at < start + 3 and text[at] in _OCTAL:
                if value * 8 + text[at] - 48 > 255:
                    digits = text[start : at + 1].decode()
                    warnings.append(
                        f"warning: the ambiguous octal escape \\{digits} is being\n"
                        f"\tinterpreted as the 2-byte sequence \\0{digits[:2]}, {digits[2]}"
                    )
                    break
                value = value * 8 + text[at] - 48
                at += 1
            byte = value
        else:
            byte = _ESCAPES.get(byte, byte)
        out.append(byte)
        escaped.append(True)
    return bytes(out), escaped, warnings


def _shown(text: bytes) -> str:
    return "".join(
        _SPECIAL.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in text
    )  # fmt: skip


class Parser:
    """Makes parts of a set."""

    def __init__(self, text: bytes) -> None:
        self.text, self.escaped, self.warnings = unescape(text)

    def parse(self) -> list[Part]:
        """The parts in order. Raises Failure with GNU's wording."""
        text = self.text
        parts: list[Part] = []
        at = 0
        while at + 2 < len(text):
            found = self._bracket(at) if self._is(at, b"[") else None
            if found is not None:
                part, at = found
                parts.append(part)
            elif self._is(at + 1, b"-"):
                first, last = text[at], text[at + 2]
                if first > last:
                    ends = "-".join(chr(end) if 32 <= end < 127 else f"\\{end:03o}" for end in (first, last))
                    raise Failure(f"range-endpoints of '{ends}' are in reverse collating sequence order")
                parts.append(Part("range", bytes(range(first, last + 1))))
                at += 3
            else:
                parts.append(Part("char", text[at : at + 1]))
                at += 1
        parts += [Part("char", text[here : here + 1]) for here in range(at, len(text))]
        return parts

    def _is(self, at: int, byte: bytes) -> bool:
        return self.text[at : at + 1] == byte and not self.escaped[at]

    def _bracket(self, at: int) -> tuple[Part, int] | None:
        text = self.text
        for mark in (b":", b"="):
            if not self._is(at + 1, mark):
                continue
            close = at + 2
            while close + 1 < len(text) and not (self._is(close, mark) and self._is(close + 1, b"]")):
                close += 1
            if close + 1 >= len(text):
                continue
            name = text[at + 2 : close]
            if not name:
                raise Failure(
                    "missing character class name '[::]'"
                    if mark == b":"
                    else "missing equivalence class character '[==]'"
                )
            if mark == b":" and name in CLASSES:
                return Part("class", CLASSES[name], name), close + 2
            if mark == b"=" and len(name) == 1:
                return Part("equivalence", name), close + 2
            star = _STAR_DIGITS.match(text, at + 2)
            if star is None or any(self.escaped[at + 2 : star.end()]):
                raise Failure(
                    f"invalid character class '{_shown(name)}'"
                    if mark == b":"
                    else f"{_shown(name)}: equivalence class operand must be a single character"
                )
            break
        return self._repeat(at + 1)

    def _repeat(self, at: int) -> tuple[Part, int] | None:
        text = self.text
        if not self._is(at + 1, b"*"):
            return None
        close = at + 2
        while close < len(text) and not self.escaped[close] and text[close] != 0x5D:
            close += 1
        if close >= len(text) or self.escaped[close]:
            return None
        digits = text[at + 2 : close]
        if not digits:
            return Part("repeat", text[at : at + 1], count=-1), close + 1
        match = _COUNT.fullmatch(digits)
        count = -1
        if match is not None and len(digits.lstrip(b"0")) <= limits.NUMBER_DIGITS + 2:
            count = int(digits.decode(), 8 if digits[:1] == b"0" else 10)  # text: ours (matched above)
        if not 0 <= count < 2**64 - 2:
            raise Failure(f"invalid repeat count '{_shown(digits)}' in [c*n] construct")
        return Part("repeat", text[at : at + 1], count=count or -1), close + 1


def members(parts: list[Part], *, complement: bool = False) -> bytes:
    """The bytes of a set, each once, in order of value."""
    found = {byte for part in parts for byte in part.expand(1)}
    return bytes(byte for byte in range(256) if (byte in found) != complement)


def check_first(parts: list[Part]) -> None:
    """Refuse [c*] in the first set."""
    if any(part.count < 0 for part in parts):
        raise Failure("the [c*] repeat construct may not appear in string1")


def translation(first: list[Part], second: list[Part], *, complement: bool, truncate: bool) -> tuple[bytes, list[Part]]:
    """The table that maps first to second, and second as it was extended. Raises Failure."""
    length = sum(map(len, first))
    if complement:
        length = len(members(first, complement=True))
    second = _filled(second, length)
    length2 = sum(map(len, second))
    if any(part.kind == "equivalence" for part in second):
        raise Failure("[=c=] expressions may not appear in string2 when translating")
    if any(part.kind == "class" and not part.case for part in second):
        raise Failure(
            "when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'"
        )
    if not complement:
        skipped = _check_cases(first, second)
        length -= skipped
        length2 -= skipped
    if length > length2 and not truncate:
        if length2 == 0:
            raise Failure("when not truncating set1, string2 must be non-empty")
        if second[-1].kind == "class":
            raise Failure(
                "when translating with string1 longer than string2,\n"
                "the latter string must not end with a character class"
            )
        second = [*second, Part("repeat", second[-1].members[-1:], count=length - length2)]
        length2 = length
    if complement and any(part.kind == "class" for part in first):
        if length2 != length or len({byte for part in second for byte in part.expand(1)}) != 1:
            raise Failure(
                "when translating with complemented character classes,\n"
                "string2 must map all characters in the domain to one"
            )
    if complement:
        source = members(first, complement=True)
        target = b"".join(part.expand(len(source)) for part in second)
        pairs = list(zip(source, target, strict=False))
    else:
        pairs = _pairs(first, second)
    table = bytearray(range(256))
    for byte, to in pairs:
        table[byte] = to
    return bytes(table), second


def _filled(second: list[Part], length: int) -> list[Part]:
    """second with its [c*] made as long as needed."""
    endless = [part for part in second if part.count < 0]
    if len(endless) > 1:
        raise Failure("only one [c*] repeat construct may appear in string2")
    if not endless:
        return second
    fill = max(0, length - sum(map(len, second)))
    return [Part("repeat", part.members, count=fill) if part.count < 0 else part for part in second]


class _Cursor:
    """Goes through the bytes of a set, knowing where elements begin."""

    def __init__(self, parts: list[Part]) -> None:
        self.parts = [part for part in parts if len(part)]
        self.element = 0
        self.offset = 0

    @property
    def part(self) -> Part | None:
        return self.parts[self.element] if self.element < len(self.parts) else None

    def skip(self) -> None:
        self.element += 1
        self.offset = 0

    def step(self, count: int) -> None:
        self.offset += count
        if self.offset >= len(self.parts[self.element]):
            self.skip()

    @property
    def left(self) -> int:
        return len(self.parts[self.element]) - self.offset

    def take(self, count: int) -> bytes:
        part = self.parts[self.element]
        taken = part.members * count if part.kind == "repeat" else part.members[self.offset : self.offset + count]
        self.step(count)
        return taken


def _check_cases(first: list[Part], second: list[Part]) -> int:
    """Demand that upper and lower of the second set stand opposite such classes; how much shorter that makes both."""
    if not any(part.kind == "class" for part in second):
        return 0
    one, two = _Cursor(first), _Cursor(second)
    skipped = 0
    while two.part is not None:
        case1 = one.part.case if one.part is not None and one.offset == 0 else b""
        if two.part.case:
            if not case1:
                raise Failure("misaligned [:upper:] and/or [:lower:] construct")
            one.skip()
            two.skip()
            skipped += 25
        elif one.part is None:
            break
        else:
            count = min(one.left, two.left)
            one.step(count)
            two.step(count)
    return skipped


def _pairs(first: list[Part], second: list[Part]) -> list[tuple[int, int]]:
    one, two = _Cursor(first), _Cursor(second)
    pairs: list[tuple[int, int]] = []
    while one.part is not None and two.part is not None:
        if two.part.case:
            if one.part.case != two.part.case:
                pairs += zip(one.part.members, two.part.members, strict=False)
            one.skip()
            two.skip()
        else:
            count = min(one.left, two.left)
            if one.part.kind == "repeat" and two.part.kind == "repeat":
                one_byte, two_byte = one.part.members[0], two.part.members[0]
                one.step(count)
                two.step(count)
                pairs.append((one_byte, two_byte))
            else:
                pairs += zip(one.take(count), two.take(count), strict=True)
    return pairs
