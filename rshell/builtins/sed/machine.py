"""What a sed script works on: its input, pattern space, hold space and output."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Failure, encode, reason
from rshell.builtins.sed.script import ScriptError
from rshell.builtins.streams import LineTooLong

if TYPE_CHECKING:
    from collections.abc import Callable

    from rshell.builtins.command import Invocation
    from rshell.builtins.regex import Pattern
    from rshell.builtins.streams import Source

_FLUSH = 64 * limits.KIB
_FLUSH_PIECES = 8192


class Input:
    """The lines of all inputs, one after the other, with a look ahead for `$`.

    number: of the line read last. name: the file that is open, '-' for standard input. ended: whether it
    had its delimiter. separate: each file has its own line numbers and last line (-s); then switched
    is called when a new one begins.
    """

    def __init__(
        self, call: Invocation, names: list[str], delimiter: bytes, *, separate: bool, switched: Callable[[], None]
    ) -> None:
        self.call = call
        self.delimiter = delimiter
        self.separate = separate
        self.number = 0
        self.name = "-"
        self.ended = True
        self.from_stdin = False
        self._switched = switched
        self._names = iter(names)
        self._source: Source | None = None
        self._source_name = "-"
        self._carried: list[bytes] = []
        self._length = 0
        self._lines: list[bytes] = []
        self._at = 0
        self._open_end = -1  # index of the line that has no delimiter
        self._ahead: bytes | None = None
        self._new_file = False  # what is ahead begins a file

    def next(self) -> bytes | None:
        """The next line without its delimiter; None at the end of all."""
        at = self._at
        if at >= len(self._lines):
            if self._ahead is None and not self._fetch():
                return None
            self._install()
            at = 0
        self._at = at + 1
        self.number += 1
        self.ended = at != self._open_end
        return self._lines[at]

    def at_end(self) -> bool:
        """Whether the line read last is the last one (with -s, of its file)."""
        if self._at < len(self._lines):
            return False
        if self._ahead is not None:
            return self.separate and self._new_file
        if self._source is not None and self._more():
            return False
        if self.separate:
            return True
        found = self._fetch()
        self.name = self._source_name  # F names the file that was opened for the look, as in GNU sed
        return not found

    def block(self) -> bytes | None:
        """All that is read already, or the next block of whole lines; None at the end. Lines are not counted."""
        if self._at < len(self._lines):
            lines = self._lines[self._at :]
            self._at = len(self._lines)
            return self.delimiter.join(lines) + (self.delimiter if self._open_end < 0 else b"")
        if self._ahead is None and not self._fetch():
            return None
        block, self._ahead, self._new_file = self._ahead, None, False
        self.from_stdin = self._source_name == "-"
        return block

    def skip(self, count: int, write: Callable[[bytes], None] | None) -> bool:
        """Pass over count lines, to write when it is given; False when there are not so many."""
        while count:
            block = self.block()
            if block is None:
                return False
            lines = block.count(self.delimiter) + (not block.endswith(self.delimiter))
            if lines > count:
                rest = block.split(self.delimiter, count)[-1]
                self._take(rest)
                block = block[: len(block) - len(rest)]
                lines = count
            if write is not None:
                write(block)
            self.number += lines
            count -= lines
        return True

    def take_all(self, limit: int) -> bytes | None:
        """All lines that are left, joined by delimiters; None when there are none. Without -s only."""
        pieces: list[bytes] = []
        size = 0
        while (block := self.block()) is not None:
            self.ended = block.endswith(self.delimiter)
            self.number += block.count(self.delimiter) + (not self.ended)
            pieces.append(block if self.ended else block + self.delimiter)
            size += len(block)
            if size > limit + 1:
                raise ScriptError(f"pattern space limit exceeded ({limits.SED_SPACE} bytes)")
        return b"".join(pieces)[:-1] if pieces else None

    def push(self, line: bytes, ended: bool) -> None:
        """Make a line that was taken the next one again."""
        self._lines, self._at = [line], 0
        self._open_end = -1 if ended else 0
        self.number -= 1

    def give_back(self) -> None:
        """Leave what was read and not used to whoever reads standard input next."""
        if not self.from_stdin or self._source_name != "-":
            return
        rest = self.block() if self._at < len(self._lines) else b""
        self.call.stdin.unread((rest or b"") + (self._ahead or b"") + b"".join(self._carried))

    def drain(self) -> None:
        """Read standard input to its end, as sed does; files need not be read."""
        while self.block() is not None:
            if not self.from_stdin:
                return

    def _take(self, block: bytes) -> None:
        lines = block.split(self.delimiter)
        self._open_end = len(lines) - 1
        if not lines[-1]:
            lines.pop()
            self._open_end = -1
        self._lines = lines
        self._at = 0

    def _install(self) -> None:
        block, self._ahead = self._ahead, None
        assert block is not None
        self._take(block)
        self.from_stdin = self._source_name == "-"
        if self._new_file:
            self._new_file = False
            self.name = self._source_name
            if self.separate:
                self.number = 0
                self._switched()

    def _fetch(self) -> bool:
        """Read a block ahead, from the next files if need be."""
        while True:
            if self._source is None and not self._open():
                return False
            if self._more():
                return True

    def _open(self) -> bool:
        call = self.call
        for name in self._names:
            if name == "-":
                self._source = call.stdin
            else:
                try:
                    self._source = call.open(name)
                except OSError as failure:
                    if failure.errno == errno.EISDIR:
                        raise Failure(f"read error on {name}: {reason(failure)}", 4) from None
                    call.error(f"can't read {name}: {reason(failure)}", 2)
                    continue
            self._source_name = name
            self._new_file = True
            return True
        return False

    def _more(self) -> bool:
        """Read a block of whole lines of the file that is open; False, and it is closed, at its end."""
        source = self._source
        assert source is not None
        carried = self._carried
        while True:
            try:
                block = source.read()
            except OSError as failure:
                raise Failure(f"read error on {self._source_name}: {reason(failure)}", 4) from None
            if not block:
                self._source = None
                self.call.close(source)
                self._ahead = b"".join(carried) or None
                carried.clear()
                self._length = 0
                return self._ahead is not None
            cut = block.rfind(self.delimiter) + 1
            first = self._length + (block.find(self.delimiter) if cut else len(block))
            if first > limits.LINE:
                raise LineTooLong
            if not cut:
                carried.append(block)
                self._length = first
                continue
            carried.append(block[:cut])
            self._ahead = b"".join(carried)
            carried.clear()
            self._length = len(block) - cut
            if self._length:
                carried.append(block[cut:])
            return True


class Output:
    """What is printed. A line that had no delimiter gets one when more follows."""

    def __init__(self, call: Invocation, delimiter: bytes, *, unbuffered: bool) -> None:
        self._write = call.stdout.write
        self._delimiter = delimiter
        self._pieces: list[bytes] = []
        self._size = 0
        self._most = 0 if unbuffered else _FLUSH
        self._missing = False

    def line(self, data: bytes, ended: bool = True) -> None:
        """Print a line; ended: with its delimiter."""
        pieces = self._pieces
        if self._missing:
            pieces.append(self._delimiter)
        pieces.append(data)
        if ended:
            pieces.append(self._delimiter)
        self._missing = not ended
        self._size += len(data)
        if self._size > self._most or len(pieces) > _FLUSH_PIECES:
            self.flush()

    def text(self, data: bytes) -> None:
        """Print data as it is, on a line of its own also when it is empty."""
        if self._missing:
            self._pieces.append(self._delimiter)
            self._missing = False
        self._pieces.append(data)
        self._size += len(data)
        if self._size > self._most:
            self.flush()

    def lines(self, data: bytes) -> None:
        """Print lines with their delimiters; only the last may lack its own."""
        if data:
            self.text(data)
            self._missing = not data.endswith(self._delimiter)

    def flush(self) -> None:
        """Hand all to standard output."""
        if self._pieces:
            data = b"".join(self._pieces)
            self._pieces.clear()
            self._size = 0
            if data:
                self._write(data)


class Machine:
    """The state of a running script.

    space: the pattern space. ended: whether its line had a delimiter; it goes with the space into the hold
    space. replaced: what t and T ask for. queue: text of a that waits for the end of the cycle.
    last: the regular expression used last. turns: branches since a line was read.
    """

    __slots__ = (
        "delimiter", "ended", "hold", "hold_ended", "input", "last", "output", "posix", "queue", "quiet", "replaced",
        "space", "status", "turns",
    )  # fmt: skip

    def __init__(self, given: Input, output: Output, delimiter: bytes, *, quiet: bool, posix: bool) -> None:
        self.input = given
        self.output = output
        self.delimiter = delimiter
        self.quiet = quiet
        self.posix = posix
        self.space = b""
        self.ended = True
        self.hold = b""
        self.hold_ended = True
        self.replaced = False
        self.queue: list[bytes] = []
        self.last: Pattern | None = None
        self.status = 0
        self.turns = 0

    def dump(self) -> None:
        """Print the text that waits."""
        for text in self.queue:
            self.output.text(text)
        self.queue.clear()

    def read(self) -> bool:
        """Begin with the next line; False when there is none. Text that waits is printed first."""
        if self.queue:
            self.dump()
        line = self.input.next()
        if line is None:
            return False
        self.space = line
        self.ended = self.input.ended
        self.replaced = False
        self.turns = 0
        return True

    def turn(self) -> None:
        """Count a branch. Raises ScriptError when a line takes too many."""
        self.turns += 1
        if self.turns > limits.SED_BRANCHES:
            raise ScriptError(f"branch limit exceeded ({limits.SED_BRANCHES} for one line)")
        if not self.turns & 0xFF:
            self.input.call.check()

    def set_space(self, data: bytes) -> None:
        """Replace the pattern space, within its bound."""
        if len(data) > limits.SED_SPACE:
            raise ScriptError(f"pattern space limit exceeded ({limits.SED_SPACE} bytes)")
        self.space = data

    def set_hold(self, data: bytes) -> None:
        """Replace the hold space, within its bound."""
        if len(data) > limits.SED_SPACE:
            raise ScriptError(f"hold space limit exceeded ({limits.SED_SPACE} bytes)")
        self.hold = data


def file_name(machine: Machine) -> bytes:
    """The name that F prints."""
    return encode(machine.input.name)
