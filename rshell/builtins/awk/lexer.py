"""The words of an awk program.

Whether a slash begins a regular expression depends on the token before it: after an operand it divides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rshell.builtins.awk.errors import Refused, SyntaxFault
from rshell.builtins.command import encode

KEYWORDS = frozenset({
    "BEGIN", "END", "BEGINFILE", "ENDFILE", "function", "func", "if", "else", "while", "for", "do", "break", "continue",
    "next", "nextfile", "exit", "return", "delete", "in", "getline", "print", "printf", "switch", "case", "default",
})  # fmt: skip

# Built-in functions: name -> least and greatest number of arguments.
BUILTINS: dict[str, tuple[int, int]] = {
    "atan2": (2, 2), "cos": (1, 1), "sin": (1, 1), "exp": (1, 1), "log": (1, 1), "sqrt": (1, 1), "int": (1, 1),
    "rand": (0, 0), "srand": (0, 1), "length": (0, 1), "index": (2, 2), "substr": (2, 3), "split": (2, 4),
    "sub": (2, 3), "gsub": (2, 3), "match": (2, 3), "sprintf": (1, 1_000_000), "tolower": (1, 1), "toupper": (1, 1),
    "fflush": (0, 1), "gensub": (3, 4), "strftime": (0, 3), "systime": (0, 0), "mktime": (1, 2), "asort": (1, 3),
    "asorti": (1, 3), "strtonum": (1, 1), "and": (2, 100), "or": (2, 100), "xor": (2, 100), "lshift": (2, 2),
    "rshift": (2, 2), "compl": (1, 1), "patsplit": (2, 4), "isarray": (1, 1), "typeof": (1, 1),
}  # fmt: skip
_NOT_SUPPORTED = {
    "system": "system() is not supported: awk runs no programs",
    "close": "close() is not supported: awk opens no files or pipes of its own",
}

_TOKEN = re.compile(
    r"""
    (?P<blank>(?:[ \t\r]|\\\r?\n)+)
  | (?P<comment>\#[^\n]*)
  | (?P<newline>\n)
  | (?P<number>0[xX][0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<string>"(?:[^"\\\n]|\\(?:\r\n|[\s\S]))*")
  | (?P<operator>\*\*=|\*\*|\|&|>>|&&|\|\||\+\+|--|[-+*/%^]=|==|<=|>=|!=|!~|[-{}()\[\];,+*/%^!><|?:~$=@])
    """,
    re.VERBOSE,
)
_REGEX = re.compile(
    r"""
    /((?: [^/\\\n\[] | \\[^\n]
        | \[ \^?\]? (?: \[:[a-z]*:\] | \[\.[^\n]*?\.\] | \[=[^\n]*?=\] | \\[^\n] | [^\]\\\n] )* \]
    )*)/
    """,
    re.VERBOSE,
)
_PLAIN_REGEX = re.compile(r"/((?:[^/\\\n]|\\[^\n])*)/")
_ESCAPE = re.compile(rb'\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|(\r?\n)|([\s\S]))')
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


@dataclass(frozen=True, slots=True)
class Token:
    """kind: number, string, regex, name, call (a name with a parenthesis right behind it), builtin, newline, end,
    or the keyword or operator itself. text: as written; of a string or regex, what stands between the quotes."""

    kind: str
    text: str
    line: int


_OPERANDS = frozenset({"number", "string", "regex", "name", "builtin", ")", "]", "$", "++", "--"})


def tokens(text: str) -> list[Token]:
    """Split a program into tokens; the last is of kind end. Raises SyntaxFault and Refused."""
    found: list[Token] = []
    at, line, last = 0, 1, ""
    while at < len(text):
        if text[at] == "/" and last not in _OPERANDS:
            match = _REGEX.match(text, at) or _PLAIN_REGEX.match(text, at)
            if match is None:
                raise SyntaxFault(line, "unterminated regular expression")
            found.append(Token("regex", match[1], line))
            last = "regex"
            at = match.end()
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            what = "unterminated string" if text[at] == '"' else f"syntax error near {text[at]}"
            raise SyntaxFault(line, what)
        kind = match.lastgroup or ""
        at = match.end()
        word = match[0]
        if kind not in ("blank", "comment"):
            token = _token(kind, word, line, text, at)
            last = token.kind
            found.append(token)
        line += word.count("\n")
    found.append(Token("end", "end of program", line))
    return found


def _token(kind: str, word: str, line: int, text: str, end: int) -> Token:
    if kind == "string":
        return Token("string", word[1:-1], line)
    if kind == "operator":
        if word == "@":
            raise Refused(f"line {line}: @include, @load and indirect calls are not supported")
        return Token(word.replace("**", "^"), word, line)
    if kind == "name":
        if word in KEYWORDS:
            return Token("function" if word == "func" else word, word, line)
        if word in BUILTINS:
            return Token("builtin", word, line)
        if text.startswith("(", end):
            if word in _NOT_SUPPORTED:
                raise Refused(f"line {line}: {_NOT_SUPPORTED[word]}")
            return Token("call", word, line)
    return Token(kind, word, line)


def unescape(text: bytes) -> bytes:
    """Replace the escapes of a string constant, or of an assignment operand's value."""
    if b"\\" not in text:
        return text
    return _ESCAPE.sub(_escaped, text)


def _escaped(match: re.Match[bytes]) -> bytes:
    octal, hexadecimal, newline, other = match.groups()
    if octal:
        return bytes((int(octal, 8) & 255,))  # text: ours
    if hexadecimal:
        return bytes((int(hexadecimal, 16),))  # text: ours
    if newline:
        return b""
    return _ESCAPES.get(other, other)


def regex_source(text: str) -> bytes:
    """The regular expression between slashes, with the escape that only the slashes needed taken away."""
    return encode(re.sub(r"\\(.)", lambda m: "/" if m[1] == "/" else m[0], text))
