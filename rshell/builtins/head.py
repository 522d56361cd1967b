"""head: print the first part of files (GNU coreutils)."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Failure, Invocation, Option, reason
from rshell.builtins.quoting import quote, quote_text

if TYPE_CHECKING:
    from rshell.builtins.streams import Source
    from rshell.sandbox import File

_OLD = re.compile(r"-([0-9]+)([bkm]?)([clqvz]*)", re.ASCII)
_COUNT = re.compile(r"[ \t\n\v\f\r]*(-?)\+?0*([0-9]*)(b|(?:[kKmMGTPEZY](?:iB|B)?))?", re.ASCII)
_MOST = 2**64 - 1
_STDIO = 8192  # what GNU head reads at once: on a pipe the rest of the last read is lost to the next reader


def _modern(args: list[str]) -> list[str]:
    """head -5 and head -5kqv as options; only the first argument can be of that kind."""
    if not args or not (match := _OLD.fullmatch(args[0])):
        return args
    number, unit, letters = match.groups()
    kind = "c" if unit else "n"
    flags = []
    for letter in letters:
        if letter in "cl":
            kind = "c" if letter == "c" else "n"
        else:
            flags.append(f"-{letter}")
    return [f"-{kind}{number}{unit}", *flags, *args[1:]]


HEAD = Command(
    "head",
    "print the first part of files",
    "head [-n COUNT] [-c COUNT] [-qvz] [FILE]...",
    options=(
        Option(
            "-n", "--lines", value="[-]COUNT", help="print the first COUNT lines, 10 without; -COUNT: all but the last"
        ),
        Option("-c", "--bytes", value="[-]COUNT", help="print the first COUNT bytes; with - all but the last COUNT"),
        Option("-q", "--quiet", "--silent", help="never print file names"),
        Option("-v", "--verbose", help="always print file names"),
        Option("-z", "--zero-terminated", help="lines end in NUL"),
    ),
    description="COUNT may have a suffix: b 512, kB 1000, K 1024, MB 1000*1000, M 1024*1024, and so on for G T P E.",
    rewrite=_modern,
)


def _count(text: str, what: str) -> tuple[bool, int]:
    """A count: whether it counts from the end, and how many. Too large ones become the largest."""
    match = _COUNT.fullmatch(text)
    if match is None or not (match[2] or "0" in text):
        raise Failure(f"invalid number of {what}: {quote_text(text)}")
    from_end, digits, suffix = match.groups()
    if len(digits) > limits.NUMBER_DIGITS:
        return from_end == "-", _MOST
    number = int(digits or "0")  # text: ours (matched above)
    if suffix == "b":
        number *= 512
    elif suffix:
        number *= (1000 if suffix[1:] == "B" else 1024) ** (" KMGTPEZY".index(suffix[0].upper()))
    return from_end == "-", min(number, _MOST)


class _Head:
    """How much of each input is printed."""

    def __init__(self, call: Invocation) -> None:
        self.call = call
        self.lines = True
        self.from_end = False
        self.count = 10
        self.delimiter = b"\0" if "zero-terminated" in call.options else b"\n"
        for key, argument in call.options.given:
            if key in ("lines", "bytes") and argument is not None:
                self.lines = key == "lines"
                self.from_end, self.count = _count(argument, key)

    def print(self, source: Source, name: str) -> None:
        """Print the part of one input. Raises OSError."""
        file = source.file if source.file is not None and source.file.is_regular else None
        if self.from_end:
            # What is small may be a file of /proc, whose size says nothing.
            if file is not None and file.size > limits.KIB * 4:
                self.all_but_last_of_file(source, file)
            else:
                rest = self.all_but_last(source)
                if file is not None:
                    source.unread(rest)
            return
        # A file's reading position ends up after what was printed; what a pipe gave is gone.
        keep = file is not None
        size = limits.BLOCK if keep or name != "-" else _STDIO
        rest = self.first_lines(source, size) if self.lines else self.first_bytes(source, size)
        if keep:
            source.unread(rest)

    def first_lines(self, source: Source, size: int) -> bytes:
        write, delimiter = self.call.stdout.write, self.delimiter
        left = self.count
        while left > 0 and (block := source.read(size)):
            found = block.count(delimiter)
            if found >= left:
                end = _after(block, delimiter, left, found)
                write(block[:end])
                return block[end:]
            left -= found
            write(block)
        return b""

    def first_bytes(self, source: Source, size: int) -> bytes:
        write = self.call.stdout.write
        left = self.count
        while left > 0 and (block := source.read(min(size, left))):
            write(block)
            left -= len(block)
        return b""

    # All but the last ones

    def all_but_last_of_file(self, source: Source, file: File) -> None:
        """Find the end of what is to be printed from the file's end, then copy."""
        start = file.seek(0, 1) - source.pending
        size = file.size
        if self.lines:
            stop = self.line_from_end(file, start, size)
        else:
            stop = max(start, size - self.count)
        write = self.call.stdout.write
        left = stop - start
        while left > 0 and (block := source.read(min(limits.BLOCK, left))):
            write(block)
            left -= len(block)

    def line_from_end(self, file: File, start: int, size: int) -> int:
        """Where the last count lines begin; an unfinished last line is one of them."""
        delimiter, left = self.delimiter, self.count
        if left == 0:
            return size
        if size > start and file.pread(1, size - 1) != delimiter:
            left -= 1  # it ends without one
        at = size
        # The delimiter wanted is that before the lines: one more than they are.
        while at > start:
            self.call.check()
            begin = max(start, at - limits.BLOCK)
            block = file.pread(at - begin, begin)
            found = block.count(delimiter)
            if found > left:
                return begin + _after(block, delimiter, found - left, found)
            left -= found
            at = begin
        return start

    def all_but_last(self, source: Source) -> bytes:
        """Hold back as many lines or bytes as may be the last ones; return what was not printed."""
        write, count = self.call.stdout.write, self.count
        held: deque[tuple[bytes, int]] = deque()  # blocks, and the lines that end in them
        size = total = 0
        needed = count + 1 if self.lines else count  # what must follow a block before it may go
        for block in source.blocks():
            units = block.count(self.delimiter) if self.lines else len(block)
            held.append((block, units))
            size += len(block)
            total += units
            while held and total - held[0][1] >= needed:
                first, units = held.popleft()
                write(first)
                size -= len(first)
                total -= units
            if size > limits.TAIL_BUFFER:
                raise Failure(f"too much to hold back ({limits.TAIL_BUFFER} bytes at most)")
        if self.lines and held and not held[-1][0].endswith(self.delimiter):
            total += 1  # the unfinished line counts
        wanted = total - count
        while held and wanted > 0:
            block, units = held.popleft()
            if units < wanted or count == 0:
                end = len(block)
            else:
                end = _after(block, self.delimiter, wanted, units) if self.lines else wanted
            write(block[:end])
            wanted -= units
            if end < len(block):
                held.appendleft((block[end:], 0))
                break
        return b"".join(block for block, _ in held)


def _after(block: bytes, delimiter: bytes, count: int, found: int) -> int:
    """The place after the count-th of found delimiters in block."""
    if count * 2 > found:
        # From the end: skip the ones that are too many.
        end = len(block)
        for _ in range(found - count + 1):
            end = block.rfind(delimiter, 0, end)
        return end + 1
    end = 0
    for _ in range(count):
        end = block.find(delimiter, end) + 1
    return end


@HEAD.main
def head(call: Invocation) -> None:
    part = _Head(call)
    names = call.operands or ["-"]
    shown = call.options.last("quiet", "verbose")
    headers = shown == "verbose" or (shown is None and len(names) > 1)
    before = ""
    for name in names:
        title = "standard input" if name == "-" else name
        try:
            source = call.stdin if name == "-" else call.open(name)
        except IsADirectoryError as failure:
            if headers:
                call.print(f"{before}==> {title} <==")
                before = "\n"
            call.error(f"error reading {quote(title)}: {reason(failure)}")
            continue
        except OSError as failure:
            call.error(f"cannot open {quote(name)} for reading: {reason(failure)}")
            continue
        if headers:
            call.print(f"{before}==> {title} <==")
            before = "\n"
        call.flush()
        try:
            part.print(source, name)
        except OSError as failure:
            call.error(f"error reading {quote(title)}: {reason(failure)}")
        if name != "-":
            call.close(source)


COMMANDS = {"head": HEAD}
