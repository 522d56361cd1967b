"""ps: list processes, by what the kernel says of them without their arguments or environment."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, encode
from rshell.builtins.ps_fields import Field, Look, known_fields, laid_out
from rshell.builtins.zone import zone_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rshell.host.proc import Process, Processes

_PRIVATE = "arguments and environments of processes are private"
_FLAT = "processes are listed, not drawn as a tree; show ppid with -o and sort by it"
_THREADS = "threads are not listed; show their number with -o nlwp"

PS = Command(
    "ps",
    "list processes",
    "ps [-eAf] [-p LIST] [-o FORMAT] [--sort SPEC]\n  or:  ps aux",
    description=(
        "Without a selection, the processes of the same user and terminal are listed. The command is shown by "
        "its name,\nwithout arguments. FORMAT is a list of field or field=HEADING; SPEC is a list of [+-]field.\n\n"
        "Fields: " + " ".join(known_fields()).replace(" pgrp", "\n  pgrp", 1).replace(" state", "\n  state", 1)
        .replace(" stime", "\n  stime", 1).replace(" rss ", "\n  rss ", 1).replace(" pcpu", "\n  pcpu", 1)
        .replace(" comm", "\n  comm", 1)
    ),
    options=(
        Option("-e", "-A", key="e", help="all processes"),
        Option("-a", help="all with a terminal, except session leaders"),
        Option("-d", help="all except session leaders"),
        Option("-N", "--deselect", help="all but those selected"),
        Option("-p", "-q", "--pid", "--quick-pid", value="LIST", key="p", help="processes by ID"),
        Option("--ppid", value="LIST", help="processes by the ID of their parent"),
        Option("-u", "--user", value="LIST", key="u", help="processes by effective user"),
        Option("-U", "--User", value="LIST", key="U", help="processes by real user"),
        Option("-C", value="LIST", help="processes by name"),
        Option("-f", help="full format"),
        Option("-F", help="extra full format"),
        Option("-o", "--format", value="FORMAT", key="o", help="these fields"),
        Option("-k", "--sort", value="SPEC", key="sort", help="sort by these fields; - turns the order round"),
        Option("--no-headers", "--no-heading", "--no-headings", "--noheader", "--noheaders", "--noheading",
               "--noheadings", key="no-headers", help="no line of headings"),
        Option("-w"),
        Option("--cols", "--columns", "--width", value="N", key="cols"),
        Option("-H", "--forest", refused=_FLAT),
        Option("-L", "-T", "-m", refused=_THREADS),
        Option("-l", "-j", "-y", "-Z", "-M", "-O", "-c", refused="choose the fields with -o"),
        Option("-E", refused=_PRIVATE),
        Option("-g", "-G", "-s", "-t", refused="select with -p, -u, -C or --ppid"),
    ),
    rewrite=lambda args: [arg[1:] if re.fullmatch("-a?ux+w*", arg) else arg for arg in args],
)  # fmt: skip

_FORMATS = {
    "": ("pid", "tname", "time", "ucmd"),
    "f": ("user=UID", "pid", "ppid", "c", "stime", "tname", "time", "cmd"),
    "F": ("user=UID", "pid", "ppid", "c", "sz", "rss", "psr", "stime", "tname", "time", "cmd"),
    "bsd": ("pid", "tname", "stat", "bsdtime", "args"),
    "u": ("user", "pid", "pcpu", "pmem", "vsz", "rss", "tname", "stat", "start_time", "bsdtime", "args"),
}
_BSD = {
    "e": _PRIVATE, "f": _FLAT, "H": _THREADS, "m": _THREADS, "T": "select with -p, -u or -C",
    "l": "choose the fields with -o", "j": "choose the fields with -o", "s": "choose the fields with -o",
    "v": "choose the fields with -o", "X": "choose the fields with -o", "Z": "choose the fields with -o",
}  # fmt: skip
_SEPARATORS = re.compile(r"[, \t\n]+")
_PID = re.compile(r"0*([0-9]{1,10})")
_BLOCK = 256  # lines written at once


class _Wanted:
    """What a command line asks for."""

    def __init__(self, call: Invocation) -> None:
        options = call.options
        self.call = call
        self.style = options.last("f", "F") or ""
        self.formats = options.all("o")
        self.sorts = options.all("sort")
        self.headings = "no-headers" not in options
        self.every = "e" in options
        self.bsd: set[str] = set()
        self.pids = self.numbers(options.all("p"))
        self.take_operands(list(call.operands))
        self.tests = self.selections()

    def take_operands(self, operands: list[str]) -> None:
        """BSD's options come without a dash; numbers are process IDs."""
        while operands:
            word = operands.pop(0)
            if word[:1] in "0123456789" and word:
                self.pids = (self.pids or set()) | (self.numbers([word]) or set())
                self.bsd.add("")
                continue
            for at, letter in enumerate(word):
                if letter in "axuwhr":
                    self.bsd.add(letter)
                elif letter in "okpUO" and letter != "O":
                    argument = word[at + 1 :] or (operands.pop(0) if operands else "")
                    self.take_argument(letter, argument)
                    break
                elif letter in _BSD:
                    raise UsageError(f"option '{letter}' is not supported: {_BSD[letter]}")
                else:
                    raise UsageError(f"unknown option or operand '{word}'")
            if not word:
                raise UsageError("unknown option or operand ''")
        if "h" in self.bsd:
            self.headings = False

    def take_argument(self, letter: str, argument: str) -> None:
        if letter == "o":
            self.formats.append(argument)
        elif letter == "k":
            self.sorts.append(argument)
        elif letter == "p":
            self.pids = (self.pids or set()) | (self.numbers([argument]) or set())
        else:
            self.call.options.given.append(("u", argument))
        self.bsd.add("")

    def numbers(self, lists: list[str]) -> set[int] | None:
        """The process IDs in lists, separated by commas or blanks; None when there is no list."""
        if not lists:
            return None
        found = set()
        for given in lists:
            for word in re.split(r",|[ \t\n]+", given):
                match = _PID.fullmatch(word)
                if match is None or not match[1].strip("0"):
                    raise Failure(f"invalid PID '{word}'")
                found.add(int(match[1]))  # text: ours
        return found

    def users(self, key: str) -> set[int] | None:
        found = set()
        lists = self.call.options.all(key)
        for word in [word for given in lists for word in _SEPARATORS.split(given)]:
            number = self.call.run.accounts.user_id(word)
            if number is None:
                match = _PID.fullmatch(word)
                if match is None:
                    raise Failure(f"user name does not exist: '{word}'")
                number = int(match[1])  # text: ours
            found.add(number)
        return found if lists else None

    def selections(self) -> list[Callable[[Process], bool]]:
        """The tests of which a process must meet one."""
        options = self.call.options
        tests: list[Callable[[Process], bool]] = []
        if (pids := self.pids) is not None:
            tests.append(lambda p: p.pid in pids)
        if (parents := self.numbers(options.all("ppid"))) is not None:
            tests.append(lambda p: p.ppid in parents)
        if (users := self.users("u")) is not None:
            tests.append(lambda p: p.uid() in users)
        if (owners := self.users("U")) is not None:
            tests.append(lambda p: p.uid(0) in owners)
        if lists := options.all("C"):
            names = {encode(name) for given in lists for name in _SEPARATORS.split(given) if name}
            tests.append(lambda p: p.comm in names)
        if "a" in options:
            tests.append(lambda p: p.terminal != 0 and p.session != p.pid)
        if "d" in options:
            tests.append(lambda p: p.session != p.pid)
        return tests

    def default(self, processes: Processes) -> Callable[[Process], bool]:
        """The test where no selection was given: own user, own terminal; BSD's a and x widen it."""
        own = processes.own()
        user = own.uid() if own else self.call.run.uid
        terminal = own.terminal if own else 0
        if "a" in self.bsd:
            return (lambda p: True) if "x" in self.bsd else (lambda p: p.terminal != 0)
        if "x" in self.bsd:
            return lambda p: p.uid() == user
        if self.bsd:
            return lambda p: p.uid() == user and p.terminal != 0
        return lambda p: p.uid() == user and p.terminal == terminal

    def chosen(self, processes: Processes) -> Iterator[Process]:
        """The processes selected, in order of ID."""
        others = "N" in self.call.options or "deselect" in self.call.options
        every = self.every or {"a", "x"} <= self.bsd
        if self.tests and not every:
            tests = self.tests
        else:
            tests = [(lambda p: True) if every else self.default(processes)]
        if not others and len(tests) == 1 and self.pids is not None and not every:
            yield from processes.all(sorted(self.pids))
            return
        for process in processes.all():
            if any(test(process) for test in tests) is not others:
                if "r" not in self.bsd or process.state in "RD":
                    yield process

    def columns(self, known: dict[str, Field]) -> list[Field]:
        """The fields to show."""
        if self.formats:
            words = [word for given in self.formats for word in _field_words(given)]
            if len(words) > limits.FIND_NODES:
                raise Failure("too many fields")
        else:
            bsd = "u" if "u" in self.bsd else "bsd" if self.bsd else ""
            words = list(_FORMATS[self.style or bsd])
        found = []
        for word in words:
            name, renamed, heading = word.partition("=")
            field = _field(name, known)
            found.append(field.headed(heading) if renamed else field)
        return found

    def order(self, known: dict[str, Field]) -> list[tuple[Field, bool]]:
        """The sort keys, and whether each is turned round."""
        keys = []
        for word in [word for given in self.sorts for word in _SEPARATORS.split(given)]:
            keys.append((_field(word.lstrip("+-"), known), word.startswith("-")))
        return keys


def _field_words(given: str) -> list[str]:
    words = [word for word in _SEPARATORS.split(given) if word]
    if not words:
        raise Failure("format specification must follow -o")
    return words


def _field(name: str, known: dict[str, Field]) -> Field:
    field = known.get(name)
    if field is None:
        raise Failure(f"unknown field '{name}'; known fields: {' '.join(known)}")
    return field


@PS.main
def ps(call: Invocation) -> int:
    processes = call.run.host.processes()
    known = known_fields(max(5, len(str(processes.highest - 1))))
    wanted = _Wanted(call)
    columns = wanted.columns(known)
    order = wanted.order(known)
    look = Look(processes, call.run.accounts, call.run.now, zone_of(call), processes.ticks)
    processes.identifiers  # noqa: B018 - where there is no procfs this fails, before anything is written
    if wanted.headings and any(field.heading for field in columns):
        call.print(laid_out(columns, [field.heading for field in columns]))
    chosen = wanted.chosen(processes)
    if order:
        table = list(chosen)
        for field, reverse in reversed(order):
            table.sort(key=lambda process, key=field.key: key(process, look), reverse=reverse)  # type: ignore[misc]
        chosen = iter(table)
    found = 0
    lines: list[str] = []
    for process in chosen:
        found += 1
        lines.append(laid_out(columns, [field.show(process, look) for field in columns]))
        if len(lines) >= _BLOCK:
            call.write(encode("\n".join(lines) + "\n"))
            lines.clear()
    if lines:
        call.write(encode("\n".join(lines) + "\n"))
    if processes.truncated:
        call.error(f"too many processes: only the first {limits.PROCESSES} were read")
    return call.status if found else 1


COMMANDS = {"ps": PS}
