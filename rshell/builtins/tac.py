"""tac: print files last line first (GNU coreutils)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Failure, Invocation, Option, encode, reason
from rshell.builtins.quoting import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rshell.builtins.streams import Source

TAC = Command(
    "tac",
    "print files last line first",
    "tac [-b] [-s STRING] [FILE]...",
    options=(
        Option("-b", "--before", help="the separator stands before what it belongs to, not after"),
        Option("-r", "--regex", refused="the separator is a plain string; turn other separators into one with sed"),
        Option("-s", "--separator", value="STRING", help="use STRING instead of newline as the separator"),
    ),
    description=f"What is no regular file is held in memory, {limits.TAIL_BUFFER} bytes at most.",
)


@TAC.main
def tac(call: Invocation) -> int:
    text = call.options.get("separator")
    separator = b"\n" if text is None else encode(text) or b"\0"
    before = "before" in call.options
    for name in call.operands or ["-"]:
        title = "standard input" if name == "-" else name
        source = call.stdin
        try:
            if name != "-":
                source = call.open(name)
            _print(call, source, separator, before)
        except IsADirectoryError:  # it opens, as tac sees it, and cannot be read
            call.error(f"{title}: read error: is a directory")
        except OSError as failure:
            call.error(f"failed to open {quote(name)} for reading: {reason(failure)}")
        finally:
            if name != "-":
                call.close(source)
    return call.status


def _backwards(call: Invocation, source: Source) -> Iterator[bytes]:
    """The whole input in blocks, from its end."""
    file = source.file
    if file is not None and file.is_regular and file.size > 0:
        at = file.size
        while at > 0:
            call.check()
            length = min(at, limits.BLOCK)
            at -= length
            yield file.pread(length, at)
        source.discard()
        file.seek(file.size)
        return
    blocks: list[bytes] = []
    size = 0
    for block in source.blocks():
        size += len(block)
        if size > limits.TAIL_BUFFER:
            raise Failure(f"input too long ({limits.TAIL_BUFFER} bytes at most from a pipe)")
        blocks.append(block)
    while blocks:
        yield blocks.pop()


def _print(call: Invocation, source: Source, separator: bytes, before: bool) -> None:
    carried: list[bytes] = []  # the record that is not whole yet, its last piece first
    size = 0
    ending = b""  # what stands after that record
    overlap = len(separator) - 1
    for block in _backwards(call, source):
        if separator not in block and separator not in block + (_head(carried, overlap) if overlap else b""):
            carried.append(block)
            size += len(block)
            if size > limits.TAIL_BUFFER:
                raise Failure(f"record too long ({limits.TAIL_BUFFER} bytes at most)")
            continue
        carried.reverse()
        parts = b"".join([block, *carried]).rsplit(separator)
        carried = [parts[0]]
        size = len(parts[0])
        if before:
            call.write(separator.join([b"", *parts[:0:-1]]))
        else:
            last = parts.pop() + ending
            call.write(last + separator.join([*parts[:0:-1], b""]))
            ending = separator
    carried.reverse()
    call.write(b"".join(carried) + ending)


def _head(carried: list[bytes], length: int) -> bytes:
    """The first bytes of a record whose pieces stand last first."""
    head = b""
    for piece in reversed(carried):
        head += piece[: length - len(head)]
        if len(head) == length:
            break
    return head


COMMANDS = {"tac": TAC}
