"""The tokens of a jq program. A string is one token, its interpolations token lists of their own."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from rshell.builtins.jq import bounds
from rshell.builtins.jq.errors import CompileError


class Token(NamedTuple):
    """kind: 'op', 'keyword', 'name', 'field', 'variable', 'format', 'number', 'string' or 'end'."""

    kind: str
    value: Any
    line: int


KEYWORDS = frozenset(
    ("def", "if", "then", "elif", "else", "end", "as", "reduce", "foreach", "try", "catch", "label", "import",
     "include", "and", "or", "__loc__")
)  # fmt: skip
_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+|\#[^\n]*)
    |(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<field>\.[A-Za-z_][A-Za-z0-9_]*)
    |(?P<variable>\$[ \t]*(?:[A-Za-z_][A-Za-z0-9_]*::)*[A-Za-z_][A-Za-z0-9_]*)
    |(?P<format>@[A-Za-z0-9_]+)
    |(?P<name>(?:[A-Za-z_][A-Za-z0-9_]*::)*[A-Za-z_][A-Za-z0-9_]*)
    |(?P<op>\?//|//=|\|=|\+=|-=|\*=|/=|%=|==|!=|<=|>=|//|\.\.|[.\[\](){}|,:;=<>+\-*/%?])
    |(?P<quote>")""",
    re.VERBOSE,
)
_CHUNK = re.compile(r'[^"\\]+')
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_INTEGER = re.compile(r"[0-9]+")
_HEX = re.compile(r"[0-9A-Fa-f]{4}")


def number_value(text: str) -> int | float:
    """The value of a number literal: exact when it is an integer."""
    if len(text) < 4_000 and _INTEGER.fullmatch(text):
        return int(text)  # text: ours
    value = float(text)  # text: ours
    if value == float("inf"):
        return 1.7976931348623157e308
    return int(value) if value.is_integer() and abs(value) < 1e15 else value  # text: ours


class Lexer:
    """Cuts a program into tokens."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1

    def tokens(self, depth: int = 0) -> list[Token]:
        """The tokens up to the end; inside an interpolation up to its closing parenthesis."""
        if depth > bounds.NESTING:
            raise CompileError("nesting too deep", self.line)
        found: list[Token] = []
        text = self.text
        open_parentheses = 0
        while self.at < len(text):
            match = _TOKEN.match(text, self.at)
            if match is None:
                raise CompileError("syntax error, unexpected INVALID_CHARACTER", self.line)
            kind = match.lastgroup or ""
            value = match[0]
            self.at = match.end()
            if kind == "space":
                self.line += value.count("\n")
            elif kind == "quote":
                found.append(Token("string", self._string(depth), self.line))
            elif kind == "name":
                found.append(Token("keyword" if value in KEYWORDS else "name", value, self.line))
            elif kind == "number":
                found.append(Token("number", number_value(value), self.line))
            elif kind == "field":
                found.append(Token("field", value[1:], self.line))
            elif kind == "variable":
                found.append(Token("variable", value[1:].lstrip(" \t"), self.line))
            elif kind == "format":
                found.append(Token("format", value, self.line))
            else:
                if value == "(":
                    open_parentheses += 1
                elif value == ")":
                    if depth and open_parentheses == 0:
                        found.append(Token("end", ")", self.line))
                        return found
                    open_parentheses -= 1
                found.append(Token("op", value, self.line))
        if depth:
            raise CompileError("syntax error, unexpected end of program in a string's interpolation", self.line)
        found.append(Token("end", "$end", self.line))
        return found

    def _string(self, depth: int) -> list[str | list[Token]]:
        """The parts of a string, from behind its opening quote."""
        text = self.text
        parts: list[str | list[Token]] = []
        held: list[str] = []
        while True:
            if self.at >= len(text):
                raise CompileError("syntax error, unexpected $end, unterminated string", self.line)
            character = text[self.at]
            if character == '"':
                self.at += 1
                break
            if character != "\\":
                match = _CHUNK.match(text, self.at)
                chunk = match[0] if match else ""
                self.at += len(chunk)
                self.line += chunk.count("\n")
                held.append(chunk)
                continue
            letter = text[self.at + 1 : self.at + 2]
            self.at += 2
            if letter == "(":
                if held:
                    parts.append("".join(held))
                    held = []
                parts.append(self.tokens(depth + 1))
            elif letter == "u":
                held.append(self._unicode())
            elif letter in _ESCAPES:
                held.append(_ESCAPES[letter])
            else:
                raise CompileError("syntax error: invalid escape in a string", self.line)
        if held:
            parts.append("".join(held))
        return parts

    def _unicode(self) -> str:
        match = _HEX.match(self.text, self.at)
        if match is None:
            raise CompileError("syntax error: invalid escape in a string", self.line)
        self.at += 4
        code = int(match[0], 16)  # text: ours
        if 0xD800 <= code < 0xDC00 and self.text.startswith("\\u", self.at):
            low = _HEX.match(self.text, self.at + 2)
            second = int(low[0], 16) if low else 0  # text: ours
            if 0xDC00 <= second < 0xE000:
                self.at += 6
                return chr(0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00))
        return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)
