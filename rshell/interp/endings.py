"""How control leaves a piece of script early.

All are BaseExceptions: a command may catch Exception, never these.
"""

from __future__ import annotations


class LoopExit(BaseException):
    """break (or continue, with again) out of levels loops, whose status it sets."""

    def __init__(self, levels: int, again: bool, status: int = 0) -> None:
        self.levels = levels
        self.again = again
        self.status = status


class ShellExit(BaseException):
    """The shell, or the subshell it is raised in, ends with status."""

    def __init__(self, status: int) -> None:
        self.status = status


class PipeClosed(BaseException):
    """The reader of the pipe that is written to has gone: ends the stage, as SIGPIPE would."""


class Unwound(BaseException):
    """The stage is being unwound because the run ends."""


class Ended(BaseException):
    """The run ends now. reason is 'timeout', 'cancel', 'stdout' or 'stderr' (an output limit)."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


class DispatchTimeout(BaseException):
    """The shorter deadline of one dispatched command has passed. token says whose."""

    def __init__(self, token: object) -> None:
        self.token = token


class CallerFailure(BaseException):
    """A callable of the application (a writer, a callback) raised; error leaves run()."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


class ExpansionError(Exception):
    """A word could not be expanded: the command is not run, its status is 1."""
