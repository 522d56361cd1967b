"""Regular expressions as scripts write them, read into tokens: POSIX basic and extended with GNU's extensions.

The dialects differ in what needs a backslash and in what an operator without an operand means
(regex(7), and the RE_SYNTAX_* definitions of regex.h). Nothing here knows of the engine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from rshell.builtins.command import Failure
from rshell.builtins.regex_classes import NAMES, Ranges, class_ranges, merged

TOO_BIG = "Regular expression too big"
_BRACKET = "Unmatched [, [^, [:, [., or [="
_BRACE = "Unmatched \\{"
_CONTENT = "Invalid content of \\{\\}"
_PRECEDING = "Invalid preceding regular expression"
_BACK_REFERENCE = (
    "back-references such as \\{} are not supported; spell the alternatives out, or compare the parts with awk"
)
_REPEAT_MAX = 32767  # RE_DUP_MAX
_NESTING = 500  # the engine itself stops at 1,000
_DIGITS = "0123456789"
_PLUS_AND_MARK = {"+": (1, -1), "?": (0, 1)}
_MISSING, _INVALID, _AT_END = -1, -2, -3  # what a number of an interval can be instead


@lru_cache(maxsize=64)
def _merged(pairs: Ranges) -> Ranges:
    """merged(), remembered: a pattern may hold one class a thousand times."""
    return merged(list(pairs))


class PatternError(Failure):
    """A regular expression that cannot be used; the message is GNU's where GNU refuses it too."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a dialect makes of the characters that may be operators.

    bare: ( ) | need no backslash. bare_plus: nor do + and ?. intervals: {m,n} (or \\{m,n\\}) exists.
    leading: an operator without operand is 'literal', 'error' or 'nothing' (it repeats the empty
    string). single: a** is an error. loose_braces: what is no interval is literal. loose_close: a )
    too many is literal. any_anchor: ^ and $ are anchors wherever they stand. escapes: \\n, \\t and
    octal are characters, in brackets too (awk). brackets: a backslash in brackets quotes. extras: \\| \\+
    and \\? are operators. gnu: \\w, \\b and the like are operators. dot_newline: . matches a newline.
    classes: [:alpha:] exists. warns: grep's warnings, and its own error for [:space:].
    """

    bare: bool = False
    bare_plus: bool = False
    intervals: bool = True
    leading: str = "literal"
    single: bool = False
    loose_braces: bool = False
    loose_close: bool = False
    any_anchor: bool = False
    escapes: bool = False
    brackets: bool = False
    extras: bool = True
    gnu: bool = True
    dot_newline: bool = True
    classes: bool = True
    warns: bool = False


_EXTENDED = Dialect(bare=True, bare_plus=True, leading="error", any_anchor=True)
_AWK = Dialect(
    bare=True, bare_plus=True, leading="nothing", loose_braces=True, loose_close=True, any_anchor=True, brackets=True
)  # as find -regextype has it
DIALECTS = {
    "bre": Dialect(single=True),
    "ere": _EXTENDED,
    "grep": Dialect(warns=True),
    "egrep": Dialect(
        bare=True, bare_plus=True, leading="nothing", loose_braces=True, loose_close=True, any_anchor=True, warns=True
    ),
    "awk": Dialect(bare=True, bare_plus=True, leading="nothing", loose_braces=True, any_anchor=True, escapes=True),
    "emacs": Dialect(bare_plus=True, intervals=False, classes=False, dot_newline=False),
    "findutils": Dialect(bare_plus=True, intervals=False, classes=False),
    "minimal": Dialect(extras=False, warns=True),
    "posix-extended": replace(_EXTENDED, loose_close=True),
    "old-awk": replace(_AWK, intervals=False, gnu=False),
    "gnu-awk": _AWK,
    "posix-awk": replace(_AWK, leading="error", gnu=False),
}


class Token(NamedTuple):
    """One piece of an expression.

    kind: 'literal' (low: its code point, undecodable bytes as surrogates), 'set' (ranges, negated),
    'any', 'open' (low: the group's number, 0 without one), 'close', 'or', 'repeat' (low, high; high
    -1 without end), and the empty ones: 'line_start', 'line_end', 'text_start', 'text_end',
    'boundary', 'no_boundary', 'word_start', 'word_end', and 'never'.
    """

    kind: str
    low: int = 0
    high: int = 0
    ranges: Ranges = ()
    negated: bool = False


OR = Token("or")
CLOSE = Token("close")
_NOT_NEWLINE = Token("set", ranges=((0x0A, 0x0A),), negated=True)
OPEN = Token("open")
WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_SIMPLE_ESCAPES = {
    "b": Token("boundary"),
    "B": Token("no_boundary"),
    "<": Token("word_start"),
    ">": Token("word_end"),
    "`": Token("text_start"),
    "'": Token("text_end"),
}
_AWK_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "b": "\b"}
_EMPTY = frozenset(
    {"line_start", "line_end", "text_start", "text_end", "boundary", "no_boundary", "word_start", "word_end"}
)


def word_ranges() -> Ranges:
    """The characters of \\w: letters and digits of the locale, and the underscore."""
    return merged([*class_ranges("alnum"), (0x5F, 0x5F)])


class Parser:
    """Reads one expression; tokens, groups and warnings are what it found."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        self.text = text
        self.at = 0
        self.dialect = dialect
        self.tokens: list[Token] = []
        self.groups = 0
        self.warnings: list[str] = []
        self._open: list[int] = []
        self._closed: set[int] = set()

    def parse(self) -> None:
        """Read the whole text. Raises PatternError."""
        text = self.text
        while self.at < len(text):
            character = text[self.at]
            self.at += 1
            if character == "\\":
                self._backslash()
            elif character == "[":
                self.tokens.append(self._bracket())
            elif character == ".":
                self.tokens.append(Token("any") if self.dialect.dot_newline else _NOT_NEWLINE)
            elif character == "*":
                self._repeat("*", 0, -1)
            elif character == "^":
                self._caret()
            elif character == "$":
                self._dollar()
            elif character in "+?" and self.dialect.bare_plus:
                self._repeat(character, *_PLUS_AND_MARK[character])
            elif character in "(|){" and self.dialect.bare and (character != "{" or self.dialect.intervals):
                self._operator(character)
            else:
                self._literal(character)
        if self._open:
            raise PatternError("Unmatched ( or \\(")

    def _literal(self, character: str) -> None:
        self.tokens.append(Token("literal", ord(character)))

    def _operator(self, character: str) -> None:
        """( ) | { as operators, with or without their backslash."""
        if character == "(":
            if len(self._open) >= _NESTING:
                raise PatternError(TOO_BIG)
            self.groups += 1
            self._open.append(self.groups)
            self.tokens.append(Token("open", self.groups))
        elif character == ")":
            if self._open:
                self._closed.add(self._open.pop())
                self.tokens.append(CLOSE)
            elif self.dialect.loose_close:
                self._literal(")")
            else:
                raise PatternError("Unmatched ) or \\)")
        elif character == "|":
            self.tokens.append(OR)
        else:
            self._interval()

    def _backslash(self) -> None:
        if self.at == len(self.text):
            raise PatternError("Trailing backslash")
        character = self.text[self.at]
        self.at += 1
        dialect = self.dialect
        if dialect.escapes and self._awk_escape(character):
            return
        if character in "123456789" and not dialect.escapes:
            if _DIGITS.index(character) not in self._closed:
                raise PatternError("Invalid back reference")
            raise PatternError(_BACK_REFERENCE.format(character))
        if (character in "|+?" and not dialect.extras) or (character in "wWsSbB<>`'" and not dialect.gnu):
            self._literal(character)
        elif character in "()|{" and not dialect.bare and (character != "{" or dialect.intervals):
            self._operator(character)
        elif character in "+?" and not dialect.bare_plus:
            self._repeat("\\" + character, *_PLUS_AND_MARK[character])
        elif character in _SIMPLE_ESCAPES:
            self.tokens.append(_SIMPLE_ESCAPES[character])
        elif character in "wW":
            self.tokens.append(Token("set", ranges=word_ranges(), negated=character == "W"))
        elif character in "sS":
            self.tokens.append(Token("set", ranges=class_ranges("space"), negated=character == "S"))
        else:
            self._literal(character)

    def _awk_escape(self, character: str) -> bool:
        if character == "y":
            self.tokens.append(_SIMPLE_ESCAPES["b"])
        elif character in _AWK_ESCAPES:
            self._literal(_AWK_ESCAPES[character])
        elif character in "01234567":
            self._literal(chr(self._octal()))
        else:
            return False
        return True

    def _caret(self) -> None:
        if self.dialect.any_anchor or self._at_start():
            self.tokens.append(Token("line_start"))
        else:
            self._literal("^")

    def _at_start(self) -> bool:
        return not self.tokens or self.tokens[-1].kind in ("open", "or")

    def _dollar(self) -> None:
        rest = self.text[self.at : self.at + 2]
        if self.dialect.any_anchor or not rest or rest in ("\\)", "\\|"):
            self.tokens.append(Token("line_end"))
        else:
            self._literal("$")

    def _repeat(self, spelling: str, low: int, high: int) -> None:
        """An operator that repeats what stands before it; behind a start or an anchor there is nothing."""
        if not self._at_start() and self.tokens[-1].kind not in _EMPTY:
            if self.dialect.single and self.tokens[-1].kind == "repeat" and spelling in ("*", "{"):
                raise PatternError(_PRECEDING)
            self.tokens.append(Token("repeat", low, high))
        elif self.dialect.leading == "literal":
            self._literal(spelling[-1])
        elif self.dialect.leading == "error":
            raise PatternError(_PRECEDING)
        else:
            if self.dialect.warns:
                self.warnings.append(f"{'{...}' if spelling == '{' else spelling} at start of expression")
            if not self._at_start() and self.tokens[-1].kind in ("line_start", "line_end"):
                self.tokens.append(Token("repeat", low, high))  # grep repeats these anchors, and no others

    def _interval(self) -> None:
        """{m}, {m,}, {,n} or {m,n}, behind the opening brace (the rules of glibc's parse_dup_op)."""
        start = self.at
        if self.dialect.leading == "literal" and (self._at_start() or self.tokens[-1].kind in _EMPTY):
            if not self.dialect.warns:
                raise PatternError(_PRECEDING)
            self._literal("{")
            return
        low = self._count()
        closed = self.text[self.at - 1 : self.at] if low != _AT_END else ""
        high = low
        if low == _MISSING:
            if closed != ",":
                raise PatternError(_CONTENT)
            low = 0
            high = _MISSING
        if closed == "," and low != _INVALID:
            high = self._count()
            closed = self.text[self.at - 1 : self.at] if high != _AT_END else ""
        if min(low, high) <= _INVALID:
            if self.dialect.loose_braces:
                self.at = start
                self._literal("{")
                return
            raise PatternError(_BRACE if _AT_END in (low, high) else _CONTENT)
        if closed == "," or (high != _MISSING and low > high):
            raise PatternError(_CONTENT)
        if max(low, high) > _REPEAT_MAX:
            raise PatternError(TOO_BIG)
        self._repeat("{", low, high)

    def _count(self) -> int:
        """A number of an interval, read past the , or } (\\}) behind it."""
        text = self.text
        value = _MISSING
        while True:
            if self.at >= len(text):
                return _AT_END
            character = text[self.at]
            self.at += 1
            if character == ",":
                return value
            if self.dialect.bare:
                if character == "}":
                    return value
            elif text.startswith("\\}", self.at - 1):
                self.at += 1
                return value
            if character not in _DIGITS or value == _INVALID:
                value = _INVALID
            else:
                value = min(_REPEAT_MAX + 1, max(value, 0) * 10 + _DIGITS.index(character))

    def _bracket(self) -> Token:
        """A bracket expression, behind its [ (the rules of glibc's parse_bracket_exp)."""
        text = self.text
        start = self.at
        negated = text.startswith("^", self.at)
        if negated:
            self.at += 1
        if self.at >= len(text):
            raise PatternError(_BRACKET)
        pairs: list[tuple[int, int]] = []
        first = True
        while first or not text.startswith("]", self.at):
            low = self._element(pairs, first)
            first = False
            if self.at >= len(text):
                raise PatternError(_BRACKET)
            if text.startswith("-", self.at) and not text.startswith("-]", self.at):
                self.at += 1
                if low is None:
                    raise PatternError("Invalid range end")
                high = self._element(None, True)
                if high is None or high < low:
                    raise PatternError("Invalid range end")
                pairs.append((low, high))
            elif low is not None:
                pairs.append((low, low))
            if self.at >= len(text):
                raise PatternError(_BRACKET)
        self.at += 1
        if self.dialect.warns and not negated:
            inside = text[start : self.at - 1]
            if len(inside) > 2 and inside[0] == ":" == inside[-1]:
                raise PatternError("character class syntax is [[:space:]], not [:space:]")
        return Token("set", ranges=_merged(tuple(pairs)), negated=negated)

    def _element(self, pairs: list[tuple[int, int]] | None, hyphen: bool) -> int | None:
        """One character of a bracket expression; a class goes into pairs (None: the end of a range)."""
        text = self.text
        if self.at >= len(text):
            raise PatternError(_BRACKET)
        character = text[self.at]
        self.at += 1
        kind = text[self.at : self.at + 1]
        if character == "[" and kind in (".", "=", ":") and (kind != ":" or self.dialect.classes):
            end = text.find(kind + "]", self.at + 1)
            if end < 0:
                raise PatternError(_BRACKET)
            name = text[self.at + 1 : end]
            self.at = end + 2
            if kind != ":":
                if len(name) != 1:
                    raise PatternError("Invalid collation character")
                if kind == "." or pairs is None:
                    return ord(name) if kind == "." else None
                pairs.append((ord(name), ord(name)))
                return None
            if name not in NAMES:
                raise PatternError("Invalid character class name")
            if pairs is not None:
                pairs.extend(class_ranges(name))
            return None
        if character == "\\" and kind and (self.dialect.escapes or self.dialect.brackets):
            return self._escaped_element(kind)
        if character == "-" and not hyphen and not text.startswith("]", self.at):
            raise PatternError("Invalid range end")
        return ord(character)

    def _octal(self) -> int:
        """The byte that up to three octal digits give, the first just read; as a surrogate when no ASCII."""
        code = 0
        first = self.at - 1
        while self.at <= first + 3:
            code = code * 8 + _DIGITS.index(self.text[self.at - 1])
            if self.at > first + 2 or self.text[self.at : self.at + 1] not in tuple("01234567"):
                break
            self.at += 1
        code &= 0xFF
        return code if code < 0x80 else 0xDC00 + code

    def _escaped_element(self, character: str) -> int:
        self.at += 1
        if not self.dialect.escapes:
            return ord(character)
        if character in "01234567":
            return self._octal()
        return ord(_AWK_ESCAPES.get(character, character))
