"""JSON text as jq reads it, character by character: for what the fast reader does not take.

It accepts what jq accepts beyond JSON (nan, Infinity, 01, .5, +1), and tells errors in jq's words and places.
"""

from __future__ import annotations

import re
from typing import Any

from rshell.builtins.jq import bounds
from rshell.builtins.jq.lexer import number_value

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_TOKEN = re.compile(r"[A-Za-z0-9.+\-_]")
_CONSTANTS = {"null": None, "true": True, "false": False, "nan": float("nan"), "NaN": float("nan")}
_ESCAPE = re.compile(r'\\(?:u([0-9A-Fa-f]{4})|(["\\/bfnrt]))')
_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PUNCTUATION = "[]{}:,"
_NOTHING: Any = object()


class Malformed(Exception):
    """The text is not JSON; message says what and at is how many characters were read."""

    def __init__(self, message: str, at: int, *, end: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.at = at
        self.end = end


class Container:
    """An array or object that is still open."""

    __slots__ = ("key", "target")

    def __init__(self, target: Any) -> None:
        self.target = target
        self.key: Any = _NOTHING


class Decoder:
    """Reads one value after the other from a text that ends where the input does."""

    def __init__(self, text: str, at: int = 0) -> None:
        self.text = text
        self.at = at
        self.held: Any = _NOTHING
        self.stack: list[Container] = []

    def next(self) -> tuple[Any, bool]:
        """The next value and True, or None and False at the end. Raises Malformed."""
        text = self.text
        while self.at < len(text):
            character = text[self.at]
            if character in " \t\r\n":
                self.at += 1
            elif character == '"':
                if self.held is not _NOTHING and not self.stack:
                    return self._take(), True
                self._value(self._string())
            elif character in _PUNCTUATION:
                if self.held is not _NOTHING and not self.stack:
                    if character in "[{":
                        return self._take(), True
                    self.at += 1
                    self._punctuation(character)
                self.at += 1
                self._punctuation(character)
            else:
                if self.held is not _NOTHING and not self.stack:
                    return self._take(), True
                self._value(self._literal())
            if self.held is not _NOTHING and not self.stack:
                # What was read is a whole value; whether the next character fits is the next call's matter.
                return self._take(), True
        if self.stack:
            raise Malformed("Unfinished JSON term", self.at, end=True)
        return None, False

    def _take(self) -> Any:
        value, self.held = self.held, _NOTHING
        return value

    def _value(self, value: Any) -> None:
        if self.held is not _NOTHING:
            raise Malformed("Expected separator between values", self.at)
        self.held = value

    def _punctuation(self, character: str) -> None:
        stack = self.stack
        if character in "[{":
            if len(stack) >= bounds.DEPTH:
                raise Malformed("Exceeds depth limit for parsing", self.at)
            if self.held is not _NOTHING:
                raise Malformed("Expected separator between values", self.at)
            stack.append(Container([] if character == "[" else {}))
            return
        top = stack[-1] if stack else None
        if character == ":":
            if self.held is _NOTHING:
                raise Malformed("Expected string key before ':'", self.at)
            if top is None or top.target.__class__ is not dict or top.key is not _NOTHING:
                raise Malformed("':' not as part of an object", self.at)
            if self.held.__class__ is not str:
                raise Malformed("Object keys must be strings", self.at)
            top.key = self._take()
        elif character == ",":
            if self.held is _NOTHING:
                raise Malformed("Expected value before ','", self.at)
            if top is None:
                raise Malformed("',' not as part of an object or array", self.at)
            self._close_item(top)
            top.target.append(_NOTHING) if top.target.__class__ is list else top.target.__setitem__(_NOTHING, None)
        else:
            self._close(character, top)

    def _close_item(self, top: Container) -> None:
        """The value that was read becomes an element of the open container."""
        target = top.target
        if target.__class__ is list:
            if target and target[-1] is _NOTHING:
                target.pop()
            target.append(self._take())
            return
        if top.key is _NOTHING:
            raise Malformed("Objects must consist of key:value pairs", self.at)
        target.pop(_NOTHING, None)
        target[top.key] = self._take()
        top.key = _NOTHING

    def _close(self, character: str, top: Container | None) -> None:
        kind = list if character == "]" else dict
        if top is None or top.target.__class__ is not kind:
            raise Malformed(f"Unmatched '{character}'", self.at)
        target = top.target
        if self.held is not _NOTHING:
            self._close_item(top)
        elif kind is list:
            if target and target[-1] is _NOTHING:
                raise Malformed("Expected another array element", self.at)
        elif top.key is not _NOTHING:
            raise Malformed("Objects must consist of key:value pairs", self.at)
        elif _NOTHING in target:
            raise Malformed("Expected another key-value pair", self.at)
        self.stack.pop()
        self.held = target

    def _literal(self) -> Any:
        start = self.at
        text = self.text
        if not _TOKEN.match(text, start):
            # jq collects any other character into the token and finds the fault at the token's end
            pass
        while self.at < len(text) and text[self.at] not in ' \t\r\n"' and text[self.at] not in _PUNCTUATION:
            self.at += 1
        token = text[start : self.at]
        if token in _CONSTANTS:
            return _CONSTANTS[token]
        match = _NUMBER.fullmatch(token)
        if match is not None:
            value = number_value(token.lstrip("+-"))
            if token[0] == "-":
                return -value if value else -0.0
            return value
        if token.lstrip("+-") in ("Infinity", "infinity"):
            return float("-inf") if token[0] == "-" else float("inf")
        if token == "-nan":
            return float("nan")
        message = "Invalid literal" if token[0] in "tf" or token.startswith("nu") else "Invalid numeric literal"
        end = self.at >= len(text)
        raise Malformed(message, self.at if end else self.at + 1, end=end)

    def _string(self) -> str:
        text = self.text
        end = self.at + 1
        while True:
            quote = text.find('"', end)
            if quote < 0:
                raise Malformed("Unfinished string", len(text), end=True)
            slashes = 0
            while text[quote - 1 - slashes] == "\\":
                slashes += 1
            if slashes % 2 == 0:
                break
            end = quote + 1
        raw = text[self.at + 1 : quote]
        self.at = quote + 1
        return self._unescaped(raw) if "\\" in raw else raw

    def _unescaped(self, raw: str) -> str:
        pieces: list[str] = []
        at = 0
        while True:
            slash = raw.find("\\", at)
            if slash < 0:
                pieces.append(raw[at:])
                return "".join(pieces)
            pieces.append(raw[at:slash])
            match = _ESCAPE.match(raw, slash)
            if match is None:
                raise Malformed("Invalid escape", self.at)
            at = match.end()
            if match[2]:
                pieces.append(_LETTERS.get(match[2], match[2]))
                continue
            code = int(match[1], 16)  # text: ours
            if 0xD800 <= code < 0xDC00:
                low = _ESCAPE.match(raw, at)
                second = int(low[1], 16) if low and low[1] else 0  # text: ours
                if low and 0xDC00 <= second < 0xE000:
                    at = low.end()
                    pieces.append(chr(0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00)))
                    continue
            pieces.append("\ufffd" if 0xD800 <= code < 0xE000 else chr(code))
