"""cut: print selected parts of lines (GNU coreutils)."""

from __future__ import annotations

import re
from operator import itemgetter
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Invocation, Option, UsageError, encode
from rshell.builtins.quoting import quote_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rshell.builtins.streams import Source

    Range = tuple[int, int]
    Selector = Callable[[list[bytes]], Iterable[bytes]]

CUT = Command(
    "cut",
    "print selected parts of lines",
    "cut OPTION... [FILE]...",
    options=(
        Option("-b", "--bytes", value="LIST", help="select only these bytes"),
        Option("-c", "--characters", value="LIST", help="select only these characters (as -b)"),
        Option("-d", "--delimiter", value="DELIM", help="use DELIM instead of TAB between fields"),
        Option("-f", "--fields", value="LIST", help="select only these fields; print lines without a delimiter too"),
        Option("-n", help="ignored"),
        Option("--complement", help="select what LIST does not name"),
        Option("-s", "--only-delimited", help="do not print lines without delimiters"),
        Option("--output-delimiter", value="STRING", help="use STRING instead of the input delimiter"),
        Option("-z", "--zero-terminated", help="lines end with NUL, not newline"),
    ),
    description="Exactly one of -b, -c and -f is to be given. LIST is a range, or several separated by commas:\n"
    "N, N-, N-M or -M, counted from 1.",
)

_ENDLESS = 2**64 - 1
_FEW_FIELDS = 64  # up to this number the selected fields are picked by position
_LINES_AND_RANGES = 200_000  # lines times ranges that are cut between two looks at the clock
_NUMBER = re.compile("[0-9]+")


class _Words:
    """How messages name what a LIST counts."""

    def __init__(self, fields: bool) -> None:
        self.zero = "fields are numbered from 1" if fields else "byte/character positions are numbered from 1"
        self.range = "invalid field range" if fields else "invalid byte or character range"
        self.value = "invalid field value" if fields else "invalid byte/character position"
        self.large = "field number" if fields else "byte/character offset"
        self.missing = f"missing list of {'fields' if fields else 'byte/character positions'}"


def parse_list(text: str, *, fields: bool) -> list[Range]:
    """Parse a LIST into ranges in order, overlapping ones merged. Raises UsageError with GNU's wording."""
    words = _Words(fields)
    ranges: list[Range] = []
    at = 0
    while True:
        first = last = None
        at, first = _number(text, at, words)
        if text[at : at + 1] == "-":
            if first == 0:
                raise UsageError(words.zero)
            at, last = _number(text, at + 1, words)
            if text[at : at + 1] == "-":
                raise UsageError(words.range)
            if at < len(text) and text[at] not in ", \t":
                raise UsageError(f"{words.value} {quote_text(text[at:])}")
            if first is None and last is None:
                raise UsageError("invalid range with no endpoint: -")
            if last is not None and last < (first or 1):
                raise UsageError("invalid decreasing range")
            ranges.append((first or 1, _ENDLESS if last is None else last))
        else:
            if at < len(text) and text[at] not in ", \t":
                raise UsageError(f"{words.value} {quote_text(text[at:])}")
            if not first:
                raise UsageError(words.zero)
            ranges.append((first, first))
        if at >= len(text):
            return _merged(ranges)
        at += 1


def _number(text: str, at: int, words: _Words) -> tuple[int, int | None]:
    found = _NUMBER.match(text, at)
    if found is None:
        return at, None
    digits = found.group().lstrip("0") or "0"
    if len(digits) > limits.NUMBER_DIGITS or int(digits) >= _ENDLESS:  # text: ours (matched as digits)
        raise UsageError(f"{words.large} '{found.group()}' is too large")
    return found.end(), int(digits)  # text: ours (matched as digits)


def _merged(ranges: list[Range]) -> list[Range]:
    ranges.sort()
    merged = [ranges[0]]
    for first, last in ranges[1:]:
        if first <= merged[-1][1]:  # ranges that only touch stay apart: an output delimiter goes between them
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged


def _complement(ranges: list[Range]) -> list[Range]:
    left: list[Range] = []
    start = 1
    for first, last in ranges:
        if first > start:
            left.append((start, first - 1))
        start = last + 1
    if start < _ENDLESS:
        left.append((start, _ENDLESS))
    return left


def bytes_selector(ranges: list[Range], joint: bytes) -> Selector:
    """A function from lines to the selected bytes of each; joint goes between ranges."""
    cuts = [slice(first - 1, None if last >= _ENDLESS else last) for first, last in ranges]
    if not cuts:
        return lambda lines: [b""] * len(lines)
    if len(cuts) == 1:
        only = cuts[0]
        return lambda lines: [line[only] for line in lines]
    if joint:
        return lambda lines: [joint.join([part for cut in cuts if (part := line[cut])]) for line in lines]
    if len(cuts) == 2:
        one, two = cuts
        return lambda lines: [line[one] + line[two] for line in lines]
    return lambda lines: [b"".join([line[cut] for cut in cuts]) for line in lines]


def fields_selector(ranges: list[Range], delimiter: bytes, joint: bytes, only_delimited: bool) -> Selector:
    """A function from lines to the selected fields of each, joined again."""
    cuts = [slice(first - 1, None if last >= _ENDLESS else last) for first, last in ranges]
    # A line need not be split further than to what follows the last selected field.
    splits = -1 if not ranges else ranges[-1][0] - 1 if cuts[-1].stop is None else ranges[-1][1]
    if splits > limits.LINE or (cuts and cuts[-1].stop is None and joint != delimiter):
        splits = -1

    def careful(lines: list[bytes]) -> Iterable[bytes]:
        for line in lines:
            parts = line.split(delimiter, splits)
            if len(parts) == 1 and delimiter not in line:
                if not only_delimited:
                    yield line
            else:
                yield joint.join([field for cut in cuts for field in parts[cut]])

    if not ranges:
        return careful
    first, last = ranges[0]
    only = len(ranges) == 1
    if only and first == last == 1:
        if only_delimited:
            return lambda lines: [line[:end] for line in lines if (end := line.find(delimiter)) >= 0]
        return lambda lines: [line.partition(delimiter)[0] for line in lines]
    if only and first > 1 and (first == last or (last == _ENDLESS and joint == delimiter)):
        wanted = first - 1

        def single(lines: list[bytes]) -> Iterable[bytes]:
            try:
                return [line.split(delimiter, splits)[wanted] for line in lines]
            except IndexError:  # some line is short: the block is gone over with care
                return careful(lines)

        return single
    if 1 < ranges[-1][1] <= _FEW_FIELDS:
        chosen = itemgetter(*(number - 1 for first, last in ranges for number in range(first, last + 1)))

        def several(lines: list[bytes]) -> Iterable[bytes]:
            try:
                return [joint.join(chosen(line.split(delimiter, splits))) for line in lines]
            except IndexError:
                return careful(lines)

        return several
    return careful


def _the_list(call: Invocation) -> tuple[bool, str]:
    """Whether fields are wanted, and the LIST; checks which options go together."""
    options = call.options
    lists = [(key, text) for key, text in options.given if key in ("bytes", "characters", "fields")]
    delimiter = options.get("delimiter")
    if len(lists) > 1:
        raise UsageError("only one list may be specified")
    if delimiter is not None and len(encode(delimiter)) > 1:
        raise UsageError("the delimiter must be a single character")
    if not lists:
        raise UsageError("you must specify a list of bytes, characters, or fields")
    by_fields = lists[0][0] == "fields"
    if not by_fields:
        if delimiter is not None:
            raise UsageError("an input delimiter may be specified only when operating on fields")
        if "only-delimited" in options:
            raise UsageError("suppressing non-delimited lines makes sense\n\tonly when operating on fields")
    return by_fields, lists[0][1] or ""


@CUT.main
def cut(call: Invocation) -> int:
    options = call.options
    by_fields, text = _the_list(call)
    ranges = parse_list(text, fields=by_fields)
    if "complement" in options:
        ranges = _complement(ranges)
    ending = b"\0" if "zero-terminated" in options else b"\n"
    delimiter = options.get("delimiter")
    between = b"\t" if delimiter is None else encode(delimiter) or b"\0"
    given = options.get("output-delimiter")
    joint = None if given is None else encode(given) or b"\0"
    only_delimited = "only-delimited" in options
    if not by_fields:
        select = bytes_selector(ranges, joint or b"")
    elif between == ending:
        for opened in call.inputs():
            _cut_lines(call, opened.source, ranges, ending, ending if joint is None else joint, only_delimited)
        return call.status
    else:
        select = fields_selector(ranges, between, between if joint is None else joint, only_delimited)
    step = max(1, _LINES_AND_RANGES // max(1, len(ranges)))
    forgetful = by_fields and ending == b"\0" and only_delimited == bool(ranges and ranges[0][0] == 1)
    for opened in call.inputs():
        _cut(call, opened.source, select, step, ending, between if forgetful else b"")
    return call.status


def _cut(call: Invocation, source: Source, select: Selector, step: int, ending: bytes, forgetful: bytes) -> None:
    """Cut one input by blocks, and at most step lines of one between two looks at the clock.

    forgetful: the delimiter, when GNU may forget the last NUL (_unfinished).
    """
    for block in source.line_blocks(delimiter=ending):
        lines = block.split(ending)
        tail = lines[-1]
        if not tail:
            lines.pop()
        if len(lines) <= step:
            chosen = list(select(lines))
        else:
            chosen = []
            for at in range(0, len(lines), step):
                call.check()
                chosen += select(lines[at : at + step])
        if chosen:
            if not (forgetful and _unfinished(tail, forgetful)):
                chosen.append(b"")
            call.write(ending.join(chosen))


def _unfinished(line: bytes, delimiter: bytes) -> bool:
    """Whether GNU cut -z leaves a last line without its NUL: its one delimiter is its last byte.

    GNU starts with 0 as the byte before the second field, and takes it for a NUL that was there.
    """
    return line.find(delimiter) == len(line) - 1 >= 0


def _cut_lines(
    call: Invocation, source: Source, ranges: list[Range], ending: bytes, joint: bytes, only_delimited: bool
) -> None:
    """Cut a file whose fields are its lines: the delimiter is the end of line itself."""
    count = 0
    printed = False
    pieces = iter(ranges)
    first, last = next(pieces, (_ENDLESS, _ENDLESS))
    previous: bytes | None = None  # the first line waits: alone it is a line without delimiter
    for line in source.lines(ending):
        call.check()
        count += 1
        if count == 1:
            previous = line
            continue
        if count == 2 and previous is not None and first <= 1:
            call.write(previous[:-1])
            printed = True
        while last < count:
            first, last = next(pieces, (_ENDLESS, _ENDLESS))
        if first <= count:
            if printed:
                call.write(joint)
            call.write(line[:-1] if line.endswith(ending) else line)
            printed = True
    if count == 1 and previous is not None:
        if only_delimited and not previous.endswith(ending):
            return
        if previous.endswith(ending) and first > 1:
            call.write(ending)
            return
        call.write(previous if previous.endswith(ending) else previous + ending)
    elif count:
        call.write(ending)


COMMANDS = {"cut": CUT}
