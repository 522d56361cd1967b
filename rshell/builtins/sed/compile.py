"""A script turned into closures, one a command.

A step works on the Machine and returns None to go on, the index of the step to go on with, or one
of the endings below.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from rshell.builtins.sed.machine import Machine, file_name
from rshell.builtins.sed.script import NO_REGEX, ScriptError
from rshell.builtins.sed.substitute import substitute

if TYPE_CHECKING:
    from rshell.builtins.regex import Pattern
    from rshell.builtins.sed.script import Address, Command, Regex, Script
    from rshell.builtins.sed.substitute import Substitute

Step: TypeAlias = Callable[[Machine], "int | None"]
Test: TypeAlias = Callable[[Machine], bool]

DELETED = -1  # the cycle ends without printing
AGAIN = -2  # the cycle ends without printing, and the next one reads no line
QUIT = -3  # the command ends with Machine.status

_NAMED = {7: b"\\a", 8: b"\\b", 9: b"\\t", 10: b"\\n", 11: b"\\v", 12: b"\\f", 13: b"\\r", 92: b"\\\\"}
_SHOWN = [
    _NAMED.get(byte) or (bytes([byte]) if 32 <= byte < 127 else b"\\%03o" % byte) for byte in range(256)
]  # what l makes of each byte


class Compiler:
    """Compiles one script.

    steps: the result. wrap: the line length of l. reset: puts all ranges back to their start, for a new
    file with -s.
    """

    def __init__(self, script: Script, *, wrap: int, check: Callable[[], None]) -> None:
        self._script = script
        self._wrap = wrap
        self._check = check
        self._ranges: list[_Range] = []
        commands = script.commands
        regexes = [a.regex for c in commands for a in (c.first, c.second) if a is not None and a.regex is not None]
        regexes += [c.substitution.regex for c in commands if c.substitution is not None]
        self._tracks = any(regex.pattern is None for regex in regexes)  # the last one used has to be known
        self.steps = [self._step(at, command) for at, command in enumerate(commands)]

    def reset(self) -> None:
        """Put all ranges back to their start."""
        for each in self._ranges:
            each.reset()

    # Addresses

    def _step(self, at: int, command: Command) -> Step:
        test, ranged = self._test(command)
        if command.name == "{":
            return _block(test, command.negated, command.block_end + 1)
        action = self._action(at, command, ranged)
        if test is None:
            return _never if command.negated else action
        return _unless(test, action) if command.negated else _when(test, action)

    def _test(self, command: Command) -> tuple[Test | None, _Range | None]:
        if command.first is None:
            return None, None
        first = self._address(command.first)
        if command.second is None:
            return first, None
        second = self._address(command.second) if command.second.kind in ("regex", "last") else None
        ranged = _Range(first, second, command)
        self._ranges.append(ranged)
        return ranged.test, ranged

    def _address(self, address: Address) -> Test:
        number, step = address.number, address.step
        if address.kind == "line":
            return lambda machine: machine.input.number == number
        if address.kind == "last":
            return lambda machine: machine.input.at_end()
        if address.kind == "step":
            return lambda machine: machine.input.number >= number and (machine.input.number - number) % step == 0
        assert address.regex is not None
        return self._match(address.regex)

    def _match(self, regex: Regex) -> Test:
        pattern = regex.pattern
        if pattern is None:
            return lambda machine: _last(machine).search(machine.space) is not None
        if self._tracks:
            return _tracking(pattern)
        literal = pattern.literal
        if literal is not None:
            return lambda machine: literal in machine.space
        search = pattern.search
        return lambda machine: search(machine.space) is not None

    # Commands

    def _action(self, at: int, command: Command, ranged: _Range | None) -> Step:
        name = command.name
        if name in _SIMPLE:
            return _SIMPLE[name]
        if name in "btT":
            target = self._script.labels.get(command.label, len(self._script.commands))
            return {"b": _branch, "t": _branch_if, "T": _branch_unless}[name](target, target <= at)
        if name in "qQ":
            return _quit(max(command.number, 0), prints=name == "q")
        if name == "s":
            return self._substitution(command)
        if name == "y":
            return _transliterate(command.table)
        if name == "l":
            return _list(self._wrap if command.number < 0 else command.number)
        if name == "c":
            return _change(command.text, ranged)
        return _append(command.text) if name == "a" else _insert(command.text)

    def _substitution(self, command: Command) -> Step:
        substitution = command.substitution
        assert substitution is not None
        prints = substitution.prints
        pattern = substitution.regex.pattern
        made: dict[Pattern, Substitute] = {}
        tracks = self._tracks
        check = self._check

        def apply(machine: Machine, replaced: bytes | None) -> None:
            if replaced is not None:
                machine.set_space(replaced)
                machine.replaced = True
                if prints:
                    machine.output.line(replaced, machine.ended)

        def by_last(machine: Machine) -> None:
            used = _last(machine)
            if used not in made:
                made[used] = substitute(substitution, used, check)
            apply(machine, made[used](machine.space))

        if pattern is None:
            return by_last
        replace = substitute(substitution, pattern, check)

        def by_pattern(machine: Machine) -> None:
            if tracks:
                machine.last = pattern
            apply(machine, replace(machine.space))

        return by_pattern


class _Range:
    """Two addresses: open from a line that the first one matches to one that the second does."""

    def __init__(self, first: Test, second: Test | None, command: Command) -> None:
        assert command.first is not None and command.second is not None
        self._first = first
        self._second = second
        self._line = command.first.number if command.first.kind == "line" else 0
        self._kind = command.second.kind
        self._number = command.second.number
        self._step = command.second.step
        self._zero = command.zero
        self._closed = False  # a range that begins at a line number does not begin again
        self._end = 0
        self.open = False
        self.reset()

    def reset(self) -> None:
        """Begin as at the first line of all."""
        self.open = self._zero
        self._closed = False

    def test(self, machine: Machine) -> bool:
        """Whether the range holds this line."""
        number = machine.input.number
        if self.open:
            if self._second is not None:
                if self._second(machine):
                    self._close()
                return True
            if number >= self._end:
                self._close()
            return number <= self._end or self._kind != "line"
        if self._line:
            if self._closed or number < self._line:
                return False
            if self._kind == "line" and number >= self._number:
                return number in (self._line, self._number)
        elif self._zero or not self._first(machine):
            return False
        elif self._kind == "line" and number >= self._number:
            return True
        if self._kind == "last":
            self.open = not machine.input.at_end()
            self._closed = not self.open
            return True
        if self._second is None:
            self._end = {"line": self._number, "plus": number + self._number}.get(self._kind, 0)
            if self._kind == "multiple":
                self._end = number + self._number - number % self._number  # a later line, always
            elif self._kind == "step":
                self._end = max(self._number, number + (self._number - number) % self._step)
            if self._end <= number:
                self._close()
                return True
        self.open = True
        return True

    def _close(self) -> None:
        self.open = False
        self._closed = True


def _last(machine: Machine) -> Pattern:
    if machine.last is None:
        raise ScriptError(f"-e expression #1, char 0: {NO_REGEX}")
    return machine.last


def _tracking(pattern: Pattern) -> Test:
    def test(machine: Machine) -> bool:
        machine.last = pattern
        return pattern.search(machine.space) is not None

    return test


def _block(test: Test | None, negated: bool, after: int) -> Step:
    if test is None:
        return (lambda machine: after) if negated else (lambda machine: None)
    return lambda machine: None if test(machine) is not negated else after


def _when(test: Test, action: Step) -> Step:
    return lambda machine: action(machine) if test(machine) else None


def _unless(test: Test, action: Step) -> Step:
    return lambda machine: None if test(machine) else action(machine)


def _never(machine: Machine) -> None:
    return None


# The commands without arguments


def _delete(machine: Machine) -> int:
    return DELETED


def _delete_line(machine: Machine) -> int:
    _, found, rest = machine.space.partition(machine.delimiter)
    if not found:
        return DELETED
    machine.space = rest
    machine.turn()
    return AGAIN


def _get(machine: Machine) -> None:
    machine.space, machine.ended = machine.hold, machine.hold_ended


def _get_more(machine: Machine) -> None:
    machine.ended = machine.hold_ended
    machine.set_space(machine.space + machine.delimiter + machine.hold)


def _hold(machine: Machine) -> None:
    machine.hold, machine.hold_ended = machine.space, machine.ended


def _hold_more(machine: Machine) -> None:
    machine.hold_ended = machine.ended
    machine.set_hold(machine.hold + machine.delimiter + machine.space)


def _exchange(machine: Machine) -> None:
    machine.space, machine.hold = machine.hold, machine.space
    machine.ended, machine.hold_ended = machine.hold_ended, machine.ended


def _next(machine: Machine) -> int | None:
    if machine.input.at_end():
        return _print_and_end(machine)
    if not machine.quiet:
        machine.output.line(machine.space, machine.ended)
    machine.read()
    return None


def _print_and_end(machine: Machine) -> int:
    if not machine.quiet:
        machine.output.line(machine.space, machine.ended)
    return DELETED


def _next_more(machine: Machine) -> int | None:
    if machine.input.at_end():
        return DELETED if machine.posix else _print_and_end(machine)
    space = machine.space
    machine.read()
    machine.set_space(space + machine.delimiter + machine.space)
    return None


def _print(machine: Machine) -> None:
    machine.output.line(machine.space, machine.ended)


def _print_line(machine: Machine) -> None:
    before, found, _ = machine.space.partition(machine.delimiter)
    machine.output.line(before, bool(found) or machine.ended)


def _number(machine: Machine) -> None:
    machine.output.line(b"%d" % machine.input.number)


def _file(machine: Machine) -> None:
    machine.output.line(file_name(machine))


def _empty(machine: Machine) -> None:
    machine.space = b""


_SIMPLE: dict[str, Step] = {
    "}": _never, "=": _number, "d": _delete, "D": _delete_line, "F": _file, "g": _get, "G": _get_more, "h": _hold,
    "H": _hold_more, "n": _next, "N": _next_more, "p": _print, "P": _print_line, "x": _exchange, "z": _empty,
}  # fmt: skip


# The commands with arguments


def _branch(target: int, back: bool) -> Step:
    def branch(machine: Machine) -> int:
        if back:
            machine.turn()
        return target

    return branch


def _branch_if(target: int, back: bool) -> Step:
    def branch(machine: Machine) -> int | None:
        if not machine.replaced:
            return None
        machine.replaced = False
        if back:
            machine.turn()
        return target

    return branch


def _branch_unless(target: int, back: bool) -> Step:
    def branch(machine: Machine) -> int | None:
        if machine.replaced:
            machine.replaced = False
            return None
        if back:
            machine.turn()
        return target

    return branch


def _quit(status: int, *, prints: bool) -> Step:
    def leave(machine: Machine) -> int:
        if prints:
            if not machine.quiet:
                machine.output.line(machine.space)
            machine.output.text(b"")  # q ends a line that was printed without newline
            machine.dump()
        machine.status = status & 0xFF
        return QUIT

    return leave


def _append(text: bytes) -> Step:
    return lambda machine: machine.queue.append(text)


def _insert(text: bytes) -> Step:
    return lambda machine: _show(machine, text)


def _show(machine: Machine, text: bytes) -> None:
    """Print text at once; its last newline is the delimiter of lines."""
    if text:
        machine.output.line(text[:-1])
    else:
        machine.output.text(text)


def _change(text: bytes, ranged: _Range | None) -> Step:
    def change(machine: Machine) -> int:
        if ranged is None or not ranged.open:
            _show(machine, text)
        return DELETED

    return change


def _transliterate(table: dict[str, str]) -> Step:
    if all(a.isascii() and b.isascii() for a, b in table.items()):
        before, after = ("".join(side).encode() for side in (table.keys(), table.values()))
        byte_table = bytes.maketrans(before, after)

        def translate_bytes(machine: Machine) -> None:
            machine.space = machine.space.translate(byte_table)

        return translate_bytes
    text_table = str.maketrans(table)

    def translate(machine: Machine) -> None:
        text = machine.space.decode("utf-8", "surrogateescape").translate(text_table)
        machine.set_space(text.encode("utf-8", "surrogateescape"))

    return translate


def _list(length: int) -> Step:
    def show(machine: Machine) -> None:
        pieces = [_SHOWN[byte] for byte in machine.space]
        if length:
            out: list[bytes] = []
            width = 0
            for piece in pieces:
                if width + len(piece) > length - 1:
                    out.append(b"\\" + machine.delimiter)
                    width = 0
                out.append(piece)
                width += len(piece)
            pieces = out
        machine.output.line(b"".join(pieces) + b"$")

    return show
