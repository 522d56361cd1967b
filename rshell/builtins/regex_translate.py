"""Tokens of a regular expression into RE2's syntax.

RE2 knows Unicode and bytes (Latin-1). An expression is written in up to three forms: 'ascii' (Latin-1,
for text that is all ASCII, where classes are small), 'utf8', and 'bytes' (Latin-1 with UTF-8 spelt
out, for expressions that hold bytes which are no UTF-8).
"""

from __future__ import annotations

import re
from functools import cache

from rshell.builtins.regex_classes import Ranges, common, complement, merged
from rshell.builtins.regex_syntax import TOO_BIG, WORD, PatternError, Token

_TEXT_MAX = 1 << 20  # of the translation
_COPIES = 1000  # RE2's bound on repeats, nested ones multiplied
_SURROGATES = (0xD800, 0xDFFF)
_ASCII: Ranges = ((0, 0x7F),)
_NEWLINE: Ranges = ((0x0A, 0x0A),)


class Style:
    """How to write: form is 'ascii', 'utf8' or 'bytes'.

    lines: the text searched is a block of lines, each a text of its own; nothing matches a newline.
    multiline: ^ and $ stand at every line's ends (implied by lines). capture: number the groups.
    """

    __slots__ = ("capture", "fold", "form", "lines", "multiline")

    def __init__(self, form: str, *, lines: bool, multiline: bool, capture: bool, fold: bool) -> None:
        self.form = form
        self.lines = lines
        self.multiline = multiline
        self.capture = capture
        self.fold = fold


def translate(tokens: list[Token], style: Style) -> bytes:
    """The expression in RE2's syntax. Raises PatternError when it would be too long."""
    line_start, line_end = (b"(?m:^)", b"(?m:$)") if style.multiline or style.lines else (rb"\A", rb"\z")
    text_start, text_end = (line_start, line_end) if style.lines else (rb"\A", rb"\z")
    fixed = {
        "line_start": line_start,
        "line_end": line_end,
        "text_start": text_start,
        "text_end": text_end,
        "boundary": rb"\b",
        "no_boundary": rb"\B",
        "word_start": rb"\b",
        "word_end": rb"\b",
        "or": b"|",
        "never": _never(style),
    }
    out: list[bytes] = [b"(?i)"] if style.fold and style.form != "bytes" else []
    starts: list[tuple[int, int]] = []  # of each open group: where it begins, the copies inside it
    atom = 0  # where the last atom begins in out
    copies = 1  # how often a part of that atom is repeated in it
    inside = 1  # the same of what stands in the innermost open group
    length = 0
    for token in tokens:
        kind = token.kind
        if kind == "repeat":
            copies = _repeat(out, atom, copies, token)
            inside = max(inside, copies)
            length = sum(map(len, out))
        elif kind == "close":
            atom, outer = starts.pop()
            out.append(b")")
            copies, inside = inside, max(inside, outer)
        else:
            atom = len(out)
            copies = 1
            if kind == "open":
                starts.append((atom, inside))
                inside = 1
                out.append(b"(" if style.capture and token.low else b"(?:")
            elif kind == "literal":
                out.append(_literal(token.low, style))
            elif kind == "set" or kind == "any":
                out.append(_set(token.ranges, token.negated or kind == "any", style))
            else:
                out.append(fixed[kind])
            length += len(out[-1])
        if length > _TEXT_MAX:
            raise PatternError(TOO_BIG)
    return b"".join(out)


def _repeat(out: list[bytes], atom: int, copies: int, token: Token) -> int:
    """Repeat what out holds from atom on; return how many copies of its innermost part that makes."""
    low, high = token.low, token.high
    body = b"".join(out[atom:])
    del out[atom:]
    once = b"(?:" + body + b")"
    most = max(low, high)
    if most <= 1:
        out.append(once + {(0, -1): b"*", (1, -1): b"+", (0, 1): b"?", (1, 1): b"", (0, 0): b"{0}"}[low, high])
        return copies
    if most * copies <= _COPIES:
        bounds = b"%d" % low if low == high else b"%d," % low if high < 0 else b"%d,%d" % (low, high)
        out.append(once + b"{" + bounds + b"}")
        return copies * most
    # More than RE2 repeats: several repeats in a row, the mandatory ones last, for they hold the groups.
    step = max(1, _COPIES // copies)
    spare = b"(?:" + re.sub(rb"\((?!\?)", b"(?:", body) + b")"
    pieces = [spare + b"*"] if high < 0 else _row(spare, high - low, step, b"{0,%d}")
    pieces += _row(spare, low - 1, step, b"{%d}") if low else []
    pieces += [once] if low else []
    if sum(map(len, pieces)) > _TEXT_MAX:
        raise PatternError(TOO_BIG)
    out.append(b"(?:" + b"".join(pieces) + b")")
    return copies * step


def _row(body: bytes, count: int, step: int, bounds: bytes) -> list[bytes]:
    if (count // step + 1) * len(body) > _TEXT_MAX:
        raise PatternError(TOO_BIG)
    row = [body + bounds % step] * (count // step)
    if count % step:
        row.append(body + bounds % (count % step))
    return row


def _never(style: Style) -> bytes:
    return rb"[^\x00-\x{10FFFF}]" if style.form == "utf8" else rb"[^\x00-\xff]"


def _literal(code: int, style: Style) -> bytes:
    if style.lines and code == 0x0A:
        return _never(style)
    if code < 0x80:
        if style.fold and style.form == "bytes" and chr(code).isalpha():
            return b"[%c%c]" % (code & 0xDF, code | 0x20)
        return b"%c" % code if chr(code).isalnum() or code in b" _=:,/" else b"\\x%02x" % code
    if style.form == "ascii":
        return _never(style)
    if style.form == "utf8":
        return b"\\x{%x}" % code
    if style.fold and not 0xDC80 <= code <= 0xDCFF:
        spellings = sorted({chr(code), chr(code).lower(), chr(code).upper()})
        return b"(?:" + b"|".join(_bytes(s.encode()) for s in spellings) + b")"
    return _bytes(chr(code).encode("utf-8", "surrogateescape"))


def _bytes(data: bytes) -> bytes:
    return b"".join(b"\\x%02x" % byte for byte in data)


def _set(ranges: Ranges, negated: bool, style: Style) -> bytes:
    if style.form == "bytes":
        return _byte_set(ranges, negated, style)
    return _char_set(ranges, negated, style.form == "ascii", style.lines)


@cache
def _char_set(ranges: Ranges, negated: bool, ascii_only: bool, lines: bool) -> bytes:
    """A bracket expression over characters; negated sets name what they leave out, so that folding works."""
    if negated:
        ranges = merged([*ranges, *(_NEWLINE if lines else ())])
        if ascii_only:
            ranges = common(ranges, _ASCII)
        else:
            ranges = merged([*ranges, _SURROGATES])  # what is no character in UTF-8 is not matched
        if not ranges:
            return b"(?s:.)"
        return b"[^" + _written(ranges) + b"]"
    if ascii_only:
        ranges = common(ranges, _ASCII)
    if lines:
        ranges = common(ranges, complement(_NEWLINE))
    if not ranges:
        return rb"[^\x00-\xff]" if ascii_only else rb"[^\x00-\x{10FFFF}]"
    return b"[" + _written(ranges) + b"]"


def _written(ranges: Ranges) -> bytes:
    return b"".join(b"\\x{%x}" % a if a == b else b"\\x{%x}-\\x{%x}" % (a, b) for a, b in ranges)


def _byte_set(ranges: Ranges, negated: bool, style: Style) -> bytes:
    """A bracket expression over bytes, characters spelt out in UTF-8."""
    raw = common(ranges, ((0xDC80, 0xDCFF),))
    if style.fold:
        ranges = _folded(ranges)
    if negated:
        ranges = complement(ranges)
        raw = ()
    ranges = common(ranges, complement(_NEWLINE if style.lines else ()))
    sequences = [_byte_ranges([(a - 0xDC00, b - 0xDC00)]) for a, b in raw]
    for low, high in ranges:
        sequences += [_byte_ranges(sequence) for sequence in _utf8(low, high)]
    return b"(?:" + b"|".join(sequences) + b")" if sequences else _never(style)


def _folded(ranges: Ranges) -> Ranges:
    letters = common(ranges, ((0x41, 0x5A), (0x61, 0x7A)))
    return merged([*ranges, *((a ^ 0x20, b ^ 0x20) for a, b in letters)])


def _byte_ranges(sequence: list[tuple[int, int]]) -> bytes:
    return b"".join(b"[\\x%02x-\\x%02x]" % pair for pair in sequence)


def _utf8(low: int, high: int) -> list[list[tuple[int, int]]]:
    """The code points low to high as sequences of byte ranges."""
    for bound in (0x7F, 0x7FF, 0xFFFF):
        if low <= bound < high:
            return _utf8(low, bound) + _utf8(bound + 1, high)
    if high < 0x80:
        return [[(low, high)]]
    for shift in (6, 12, 18):
        below = (1 << shift) - 1
        if low & ~below != high & ~below:
            if low & below:
                return _utf8(low, low | below) + _utf8((low | below) + 1, high)
            if high & below != below:
                return _utf8(low, (high & ~below) - 1) + _utf8(high & ~below, high)
    return [list(zip(chr(low).encode(), chr(high).encode(), strict=True))]


def exact_word_edges(tokens: list[Token]) -> list[Token]:
    """Make \\< and \\> exact where their neighbour is one character, for RE2 has only \\b.

    The neighbour then has to be a part of a word; where that cannot be said simply, \\b alone is left.
    """
    if not any(token.kind in ("word_start", "word_end") for token in tokens):
        return tokens
    units: list[list[Token]] = []  # a character with its repeats, or one token
    for token in tokens:
        if token.kind == "repeat" and units and units[-1][0].kind in _CHARACTERS:
            units[-1].append(token)
        else:
            units.append([token])
    units = _edges(units, "word_start")
    units.reverse()
    units = _edges(units, "word_end")
    units.reverse()
    return [token for unit in units for token in unit]


_CHARACTERS = frozenset({"literal", "set", "any"})


def _edges(units: list[list[Token]], kind: str) -> list[list[Token]]:
    """Replace what stands behind each edge of this kind by what of it can stand in a word; failing that,
    what stands before it by what cannot."""
    result: list[list[Token]] = []
    for at, unit in enumerate(units):
        if result and result[-1][0].kind == kind:
            first, rest = _split(unit)
            if first is not None:
                result += [[_within(first, True)], *rest]
                continue
        result.append(unit)
        follows = at + 1 < len(units) and _split(units[at + 1])[0] is not None
        if unit[0].kind == kind and len(result) > 1 and not follows:
            last, rest = _split(result[-2])
            if last is not None:
                result[-2:] = [*rest, [_within(last, False)], unit]
    return result


def _split(unit: list[Token]) -> tuple[Token | None, list[list[Token]]]:
    """A character that has to be there, and the repeats of it that may be there too."""
    token, *repeats = unit
    if token.kind not in _CHARACTERS:
        return None, []
    if not repeats:
        return token, []
    low, high = repeats[0].low, repeats[0].high
    if len(repeats) > 1 or not low or not high:
        return None, []
    return token, [[token, Token("repeat", low - 1, high if high < 0 else high - 1)]]


def _within(token: Token, word: bool) -> Token:
    """token, matching only what is part of a word, or only what is not.

    Beyond ASCII both are left open: \\b decides, and knows no letters there.
    """
    if token.kind == "literal":
        inside = any(a <= token.low <= b for a, b in WORD)
        return token if token.low >= 0x80 or inside is word else Token("never")
    ranges = token.ranges
    if token.negated or token.kind == "any":
        ranges = complement(ranges)
    wanted = merged([*WORD, (0x80, 0x10FFFF)]) if word else complement(WORD)
    return Token("set", ranges=common(ranges, wanted))
