"""What parsing and validation raise."""

from __future__ import annotations


class ShellSyntaxError(ValueError):
    """A script that cannot be parsed. str() gives what the user sees: `line N: MESSAGE`.

    message has no line in it; line counts from 1, and is 0 where no line is meant.
    """

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message, line)
        self.message = message
        self.line = line

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message


class FeatureError(ShellSyntaxError):
    """A script that uses what the shell refuses. str() gives the message alone; line is kept for tools."""

    def __str__(self) -> str:
        return self.message
