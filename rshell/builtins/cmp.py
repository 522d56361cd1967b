"""cmp: compare two files byte by byte (GNU diffutils)."""

from __future__ import annotations

import errno
import re
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Invocation, Option, UsageError, encode, reason
from rshell.builtins.quoting import quote_text
from rshell.builtins.text import suffix_factor

if TYPE_CHECKING:
    from rshell.builtins.streams import Source

CMP = Command(
    "cmp",
    "compare two files byte by byte",
    "cmp [OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]",
    options=(
        Option("-b", "--print-bytes", help="print the bytes that differ, too"),
        Option("-i", "--ignore-initial", value="SKIP", help="skip SKIP bytes of both inputs, or SKIP1:SKIP2"),
        Option("-l", "--verbose", help="print position and value of every byte that differs"),
        Option("-n", "--bytes", value="LIMIT", help="compare at most LIMIT bytes"),
        Option("-s", "--quiet", "--silent", help="print nothing, the status tells"),
    ),
    usage_status=2,
)

_TROUBLE = 2
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|[0-9]+)([A-Za-z]*)")
_LARGEST = 2**63 - 1


def number(text: str, option: str) -> int:
    """A count of bytes as C reads it, with a size suffix. Raises UsageError."""
    match = _NUMBER.fullmatch(text)
    factor = None if match is None or len(text) > limits.NUMBER_DIGITS + 4 else suffix_factor(match[2])
    if match is None or factor is None or match[2] == "b":
        raise UsageError(f"invalid {option} value '{text}'")
    digits = match[1]
    try:
        base = 16 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" else 10
        value = int(digits, base) * factor  # text: ours
    except ValueError:
        raise UsageError(f"invalid {option} value '{text}'") from None
    return min(value, _LARGEST)


def _shown(byte: int) -> str:
    if byte >= 128:
        return "M-" + _shown(byte - 128)
    if byte < 32:
        return "^" + chr(byte + 64)
    return "^?" if byte == 127 else chr(byte)


class _Side:
    """One of the two inputs."""

    def __init__(self, name: str, source: Source) -> None:
        self.name = name
        self.source = source
        self.ended = False

    @property
    def size(self) -> int | None:
        """How much is left, where that can be told beforehand."""
        file = self.source.file
        if file is None or not file.is_regular:
            return None
        return max(file.size - file.seek(0, 1), 0) + self.source.pending

    def skip(self, count: int) -> None:
        """Leave out the first bytes."""
        file = self.source.file
        if file is not None and file.is_regular and not self.source.pending:
            file.seek(min(count, max(file.size - file.seek(0, 1), 0)), 1)
            return
        while count and (block := self.source.read(min(count, limits.BLOCK))):
            count -= len(block)

    def read(self, size: int) -> bytes:
        """Exactly size bytes, fewer at the end."""
        pieces: list[bytes] = []
        while size and (block := self.source.read(size)):
            pieces.append(block)
            size -= len(block)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)


@CMP.main
def cmp(call: Invocation) -> int:
    """Compare; 0 when nothing differs, 1 when something does, 2 after trouble."""
    options = call.options
    operands = call.operands
    skips = [0, 0]
    limit: int | None = None
    for key, text in options.given:
        if key == "ignore-initial":
            first, colon, second = (text or "").partition(":")
            skips[0] = max(skips[0], number(first, "--ignore-initial"))
            skips[1] = max(skips[1], number(second if colon else first, "--ignore-initial"))
        elif key == "bytes":
            given = number(text or "", "--bytes")
            limit = given if limit is None else min(limit, given)
    if "verbose" in options and "quiet" in options:
        raise UsageError("options -l and -s are incompatible")
    if not operands:
        raise UsageError("missing operand after 'cmp'")
    names = [operands[0], operands[1] if len(operands) > 1 else "-"]
    for at, text in enumerate(operands[2:4]):
        skips[at] = max(skips[at], number(text, "--ignore-initial"))
    if len(operands) > 4:
        raise UsageError(f"extra operand {quote_text(operands[4])}")
    if names[0] == names[1] and skips[0] == skips[1]:
        return 0
    sides = []
    for name in names:
        try:
            source = call.stdin if name == "-" else call.open(name)
        except OSError as failure:
            if "quiet" not in options or failure.errno == errno.EISDIR:
                call.error(f"{name}: {reason(failure)}", _TROUBLE)
            return _TROUBLE
        sides.append(_Side(name, source))
    return _Comparison(call, sides[0], sides[1], skips, limit).run()


class _Comparison:
    def __init__(self, call: Invocation, left: _Side, right: _Side, skips: list[int], limit: int | None) -> None:
        self.call = call
        self.left = left
        self.right = right
        self.skips = skips
        self.limit = limit
        self.bytes = "print-bytes" in call.options
        self.quiet = "quiet" in call.options
        self.verbose = "verbose" in call.options
        self.width = 0

    def run(self) -> int:
        left, right, limit = self.left, self.right, self.limit
        if self._one_file():
            return 0
        for side, skip in zip((left, right), self.skips, strict=True):
            side.skip(skip)
        sizes = (left.size, right.size)
        if self.quiet and None not in sizes and sizes[0] != sizes[1]:
            shorter = min(size for size in sizes if size is not None)
            if limit is None or shorter < limit:
                return 1
        if self.verbose:
            known = [size for size in (*sizes, limit) if size is not None]
            self.width = len(str(min(known))) if known else len(str(_LARGEST))
        position = 0
        line = 1
        differs = False
        ended_line = True  # whether what was compared last ends a line
        while limit is None or limit > 0:
            self.call.check()
            size = limits.BLOCK if limit is None else min(limit, limits.BLOCK)
            one, other = left.read(size), right.read(size)
            common = min(len(one), len(other))
            if one[:common] != other[:common]:
                if not self.verbose:
                    return self._first(one, other, position, line)
                differs = True
                self._all(one[:common], other[:common], position)
            if common:
                line += one.count(b"\n", 0, common)
                ended_line = one[common - 1] == 10
            position += common
            if len(one) != len(other):
                return self._end(left if len(one) < len(other) else right, position, line, ended_line)
            if common < size:
                break
            if limit is not None:
                limit -= common
        return 1 if differs else 0

    def _one_file(self) -> bool:
        """Whether both sides are the same file at the same position."""
        files = (self.left.source.file, self.right.source.file)
        if self.skips[0] != self.skips[1] or files[0] is None or files[1] is None or not files[0].is_regular:
            return False
        one, other = files[0].stat(), files[1].stat()
        if (one.st_dev, one.st_ino) != (other.st_dev, other.st_ino):
            return False
        return self.left.size == self.right.size

    def _first(self, one: bytes, other: bytes, position: int, line: int) -> int:
        if self.quiet:
            return 1
        at = _difference(one, other)
        line += one.count(b"\n", 0, at)
        text = f"{self.left.name} {self.right.name} differ: byte {position + at + 1}, line {line}"
        if self.bytes:
            a, b = one[at], other[at]
            text += f" is {a:3o} {_shown(a)} {b:3o} {_shown(b)}"
        self.call.write(encode(text + "\n"))
        return 1

    def _all(self, one: bytes, other: bytes, position: int) -> None:
        out = []
        for at, (a, b) in enumerate(zip(one, other, strict=True), position + 1):
            if a != b:
                if self.bytes:
                    out.append(f"{at:{self.width}} {a:3o} {_shown(a):<4} {b:3o} {_shown(b)}\n")
                else:
                    out.append(f"{at:{self.width}} {a:3o} {b:3o}\n")
        self.call.write("".join(out).encode())

    def _end(self, shorter: _Side, position: int, line: int, ended_line: bool) -> int:
        if not self.quiet:
            self.call.flush()
            if position == 0:
                text = "which is empty"
            elif self.verbose:
                text = f"after byte {position}"
            elif ended_line:
                text = f"after byte {position}, line {line - 1}"
            else:
                text = f"after byte {position}, in line {line}"
            self.call.warn(f"EOF on {shorter.name} {text}")
        return 1


def _difference(one: bytes, other: bytes) -> int:
    """Where the two differ first; they do."""
    low, high = 0, min(len(one), len(other))
    while high - low > 1:
        middle = (low + high) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle
    return low


COMMANDS = {"cmp": CMP}
