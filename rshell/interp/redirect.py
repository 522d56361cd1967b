"""Redirections, compiled: each becomes a closure that changes the shell's streams."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from rshell import limits
from rshell.builtins.command import encode, reason
from rshell.builtins.quoting import quote_word
from rshell.builtins.streams import NullSink, Source, WriteError, empty, from_bytes
from rshell.interp.endings import ExpansionError
from rshell.interp.words import compile_single, compile_words
from rshell.syntax.tree import HereDoc, Parameter, Word

if TYPE_CHECKING:
    from rshell.interp.run import Run
    from rshell.interp.shell import Shell
    from rshell.interp.words import CompileSubstitution
    from rshell.sandbox import File
    from rshell.syntax.tree import Redirect

Apply: TypeAlias = Callable[["Shell", "Opened"], None]

_NULL = NullSink()


class RedirectError(Exception):
    """A redirection failed: its command is not run, the status is 1."""


class DirectoryError(RedirectError):
    """What was to be read is a directory: $(<dir) is empty, as in bash."""


class Opened:
    """What the redirections of one command have opened."""

    __slots__ = ("files", "run", "sinks")

    def __init__(self, run: Run) -> None:
        self.run = run
        self.files: list[File] = []
        self.sinks: list[FileSink] = []

    def add_file(self, file: File) -> None:
        """Own an open file. Raises OSError when the run has too many open."""
        try:
            self.run.open_one()
        except OSError:
            file.close()
            raise
        self.files.append(file)

    def close(self) -> None:
        """Close everything; what was written is recorded."""
        while self.files:
            self.run.close_one()
            self.files.pop().close()
        while self.sinks:
            self.run.close_one()
            self.sinks.pop().close()

    def abandon(self) -> None:
        """A later redirection failed: close everything, and remove the files that were made for nothing."""
        while self.sinks:
            self.run.close_one()
            self.sinks.pop().abandon()
        self.close()


class FileSink:
    """A file that output goes to; what was written is recorded when it is closed."""

    __slots__ = ("action", "file", "label", "path", "run", "size")

    def __init__(self, sh: Shell, file: File, path: str, action: str, label: str) -> None:
        self.file = file
        self.path = path
        self.action = action
        self.label = label
        self.run = sh.run
        self.size = 0

    def write(self, data: bytes, /) -> None:
        budget = self.run.sandbox.budget
        left = budget.left
        try:
            self.file.write(data)
        except OSError as failure:
            raise WriteError(f"write error: {reason(failure)}") from failure
        finally:
            self.size += left - budget.left

    def close(self) -> None:
        self.file.close()
        self.run.record(self.action, self.path, self.size, self.label)

    def abandon(self) -> None:
        created = self.file.created
        self.file.close()
        if created:
            with suppress(OSError):  # somebody else removed it
                self.run.sandbox.unlink(self.path)
        elif self.action == "write":
            self.run.record(self.action, self.path, 0, self.label)  # it was truncated all the same


def compile_redirects(redirects: tuple[Redirect, ...], substitution: CompileSubstitution, label: str) -> Apply:
    """Compile redirections to one closure that applies them in order.

    What it opens is added to opened. Raises RedirectError.
    """
    steps = [_compile(redirect, substitution, label) for redirect in redirects]
    if len(steps) == 1:
        return steps[0]

    def apply(sh: Shell, opened: Opened) -> None:
        for step in steps:
            step(sh, opened)

    return apply


def _compile(redirect: Redirect, substitution: CompileSubstitution, label: str) -> Apply:
    op, target = redirect.op, redirect.target
    if isinstance(target, HereDoc):
        return _here_document(target, substitution)
    if op in (">&", "<&"):
        return _duplicate(redirect)
    name = _target(target, substitution)
    if op == "<":
        return lambda sh, opened: _read(sh, name(sh), opened)
    append = op in (">>", "&>>")
    both = op in ("&>", "&>>")
    shown = {">|": ">"}.get(op, op)
    descriptor = 1 if redirect.fd is None else redirect.fd

    def write(sh: Shell, opened: Opened) -> None:
        sink = _open(sh, name(sh), append, shown, label, opened)
        if both or descriptor == 1:
            sh.stdout = sink
        if both or descriptor == 2:
            sh.stderr = sink

    return write


def _target(word: Word, substitution: CompileSubstitution) -> Callable[[Shell], str]:
    """The closure for the one path that a target gives."""
    words = compile_words([word], substitution)
    shown = _source(word)

    def target(sh: Shell) -> str:
        try:
            fields = words(sh)
        except ExpansionError as error:
            raise RedirectError(str(error)) from None
        if len(fields) != 1:
            raise RedirectError(f"{shown}: ambiguous redirect")
        return fields[0]

    return target


def _source(word: Word) -> str:
    """A word as the script wrote it, nearly: for the message about it."""
    return "".join(f"${p.name}" if isinstance(p, Parameter) else getattr(p, "text", "…") for p in word.parts)


def _duplicate(redirect: Redirect) -> Apply:
    word = redirect.target
    assert isinstance(word, Word)
    to = word.literal()
    source = 1 if redirect.fd is None else redirect.fd

    def duplicate(sh: Shell, opened: Opened) -> None:
        if source == 2 and to == "1":
            sh.stderr = sh.stdout
        elif source == 1 and to == "2":
            sh.stdout = sh.stderr

    return duplicate


def _here_document(document: HereDoc, substitution: CompileSubstitution) -> Apply:
    body = compile_single(document.body.parts, substitution)

    def read(sh: Shell, opened: Opened) -> None:
        try:
            data = encode(body(sh))
        except ExpansionError as error:
            raise RedirectError(str(error)) from None
        if len(data) > limits.HEREDOC:
            raise RedirectError(f"here-document too long ({limits.HEREDOC} bytes at most)")
        sh.stdin = from_bytes(data)

    return read


def open_input(sh: Shell, path: str, opened: Opened) -> Source:
    """Open what `<` names. Raises RedirectError."""
    if path == "/dev/null":
        return empty()
    if path in ("/dev/stdin", "/dev/fd/0"):
        return sh.stdin
    run = sh.run
    try:
        if not path:
            raise FileNotFoundError(2, "no such file or directory")
        file = run.sandbox.open(path if path.startswith("/") else f"{sh.cwd}/{path}")
        opened.add_file(file)
    except IsADirectoryError as failure:
        raise DirectoryError(f"{quote_word(path)}: {reason(failure)}") from None
    except OSError as failure:
        raise RedirectError(f"{quote_word(path)}: {reason(failure)}") from None
    check = run.check
    read = file.read

    def pull(size: int) -> bytes:
        check()
        return read(size)

    return Source(pull, file)


def _read(sh: Shell, path: str, opened: Opened) -> None:
    sh.stdin = open_input(sh, path, opened)


def _open(sh: Shell, path: str, append: bool, op: str, label: str, opened: Opened) -> NullSink | FileSink:
    if path == "/dev/null":
        return _NULL
    run = sh.run
    if run.policy.mode != "remediation":  # the second wall: the validator has refused this already
        raise RedirectError(f"{op} file redirection is not supported")
    try:
        if not path:
            raise FileNotFoundError(2, "no such file or directory")
        full = path if path.startswith("/") else f"{sh.cwd}/{path}"
        run.open_one()
        try:
            file = run.sandbox.open_write(full, append=append, create=True, truncate=not append)
        except BaseException:
            run.close_one()
            raise
    except OSError as failure:
        raise RedirectError(f"{quote_word(path)}: {reason(failure)}") from None
    sink = FileSink(sh, file, full, "append" if append else "write", label)
    opened.sinks.append(sink)
    return sink
