"""join: join the lines of two sorted files on a common field (GNU coreutils)."""

from __future__ import annotations

import re
from itertools import chain, repeat
from operator import le
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, decode, encode
from rshell.builtins.quoting import quote
from rshell.builtins.text import clamped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rshell.builtins.streams import Source

    _Record = tuple[bytes, bytes, Sequence[bytes]]  # a line: its key, itself, its fields where they are needed

JOIN = Command(
    "join",
    "join the lines of two sorted files on a common field",
    "join [OPTION]... FILE1 FILE2",
    options=(
        Option("-1", value="FIELD", help="join on this FIELD of FILE1"),
        Option("-2", value="FIELD", help="join on this FIELD of FILE2"),
        Option("-a", value="FILENUM", help="also print the lines of that file that do not pair"),
        Option("-e", value="STRING", help="print STRING for empty and missing fields"),
        Option("-i", "--ignore-case", help="compare without regard to case"),
        Option("-j", value="FIELD", help="as -1 FIELD -2 FIELD"),
        Option("-o", value="FORMAT", help="print the fields of FORMAT: 0, 1.N, 2.N separated by commas, or auto"),
        Option("-t", value="CHAR", help="fields are separated by CHAR, not blanks"),
        Option("-v", value="FILENUM", help="as -a FILENUM, without the lines that pair"),
        Option("-z", "--zero-terminated", help="lines end with NUL, not newline"),
        Option("--check-order", help="complain of unsorted input even where all lines pair"),
        Option("--nocheck-order", help="do not complain of unsorted input"),
        Option("--header", help="the first lines are headers: join them without comparing"),
    ),
    description="FILE1 and FILE2 are to be sorted on the join field, as sort -k FIELD,FIELD sorts. Lines of one key\n"
    f"are held in memory, {limits.SORT_BYTES} bytes at most.",
)

_FORMAT = re.compile(r"(0)|([12])\.([0-9]+)")
_FIELDS_PER_CLOCK = 100_000
_FIELDS = re.compile(rb"[^ \t\n]+|(?<=[ \t\n])\Z")
_FAR = 2**62


def _field(text: str) -> int:
    """The number of a field, counted from 0."""
    value = clamped(text, 0, _FAR)
    if not value:
        raise Failure(f"invalid field number: {quote(text)}")
    return value - 1


class _Settings:
    """What the options say. fields: the join fields. unpaired: whose unpaired lines are printed."""

    def __init__(self, call: Invocation) -> None:
        options = call.options
        self.ending = b"\0" if "zero-terminated" in options else b"\n"
        self.fold = "ignore-case" in options
        self.header = "header" in options
        self.pairs = True
        self.unpaired = [False, False]
        self.separator: bytes | None = None
        self.whole = False  # the line is one field
        self.empty: bytes | None = None
        self.auto = False
        self.format: list[tuple[int, int]] = []
        order = options.last("check-order", "nocheck-order")
        self.checked, self.strict = order != "nocheck-order", order == "check-order"
        given: list[int | None] = [None, None]
        for key, text in options.given:
            if text is None:
                continue
            if key in ("1", "2", "j"):
                field = _field(text)
                for number in (0, 1) if key == "j" else ((0,) if key == "1" else (1,)):
                    if given[number] not in (None, field):
                        raise Failure(f"incompatible join fields {(given[number] or 0) + 1}, {field + 1}")
                    given[number] = field
            else:
                self._take(key, text)
        self.fields = [given[0] or 0, given[1] or 0]

    def _take(self, key: str, text: str) -> None:
        if key in ("a", "v"):
            number = clamped(text, -1, 3)
            if number not in (1, 2):
                raise Failure(f"invalid field number: {quote(text)}")
            self.unpaired[number - 1] = True
            self.pairs = self.pairs and key == "a"
        elif key == "e":
            if self.empty not in (None, encode(text)):
                raise Failure("conflicting empty-field replacement strings")
            self.empty = encode(text)
        elif key == "t":
            self._separate(encode(text), text)
        elif key == "o":
            if text == "auto":
                self.auto = True
            else:
                self.format += _format(text)

    def _separate(self, separator: bytes, text: str) -> None:
        whole = separator in (b"", b"\n")
        if separator == b"\\0":
            separator = b"\0"
        elif len(separator) > 1:
            raise Failure(f"multi-character tab {quote(text)}")
        if whole:
            separator = b"\n"
        if self.separator not in (None, separator):
            raise Failure("incompatible tabs")
        self.separator, self.whole = separator, whole

    @property
    def plain(self) -> bool:
        """Whether lines can be joined as they are, without taking all fields apart."""
        return self.fields == [0, 0] and not (self.format or self.auto or self.empty is not None)


def _format(text: str) -> list[tuple[int, int]]:
    """The fields of -o: the file (0 for the join field) and the field, counted from 0."""
    found = []
    for piece in re.split("[, \t]", text):
        match = _FORMAT.fullmatch(piece)
        if match is None:
            if piece[:1] in ("1", "2") and piece[1:2] == ".":
                raise Failure(f"invalid field number: {quote(piece[2:])}")
            if piece[:1] in ("0", "1", "2"):
                raise Failure(f"invalid field specifier: {quote(piece)}")
            raise Failure(f"invalid file number in field spec: {quote(piece)}")
        found.append((0, 0) if match[1] else (1 if match[2] == "1" else 2, _field(match[3])))
    return found


@JOIN.main
def join(call: Invocation) -> int:
    names = call.operands
    settings = _Settings(call)
    while settings.format and len(names) > 2 and re.match("[012]", names[0]):  # -o 1.1 2.2, as older scripts write it
        settings.format += _format(names.pop(0))
    if len(names) < 2:
        raise UsageError(f"missing operand after {quote(names[0])}" if names else "missing operand")
    if len(names) > 2:
        raise UsageError(f"extra operand {quote(names[2])}")
    if names == ["-", "-"]:
        raise Failure("both files cannot be standard input")
    sources: list[Source] = []
    for name in names:
        try:
            sources.append(call.stdin if name == "-" else call.open(name))
        except OSError as failure:
            call.report(name, failure)
            return call.status
    joined = _Join(call, settings, names, sources)
    try:
        joined.run()
    finally:
        joined.flush()
    if any(joined.complained):
        call.error("input is not in sorted order")
    return call.status


class _Join:
    """Goes through both files at once."""

    def __init__(self, call: Invocation, settings: _Settings, names: list[str], sources: list[Source]) -> None:
        self.call = call
        self.settings = settings
        self.names = names
        self.records = [chain.from_iterable(self._read(source, which)) for which, source in enumerate(sources)]
        self.complained = [False, False]
        self.unpaired = False  # there was an unpaired line
        self.out: list[bytes] = []
        self.fields = 0  # printed by a format since the clock was read
        self.glue = settings.separator or b" "
        self.auto = [0, 0]
        self.show = self._plain if settings.plain else self._by_format if settings.format else self._in_full

    # Reading

    def _read(self, source: Source, which: int) -> Iterator[Iterable[_Record]]:
        """The lines, a block at a time; blanks between fields are one space where no field is looked at alone."""
        ending = self.settings.ending
        previous = b""  # the key of the last line
        number = 0  # lines so far
        squeeze = self.settings.plain and self.settings.separator is None
        for block in source.line_blocks(delimiter=ending):
            self.flush()
            self.call.check()
            if squeeze:
                block = block.replace(b"\t", b" ")
                if ending == b"\0":
                    block = block.replace(b"\n", b" ")
                while b"  " in block:
                    block = block.replace(b"  ", b" ")
            lines = block.split(ending)
            if not lines[-1]:
                lines.pop()
            if squeeze and (block.startswith(b" ") or ending + b" " in block):
                lines = [line[1:] if line.startswith(b" ") else line for line in lines]
            records: Iterable[_Record]
            if self.settings.plain:
                keys = lines if self.settings.whole else [line.partition(self.glue)[0] for line in lines]
                if self.settings.fold:
                    keys = [key.upper() for key in keys]
                records = zip(keys, lines, repeat(()))
            else:
                records = [self._record(line, which) for line in lines]
                keys = [record[0] for record in records]
            header = self.settings.header and number == 0
            ordered = keys[1:] if header else keys
            if not ordered or (previous <= ordered[0] and all(map(le, ordered, ordered[1:]))):
                yield records
            else:
                yield self._checked(records, which, previous, number, header)
            if ordered:
                previous = ordered[-1]
            number += len(keys)

    def _checked(
        self, records: Iterable[_Record], which: int, previous: bytes, number: int, header: bool
    ) -> Iterator[_Record]:
        """Lines of which some are out of order: complains when it comes to them."""
        for record in records:
            number += 1
            if header:
                header = False
            else:
                if previous > record[0]:
                    self._disorder(which, record, number)
                previous = record[0]
            yield record

    def _record(self, line: bytes, which: int) -> _Record:
        settings = self.settings
        separator = settings.separator
        if settings.whole:
            fields = [line] if line else []
        elif separator is not None:
            fields = line.split(separator) if line else []
        else:
            fields = _FIELDS.findall(line) if line.strip(b" \t\n") else []
        place = settings.fields[which]
        key = fields[place] if place < len(fields) else b""
        return key.upper() if settings.fold else key, line, fields

    def next(self, which: int) -> _Record | None:
        """The next line of a file."""
        return next(self.records[which], None)

    def _disorder(self, which: int, record: _Record, number: int) -> None:
        settings = self.settings
        if not (settings.checked and (settings.strict or self.unpaired)) or self.complained[which]:
            return
        message = f"{self.names[which]}:{number}: is not sorted: {decode(record[1])}"
        if settings.strict:
            raise Failure(message)
        self.flush()
        self.call.warn(message)
        self.complained[which] = True

    # Printing

    def flush(self) -> None:
        """Write the lines that wait."""
        if self.out:
            self.out.append(b"")
            data = self.settings.ending.join(self.out)
            self.out.clear()
            self.call.write(data)

    def _plain(self, one: _Record | None, two: _Record | None) -> None:
        if one is None or two is None:
            only = one or two
            self.out.append(b"" if only is None else only[1])
        else:
            self.out.append(one[1] + two[1][len(two[0]) :])

    def _in_full(self, one: _Record | None, two: _Record | None) -> None:
        settings = self.settings
        empty = settings.empty or b""
        which = 0 if one is not None else 1
        fields = [self._shown(one or two, settings.fields[which])]
        for record, place, count in zip((one, two), settings.fields, self.auto, strict=True):
            own = () if record is None else record[2]
            wanted = count if settings.auto else len(own)
            for at in range(wanted):
                if at != place:
                    fields.append((own[at] if at < len(own) else b"") or empty)
        self.out.append(self.glue.join(fields))

    def _by_format(self, one: _Record | None, two: _Record | None) -> None:
        self.fields += len(self.settings.format)
        if self.fields > _FIELDS_PER_CLOCK:  # a long FORMAT makes much of little input
            self.fields = 0
            self.call.check()
            self.flush()
        fields = []
        for number, field in self.settings.format:
            if number:
                fields.append(self._shown(one if number == 1 else two, field))
            elif one is not None:
                fields.append(self._shown(one, self.settings.fields[0]))
            else:
                fields.append(self._shown(two, self.settings.fields[1]))
        self.out.append(self.glue.join(fields))

    def _shown(self, record: _Record | None, place: int) -> bytes:
        """A field, or what stands for it when it is empty or missing."""
        fields = () if record is None else record[2]
        return (fields[place] if place < len(fields) else b"") or self.settings.empty or b""

    # Joining

    def run(self) -> None:
        """Join the files to their ends."""
        settings = self.settings
        one, two = self.next(0), self.next(1)
        self.auto = [0 if record is None else len(record[2]) for record in (one, two)]
        if settings.header and (one is not None or two is not None):
            self.show(one, two)
            if one is not None:
                one = self.next(0)
            if two is not None:
                two = self.next(1)
        first, second = self.records
        show_one, show_two = settings.unpaired
        while one is not None and two is not None:
            if one[0] < two[0]:
                if show_one:
                    self.show(one, None)
                one = next(first, None)
                self.unpaired = True
            elif one[0] > two[0]:
                if show_two:
                    self.show(None, two)
                two = next(second, None)
                self.unpaired = True
            else:
                one, two = self._pair(one, two)
        tails = (one is not None, two is not None)
        check = settings.checked and any(t and not c for t, c in zip(tails, self.complained, strict=True))
        for which, record in enumerate((one, two)):
            if record is not None and (check or settings.unpaired[which]):
                self._tail(which, record, tails[1 - which])

    def _pair(self, one: _Record, two: _Record) -> tuple[_Record | None, _Record | None]:
        """Print all lines of a key with each other; return what comes after them."""
        key = one[0]
        after_one = self.next(0)
        if after_one is None or after_one[0] != key:
            ones = [one]
        else:
            ones, after_one = self._group([one, after_one], 0)
        after_two = self.next(1)
        if after_two is None or after_two[0] != key:
            twos = [two]
        else:
            twos, after_two = self._group([two, after_two], 1)
        if self.settings.pairs:
            for left in ones:
                if len(twos) > 1:
                    self.call.check()
                    self.flush()
                for right in twos:
                    self.show(left, right)
                    if len(self.out) > 10_000:
                        self.flush()
        return after_one, after_two

    def _group(self, records: list[_Record], which: int) -> tuple[list[_Record], _Record | None]:
        """All lines of one key, and the line after them."""
        key = records[0][0]
        size = 0
        while (record := self.next(which)) is not None and record[0] == key:
            records.append(record)
            size += len(record[1]) + 100
            if size > limits.SORT_BYTES:
                raise Failure(f"too many lines with one key ({limits.SORT_BYTES} bytes at most)")
        return records, record

    def _tail(self, which: int, record: _Record, other: bool) -> None:
        """The rest of one file, for printing and for a look at its order."""
        printed = self.settings.unpaired[which]
        following: _Record | None = record
        first = True
        while following is not None:
            if printed:
                self.show(following, None) if which == 0 else self.show(None, following)
            if first:
                self.unpaired = self.unpaired or other
                first = False
            elif self.complained[which] and not printed:
                break
            following = self.next(which)


COMMANDS = {"join": JOIN}
