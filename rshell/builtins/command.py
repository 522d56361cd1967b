"""The framework of every command: its declaration, and the Invocation it works through.

A command is declared once; the option parser, --help, the `help` builtin, SHELL_FEATURES.md and the
completeness test all read that declaration.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from rshell.builtins.options import Option, Options, OptionTable, UsageError
from rshell.builtins.quoting import quote_in_message
from rshell.builtins.streams import LineTooLong, Source, WriteError, empty

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeVar

    from rshell.builtins.context import Context, Run
    from rshell.builtins.streams import Sink
    from rshell.sandbox import Directory, File

    _Opened = TypeVar("_Opened", File, Directory)

__all__ = ["Command", "Failure", "Input", "Invocation", "Option", "Options", "UsageError", "run_command"]

_STDIO = 4096  # a C program's output buffer on a pipe: output is held back until it holds this much
_MANY = 16  # arguments
_HELP = Option("--help", help="show this help")


class Failure(Exception):
    """Ends a command from anywhere inside it: `NAME: message` on stderr, and the status."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


class Command:
    """The declaration of a command.

    name: as scripts call it. summary: one line, no full stop. usage: the synopsis, without
    'Usage: '. options: what it takes. description: further paragraphs of --help. usage_status: the
    exit status of wrong use (GNU: 1 for most, 2 for ls, sort, grep and others). ordered: operands
    end the options (xargs, timeout). raw: no option parsing, the body reads call.args (echo, find); --help as the only
    argument is still answered unless help is False. remediation: runs in remediation mode only.
    rewrite: turns old spellings (head -5) into options before parsing. preload: imports what
    the body would import lazily, called beforehand under a policy that grants writing.
    """

    def __init__(
        self,
        name: str,
        summary: str,
        usage: str,
        *,
        options: Sequence[Option] = (),
        description: str = "",
        usage_status: int = 1,
        ordered: bool = False,
        raw: bool = False,
        help: bool = True,
        remediation: bool = False,
        rewrite: Callable[[list[str]], list[str]] | None = None,
        preload: Callable[[], None] | None = None,
    ) -> None:
        self.name = name
        self.summary = summary
        self.usage = usage
        self.options = (*options, _HELP) if help else tuple(options)
        self.description = description
        self.usage_status = usage_status
        self.raw = raw
        self.help = help
        self.remediation = remediation
        self.rewrite = rewrite
        self.preload = preload
        self.table = OptionTable(self.options, ordered=ordered)
        self.body: Callable[[Invocation], int | None] = _no_body
        self.quick: Callable[[list[str], Callable[[bytes], None]], int | None] | None = None

    def main(self, body: Callable[[Invocation], int | None]) -> Callable[[Invocation], int | None]:
        """Decorate the function that runs the command; it returns the exit status (None: call.status)."""
        self.body = body
        return body

    def fast(
        self, body: Callable[[list[str], Callable[[bytes], None]], int | None]
    ) -> Callable[[list[str], Callable[[bytes], None]], int | None]:
        """Decorate a short way for common calls that need no Invocation.

        It gets the arguments and stdout's write, and returns the exit status, or None before it has
        done anything when the call is not one of those; then the body runs.
        """
        self.quick = body
        return body

    def help_text(self) -> str:
        """What --help prints."""
        lines = [f"Usage: {self.usage}", f"{self.summary[:1].upper()}{self.summary[1:]}."]
        if self.description:
            lines += ["", self.description]
        shown = [(_spelling(o), o.help) for o in self.options if o.help and not o.refused]
        if shown:
            width = min(max(len(s) for s, _ in shown), 28)
            lines += ["", "Options:"]
            for spelling, text in shown:
                if len(spelling) > width:
                    lines += [f"  {spelling}", f"  {'':{width}}  {text}"]
                else:
                    lines.append(f"  {spelling:{width}}  {text}")
        refused = [(_spelling(o), o.refused) for o in self.options if o.refused]
        if refused:
            lines += ["", "Not supported:"]
            lines += [f"  {spelling}: {why}" for spelling, why in refused]
        return "\n".join(lines) + "\n"


def _spelling(option: Option) -> str:
    text = ", ".join(option.names)
    if option.value is None:
        return text
    long = option.names[-1].startswith("--")
    if option.optional:
        return f"{text}[={option.value}]" if long else f"{text}[{option.value}]"
    return f"{text}={option.value}" if long else f"{text} {option.value}"


def _no_body(call: Invocation) -> int:
    raise NotImplementedError(call.name)


class Input:
    """One input of a command: the operand as given ('-' for stdin) and its stream."""

    __slots__ = ("name", "source")

    def __init__(self, name: str, source: Source) -> None:
        self.name = name
        self.source = source

    def __iter__(self) -> Iterator[object]:
        return iter((self.name, self.source))


class Invocation:
    """One call of a command, and all that the command may touch.

    name: the command's name. args: the raw arguments (str, undecodable bytes as surrogates).
    options, operands: what the parser made of them. stdin: a Source. stdout, stderr: Sinks; write()
    and error() are what most commands use. status: the exit status so far. Everything opened
    through the Invocation is closed when the command ends, however it ends.
    """

    __slots__ = ("_buffer", "_buffered", "_opened", "args", "command", "context", "name", "options", "run", "status")

    def __init__(self, command: Command, args: list[str], context: Context) -> None:
        self.command = command
        self.name = command.name
        self.args = args
        self.context = context
        self.run: Run = context.run
        self.options = Options([], args)
        self.status = 0
        self._buffer: list[bytes] = []
        self._buffered = 0
        self._opened: list[File | Directory] = []

    # Arguments

    @property
    def operands(self) -> list[str]:
        """The operands; of a raw command, all arguments."""
        return self.options.operands

    # Streams

    @property
    def stdin(self) -> Source:
        return self.context.stdin

    @property
    def stdout(self) -> Sink:
        """Unbuffered stdout; call flush() before mixing it with write()."""
        return self.context.stdout

    @property
    def stderr(self) -> Sink:
        return self.context.stderr

    def write(self, data: bytes) -> None:
        """Write to stdout through a buffer of stdio's size, flushed when the command ends."""
        self._buffer.append(data)
        self._buffered += len(data)
        if self._buffered >= _STDIO:
            self.flush()

    def print(self, text: str) -> None:
        """Write text and a newline to stdout."""
        self.write(encode(text) + b"\n")

    def flush(self) -> None:
        """Hand what write() has held back to stdout."""
        if self._buffered:
            data = b"".join(self._buffer)
            self._buffer.clear()
            self._buffered = 0
            self.context.stdout.write(data)

    # Errors

    def warn(self, message: str) -> None:
        """Write `NAME: message` to stderr, without changing the status."""
        self.say(f"{self.name}: {message}\n")

    def say(self, text: str) -> None:
        """Write text to stderr as it is. Where stderr is a file that cannot be written it is lost."""
        with suppress(WriteError):
            self.context.stderr.write(encode(text))

    def error(self, message: str, status: int = 1) -> None:
        """Write `NAME: message` to stderr and raise the exit status to at least status."""
        self.warn(message)
        if self.status < status:
            self.status = status

    def report(self, path: str, failure: OSError, status: int = 1) -> None:
        """error() for a path that could not be used: `NAME: PATH: reason`, odd names in quotes as GNU has it."""
        self.error(f"{quote_in_message(path)}: {reason(failure)}", status)

    # Time

    def check(self) -> None:
        """Give the deadline its chance; to be called in every loop that can outlive a block."""
        self.run.check()

    # Files: every path goes through the sandbox, relative to the shell's directory

    def absolute(self, path: str) -> str:
        """path below the shell's directory, without any normalising."""
        return path if path.startswith("/") else f"{self.context.cwd}/{path}"

    def open(self, path: str) -> Source:
        """Open a file for reading. Raises OSError; '-' is not special, /dev/stdin and /dev/fd/0 are stdin."""
        if path in ("/dev/stdin", "/dev/fd/0"):
            return self.context.stdin
        if path == "/dev/null":  # always empty, as `< /dev/null` is
            return empty()
        file = self.open_file(path)
        check = self.run.check
        read = file.read

        def pull(size: int) -> bytes:
            check()
            return read(size)

        return Source(pull, file)

    def open_file(self, path: str) -> File:
        """Open a file for reading, as the sandbox's File."""
        if path == "":
            raise FileNotFoundError(2, "no such file or directory")
        self.run.open_one()
        try:
            return self._keep(self.run.sandbox.open(self.absolute(path)))
        except BaseException:
            self.run.close_one()
            raise

    def directory(self, path: str, *, follow: bool = True) -> Directory:
        """Open a directory as a capability for listing and going down."""
        if path == "":
            raise FileNotFoundError(2, "no such file or directory")
        self.run.open_one()
        try:
            return self._keep(self.run.sandbox.directory(self.absolute(path), follow=follow))
        except BaseException:
            self.run.close_one()
            raise

    def stat(self, path: str, *, follow: bool = True) -> os.stat_result:
        """stat(2), or lstat(2) with follow=False."""
        if path == "":
            raise FileNotFoundError(2, "no such file or directory")
        return self.run.sandbox.stat(self.absolute(path), follow=follow)

    def _keep(self, opened: _Opened) -> _Opened:
        self._opened.append(opened)
        return opened

    def close(self, opened: File | Directory | Source) -> None:
        """Close something opened here before the command ends. Closing stdin does nothing."""
        target = opened.file if isinstance(opened, Source) else opened
        if target is not None and target in self._opened:
            self._opened.remove(target)
            self.run.close_one()
            target.close()

    def close_all(self) -> None:
        """Close all that is still open; the framework calls this."""
        while self._opened:
            self.run.close_one()
            self._opened.pop().close()

    def inputs(self, operands: Sequence[str] | None = None, *, status: int = 1) -> Iterator[Input]:
        """Yield the inputs that operands name, '-' or none meaning stdin.

        What cannot be opened is reported as `NAME: PATH: reason` with status, and skipped. A
        read that fails is reported the same way and ends that input.
        """
        for name in (self.operands if operands is None else operands) or ("-",):
            if name == "-":
                yield Input(name, self.context.stdin)
                continue
            try:
                source = self.open(name)
            except OSError as failure:
                self.report(name, failure, status)
                continue
            try:
                yield Input(name, self.guarded(name, source, status))
            finally:
                self.close(source)

    def guarded(self, name: str, source: Source, status: int = 1) -> Source:
        """source, with a read error reported under name and taken as its end."""
        if source.file is None:
            return source

        def pull(size: int) -> bytes:
            try:
                return source.read(size)
            except OSError as failure:
                self.report(name, failure, status)
                return b""

        return Source(pull, source.file)


def encode(text: str) -> bytes:
    """text as the bytes it came from."""
    return text.encode("utf-8", "surrogateescape")


def decode(data: bytes) -> str:
    """data as text, undecodable bytes as surrogates."""
    return data.decode("utf-8", "surrogateescape")


def reason(failure: OSError) -> str:
    """The reason in a message: errno's text in lower case, or the sandbox's own words."""
    text = failure.strerror or "input/output error"
    return text[:1].lower() + text[1:]


def run_command(command: Command, args: list[str], context: Context) -> int:
    """Run a command to its end and return its exit status; errors become messages on its stderr."""
    call = Invocation(command, args, context)
    trouble = max(1, command.usage_status)
    try:
        try:
            return _run(command, call)
        except UsageError as failure:
            hint = f"Try '{command.name} --help' for more information.\n" if command.help else ""
            return _failed(call, failure, command.usage_status, hint)
        except Failure as failure:
            return _failed(call, failure, failure.status)
        except (LineTooLong, WriteError) as failure:
            return _failed(call, failure, trouble)
        except OSError as failure:
            return _failed(call, reason(failure), trouble)
        except RecursionError:
            return _failed(call, "nesting too deep", trouble)
        except MemoryError:
            return _failed(call, "memory exhausted", trouble)
        except Exception as failure:  # the one place where any bug of a command becomes a message
            return _failed(call, f"internal error: {type(failure).__name__}", 1)
    finally:
        call.close_all()


def _failed(call: Invocation, message: object, status: int, hint: str = "") -> int:
    """Write what is held back, then the message; return status."""
    try:
        call.flush()
    except WriteError as failure:
        call.warn(str(failure))
    call.warn(str(message))
    if hint:
        call.say(hint)
    return status


def _run(command: Command, call: Invocation) -> int:
    args = call.args
    if command.remediation and call.run.policy.mode != "remediation" and args != ["--help"]:
        call.error("requires remediation mode")
        return 1
    if command.raw:
        if command.help and args == ["--help"]:
            call.write(encode(command.help_text()))
            call.flush()
            return 0
    else:
        if command.rewrite is not None:
            args = command.rewrite(args)
        call.options = command.table.parse(args)
        if command.help and "help" in call.options:
            call.write(encode(command.help_text()))
            call.flush()
            return 0
    if len(args) > _MANY:  # names that share directories: those stay open between them
        with call.run.sandbox.session():
            status = command.body(call)
    else:
        status = command.body(call)
    call.flush()
    return call.status if status is None else status
