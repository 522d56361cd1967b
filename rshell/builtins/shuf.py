"""shuf: print lines in a random order (GNU coreutils).

The order comes from the run's clock reading, so that a run that is replayed with the same clock shuffles alike.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, encode
from rshell.builtins.quoting import quote
from rshell.builtins.text import clamped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SHUF = Command(
    "shuf",
    "print lines in a random order",
    "shuf [OPTION]... [FILE]\n  or:  shuf -e [OPTION]... [ARG]...\n  or:  shuf -i LO-HI [OPTION]...",
    options=(
        Option("-e", "--echo", help="every ARG is a line"),
        Option("-i", "--input-range", value="LO-HI", help="the numbers from LO to HI are the lines"),
        Option("-n", "--head-count", value="COUNT", help="print at most COUNT lines"),
        Option("-r", "--repeat", help="lines may come again and again; without -n there is no end"),
        Option("-z", "--zero-terminated", help="lines end with NUL, not newline"),
        Option("-o", "--output", value="FILE", refused="output goes to standard output"),
        Option("--random-source", value="FILE", refused="the order comes from the run's clock"),
    ),
    description=f"All input is held in memory: {limits.SORT_LINES} lines and {limits.SORT_BYTES} bytes at most.",
)

_RANGE = re.compile("([0-9]+)-([0-9]+)")
_HIGHEST = 2**64 - 1


class _Chance:
    """Random numbers from a seed: a hash of a counter."""

    def __init__(self, seed: str) -> None:
        self._seed = sha256(seed.encode()).digest()
        self._counter = 0
        self._pool: list[int] = []

    def below(self, bound: int) -> int:
        """A number from 0 to bound - 1; the bias is below 2**-64."""
        if not self._pool:
            data = b"".join(sha256(self._seed + (self._counter + at).to_bytes(8, "big")).digest() for at in range(64))
            self._counter += 64
            self._pool = [int.from_bytes(data[at : at + 16], "big") for at in range(0, len(data), 16)]
        return self._pool.pop() % bound


@SHUF.main
def shuf(call: Invocation) -> int:
    options, operands = call.options, call.operands
    ending = b"\0" if "zero-terminated" in options else b"\n"
    count: int | None = None
    for text in options.all("head-count"):
        given = clamped(text, -1, _HIGHEST)
        if given is None or given < 0:
            raise Failure(f"invalid line count: {quote(text)}")
        count = given if count is None else min(count, given)
    ranges = options.all("input-range")
    if ranges and "echo" in options:
        raise UsageError("cannot combine -e and -i options")
    if len(ranges) > 1:
        raise Failure("multiple -i options specified")
    if ranges:
        if operands:
            raise UsageError(f"extra operand {quote(operands[0])}")
        low, total = _range(ranges[0])
        line: Callable[[int], bytes] = lambda at: b"%d" % (low + at)  # noqa: E731
    elif "echo" in options:
        line, total = [encode(word) for word in operands].__getitem__, len(operands)
    else:
        if len(operands) > 1:
            raise UsageError(f"extra operand {quote(operands[1])}")
        lines = [] if count == 0 else _lines(call, ending)
        if call.status:
            return call.status
        line, total = lines.__getitem__, len(lines)
    repeat = "repeat" in options
    if count == 0:
        return 0
    if repeat and not total:
        raise Failure("no lines to repeat")
    calls = call.run.counters["shuf"] = call.run.counters.get("shuf", 0) + 1
    chance = _Chance(f"{call.run.now!r} {calls}")
    for number, at in enumerate(_order(chance, total, count, repeat)):
        if not number % 1024:
            call.check()
        call.write(line(at) + ending)
    return 0


def _range(text: str) -> tuple[int, int]:
    """The first number of LO-HI, and how many there are."""
    match = _RANGE.fullmatch(text)
    low, high = (clamped(part, 0, _HIGHEST + 1) or 0 for part in (match.groups() if match else ("1", "0")))
    if match is None or high > _HIGHEST or low > high + 1:
        raise Failure(f"invalid input range: {quote(text)}")
    return low, high - low + 1


def _lines(call: Invocation, ending: bytes) -> list[bytes]:
    lines: list[bytes] = []
    size = 0
    for given in call.inputs():
        for block in given.source.line_blocks(delimiter=ending):
            size += len(block)
            lines += block.split(ending)
            if not lines[-1]:
                lines.pop()
            if size > limits.SORT_BYTES or len(lines) > limits.SORT_LINES:
                raise Failure(f"input too long ({limits.SORT_LINES} lines and {limits.SORT_BYTES} bytes at most)")
    return lines


def _order(chance: _Chance, total: int, count: int | None, repeat: bool) -> Iterator[int]:
    """Places of lines, in the order in which they are printed."""
    if repeat:
        while count is None or count > 0:
            yield chance.below(total)
            if count is not None:
                count -= 1
        return
    wanted = total if count is None else min(count, total)
    if wanted > 10 * limits.SORT_LINES:
        raise Failure(f"too many lines ({10 * limits.SORT_LINES} at most); give a smaller -n")
    moved: dict[int, int] = {}  # what stands at a place where it did not at first
    for at in range(wanted):
        other = at + chance.below(total - at)
        yield moved.get(other, other)
        moved[other] = moved.pop(at, at)


COMMANDS = {"shuf": SHUF}
