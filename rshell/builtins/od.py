"""od: dump files in octal and other formats (GNU coreutils)."""

from __future__ import annotations

import math
import re
import struct
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.choice import choose
from rshell.builtins.command import Command, Failure, Invocation, Option
from rshell.builtins.quoting import quote_text
from rshell.builtins.text import suffix_factor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Old options, and the type each stands for.
_SHORT = {
    "a": "a", "b": "o1", "c": "c", "d": "u2", "f": "fF", "i": "dI", "l": "dL", "o": "o2", "s": "d2", "x": "x2",
    "B": "o2", "D": "u4", "e": "fD", "F": "fD", "h": "x2", "H": "x4", "I": "dL", "L": "dL", "O": "o4", "X": "x4",
}  # fmt: skip
_SHOWN = "abcdfilosx"

OD = Command(
    "od",
    "dump files in octal and other formats",
    "od [OPTION]... [FILE]...",
    options=(
        Option("-A", "--address-radix", value="RADIX", help="how offsets are shown: d, o, x or n (not)"),
        Option("-j", "--skip-bytes", value="BYTES", help="skip BYTES of the input first"),
        Option("-N", "--read-bytes", value="BYTES", help="dump at most BYTES"),
        Option("-t", "--format", value="TYPE", help="formats: a, c, d[SIZE], f[SIZE], o[SIZE], u[SIZE], x[SIZE]; "
               "z behind one adds the printable characters"),
        Option("-v", "--output-duplicates", help="print lines that are as the one before, too"),
        Option("-w", "--width", value="BYTES", optional=True, help="BYTES a line (32 without a value)"),
        Option("--endian", value="ORDER", help="take bytes in this order: little or big"),
        Option("-S", "--strings", value="BYTES", optional=True, refused="use strings"),
        Option("--traditional", refused="give offsets with -j"),
        *(Option(f"-{letter}", help=f"as -t {meaning}" if letter in _SHOWN else "")
          for letter, meaning in _SHORT.items()),
    ),
)  # fmt: skip

_TYPE = re.compile(r"(?:([ac])|([doux])([CSIL]|[0-9]+)?|(f)([FDL]|[0-9]+)?)(z?)")
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|[0-9]+)(.*)", re.DOTALL)
_OLD_OFFSET = re.compile(r"\+?(0[xX][0-9a-fA-F]+|[0-9]+)(b?)")
_SIZES = {"C": 1, "S": 2, "I": 4, "L": 8, "F": 4, "D": 8}
_CODES = {1: "b", 2: "h", 4: "i", 8: "q"}
_FIELD = {  # how wide a field can get, by size
    "o": {1: 3, 2: 6, 4: 11, 8: 22},
    "d": {1: 4, 2: 6, 4: 11, 8: 20},
    "u": {1: 3, 2: 5, 4: 10, 8: 20},
    "x": {1: 2, 2: 4, 4: 8, 8: 16},
    "f": {4: 15, 8: 24},
}
_NAMED = {0: "\\0", 7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r"}
_CHARACTERS = [_NAMED.get(byte, chr(byte) if 32 <= byte < 127 else f"{byte:03o}") for byte in range(256)]
_ASCII = [
    "nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "nl", "vt", "ff", "cr", "so", "si", "dle",
    "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em", "sub", "esc", "fs", "gs", "rs", "us", "sp",
]  # fmt: skip
_NAMES = [(_ASCII[byte] if byte <= 32 else "del" if byte == 127 else chr(byte)) for byte in range(128)] * 2
_TRAILER = bytes(byte if 32 <= byte < 127 else 46 for byte in range(256))
_ADDRESS = {"o": ("%07o", 7), "d": ("%07d", 7), "x": ("%06x", 6), "n": ("", 0)}


class _Type:
    """One output format: kind is a, c or one of d f o u x; size in bytes; trailer: z was given."""

    __slots__ = ("field", "kind", "pad", "size", "trailer")

    def __init__(self, kind: str, size: int, trailer: bool) -> None:
        self.kind = kind
        self.size = size
        self.trailer = trailer
        self.field = 3 if kind in "ac" else _FIELD[kind][size]
        self.pad = 0

    def widths(self, fields: int) -> list[int]:
        """The width of each field of a line, the padding spread over them as GNU does."""
        left = self.pad
        widths = []
        for at in range(fields, 0, -1):
            after = self.pad * (at - 1) // fields
            widths.append(left - after + self.field)
            left = after
        return widths

    def shower(self, block: int, big: bool) -> Callable[[bytes], str]:
        """A function that shows a block of bytes; a shorter one is the last."""
        fields = block // self.size
        widths = self.widths(fields)
        kind, size = self.kind, self.size
        if kind in "ac":
            names = _NAMES if kind == "a" else _CHARACTERS
            whole = "".join(f"%{width}s" for width in widths)

            def characters(data: bytes) -> str:
                if len(data) == block:
                    return whole % tuple([names[byte] for byte in data])
                return "".join([f"{names[byte]:>{width}}" for byte, width in zip(data, widths, strict=False)])

            return characters
        code = {4: "f", 8: "d"}[size] if kind == "f" else _CODES[size] if kind == "d" else _CODES[size].upper()
        order = ">" if big else "<"
        unpack = struct.Struct(f"{order}{fields}{code}").unpack
        letter = f"0{size * 2}x" if kind == "x" else f"0{self.field}o" if kind == "o" else "s" if kind == "f" else "d"
        formats = [
            f"{' ' * (width - self.field)}%{letter}" if kind in "xo" else f"%{width}{letter}" for width in widths
        ]
        whole = "".join(formats)
        text: Callable[[float], str] = _float if size == 4 else _double

        def numbers(data: bytes) -> str:
            if len(data) == block:
                values, layout = unpack(data), whole
            else:
                count = -(-len(data) // size)
                values = struct.unpack(f"{order}{count}{code}", data.ljust(count * size, b"\0"))
                layout = "".join(formats[:count])
            if kind == "f":
                values = tuple([text(value) for value in values])
            return layout % values

        return numbers


def _float(value: float) -> str:
    """A single-precision number in as few digits as tell it apart, from six up."""
    if value != value or math.isinf(value):
        return _double(value)
    for digits in range(1 if abs(value) < 1.1754943508222875e-38 else 6, 9):
        text = f"{value:.{digits}g}"
        try:
            same = struct.unpack("<f", struct.pack("<f", float(text)))[0] == value
        except OverflowError:
            same = False
        if same:
            return text
    return f"{value:.9g}"


def _double(value: float) -> str:
    if value != value:
        return "-nan" if math.copysign(1.0, value) < 0 else "nan"
    for digits in range(1 if abs(value) < 2.2250738585072014e-308 else 15, 17):
        text = f"{value:.{digits}g}"
        if float(text) == value:
            return text
    return f"{value:.17g}"


def _types(text: str) -> list[_Type]:
    types = []
    at = 0
    while at < len(text):
        match = _TYPE.match(text, at)
        if match is None:
            raise Failure(f"invalid character '{text[at]}' in type string {quote_text(text)}")
        named, integer, size, real, real_size, trailer = match.groups()
        kind = named or integer or real
        given = size or real_size
        if named:
            number = 1
        elif given is None:
            number = 8 if real else 4
        elif given in _SIZES or given == "L":
            number = 16 if given == "L" and real else _SIZES[given]
        else:
            number = 0 if len(given) > 9 else int(given)  # text: ours
            if len(given) > 9:
                raise Failure(f"invalid type string {quote_text(text)}")
        if kind == "f" and number == 16:
            raise Failure("16-byte floating point numbers are not supported: use f4 or f8")
        if not named and number not in _FIELD[kind]:
            what = "floating point" if real else "integral"
            raise Failure(
                f"invalid type string {quote_text(text)};\nthis system doesn't provide a {number}-byte {what} type"
            )
        types.append(_Type(kind, number, bool(trailer)))
        at = match.end()
    return types


def _bytes(text: str | None, option: str) -> int:
    """A count of bytes: decimal, octal or hexadecimal, with a size suffix."""
    match = _NUMBER.fullmatch(text or "")
    if match is None:
        raise Failure(f"invalid {option} argument {quote_text(text or '')}")
    digits, suffix = match.groups()
    factor = suffix_factor(suffix)
    if factor is None:
        raise Failure(f"invalid suffix in {option} argument {quote_text(text or '')}")
    value = _number(digits)
    if value is None:
        raise Failure(f"{option} argument {quote_text(text or '')} too large")
    return value * factor


def _number(digits: str) -> int | None:
    """C's reading of digits: 0x and 0 begin hexadecimal and octal ones; None when it is none, or too large."""
    if len(digits) > limits.NUMBER_DIGITS + 2:
        return None
    try:
        if digits[:2] in ("0x", "0X"):
            return int(digits, 16)  # text: ours
        return int(digits, 8 if digits[0] == "0" else 10)  # text: ours
    except ValueError:
        return None


def _old_offset(call: Invocation, operands: list[str]) -> int | None:
    """The offset that the last operand is, as od took it before -j; it is removed then."""
    if any(key in call.options for key in ("address-radix", "skip-bytes", "read-bytes", "format", "width")):
        return None
    if "output-duplicates" in call.options or not 1 <= len(operands) <= 2:
        return None
    last = operands[-1]
    match = _OLD_OFFSET.fullmatch(last)
    if match is None or (len(operands) == 1 and last[0] != "+") or len(last) > limits.NUMBER_DIGITS:
        return None
    digits, blocks = match.groups()
    hexadecimal = digits[:2] in ("0x", "0X")
    if not hexadecimal and ("8" in digits or "9" in digits):
        return None
    operands.pop()
    value = int(digits, 16 if hexadecimal else 8)  # text: ours
    return value * 512 if blocks else value


class _Dump:
    """The layout of lines, and the dump itself."""

    def __init__(self, call: Invocation) -> None:
        options = call.options
        self.call = call
        radix = "o"
        for given in options.all("address-radix"):
            radix = given or "o"
            if radix[0] in _ADDRESS:
                continue
            raise Failure(f"invalid output address radix {quote_text(radix[0])}; it must be one character from [doxn]")
        self.address, self.address_width = _ADDRESS[radix[0]]
        self.all = "output-duplicates" in options
        order = options.get("endian")
        big = order is not None and choose(order, "--endian", {"little": "little", "big": "big"}) == "big"
        types: list[_Type] = []
        for key, text in options.given:
            if key == "format":
                types += _types(text or "")
            elif key in _SHORT:
                types += _types(_SHORT[key])
        types = types or [_Type("o", 2, False)]
        self.unit = math.lcm(*(kind.size for kind in types))
        self.block = self._width()
        line = max((kind.field + 1) * (self.block // kind.size) for kind in types)
        for kind in types:
            kind.pad = line - kind.field * (self.block // kind.size)
        self.types = [(kind, kind.shower(self.block, big)) for kind in types]

    def _width(self) -> int:
        if "width" not in self.call.options:
            return self.unit * max(1, 16 // self.unit)
        text = self.call.options.get("width")
        width = 32 if text is None else _bytes(text, "-w")
        if width > limits.PRINTF_WIDTH:
            raise Failure(f"width over the limit ({limits.PRINTF_WIDTH} bytes)")
        if width == 0 or width % self.unit:
            self.call.warn(f"warning: invalid width {width}; using {self.unit} instead")
            return self.unit
        return width

    def run(self, skip: int, most: int | None) -> None:
        """Dump the inputs, as one."""
        call = self.call
        offset = skip
        last = b""
        starred = False
        block = self.block
        held = b""
        for data in self.inputs(skip, most):
            data = held + data
            end = len(data) - len(data) % block
            call.check()
            out: list[str] = []
            for at in range(0, end, block):
                piece = data[at : at + block]
                if piece == last and not self.all:
                    if not starred:
                        out.append("*\n")
                        starred = True
                else:
                    out.append(self.line(offset, piece))
                    last, starred = piece, False
                offset += block
            held = data[end:]
            call.write("".join(out).encode("ascii"))
        if held:
            call.write(self.line(offset, held).encode("ascii"))
            offset += len(held)
        if self.address:
            call.write((self.address % offset + "\n").encode("ascii"))

    def line(self, offset: int, data: bytes) -> str:
        """The lines of a block, one for each format."""
        out = []
        before = self.address % offset if self.address else ""
        for kind, shown in self.types:
            out.append(before)
            out.append(shown(data))
            if kind.trailer:
                blank = (self.block - len(data)) // kind.size
                width = blank * kind.field + kind.pad * blank // (self.block // kind.size)
                out.append(f"{'':{width}}  >{data.translate(_TRAILER).decode('ascii')}<")
            out.append("\n")
            before = " " * self.address_width
        return "".join(out)

    def inputs(self, skip: int, most: int | None) -> Iterator[bytes]:
        """The bytes to dump: all inputs joined, without the first skip, no more than most."""
        call = self.call
        for given in call.inputs():
            source = given.source
            if skip and source.file is not None and source.file.is_regular and not source.pending:
                left = source.file.size - source.file.seek(0, 1)
                source.file.seek(min(skip, max(left, 0)), 1)
                skip -= min(skip, max(left, 0))
            while skip or most is None or most > 0:
                data = source.read(limits.BLOCK if most is None or skip else min(most, limits.BLOCK))
                if not data:
                    break
                call.check()
                if skip:
                    data, rest = data[skip:], data[:skip]
                    skip -= len(rest)
                    if most is not None and len(data) > most:
                        source.unread(data[most:])
                        data = data[:most]
                if most is not None:
                    most -= len(data)
                if data:
                    yield data
            if most == 0 and not skip:
                return
        if skip:
            raise Failure("cannot skip past end of combined input")


@OD.main
def od(call: Invocation) -> int:
    """Dump the inputs."""
    options = call.options
    skip, most = 0, None
    for text in options.all("skip-bytes"):
        skip = _bytes(text, "-j")
    for text in options.all("read-bytes"):
        most = _bytes(text, "-N")
    dump = _Dump(call)
    old = _old_offset(call, options.operands)
    dump.run(skip if old is None else old, most)
    return call.status


COMMANDS = {"od": OD}
