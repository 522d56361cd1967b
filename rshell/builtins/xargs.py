"""xargs: run a command with arguments from standard input (GNU findutils)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, decode, encode, reason
from rshell.builtins.quoting import quote_if_needed, quote_text
from rshell.builtins.streams import empty
from rshell.builtins.xargs_input import TooLong, Unmatched, delimited, delimiter, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rshell.builtins.xargs_input import Item

_NUMBER = re.compile(r"[ \t\n\v\f\r]*([+-]?)0*([0-9]+)", re.ASCII)
_COMMAND_LINE = 128 * limits.KIB  # what GNU fills a command line to, and
_LONGEST_COMMAND_LINE = 2 * limits.MIB - 2 * limits.KIB  # what -s may raise that to

XARGS = Command(
    "xargs",
    "run a command with arguments from standard input",
    "xargs [OPTION]... [COMMAND [INITIAL-ARG]...]",
    options=(
        Option("-0", "--null", help="arguments end with NUL; quotes and blanks mean nothing"),
        Option("-a", "--arg-file", value="FILE", help="read arguments from FILE"),
        Option("-d", "--delimiter", value="CHAR", help="arguments end with CHAR; quotes and blanks mean nothing"),
        Option("-E", value="END", help="an argument END ends the input"),
        Option("-e", "--eof", value="END", optional=True, help="as -E END; without END there is none"),
        Option("-I", value="R", help="run the command for each line, R replaced by it in INITIAL-ARGs"),
        Option("-i", "--replace", value="R", optional=True, help="as -I R; R is {} if not given"),
        Option("-L", value="N", help="use at most N lines for each command"),
        Option("-l", "--max-lines", value="N", optional=True, help="as -L N; N is 1 if not given"),
        Option("-n", "--max-args", value="N", help="use at most N arguments for each command"),
        Option("-P", "--max-procs", value="N", help="accepted; commands run one after the other"),
        Option("-r", "--no-run-if-empty", help="run nothing when there are no arguments"),
        Option("-s", "--max-chars", value="N", help="make command lines of at most N characters"),
        Option("-t", "--verbose", help="print commands to standard error before they run"),
        Option("-x", "--exit", help="stop when a command line would be too long (see -s)"),
        Option("-o", "--open-tty", refused="there is no terminal"),
        Option("-p", "--interactive", refused="there is no terminal to ask at; use -t to see the commands"),
        Option("--process-slot-var", value="VAR", refused="commands run one after the other"),
        Option("--show-limits", refused="the limits are those of this shell"),
    ),
    description=f"Only commands of this shell that its policy allows are run, echo if none is given, at most\n"
    f"{limits.INVOCATIONS:,} times. The status is 123 when one failed, 124 when one gave 255, 127 when there is no\n"
    "such command.",
    ordered=True,
)


class _Stop(Exception):
    """Ends xargs with a status, after its message was written."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class _Settings:
    """What the options say."""

    def __init__(self, call: Invocation) -> None:
        self.call = call
        self.separator: bytes | None = None
        self.stop: bytes | None = None
        self.replace: bytes | None = None
        self.lines = 0
        self.arguments = 0
        self.most = _COMMAND_LINE
        self.exit = "exit" in call.options
        self.verbose = "verbose" in call.options
        self.always = "no-run-if-empty" not in call.options
        for name, text in call.options.given:
            self._take(name, text)
        self.exit = self.exit or self.lines > 0
        if self.separator is not None and self.stop is not None:
            call.warn("warning: the -E option has no effect if -0 or -d is used.\n")

    def _take(self, name: str, text: str | None) -> None:
        if name == "null":
            self.separator = b"\0"
        elif name == "delimiter" and text is not None:
            self.separator = delimiter(text)
        elif name in ("E", "eof"):
            self.stop = encode(text) if text else None
        elif name in ("I", "replace"):
            self.replace = encode("{}" if text is None else text)
            self._exclude("lines", "--max-lines", "--replace/-I/-i")
            self._exclude("arguments", "--max-args", "--replace/-I/-i")
        elif name in ("L", "max-lines"):
            self.lines = 1 if text is None else self._number(text, "L" if name == "L" else "l", 1)
            option = "-L" if name == "L" else "--max-lines/-l"
            self._exclude("arguments", "--max-args", option)
            self._exclude("replace", "--replace", option)
        elif name == "max-args" and text is not None:
            self.arguments = self._number(text, "n", 1)
            self._exclude("lines", "--max-lines", "--max-args/-n")
            if self.replace is not None and self.arguments == 1:  # -n 1 is what -I does anyway
                self.arguments = 0
            else:
                self._exclude("replace", "--replace", "--max-args/-n")
        elif name == "max-chars" and text is not None:
            self.most = min(max(self._number(text, "s", 1, _LONGEST_COMMAND_LINE), 1), _LONGEST_COMMAND_LINE)
        elif name == "max-procs" and text is not None:
            self._number(text, "P", 0)

    def _exclude(self, field: str, before: str, option: str) -> None:
        """Let a later option win over an earlier one that it excludes."""
        if field == "replace":
            excluded, self.replace = self.replace is not None, None
        elif field == "lines":
            excluded, self.lines = self.lines > 0, 0
        else:
            excluded, self.arguments = self.arguments > 0, 0
        if excluded:
            self.call.warn(
                f"warning: options {before} and {option} are mutually exclusive, ignoring previous {before} value"
            )

    def _number(self, text: str, letter: str, least: int, most: int | None = None) -> int:
        match = _NUMBER.fullmatch(text)
        if match is None:
            raise UsageError(f'invalid number "{text}" for -{letter} option')
        sign, digits = match.groups()
        value = int(digits) if len(digits) < limits.NUMBER_DIGITS else 2**63 - 1  # text: ours (matched)
        if sign == "-":
            value = -value
        bound = f">= {least}" if value < least else f"<= {most}" if most is not None and value > most else ""
        if bound:
            message = f"value {text} for -{letter} option should be {bound}"
            if most is None:
                raise UsageError(message)
            self.call.warn(message)
        return value


@XARGS.main
def xargs(call: Invocation) -> int:
    settings = _Settings(call)
    runner = _Runner(call, settings, call.operands or ["echo"])
    name = call.options.get("arg-file")
    source = call.stdin
    if name not in (None, "-"):
        try:
            source = call.open(name or "")
        except OSError as failure:
            raise Failure(f"Cannot open input file {quote_text(name)}: {reason(failure)}") from None
        runner.stdin = call.stdin
    longest = settings.most - runner.reserved - 1
    parser_items: Iterator[Item]
    if settings.separator is not None:
        parser_items = delimited(source, settings.separator, longest)
    else:
        parser_items = quoted(call, source, longest, settings.stop, whole_lines=settings.replace is not None)
    try:
        return _run_all(runner, parser_items)
    except _Stop as stop:
        return stop.status


def _run_all(runner: _Runner, items: Iterator[Item]) -> int:
    settings = runner.settings
    try:
        if settings.replace is not None:
            for argument, _ in items:
                runner.run_replaced(argument, settings.replace)
            return runner.status
        lines = 0
        for argument, ends in items:
            runner.push(argument)
            lines += ends
            if settings.lines and lines >= settings.lines:
                runner.run()
                lines = 0
    except (TooLong, Unmatched) as trouble:
        if settings.replace is None and runner.waiting and not settings.exit:
            runner.run()
        raise runner.failure(
            "argument line too long"
            if isinstance(trouble, TooLong)
            else f"unmatched {trouble} quote; by default quotes are special to xargs unless you use the -0 option"
        ) from None
    if runner.waiting or (settings.always and runner.count == 0):
        runner.run()
    return runner.status


class _Runner:
    """Puts command lines together and runs them."""

    def __init__(self, call: Invocation, settings: _Settings, command: list[str]) -> None:
        self.call = call
        self.settings = settings
        self.command = command
        self.stdin = empty()
        self.status = 0
        self.count = 0  # commands run
        self.known = call.context.lookup(command[0]) == "builtin"
        self.initial = [encode(word) for word in command]
        self.reserved = len(self.initial[0]) + 1
        if settings.replace is None:
            self.reserved = sum(len(word) + 1 for word in self.initial)
            if self.reserved > settings.most:
                raise self.failure("cannot fit single argument within argument list size limit")
        self.size = self.reserved
        self.arguments: list[bytes] = []

    @property
    def waiting(self) -> bool:
        """Whether there are arguments that no command has got yet."""
        return bool(self.arguments)

    def failure(self, message: str) -> Failure:
        """What ends xargs: a command that failed before shows in the status all the same."""
        return Failure(message, max(1, self.status))

    def push(self, argument: bytes) -> None:
        """Add an argument; run the command when its line is full."""
        settings = self.settings
        size = len(argument) + 1
        if self.size + size > settings.most:
            if not self.arguments:
                raise self.failure("cannot fit single argument within argument list size limit")
            if settings.exit and (settings.lines or settings.arguments):
                raise self.failure("argument list too long")
            self.run()
        self.arguments.append(argument.partition(b"\0")[0])
        self.size += size
        if len(self.arguments) == settings.arguments:
            self.run()

    def run(self) -> None:
        """Run the command with the arguments that wait."""
        argv = [*self.command, *map(decode, self.arguments)]
        self.arguments = []
        self.size = self.reserved
        self._dispatch(argv)

    def run_replaced(self, argument: bytes, pattern: bytes) -> None:
        """Run the command with an argument in the places of a pattern, in all words but the first."""
        if not pattern:
            raise self.failure("command too long")
        words = [self.initial[0]]
        size = len(words[0]) + 1
        for word in self.initial[1:]:
            count = word.count(pattern)
            size += len(word) + 1 + count * (len(argument) - len(pattern))
            if size > self.settings.most:
                raise self.failure("argument list too long")
            words.append(word.replace(pattern, argument).partition(b"\0")[0] if count else word)
        self._dispatch([decode(word) for word in words])

    def _dispatch(self, argv: list[str]) -> None:
        call = self.call
        self.count += 1
        if self.count > limits.INVOCATIONS:
            raise self.failure(f"too many commands ({limits.INVOCATIONS} at most)")
        call.check()
        if self.settings.verbose:
            call.stderr.write(encode(" ".join(map(quote_if_needed, argv)) + "\n"))
        status = call.context.dispatch(argv, stdin=self.stdin)
        if status == 0:
            return
        if not self.known and status in (126, 127):
            raise _Stop(status)
        if status == 255:
            call.warn(f"{argv[0]}: exited with status 255; aborting")
            raise _Stop(124)
        self.status = 123


COMMANDS = {"xargs": XARGS}
