"""strings: print the runs of printable characters in files (GNU binutils)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, encode, reason

if TYPE_CHECKING:
    from collections.abc import Callable

    from rshell.builtins.streams import Source

_OLD = re.compile(r"-[0-9]+", re.ASCII)


STRINGS = Command(
    "strings",
    "print the runs of printable characters in files",
    "strings [OPTION]... [FILE]...",
    options=(
        Option("-a", "--all", help="scan whole files (always so)"),
        Option("-f", "--print-file-name", help="print the name of the file before each string"),
        Option("-n", "--bytes", value="MIN", help="print runs of at least MIN characters, 4 without; -MIN is the same"),
        Option("-o", help="as -t o"),
        Option("-s", "--output-separator", value="S", help="print S, not a newline, after each string"),
        Option("-t", "--radix", value="RADIX", help="print where each string is: o octal, d decimal, x hexadecimal"),
        *(Option(f"-{digit}") for digit in "0123456789"),
        Option("-d", "--data", refused="files are scanned whole, not by section"),
        Option("-e", "--encoding", value="E", refused="characters are single bytes of ASCII"),
    ),
)

_OFFSETS = {"o": b"%7o ", "d": b"%7d ", "x": b"%7x "}
_MINIMUM = re.compile(r"0[xX][0-9a-fA-F]+|[0-9]+", re.ASCII)
_RUN = rb"[\t\x20-\x7e]"
_HEAD = re.compile(_RUN + rb"*+")
_PRINTABLE = bytes(byte == 9 or 32 <= byte < 127 for byte in range(256))
_HELD = 64 * limits.KIB  # of one string, before it is printed bit by bit


def _minimum(text: str) -> int:
    if text and not _MINIMUM.fullmatch(text):
        raise Failure(f"invalid integer argument {text}")
    digits = text.lower().lstrip("0")
    base = 10
    if digits.startswith("x"):
        digits, base = digits[1:].lstrip("0"), 16
    elif text.startswith("0"):
        base = 8
        if "8" in digits or "9" in digits:
            raise Failure(f"invalid integer argument {text}")
    return int(digits or "0", base) if len(digits) <= limits.NUMBER_DIGITS else limits.LINE + 1  # text: ours (matched)


def _settings(call: Invocation) -> tuple[int, str]:
    """The shortest string to print, and the radix of offsets."""
    minimum = 4
    radix = ""
    for name, text in call.options.given:
        if name == "bytes" and text is not None:
            minimum = _minimum(text)
        elif name == "o":
            radix = "o"
        elif name == "radix" and text is not None:
            if text not in _OFFSETS:
                raise UsageError(f"invalid radix '{text}': o, d or x")
            radix = text
    for arg in call.args:  # -N wins over -n, wherever it stands
        if _OLD.fullmatch(arg):
            minimum = _minimum(arg[1:])
    if not 1 <= minimum <= limits.LINE:
        bound = f" ({limits.LINE} at most)" if minimum else ""
        raise Failure(f"invalid minimum string length {minimum}{bound}")
    return minimum, radix


@STRINGS.main
def strings(call: Invocation) -> int:
    minimum, radix = _settings(call)
    separator = call.options.get("output-separator")
    ending = b"\n" if separator is None else encode(separator)
    offset = _OFFSETS.get(radix, b"")
    named = "print-file-name" in call.options
    if all(operand == "-" for operand in call.operands):
        _Scan(call, "{standard input}" if named else "", minimum, offset, ending).run(call.stdin)
    for operand in call.operands:
        if operand == "-":  # beside files it is an old spelling of -a
            continue
        try:
            source = call.guarded(operand, call.open(operand))
        except FileNotFoundError:
            call.error(f"'{operand}': No such file")
        except IsADirectoryError:
            call.error(f"Warning: '{operand}' is a directory")
        except OSError as failure:
            call.error(f"{operand}: {reason(failure)}")
        else:
            _Scan(call, operand if named else "", minimum, offset, ending).run(source)
            call.close(source)
    return call.status


class _Scan:
    """Scans one stream."""

    def __init__(self, call: Invocation, name: str, minimum: int, offset: bytes, ending: bytes) -> None:
        self.call = call
        self.minimum = minimum
        self.offset = offset
        self.ending = ending
        self.name = encode(name).replace(b"%", b"%%") + b": " if name else b""
        self.findall = re.compile(_RUN + b"{%d,}+" % minimum).findall
        self.finditer = re.compile(_RUN + b"{%d,}+" % minimum).finditer

    def run(self, source: Source) -> None:
        """Print the strings of a stream."""
        write = self.call.write
        held: list[bytes] = []  # the beginning of a string that the next block may go on with
        size = 0
        printing = False  # its beginning is printed already
        at = 0
        title = self._title()
        for block in source.blocks():
            start = 0
            if held or printing:
                found = _HEAD.match(block)
                start = found.end() if found else 0
                held.append(block[:start])
                size += start
                if start < len(block) or size >= max(self.minimum, _HELD):
                    text = b"".join(held)
                    if printing or size >= self.minimum:
                        write(text if printing else title(at - (size - start)) + text)
                        printing = True
                    held, size = [], 0
                    if start < len(block) and printing:
                        write(self.ending)
                        printing = False
                if start == len(block):
                    at += len(block)
                    continue
            # What reaches the block's end waits for the next.
            stop = max(start, block.translate(_PRINTABLE).rfind(b"\0") + 1)
            self._print(block[start:stop], at + start, title)
            if stop < len(block):
                held, size = [block[stop:]], len(block) - stop
            at += len(block)
        if printing or (held and size >= self.minimum):
            write((b"" if printing else title(at - size)) + b"".join(held) + self.ending)

    def _title(self) -> Callable[[int], bytes]:
        name, offset = self.name, self.offset
        if not offset:
            plain = name.replace(b"%%", b"%")
            return lambda at: plain
        return lambda at: (name + offset) % at

    def _print(self, text: bytes, at: int, title: Callable[[int], bytes]) -> None:
        """Print the strings in a piece that begins and ends outside any."""
        if self.name or self.offset:
            found = [title(at + run.start()) + run.group() for run in self.finditer(text)]
        else:
            found = self.findall(text)
        if found:
            found.append(b"")
            self.call.write(self.ending.join(found))


COMMANDS = {"strings": STRINGS}
