"""The state of one shell or subshell, and what it offers to commands (builtins.context.Context)."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins import registry, streams
from rshell.builtins.command import encode, run_command
from rshell.builtins.quoting import quote_word
from rshell.interp.endings import CallerFailure, DispatchTimeout, LoopExit, ShellExit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rshell.builtins.command import Command
    from rshell.builtins.streams import Sink, Source
    from rshell.interp.run import Run

DEFAULT_IFS = " \t\n"
_OWN = ("IFS", "PWD", "OLDPWD", "OPTIND", "ALLOWED_PATHS")  # the shell's, whatever environment a command gets


@lru_cache(maxsize=32)
def _special(ifs: str) -> Callable[[str], object]:
    """Search for a character that ends a field or makes a pattern."""
    return re.compile(f"[{re.escape(ifs)}*?\\[\\\\]").search


class Shell:
    """Variables, directory, status and streams of a shell. A subshell is a copy (`fork`).

    substituted is the status of the last command substitution since it was set to None; inline
    holds the names that stand as NAME=value before the command that is running.
    """

    __slots__ = (
        "cwd", "exported", "ifs", "inline", "loops", "previous", "run", "special", "status", "stderr", "stdin",
        "stdout", "stored", "substituted", "vars",
    )  # fmt: skip

    def __init__(self, run: Run, cwd: str, stdin: Source, stdout: Sink, stderr: Sink) -> None:
        self.run = run
        self.cwd = cwd
        self.previous = ""  # the directory before the last cd
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.vars: dict[str, str] = {}
        self.exported: frozenset[str] = frozenset()
        self.inline: tuple[str, ...] = ()
        self.stored = 0  # bytes in the values of all variables that the script set
        self.ifs = DEFAULT_IFS
        self.special = _special(DEFAULT_IFS)  # finds what makes a value split or match file names
        self.status = 0
        self.substituted: int | None = None
        self.loops = 0

    def fork(self) -> Shell:
        """Return a subshell: a copy with the same streams."""
        child = Shell.__new__(Shell)
        child.run = self.run
        child.cwd = self.cwd
        child.previous = self.previous
        child.stdin = self.stdin
        child.stdout = self.stdout
        child.stderr = self.stderr
        child.vars = self.vars.copy()
        child.exported = self.exported
        child.inline = self.inline
        child.stored = self.stored
        child.ifs = self.ifs
        child.special = self.special
        child.status = self.status
        child.substituted = None
        child.loops = 0
        return child

    def complain(self, message: str) -> None:
        """Write a message of the shell itself to stderr."""
        with suppress(streams.WriteError):  # stderr is a file that cannot be written: there is nowhere left to say so
            self.stderr.write(encode(message) + b"\n")

    # Variables

    def get(self, name: str) -> str | None:
        """The value of a variable."""
        return self.vars.get(name)

    def assign(self, name: str, value: str) -> None:
        """Set a variable. Past the storage limit the shell ends with status 1."""
        old = self.vars.get(name)
        size = len(value) if value.isascii() else len(encode(value))
        if old is not None:
            size -= len(old) if old.isascii() else len(encode(old))
        size += self.stored
        if size > limits.VARIABLES:
            self.complain(f"{name}: variable storage limit exceeded ({size} bytes total)")
            raise ShellExit(1)
        self.stored = size
        self.vars[name] = value
        if name == "IFS":
            self._split_by(value)

    def unset(self, name: str) -> None:
        """Remove a variable."""
        old = self.vars.pop(name, None)
        if old is not None:
            self.stored -= len(old) if old.isascii() else len(encode(old))
        if name == "IFS":
            self._split_by(DEFAULT_IFS)

    def _split_by(self, ifs: str) -> None:
        self.ifs = ifs
        self.special = _special(ifs)

    def restore(self, name: str, value: str | None) -> None:
        """Put a variable back to what it was before an inline assignment."""
        if value is None:
            self.unset(name)
        else:
            self.assign(name, value)

    def environment(self) -> Mapping[str, str]:
        """What a command's environment holds: the policy's variables and inline assignments."""
        names = self.exported.union(self.inline) if self.inline else self.exported
        return {name: value for name, value in self.vars.items() if name in names}

    # The directory

    def change_directory(self, path: str) -> None:
        """Make path (absolute) the working directory; keeps PWD and OLDPWD. Raises OSError."""
        self.run.sandbox.directory(path).close()
        self.previous = self.cwd
        self.cwd = path
        self.assign("OLDPWD", self.previous)
        self.assign("PWD", path)

    # Control

    def exit(self, status: int) -> None:
        """End the shell (or subshell)."""
        raise ShellExit(status)

    def leave_loops(self, levels: int, *, again: bool, status: int = 0) -> bool:
        """break, or with again continue, levels loops; False outside any loop."""
        if not self.loops:
            return False
        raise LoopExit(min(levels, self.loops), again, status)

    # Commands

    def lookup(self, name: str) -> str:
        """'builtin' when name may run, 'denied' when only the policy stands against it, else ''."""
        if name not in registry.MODULES:
            return ""
        return "builtin" if self.run.policy.allows(name) else "denied"

    def call(self, argv: list[str]) -> int:
        """Run the command that argv names; set and return the status."""
        name = argv[0]
        if not self.run.policy.allows(name):
            self.complain(f"{quote_word(name)}: command not allowed")
            status = 127
        else:
            command = registry.find(name)
            if command is not None:
                return self.execute(command, argv[1:])
            if self.run.exec_handler is not None:
                status = self._external(argv)
            else:
                self.complain(f"{quote_word(name)}: command not found")
                status = 127
        self.status = status
        return status

    def execute(self, command: Command, args: list[str]) -> int:
        """Run an allowed command; set and return the status."""
        status = self.status = run_command(command, args, self)
        return status

    def _external(self, argv: list[str]) -> int:
        handler = self.run.exec_handler
        assert handler is not None
        try:
            streams = {"stdin": self.stdin, "stdout": self.stdout, "stderr": self.stderr}
            return handler(argv, cwd=self.cwd, env=dict(self.environment()), **streams)
        except Exception as error:
            raise CallerFailure(error) from error

    def dispatch(
        self,
        argv: Sequence[str],
        *,
        stdin: Source | None = None,
        stdout: Sink | None = None,
        cwd: str | None = None,
        environment: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> int:
        """Run a command by name for another command (xargs, find -exec); return its status."""
        run = self.run
        if run.depth >= limits.DISPATCH_DEPTH:
            self.complain(f"{argv[0]}: commands run by commands are nested too deep ({limits.DISPATCH_DEPTH} at most)")
            return 126
        child = self.fork()
        child.stdin = streams.empty() if stdin is None else stdin
        if stdout is not None:
            child.stdout = stdout
        if cwd is not None:
            child.cwd = cwd
        if environment is not None:
            child.vars = {name: self.vars[name] for name in _OWN if name in self.vars} | dict(environment)
            child.exported = frozenset(environment)
            child.inline = ()
        token = object()
        entry = None
        if timeout is not None:
            entry = (time.monotonic() + timeout, run.scheduler.current, token)
            run.timeouts.append(entry)
        run.depth += 1
        try:
            return child.call(list(argv))
        except ShellExit as leaving:
            return leaving.status
        except DispatchTimeout as passed:
            if passed.token is not token:
                raise
            return 124
        finally:
            run.depth -= 1
            if entry is not None:
                run.timeouts.remove(entry)
