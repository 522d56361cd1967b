"""xxd: dump bytes in hexadecimal, or make bytes of a dump (as vim's xxd)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Failure, Invocation, Option, encode, reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rshell.builtins.streams import Source

XXD = Command(
    "xxd",
    "dump bytes in hexadecimal, or make bytes of such a dump",
    "xxd [OPTION]... [FILE]",
    options=(
        Option("-a", help="print * for lines of zero bytes"),
        Option("-b", help="binary digits"),
        Option("-C", help="with -i: names in capitals"),
        Option("-c", value="COLS", help="bytes on a line (16; -b 6, -i 12, -p 30)"),
        Option("-d", help="decimal offsets"),
        Option("-e", help="groups as little-endian words"),
        Option("-g", value="BYTES", help="bytes in a group (2; -b 1, -e 4)"),
        Option("-i", help="as C source"),
        Option("-l", value="LEN", help="stop after LEN bytes"),
        Option("-n", value="NAME", help="the name that -i declares"),
        Option("-o", value="OFF", help="add OFF to the offsets shown"),
        Option("-p", help="hexadecimal digits alone"),
        Option("-r", help="make bytes of a dump; with -p, of digits alone"),
        Option("-s", value="SEEK", help="start at SEEK; +SEEK from here, -SEEK from the end"),
        Option("-u", help="upper case digits"),
        Option("-E", refused="characters are shown as ASCII"),
    ),
    raw=True,
)

_COLUMNS = 256
_VISIBLE = bytes(byte if 32 <= byte < 127 else 46 for byte in range(256))
_BITS = [f"{byte:08b}" for byte in range(256)]
_DIGITS = re.compile(r"\s*([+-]?)(0[xX][0-9a-fA-F]+|[0-9]+)")
_FLAGS = "abeupiCdrEv"
_VALUED = {"c": "ols", "g": "roup", "o": "ffset", "s": ("kip", "eek"), "l": "en", "n": "ame"}
_STANDARD = re.compile(
    rb"([0-9a-fA-F]{1,16}): ((?:[0-9a-fA-F]{2})+(?: (?:[0-9a-fA-F]{2})+)*)(?:  [^\n]*)?\n"
)  # fmt: skip
_HEX = b"0123456789abcdefABCDEF"
_ALNUM = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
_ANY_HEX = re.compile(rb"[0-9a-fA-F]")
_NOT_HEX = re.compile(rb"[^0-9a-fA-F]")


def _number(text: str) -> int:
    """What C's strtol makes of the beginning of text: decimal, 0x… or 0…; 0 when it is no number."""
    match = _DIGITS.match(text[: limits.NUMBER_DIGITS])
    if match is None:
        return 0
    sign, digits = match.groups()
    if digits[:2] in ("0x", "0X"):
        value = int(digits, 16)  # text: ours
    elif digits[0] == "0":
        octal = re.match("[0-7]+", digits)
        value = int(octal[0], 8) if octal else 0  # text: ours
    else:
        value = int(digits)  # text: ours
    return -value if sign == "-" else value


class _Settings:
    """What the arguments say. xxd reads them in its own way: one dash for words, values attached or not."""

    def __init__(self, args: list[str]) -> None:
        self.flags: set[str] = set()
        self.columns: int | None = None
        self.group: int | None = None
        self.offset = 0
        self.length: int | None = None
        self.name: str | None = None
        self.seek = 0
        self.relative = True
        self.from_end = False
        rest = list(args)
        while rest and rest[0][:1] == "-" and len(rest[0]) > 1:
            arg = rest.pop(0)
            if arg == "--":
                break
            word = arg[1:] if arg.startswith("--") and len(arg) > 2 else arg
            letter = word[1:2]
            if letter in _FLAGS:
                if letter == "a" and "a" in self.flags:
                    self.flags.discard("a")  # it toggles
                else:
                    self.flags.add(letter)
            elif letter in _VALUED:
                self._value(letter, word[2:], rest)
            else:
                raise Failure("usage: xxd [OPTION]... [FILE]")
        if len(rest) > 2:
            raise Failure("usage: xxd [OPTION]... [FILE]")
        if len(rest) == 2:
            raise Failure("an output file is not supported")
        self.file = rest[0] if rest else "-"
        if "E" in self.flags:
            raise Failure("option '-E' is not supported: characters are shown as ASCII")

    def _value(self, letter: str, attached: str, rest: list[str]) -> None:
        words = _VALUED[letter]
        words = (words,) if isinstance(words, str) else words
        if attached and not any(attached.startswith(word) for word in words):
            text = attached
        elif rest:
            text = rest.pop(0)
        else:
            raise Failure("usage: xxd [OPTION]... [FILE]")
        if letter == "n":
            self.name = text
        elif letter == "s":
            self.relative = text.startswith("+")
            text = text.removeprefix("+")
            self.from_end = text.startswith("-")
            self.seek = abs(_number(text.removeprefix("-")))
        else:
            value = _number(text)
            if letter == "c":
                self.columns = value
            elif letter == "g":
                self.group = value
            elif letter == "o":
                self.offset = value
            else:
                self.length = max(value, -1)


@XXD.main
def xxd(call: Invocation) -> int:
    """Dump one input, or make bytes of it."""
    if call.args in (["-h"], ["-help"]):
        call.write(encode(XXD.help_text()))
        return 0
    settings = _Settings(call.args)
    flags = settings.flags
    if "v" in flags:
        call.say("xxd: a part of this shell\n")
        return 0
    kind = "p" if "p" in flags else "i" if "i" in flags else "b" if "b" in flags else "e" if "e" in flags else "x"
    columns = {"p": 30, "i": 12, "b": 6, "e": 16, "x": 16}[kind] if not settings.columns else settings.columns
    if settings.columns == 0 and kind == "p":
        columns = 0
    group = settings.group
    if group is None or group < 0:
        group = {"b": 1, "x": 2, "e": 4}.get(kind, 0)
    if columns < (0 if kind == "p" else 1) or (kind in "bex" and columns > _COLUMNS):
        raise Failure(f"invalid number of columns (max. {_COLUMNS}).")
    if group < 1 or group > columns:
        group = columns
    elif kind == "e" and group & (group - 1):
        raise Failure("number of octets per group must be a power of 2 with -e.")
    try:
        source = call.stdin if settings.file == "-" else call.open(settings.file)
    except OSError as failure:
        call.error(f"{settings.file}: {reason(failure)}", 2)
        return 2
    if "r" in flags:
        if kind not in "px":
            raise Failure("sorry, cannot revert this type of hexdump", 255)
        _Reverse(call, columns, plain=kind == "p").run(source, settings)
        return call.status
    start = _seek(call, source, settings)
    data = _limited(call, source, settings.length)
    upper = "u" in flags
    if kind == "p":
        _plain(call, data, columns, upper=upper)
    elif kind == "i":
        _include(call, data, settings, columns, upper=upper)
    else:
        _dump(call, data, settings, _Layout(kind, columns, group, upper=upper), start)
    return call.status


def _seek(call: Invocation, source: Source, settings: _Settings) -> int:
    """Move to where the dump starts, and return the position."""
    file = source.file
    if file is not None and file.is_regular:
        if settings.relative and not settings.seek:
            return file.seek(0, 1) - source.pending
        here = file.seek(0, 1) - source.pending if settings.relative else file.size if settings.from_end else 0
        there = here - settings.seek if settings.from_end else here + settings.seek
        if there < 0:
            raise Failure("sorry cannot seek.", 4)
        source.discard()
        file.seek(min(there, 1 << 62))
        return there
    if settings.from_end:
        raise Failure("sorry cannot seek.", 4)
    left = settings.seek
    while left:
        block = source.read(min(left, limits.BLOCK))
        if not block:
            raise Failure("sorry cannot seek.", 4)
        left -= len(block)
    return settings.seek


def _limited(call: Invocation, source: Source, length: int | None) -> Iterator[bytes]:
    if length is not None and length < 0:
        length = None
    while length is None or length > 0:
        block = source.read(limits.BLOCK if length is None else min(length, limits.BLOCK))
        if not block:
            return
        call.check()
        if length is not None:
            length -= len(block)
        yield block


def _blocks_of(data: Iterator[bytes], size: int) -> Iterator[bytes]:
    """data in blocks of whole lines of size bytes; only the last may be short."""
    held = b""
    for block in data:
        block = held + block
        end = len(block) - len(block) % size
        held = block[end:]
        if end:
            yield block[:end]
    if held:
        yield held


class _Layout:
    """How the bytes of a line are laid out."""

    def __init__(self, kind: str, columns: int, group: int, *, upper: bool) -> None:
        self.kind = kind
        self.columns = columns
        self.group = group
        self.upper = upper
        self.group_width = (8 if kind == "b" else 2) * group + 1
        # where the characters begin, behind the colon
        self.text_at = 3 + (self.group_width * columns - 1) // group

        # the last word of a line is cut, and its digits reach into the characters
        self.overlaps = kind == "e" and (columns % group != 0 or group & (group - 1) != 0)

    def overlaid(self, data: bytes) -> str:
        """A line where digits and characters share places: what comes later is on top."""
        line = [" "] * (self.text_at + self.columns + self.group_width)
        for at, byte in enumerate(data):
            place = 1 + self.group_width * (at ^ (self.group - 1)) // self.group
            line[place : place + 2] = f"{byte:02X}" if self.upper else f"{byte:02x}"
            line[self.text_at + at] = chr(_VISIBLE[byte])
        return "".join(line[: self.text_at + len(data)])

    def digits(self, data: bytes) -> str:
        """The digits of a line in groups."""
        group = self.group
        if self.kind == "b":
            pieces = [_BITS[byte] for byte in data]
            if group == 1:
                return " ".join(pieces)
            return " ".join(["".join(pieces[at : at + group]) for at in range(0, len(data), group)])
        if self.kind == "e":
            text = " ".join(
                [data[at : at + group][::-1].hex().rjust(group * 2) for at in range(0, len(data), group)]
            )  # fmt: skip
        else:
            text = data.hex(" ", -group)
        return text.upper() if self.upper else text


def _dump(call: Invocation, data: Iterator[bytes], settings: _Settings, layout: _Layout, start: int) -> None:
    columns = layout.columns
    address = "%08d:" if "d" in settings.flags else "%08x:"
    skip = "a" in settings.flags
    zeros: list[str] = []  # lines of zeros that are held back: the first is out, the second and how many more
    count = 0
    offset = start + settings.offset
    width = layout.text_at - 1
    whole = f"{address} %-{width}s%s\n"
    zero = bytes(columns)
    for block in _blocks_of(data, columns):
        call.check()
        out: list[str] = []
        characters = block.translate(_VISIBLE).decode("ascii")
        for at in range(0, len(block), columns):
            piece = block[at : at + columns]
            if layout.overlaps:
                line = (address % (offset & (2**64 - 1))) + layout.overlaid(piece) + "\n"
            else:
                line = whole % (offset & (2**64 - 1), layout.digits(piece), characters[at : at + columns])
            offset += columns
            if not skip:
                out.append(line)
                continue
            if piece == zero:
                count += 1
                if count == 1:
                    out.append(line)
                else:
                    zeros = [*zeros[:1], line] if count > 2 else [line]
                continue
            if count == 2:
                out += zeros
            elif count > 2:
                out.append("*\n")
            count = 0
            out.append(line)
        call.write("".join(out).encode("ascii"))
    if skip and count > 1:
        if count > 2:
            call.write(b"*\n" if count > 3 else zeros[0].encode())
        call.write(zeros[-1].encode())


def _plain(call: Invocation, data: Iterator[bytes], columns: int, *, upper: bool) -> None:
    full = True
    for block in data if not columns else _blocks_of(data, columns):
        text = block.hex()
        if upper:
            text = text.upper()
        if columns:
            full = len(block) % columns == 0
            text = "\n".join([text[at : at + 2 * columns] for at in range(0, len(text), 2 * columns)])
            text += "\n" if full else ""
        call.write(text.encode("ascii"))
    if not full or not columns:
        call.write(b"\n")


def _include(call: Invocation, data: Iterator[bytes], settings: _Settings, columns: int, *, upper: bool) -> None:
    name = settings.name if settings.name is not None else settings.file if settings.file != "-" else None
    capitals = "C" in settings.flags
    if name is not None:
        raw = encode(name).decode("latin-1")
        identifier = ("__" if raw[:1] in tuple("0123456789") else "") + "".join(
            letter if letter in _ALNUM else "_" for letter in (raw.upper() if capitals else raw)
        )
        call.print(f"unsigned char {identifier}[] = {{")
    count = 0
    shown = [f"0X{byte:02X}" if upper else f"0x{byte:02x}" for byte in range(256)]
    for block in _blocks_of(data, columns):
        call.check()
        lines = [
            "  " + ", ".join([shown[byte] for byte in block[at : at + columns]])
            for at in range(0, len(block), columns)
        ]  # fmt: skip
        call.write(((",\n" if count else "") + ",\n".join(lines)).encode("ascii"))
        count += len(block)
    if count:
        call.write(b"\n")
    if name is not None:
        call.print(f"}};\nunsigned int {identifier}_{'LEN' if capitals else 'len'} = {count};")


class _Reverse:
    """Makes bytes of a dump. Bytes go where their line's offset says; gaps are filled with zeros."""

    def __init__(self, call: Invocation, columns: int, *, plain: bool) -> None:
        self.call = call
        self.columns = columns
        self.is_plain = plain
        self.have = 0  # how much is written
        # with -p, from block to block: the last two digits (-1: none), whether the rest of the line is
        # skipped, and whether no digit was seen yet
        self.first = self.second = -1
        self.skipping = False
        self.garbage = True
        self.begun = False
        # without -p: the place on the line, where its bytes go
        self.place = columns
        self.want = 0

    def run(self, source: Source, settings: _Settings) -> None:
        base = -settings.seek if settings.from_end else settings.seek
        if self.is_plain:
            self.plain(source, base)
            return
        for line in source.lines():
            self.call.check()
            match = _STANDARD.fullmatch(line) if self.place == self.columns and self.garbage else None
            if match is None:
                self.odd(line.replace(b"\r", b""), base)
                continue
            data = bytes.fromhex(match[2].decode("ascii"))[: self.columns]
            self.go_to(int(match[1], 16) + base)  # text: ours
            self.call.write(data)
            self.have += len(data)

    def go_to(self, there: int) -> None:
        if there < self.have:
            self.call.flush()
            raise Failure("sorry, cannot seek backwards.", 5)
        while self.have < there:
            self.call.check()
            size = min(there - self.have, limits.BLOCK)
            self.call.write(bytes(size))
            self.have += size

    def odd(self, line: bytes, base: int) -> None:
        """One line that is not laid out as usual, digit by digit; an offset without a colon ends at the line's end."""
        for byte in line:
            third, self.second = self.second, self.first
            self.first = _nibble(byte)
            if self.first < 0 and self.garbage:
                continue
            self.garbage = False
            if self.place >= self.columns:
                if self.first < 0:
                    self.place = 0
                else:
                    self.want = (self.want << 4 | self.first) & (2**63 - 1)
                continue
            if base + self.want != self.have:
                self.go_to(base + self.want)
            if self.second >= 0 and self.first >= 0:
                self.call.write(bytes((self.second << 4 | self.first,)))
                self.have += 1
                self.want += 1
                self.first = -1
                self.place += 1
                if self.place >= self.columns:
                    break
            elif (self.first < 0 and self.second < 0 and third < 0) or byte == 10:
                break
        else:
            return
        self.want = 0
        self.place = self.columns
        self.garbage = True

    def plain(self, source: Source, base: int) -> None:
        """Digits alone, wherever blanks and line ends stand; the rest of a line behind what is neither is skipped."""
        for block in source.blocks():
            self.call.check()
            text = block.translate(None, b" \n\t\r")
            if not _NOT_HEX.search(text) and not self.skipping:
                if text:
                    self.begin(base)
                    text = (b"" if self.first < 0 else b"%x" % self.first) + text
                    end = len(text) - len(text) % 2
                    self.call.write(bytes.fromhex(text[:end].decode("ascii")))
                    self.first, self.second = (_nibble(text[-1]), -1) if end < len(text) else (-1, 0)
                    self.garbage = False
                continue
            for number, line in enumerate(block.split(b"\n")):
                if number:
                    self.skipping = False
                if not self.skipping:
                    if not self.begun and _ANY_HEX.search(line):
                        self.begin(base)
                    self.plain_line(line.translate(None, b" \t\r"))

    def begin(self, base: int) -> None:
        """Before the first digit: go to where the bytes are to begin."""
        if not self.begun:
            self.begun = True
            self.go_to(base)

    def plain_line(self, text: bytes) -> None:
        """Digits with something else between them; what goes before the first is nothing."""
        out = bytearray()
        for byte in text:
            third, self.second = self.second, self.first
            self.first = _nibble(byte)
            if self.first < 0 and self.garbage:
                continue
            self.garbage = False
            if self.second >= 0 and self.first >= 0:
                out.append(self.second << 4 | self.first)
                self.first = -1
            elif self.first < 0 and self.second < 0 and third < 0:
                self.skipping = self.garbage = True
                break
        self.call.write(bytes(out))


def _nibble(byte: int) -> int:
    at = _HEX.find(bytes((byte,)))
    return at if at < 16 else at - 6


COMMANDS = {"xxd": XXD}
