"""What a running awk program works on: the record and its fields, the special variables, output and bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rshell.builtins.awk import bounds, formats
from rshell.builtins.awk.errors import AwkError, Refused
from rshell.builtins.awk.patterns import Patterns
from rshell.builtins.awk.records import Records
from rshell.builtins.awk.splitting import Splitter, blanks, contents, splitter
from rshell.builtins.awk.values import UNINIT, Array, StrNum, Value, strnum, to_number
from rshell.builtins.changes import Target
from rshell.builtins.command import decode, encode, reason
from rshell.builtins.quoting import quote_in_message

if TYPE_CHECKING:
    from rshell.builtins.command import Invocation

Frame = list[Value | Array]

# The special variables, first of all globals; what the runtime itself writes has a name for its index.
SPECIAL = (
    "ARGC", "ARGV", "ENVIRON", "FILENAME", "FS", "OFS", "ORS", "RS", "SUBSEP", "CONVFMT", "OFMT", "RSTART", "RLENGTH",
    "RT", "IGNORECASE", "FPAT", "PROCINFO", "NF", "NR", "FNR", "ERRNO", "FIELDWIDTHS",
)  # fmt: skip
ARRAYS = frozenset({"ARGV", "ENVIRON", "PROCINFO"})
ARGC, ARGV, ENVIRON, FILENAME, FS = 0, 1, 2, 3, 4
RSTART, RLENGTH, RT, PROCINFO = 11, 12, 13, 16


class NextRecord(BaseException):
    """`next` inside a function: unwinds to the main loop."""


class NextFile(BaseException):
    """`nextfile` inside a function: unwinds to the main loop."""


class ExitProgram(BaseException):
    """`exit` inside a function, and whatever else ends the program at once."""


class Runtime:
    """The state of one run of awk."""

    __slots__ = (
        "assign_operand", "call", "check", "convfmt", "elements", "fields", "fnr", "frames", "globals", "most", "named",
        "nr", "ofmt", "ofs", "ors", "out", "patterns", "position", "random", "record", "records", "result", "seed",
        "separator", "setters", "status", "subsep", "targets", "ticks", "typed", "weight", "weight_limit",
    )  # fmt: skip

    def __init__(self, call: Invocation, names: list[str]) -> None:
        self.call = call
        self.check = call.check
        self.patterns = Patterns(call.run)
        self.globals: Frame = [UNINIT] * len(names)
        self.record: bytes | None = b""  # None: to be put together from the fields
        self.fields: list[bytes] | None = []  # None: not split yet
        self.typed: dict[int, Value] = {}  # fields that were assigned: their values
        self.most = -1  # no field beyond this one is wanted; -1: all are
        self.separator: Splitter | None = None  # None: blanks
        self.nr = self.fnr = 0
        self.ofs, self.ors, self.subsep = b" ", b"\n", b"\x1c"
        self.convfmt = self.ofmt = formats.DEFAULT
        self.out = bytearray()
        self.targets: dict[bytes, Target] = {}  # the files that print writes to
        self.frames: list[Frame] = []
        self.result: Value | Array = UNINIT
        self.status: int | None = None
        self.elements = self.weight = 0
        self.weight_limit = bounds.STRINGS
        self.ticks = bounds.TICKS_PER_CLOCK
        self.position = 1  # the next operand of ARGV
        self.seed, self.random = 1.0, 1
        self.named = False  # a file was named, or stdin taken because none was
        self.assign_operand: Callable[[bytes], bool] = lambda text: False  # carries out NAME=VALUE
        self.records = Records(call, self.patterns, self._next_operand)
        self.setters: dict[str, Callable[[Value], None]] = {
            "FS": self._set_fs, "OFS": self._set_ofs, "ORS": self._set_ors, "RS": self._set_rs,
            "SUBSEP": self._set_subsep, "CONVFMT": self._set_convfmt, "OFMT": self._set_ofmt, "NF": self.set_nf,
            "IGNORECASE": self._set_ignorecase, "FPAT": self._set_fpat, "NR": self._set_nr, "FNR": self._set_fnr,
            "FIELDWIDTHS": self._refuse_widths,
        }  # fmt: skip
        self._start(names)

    def _start(self, names: list[str]) -> None:
        start: dict[str, Value] = {
            "FS": b" ", "OFS": b" ", "ORS": b"\n", "RS": b"\n", "SUBSEP": b"\x1c", "CONVFMT": formats.DEFAULT,
            "OFMT": formats.DEFAULT, "RSTART": 0.0, "RLENGTH": -1.0, "FPAT": b"[^[:space:]]+", "IGNORECASE": 0.0,
        }  # fmt: skip
        for index, name in enumerate(names):
            if name in ARRAYS:
                self.globals[index] = Array()
            elif name in start:
                self.globals[index] = start[name]

    # Bounds

    def tick(self) -> None:
        """Look at the clock, and start counting anew."""
        self.ticks = bounds.TICKS_PER_CLOCK
        self.check()

    def grow(self) -> None:
        """One more array element."""
        self.elements += 1
        if self.elements > bounds.ELEMENTS:
            raise AwkError(f"too many array elements ({bounds.ELEMENTS} at most)")

    def weigh(self, size: int) -> None:
        """Note that a variable or element now holds a long string; look at the sum when it may be too much."""
        self.weight += size
        if self.weight > self.weight_limit:
            total = sum(map(_weight, self.globals)) + sum(_weight(v) for frame in self.frames for v in frame)
            if total > bounds.STRINGS:
                raise AwkError(f"strings too large ({bounds.STRINGS} bytes in all at most)")
            self.weight = total
            self.weight_limit = max(bounds.STRINGS, total + bounds.STRINGS // 8)

    # Text

    def text(self, value: Value) -> bytes:
        """A value as text, numbers by CONVFMT."""
        kind = type(value)
        if kind is bytes:
            return value  # type: ignore[return-value]
        if kind is float:
            return formats.number_text(value, self.convfmt)  # type: ignore[arg-type]
        if kind is StrNum:
            return value.text  # type: ignore[union-attr]
        raise AwkError("an array is used where a number or string must be")

    def output_text(self, value: Value) -> bytes:
        """A value as print shows it, numbers by OFMT."""
        if type(value) is float:
            return formats.number_text(value, self.ofmt)
        return self.text(value)

    # The record

    def take_record(self, record: bytes) -> None:
        """Make record $0, to be split when a field is wanted."""
        self.record = record
        self.fields = None

    def set_record(self, text: bytes) -> None:
        """Assign $0."""
        if len(text) > bounds.RECORD:
            raise AwkError(f"record too long ({bounds.RECORD} bytes at most)")
        self.record = text
        self.fields = None
        self.records.plain = False

    def line(self) -> bytes:
        """$0, put together anew when a field or NF was assigned."""
        record = self.record
        if record is None:
            fields = self.fields or []
            record = self.record = self.ofs.join(fields)
        return record

    def divide(self) -> list[bytes]:
        """Split $0 and return its fields."""
        record = self.record or b""
        if self.separator is not None:
            fields = self.separator(record)
        elif self.records.plain:
            fields = record.split(None, self.most)  # text: ours (no other blanks in this batch)
        else:
            fields = blanks(record)
        self.fields = fields
        if self.typed:
            self.typed = {}
        return fields

    def field(self, number: float) -> Value:
        """The value of $number."""
        index = self.index(number)
        if index == 0:
            return strnum(self.line())
        fields = self.fields
        if fields is None:
            fields = self.divide()
        if index > len(fields):
            return b""
        if self.typed and index in self.typed:
            return self.typed[index]
        return strnum(fields[index - 1])

    def index(self, number: float) -> int:
        """A field's number, checked."""
        if not number > -1.0:
            raise AwkError("attempt to access field number that is negative or no number")
        if number > bounds.ELEMENTS:
            raise AwkError(f"field number too large ({bounds.ELEMENTS} at most)")
        return int(number)  # text: ours

    def set_field(self, number: float, value: Value) -> None:
        """Assign $number."""
        index = self.index(number)
        text = self.text(value)
        if index == 0:
            self.set_record(text)
            return
        fields = self.fields
        if fields is None:
            fields = self.divide()
        if index > len(fields):
            fields.extend([b""] * (index - len(fields)))
        fields[index - 1] = text
        self.typed[index] = value
        self.record = None
        if len(text) > bounds.STRING_UNCOUNTED and sum(map(len, fields)) > bounds.RECORD:
            raise AwkError(f"record too long ({bounds.RECORD} bytes at most)")

    def nf(self) -> float:
        """NF."""
        fields = self.fields
        return float(len(self.divide() if fields is None else fields))

    def set_nf(self, value: Value) -> None:
        """Assign NF: fields are dropped or empty ones added, and $0 is put together anew."""
        count = self.index(to_number(value))
        fields = self.fields
        if fields is None:
            fields = self.divide()
        del fields[count:]
        fields.extend([b""] * (count - len(fields)))
        self.typed = {k: v for k, v in self.typed.items() if k <= count}
        self.record = None

    # Special variables

    def _set_fs(self, value: Value) -> None:
        if self.fields is None:
            self.divide()
        separator = self.text(value)
        self._choose(separator)

    def _choose(self, separator: bytes) -> None:
        paragraphs = self.text(self.globals[7]) == b""  # type: ignore[arg-type]
        chosen = splitter(separator, self.patterns, paragraphs)
        self.separator = None if chosen is blanks else chosen

    def _set_fpat(self, value: Value) -> None:
        if self.fields is None:
            self.divide()
        pattern = self.patterns.get(self.text(value))
        self.separator = lambda text: contents(text, pattern)[0]

    def _refuse_widths(self, value: Value) -> None:
        raise Refused("FIELDWIDTHS is not supported: take the parts of $0 with substr()")

    def _set_ofs(self, value: Value) -> None:
        if self.record is None:
            self.line()
        self.ofs = self.text(value)

    def _set_ors(self, value: Value) -> None:
        self.ors = self.text(value)

    def _set_rs(self, value: Value) -> None:
        if self.fields is None:
            self.divide()
        self.records.set_separator(self.text(value))
        fs = self.text(self.globals[FS])  # type: ignore[arg-type]
        if fs != b" " and self.separator is not None:
            self.globals[7] = value
            self._choose(fs)

    def _set_subsep(self, value: Value) -> None:
        self.subsep = self.text(value)

    def _set_convfmt(self, value: Value) -> None:
        self.convfmt = self.text(value)

    def _set_ofmt(self, value: Value) -> None:
        self.ofmt = self.text(value)

    def _set_nr(self, value: Value) -> None:
        self.nr = self._count(value)

    def _set_fnr(self, value: Value) -> None:
        self.fnr = self._count(value)

    def _count(self, value: Value) -> int:
        number = to_number(value)
        return int(number) if -1e15 < number < 1e15 else 0  # text: ours

    def _set_ignorecase(self, value: Value) -> None:
        if self.fields is None:
            self.divide()
        self.patterns.ignore_case = to_number(value) != 0.0
        if self.separator is not None:
            self._choose(self.text(self.globals[FS]))  # type: ignore[arg-type]

    # Operands

    def _next_operand(self) -> str | None:
        argv = self.globals[ARGV]
        assert isinstance(argv, Array)
        count = to_number(self.globals[ARGC])  # type: ignore[arg-type]
        while self.position < count:
            value = argv.get(b"%d" % self.position)
            self.position += 1
            text = b"" if value is None else self.text(value)
            if not text:
                continue
            if not self.assign_operand(text):
                self.named = True
                return decode(text)
        if self.named:
            return None
        self.named = True
        return "-"

    # Output

    def flush(self) -> None:
        """Hand the output on."""
        if self.out:
            data = bytes(self.out)
            self.out.clear()
            self.call.stdout.write(data)

    def to_stderr(self, data: bytes) -> None:
        """Write to stderr, after what stdout still holds."""
        self.flush()
        self.call.stderr.write(data)

    def to_file(self, name: bytes, data: bytes, append: bool) -> None:
        """Write to a file that print names: opened once, and kept open to the end (POSIX awk, output redirection)."""
        if name in (b"/dev/stdout", b"/dev/stderr", b"/dev/null"):
            if name == b"/dev/stdout":
                self.out += data
            elif name == b"/dev/stderr":
                self.to_stderr(data)
            return
        try:
            target = self.targets.get(name)
            if target is None:
                if len(self.targets) >= bounds.FILES:
                    raise AwkError(f"too many open files ({bounds.FILES} at most)")
                target = Target(self.call, decode(name), append=append, create=True, truncate=not append)
                self.targets[name] = target
            target.write(data)
        except OSError as failure:
            raise AwkError(f"can't redirect to {quote_in_message(decode(name))}: {reason(failure)}") from None

    def close_files(self) -> None:
        """Close what print has written to; each change is recorded."""
        while self.targets:
            self.targets.popitem()[1].close()

    def warn(self, message: str) -> None:
        """`awk: warning: message` on stderr."""
        self.to_stderr(encode(f"awk: warning: {message}\n"))


def _weight(value: Value | Array) -> int:
    if isinstance(value, bytes):
        return len(value)
    if isinstance(value, StrNum):
        return len(value.text)
    if isinstance(value, Array):
        return sum(len(v) if type(v) is bytes else 0 for v in value.values()) + sum(map(len, value))
    return 0
