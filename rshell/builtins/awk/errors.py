"""What can go wrong in an awk program, before and while it runs."""

from __future__ import annotations


class AwkError(Exception):
    """Ends awk with `awk: message` and exit status 2."""


class SyntaxFault(AwkError):
    """The program is not awk; nothing runs."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")


class Refused(AwkError):
    """The program is awk, but asks for what this shell does not give; nothing runs."""
