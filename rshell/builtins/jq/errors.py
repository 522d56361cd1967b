"""What ends a part of a jq program, or the whole."""

from __future__ import annotations

from typing import Any


class JqError(Exception):
    """An error that try can catch; value is its message, or whatever error() was given."""

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.value = value


class BreakOut(Exception):
    """break $label: goes up to the label that owns it."""

    def __init__(self, label: object) -> None:
        super().__init__()
        self.label = label


class Halted(Exception):
    """halt and halt_error: the end of the program; message is what goes to stderr."""

    def __init__(self, status: int, message: bytes = b"") -> None:
        super().__init__()
        self.status = status
        self.message = message


class TooMuch(Exception):
    """A bound is reached; no try of the program catches it."""


class CompileError(Exception):
    """The program is wrong; line is where."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line
