"""One call of jq: its command line, the program, and the loop over the inputs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rshell.builtins.command import Failure, UsageError, decode, encode, reason
from rshell.builtins.jq import bounds, functions, numeric, regexes, special, times
from rshell.builtins.jq.code import EMPTY, MANY, Code, Scope
from rshell.builtins.jq.compile import Compiler
from rshell.builtins.jq.decoder import Malformed
from rshell.builtins.jq.errors import BreakOut, CompileError, Halted, JqError, TooMuch
from rshell.builtins.jq.machine import Machine
from rshell.builtins.jq.output import COLOURS, Printer, compact
from rshell.builtins.jq.parser import parse
from rshell.builtins.jq.reader import Reader, parse_text
from rshell.builtins.text import clamped
from rshell.builtins.zone import zone_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rshell.builtins.command import Invocation
    from rshell.builtins.streams import Source

_DECLARED = (functions, numeric, regexes, special, times)  # importing them declares what is built in
_FLAGS = {
    "n": "null-input", "r": "raw-output", "j": "join-output", "a": "ascii-output", "c": "compact-output",
    "S": "sort-keys", "C": "color-output", "M": "monochrome-output", "R": "raw-input", "s": "slurp", "e": "exit-status",
    "f": "from-file", "h": "help",
}  # fmt: skip
_PAIRS = ("arg", "argjson", "slurpfile", "rawfile")
_PENDING = 1 << 14


@dataclass
class Settings:
    """What the command line says."""

    flags: set[str] = field(default_factory=set)
    indent: str = "  "
    filter: str | None = None
    files: list[str] = field(default_factory=list)
    named: dict[str, Any] = field(default_factory=dict)
    positional: list[Any] = field(default_factory=list)


def run(call: Invocation) -> int:
    """Run jq; the exit status."""
    settings = _read_command_line(call)
    text = _filter_text(call, settings)
    machine = Machine(
        call.run, lambda data: _say(call, data), call.context.environment(), lambda: call.run.now, lambda: zone_of(call)
    )
    named = settings.named
    constants = {"ARGS": {"positional": settings.positional, "named": named}, **named}
    try:
        code = Compiler(machine, constants).code(parse(text), Scope())
    except CompileError as failure:
        call.say(f"jq: error: {failure} at <top-level>, line {failure.line}:\n{text}\njq: 1 compile error\n")
        return 3
    except RecursionError:
        call.say("jq: error: the program is nested too deep\njq: 1 compile error\n")
        return 3
    return _Running(call, settings, machine, code).run()


def _say(call: Invocation, data: bytes) -> None:
    call.flush()
    call.say(decode(data))


class _Running:
    """The loop over the inputs."""

    def __init__(self, call: Invocation, settings: Settings, machine: Machine, code: Code) -> None:
        self.call = call
        self.flags = settings.flags
        self.machine = machine
        self.code = code
        self.status = 0
        self.last: Any = EMPTY
        colours = COLOURS if "color-output" in self.flags else ()
        self.printer = Printer(
            settings.indent, sort="sort-keys" in self.flags, ascii="ascii-output" in self.flags, colours=colours
        )
        self.raw = bool(self.flags & {"raw-output", "join-output", "raw-output0"})
        self.end = "" if "join-output" in self.flags else "\0" if "raw-output0" in self.flags else "\n"
        self.reader = Reader(self._sources(settings.files), raw="raw-input" in self.flags, check=call.check)
        machine.reader = self.reader
        self.inputs = self._inputs()
        machine.next_input = lambda: next(self.inputs, EMPTY)

    def _sources(self, files: list[str]) -> Iterator[tuple[str, Source]]:
        call = self.call
        if not files:
            yield "<stdin>", call.stdin
            return
        for name in files:
            try:
                source = call.open(name)
            except OSError as failure:
                call.flush()
                call.say(f"jq: error: Could not open file {name}: {reason(failure)}\n")
                self.status = 2
                continue
            try:
                yield name, call.guarded(name, source, 2)
            finally:
                call.close(source)
        if call.status:
            self.status = call.status

    def _inputs(self) -> Iterator[Any]:
        if "slurp" not in self.flags:
            return self.reader.values
        if "raw-input" in self.flags:
            return iter([self.reader.rest(bounds.DOCUMENT)])
        return self._slurped()

    def _slurped(self) -> Iterator[Any]:
        found: list[Any] = []
        for value in self.reader.values:
            found.append(value)
        yield found

    def run(self) -> int:
        call = self.call
        try:
            if "null-input" in self.flags:
                self._each(iter([None]))
            else:
                self._each(self.inputs)
        except Halted as halted:
            call.flush()
            if halted.message:
                call.say(decode(halted.message))
            return halted.status
        except Malformed as failure:
            self._fail(f"jq: parse error: {failure.message}\n", 2)
        except TooMuch as failure:
            self._fail(f"jq: error (at {self.reader.place}): {failure}\n", 5)
        except RecursionError:
            self._fail(f"jq: error (at {self.reader.place}): {bounds.CALL_DEPTH}\n", 5)
        if self.status:
            return self.status
        if "exit-status" in self.flags:
            return 4 if self.last is EMPTY else 1 if self.last is None or self.last is False else 0
        return 0

    def _fail(self, message: str, status: int) -> None:
        self.call.flush()
        self.call.say(message)
        self.status = status

    def _each(self, inputs: Iterator[Any]) -> None:
        """Run the program for each input; output is handed on in pieces."""
        machine, run, kind = self.machine, self.code.run, self.code.kind
        write, text_of, raw, end = self.call.write, self.printer.text_of, self.raw, self.end
        pending: list[str] = []
        append = pending.append
        size = 0
        try:
            while True:
                machine.left = bounds.STEPS
                machine.look_at = bounds.STEPS - bounds.STEPS_PER_CLOCK
                try:
                    for value in inputs:
                        machine.left = bounds.STEPS
                        machine.look_at = bounds.STEPS - bounds.STEPS_PER_CLOCK
                        if kind != MANY:
                            result = run(None, value)
                            if result is EMPTY:
                                continue
                            self.last = result
                            text = result if raw and result.__class__ is str else text_of(result)
                            append(text)
                            append(end)
                            size += len(text) + 1
                        else:
                            for result in run(None, value):
                                self.last = result
                                text = result if raw and result.__class__ is str else text_of(result)
                                append(text)
                                append(end)
                                size += len(text) + 1
                                if size > _PENDING:
                                    write("".join(pending).encode("utf-8", "replace"))
                                    pending.clear()
                                    size = 0
                        if size > _PENDING:
                            write("".join(pending).encode("utf-8", "replace"))
                            pending.clear()
                            size = 0
                    return
                except (JqError, BreakOut) as error:
                    write("".join(pending).encode("utf-8", "replace"))
                    pending.clear()
                    size = 0
                    self._report(error)
        finally:
            if pending:
                write("".join(pending).encode("utf-8", "replace"))

    def _report(self, error: JqError | BreakOut) -> None:
        place = self.reader.place
        value = error.value if isinstance(error, JqError) else "break"
        if value.__class__ is str:
            message = f"jq: error (at {place}): {value}\n"
        else:
            message = f"jq: error (at {place}) (not a string): {compact(value)}\n"
        self._fail(message, 5)


# The command line


def _read_command_line(call: Invocation) -> Settings:  # noqa: C901 - one case for each kind of option
    """jq's own conventions: options anywhere, pairs of arguments, positional ones after --args."""
    settings = Settings()
    table = call.command.table
    rest = iter(call.args)
    mode = "files"
    ended = False
    for argument in rest:
        if ended or not argument.startswith("-") or argument == "-":
            _operand(settings, mode, argument)
            continue
        if argument == "--":
            ended = True
            continue
        if argument.startswith("--"):
            names = [argument[2:]]
            option = table.long.get(names[0])
            if option is None:
                raise UsageError(f"Unknown option: {argument}")
            if option.refused:
                raise UsageError(f"option '{argument}' is not supported: {option.refused}")
        else:
            names = []
            for letter in argument[1:]:
                short = table.short.get(letter)
                if short is not None and short.refused:
                    raise UsageError(f"option '-{letter}' is not supported: {short.refused}")
                if letter not in _FLAGS:
                    raise UsageError(f"Unknown option: {argument}")
                names.append(_FLAGS[letter])
        for name in names:
            if name in ("args", "jsonargs"):
                mode = name
            elif name in _PAIRS:
                _pair(call, settings, name, next(rest, None), next(rest, None))
            elif name == "indent":
                _indent(settings, next(rest, None))
            elif name == "tab":
                settings.indent = "\t"
            else:
                settings.flags.add(name)
    if "compact-output" in settings.flags:
        settings.indent = ""
    return settings


def _operand(settings: Settings, mode: str, argument: str) -> None:
    if settings.filter is None and "from-file" not in settings.flags:
        settings.filter = argument
    elif settings.filter is None:
        settings.filter = argument  # the file of the filter
    elif mode == "files":
        settings.files.append(argument)
    elif mode == "args":
        settings.positional.append(_clean(argument))
    else:
        settings.positional.append(_json(argument, "Invalid JSON text passed to --jsonargs"))


def _clean(text: str) -> str:
    return encode(text).decode("utf-8", "replace")


def _json(text: str, message: str) -> Any:
    try:
        found = parse_text(_clean(text))
    except Malformed:
        found = []
    if len(found) != 1:
        raise UsageError(message)
    return found[0]


def _indent(settings: Settings, count: str | None) -> None:
    if count is None:
        raise UsageError("--indent takes one parameter")
    number = clamped(count, -1, 100)
    if number is None or number < 0:
        raise UsageError("Cannot indent less than zero")
    if number > 7:
        raise UsageError("Cannot indent more than 7 characters")
    settings.indent = " " * number


def _pair(call: Invocation, settings: Settings, option: str, name: str | None, value: str | None) -> None:
    if name is None or value is None:
        what = "filename" if option.endswith("file") else "text" if option == "argjson" else "value"
        raise UsageError(f"--{option} takes two parameters (e.g. --{option} varname {what})")
    name = _clean(name)
    if name in settings.named:
        return
    if option == "arg":
        settings.named[name] = _clean(value)
    elif option == "argjson":
        settings.named[name] = _json(value, f"Invalid JSON text passed to --{option}")
    else:
        text = _file(call, value, f"Bad JSON in --{option} {name} {value}", bounds.DOCUMENT)
        if option == "rawfile":
            settings.named[name] = text
            return
        try:
            settings.named[name] = parse_text(text)
        except Malformed as failure:
            raise Failure(f"Bad JSON in --{option} {name} {value}: {failure.message}", 2) from None


def _file(call: Invocation, name: str, what: str, limit: int) -> str:
    try:
        source = call.open(name)
        data = source.read_all(limit)
        call.close(source)
    except OSError as failure:
        raise Failure(f"{what}: Could not open {name}: {reason(failure)}", 2) from None
    except ValueError:
        raise Failure(f"{name}: file too large ({limit} bytes at most)", 2) from None
    return data.decode("utf-8", "replace")


def _filter_text(call: Invocation, settings: Settings) -> str:
    text = settings.filter
    if text is None:
        raise UsageError("no filter given")
    if "from-file" in settings.flags:
        text = _file(call, text, "error", bounds.PROGRAM)
    if len(text) > bounds.PROGRAM:
        raise Failure(f"filter too long ({bounds.PROGRAM} bytes at most)", 2)
    return _clean(text)
