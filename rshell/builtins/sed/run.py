"""Running a compiled script, line by line; what needs no look at lines is passed over in blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.sed.compile import AGAIN, DELETED, QUIT

if TYPE_CHECKING:
    from rshell.builtins.sed.compile import Step
    from rshell.builtins.sed.machine import Machine
    from rshell.builtins.sed.script import Script

_CHECK = 0x3FF  # cycles between two looks at the clock


def run(machine: Machine, steps: list[Step], script: Script) -> int:
    """Run the script on every line; return the exit status."""
    ranges = None if machine.input.separate else _line_ranges(script)
    slurp = _slurps(script) and not machine.input.separate and not machine.posix
    check = machine.input.call.check
    quiet = machine.quiet
    print_line = machine.output.line
    count = len(steps)
    cycles = 0
    while True:
        if ranges is not None and not _skip(machine, ranges):
            return 0
        if not machine.read():
            return 0
        cycles += 1
        if not cycles & _CHECK:
            check()
        if slurp:
            _slurp(machine)
        at = 0
        while at < count:
            to = steps[at](machine)
            if to is None:
                at += 1
            elif to >= 0:
                at = to
            elif to == DELETED:
                break
            elif to == AGAIN:
                at = 0
            else:
                assert to == QUIT
                return machine.status
        else:
            if not quiet:
                print_line(machine.space, machine.ended)
        if machine.queue:
            machine.dump()


def _line_ranges(script: Script) -> list[tuple[int, int]] | None:
    """The lines that commands are for, in order, the last number of each range; None unless all say it by numbers."""
    found: list[tuple[int, int]] = []
    commands = script.commands
    at = 0
    while at < len(commands):
        command = commands[at]
        first, second = command.first, command.second
        if first is None or first.kind != "line" or command.negated or command.zero:
            return None
        last = first.number
        if second is not None:
            if second.kind == "line":
                last = max(second.number, last)
            elif second.kind == "plus":
                last += second.number
            else:
                last = 1 << 64
        found.append((first.number, last))
        at = command.block_end + 1 if command.name == "{" else at + 1
    if script.labels or any(c.name in "btTnND" for c in commands):
        return None  # lines may be read or left in the middle of a range
    return sorted(found)


def _skip(machine: Machine, ranges: list[tuple[int, int]]) -> bool:
    """Pass over the lines that no command is for; False when that was all."""
    following = machine.input.number + 1
    start = 0
    for first, last in ranges:
        if first <= following <= last:
            return True
        if first > following:
            start = first
            break
    write = None if machine.quiet else machine.output.lines
    if machine.queue:
        machine.dump()
    if start:
        return machine.input.skip(start - following, write)
    if write is None:
        machine.input.drain()
        return False
    while (block := machine.input.block()) is not None:
        write(block)
    return False


def _slurps(script: Script) -> bool:
    """Whether a script begins with `:a;N;$!ba`, which joins all lines."""
    commands = script.commands
    if len(commands) < 2 or commands[0].name != "N" or commands[0].first is not None:
        return False
    branch = commands[1]
    return (
        branch.name == "b"
        and branch.negated
        and branch.first is not None
        and branch.first.kind == "last"
        and branch.second is None
        and bool(branch.label)
        and script.labels.get(branch.label) == 0
    )


def _slurp(machine: Machine) -> None:
    """Take all lines but the last into the pattern space; the script itself takes that one."""
    if machine.input.at_end():
        return
    rest = machine.input.take_all(limits.SED_SPACE)
    if rest is None:
        return
    before, found, last = rest.rpartition(machine.delimiter)
    ended = machine.input.ended
    machine.input.push(last, ended)
    if found:
        machine.set_space(machine.space + machine.delimiter + before)
