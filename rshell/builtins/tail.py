"""tail: print the last part of files (GNU coreutils)."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Failure, Invocation, Option, reason
from rshell.builtins.quoting import quote, quote_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rshell.builtins.streams import Source
    from rshell.sandbox import File

_OLD = re.compile(r"([+-])([0-9]*)([bcl]?)(f?)", re.ASCII)
_COUNT = re.compile(r"[ \t\n\v\f\r]*\+?([0-9]+)(b|[kKmMGTPEZY](?:iB|B)?)?|([kKmMGTPEZYb])", re.ASCII)
_MOST = 2**64 - 1
_DIGITS = tuple("0123456789")
_FOLLOW = "there is no end to wait for; print the end again with tail -n N"


def _modern(args: list[str]) -> list[str]:
    """tail -5 and tail +5c as options: the first argument, with one file after it at most."""
    if not 1 <= len(args) <= 3:
        return args
    after = args[1] if len(args) > 1 else ""
    if len(args) == 2 and after[:1] == "-" and after != "-":
        if after != "--":
            return args
    elif len(args) == 3 and after != "--":
        return args
    match = _OLD.fullmatch(args[0])
    if match is None or args[0] in ("-", "-c"):
        return args
    sign, digits, unit, follow = match.groups()
    if len(digits.lstrip("0")) > limits.NUMBER_DIGITS or int(digits or "0") > _MOST:  # text: ours (matched above)
        raise Failure(f"invalid number: {quote_text(args[0])}: numerical result out of range")
    count = f"{digits or 10}b" if unit == "b" else digits or "10"
    kind = "--bytes" if unit in ("b", "c") and unit else "--lines"
    return [f"{kind}={'+' if sign == '+' else ''}{count}", *(["-f"] if follow else []), *args[1:]]


TAIL = Command(
    "tail",
    "print the last part of files",
    "tail [-n [+]COUNT] [-c [+]COUNT] [-qvz] [FILE]...",
    options=(
        Option("-c", "--bytes", value="[+]COUNT", help="print the last COUNT bytes; with + from byte COUNT on"),
        Option("-n", "--lines", value="[+]COUNT", help="print the last COUNT lines, 10 without; + from line COUNT on"),
        Option("-q", "--quiet", "--silent", help="never print file names"),
        Option("-v", "--verbose", help="always print file names"),
        Option("-z", "--zero-terminated", help="lines end with NUL, not newline"),
        Option("-f", "--follow", value="HOW", optional=True, refused=_FOLLOW),
        Option("-F", refused=_FOLLOW),
        Option("--retry", refused=_FOLLOW),
        Option("--pid", value="PID", refused=_FOLLOW),
        Option("-s", "--sleep-interval", value="N", refused=_FOLLOW),
        *(Option(f"-{digit}", value="", optional=True) for digit in _DIGITS),  # what _modern could not make sense of
    ),
    description="COUNT may have a suffix: b 512, kB 1000, K 1024, MB 1000*1000, M 1024*1024, and so on for G T P E.",
    rewrite=_modern,
)


def _count(text: str, what: str) -> tuple[bool, int]:
    """A count: whether it counts from the start, and how many."""
    from_start = text.startswith("+")
    if text.startswith("-"):
        text = text[1:]
    match = _COUNT.fullmatch(text)
    if match is None:
        raise Failure(f"invalid number of {what}: {quote_text(text)}")
    digits = (match[1] or "1").lstrip("0") or "0"
    suffix = match[2] or match[3]
    factor = 1
    if suffix == "b":
        factor = 512
    elif suffix:
        factor = (1000 if suffix[1:] == "B" else 1024) ** (" KMGTPEZY".index(suffix[0].upper()))
    if len(digits) > limits.NUMBER_DIGITS or int(digits) * factor > _MOST:  # text: ours (matched above)
        raise Failure(f"invalid number of {what}: {quote_text(text)}: value too large for defined data type")
    return from_start, int(digits) * factor  # text: ours (matched above)


@TAIL.main
def tail(call: Invocation) -> int:
    lines, from_start, count = True, False, 10
    for key, argument in call.options.given:
        if key in ("lines", "bytes") and argument is not None:
            lines = key == "lines"
            from_start, count = _count(argument, key)
        elif key in _DIGITS:
            raise Failure(f"option used in invalid context -- {key}")
    if count == 0 and not from_start:
        return 0
    part = _Tail(call, lines, from_start, count)
    operands = call.operands or ["-"]
    shown = call.options.last("quiet", "verbose")
    headers = shown == "verbose" or (shown is None and len(operands) > 1)
    separator = ""
    for name in operands:
        source = call.stdin
        failure: OSError | None = None
        if name != "-":
            try:
                source = call.open(name)
            except IsADirectoryError as error:  # it opens, as tail sees it, and cannot be read
                failure = error
            except OSError as error:
                call.error(f"cannot open {quote(name)} for reading: {reason(error)}")
                continue
        title = "standard input" if name == "-" else name
        if headers:
            call.print(f"{separator}==> {title} <==")
            separator = "\n"
        call.flush()
        try:
            if failure is not None:
                raise failure
            part.print(source)
        except OSError as error:
            call.error(f"error reading {quote(title)}: {reason(error)}")
            if not lines or (from_start and count <= 1):  # where GNU seeks and copies, it gives up
                break
        finally:
            if name != "-":
                call.close(source)
    return call.status


class _Tail:
    """Which part of each input is printed."""

    def __init__(self, call: Invocation, lines: bool, from_start: bool, count: int) -> None:
        self.call = call
        self.lines = lines
        self.from_start = from_start
        self.count = count
        self.delimiter = b"\0" if "zero-terminated" in call.options else b"\n"

    def print(self, source: Source) -> None:
        """Print the part of one input. Raises OSError."""
        file = source.file
        if self.from_start:
            skip = max(self.count - 1, 0)
            first = self._skip_lines(source, skip) if self.lines else self._skip_bytes(source, skip)
            self._copy(first, source)
        # What is small may be a file of /proc, whose size says nothing.
        elif file is not None and file.is_regular and file.size > 4 * limits.KIB:
            start = file.seek(0, 1) - source.pending
            size = file.size
            if self.lines:
                start = self._line_from_end(file, start, size)
            else:
                start = max(start, size - self.count)
            source.discard()
            file.seek(start)
            self._copy(b"", source)
        else:
            for block in self._last_lines(source) if self.lines else self._last_bytes(source):
                self.call.stdout.write(block)

    def _copy(self, first: bytes, source: Source) -> None:
        write = self.call.stdout.write
        if first:
            write(first)
        for block in source.blocks():
            write(block)

    # From the start

    def _skip_bytes(self, source: Source, skip: int) -> bytes:
        file = source.file
        if file is not None and file.is_regular and file.size > 4 * limits.KIB:
            start = file.seek(0, 1) - source.pending
            source.discard()
            file.seek(min(start + skip, max(start, file.size)))
            return b""
        while skip > 0 and (block := source.read()):
            if len(block) > skip:
                return block[skip:]
            skip -= len(block)
        return b""

    def _skip_lines(self, source: Source, skip: int) -> bytes:
        while skip > 0 and (block := source.read()):
            found = block.count(self.delimiter)
            if found >= skip:
                return block.split(self.delimiter, skip)[skip]
            skip -= found
        return b""

    # From the end of a file

    def _line_from_end(self, file: File, start: int, size: int) -> int:
        """Where the last count lines begin."""
        left = self.count
        at = size
        step = 8 * limits.KIB
        while at > start:
            self.call.check()
            length = min(step, at - start)
            block = file.pread(length, at - length)
            if at == size and block.endswith(self.delimiter):
                left += 1  # the newline at the very end begins no line
            found = block.count(self.delimiter)
            if found >= left:
                return at - length + len(block.rsplit(self.delimiter, left)[0]) + 1
            left -= found
            at -= length
            step = limits.BLOCK
        return start

    # From the end of a pipe

    def _blocks(self, source: Source) -> Iterator[bytes]:
        """The input in blocks that are not tiny, within the bounds for what cannot be sought."""
        small: list[bytes] = []
        held = total = 0
        for block in source.blocks():
            total += len(block)
            if total > limits.TAIL_READ:
                raise Failure(f"input too long ({limits.TAIL_READ} bytes at most from a pipe)")
            small.append(block)
            held += len(block)
            if held >= limits.PIPE:
                yield b"".join(small)
                small.clear()
                held = 0
        if small:
            yield b"".join(small)

    def _last_bytes(self, source: Source) -> Iterator[bytes]:
        kept: deque[bytes] = deque()
        size = 0
        for block in self._blocks(source):
            kept.append(block)
            size += len(block)
            while size - len(kept[0]) >= self.count:
                size -= len(kept.popleft())
            self._bound(size)
        if size > self.count:
            kept[0] = kept[0][size - self.count :]
        return iter(kept)

    def _last_lines(self, source: Source) -> Iterator[bytes]:
        delimiter = self.delimiter
        kept: deque[tuple[bytes, int]] = deque()
        size = lines = 0
        for block in self._blocks(source):
            found = block.count(delimiter)
            kept.append((block, found))
            size += len(block)
            lines += found
            while lines - kept[0][1] > self.count:
                first, found = kept.popleft()
                size -= len(first)
                lines -= found
            self._bound(size)
        if kept and not kept[-1][0].endswith(delimiter):
            lines += 1
        blocks = [block for block, _ in kept]
        skip = lines - self.count
        while skip > 0:
            block, found = kept.popleft()
            if found >= skip:
                blocks[len(blocks) - len(kept) - 1] = block.split(delimiter, skip)[skip]
                return iter(blocks[len(blocks) - len(kept) - 1 :])
            skip -= found
        return iter(blocks)

    def _bound(self, size: int) -> None:
        if size > limits.TAIL_BUFFER:
            raise Failure(f"more than {limits.TAIL_BUFFER} bytes to keep; give a smaller count, or the file itself")


COMMANDS = {"tail": TAIL}
