"""sort: put lines in order (GNU coreutils, in byte order)."""

from __future__ import annotations

from functools import cmp_to_key
from heapq import merge
from itertools import compress, count, groupby, islice
from operator import eq
from typing import TYPE_CHECKING, Any

from rshell import limits
from rshell.builtins.choice import choose
from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, encode, reason
from rshell.builtins.quoting import quote_in_message, quote_text
from rshell.builtins.sort_keys import KINDS, Extractor, Key, parse_key, valuer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rshell.builtins.streams import Source

_ELSEWHERE = "output goes to standard output"
_MOST_KEYS = 64
_WRITTEN = 1_000  # lines written at once
_SAMPLE = 16_384  # lines whose keys are made between looks at the clock; they show whether keys repeat
_SECONDS = 2e-6  # for a line, in the worst case: what a sort in C may take without a look at the clock
_SORTS = {
    "general-numeric": "g", "human-numeric": "h", "month": "M", "numeric": "n", "random": "R", "version": "V",
}  # fmt: skip
_CHECKS = {"quiet": "C", "silent": "C", "diagnose-first": "c"}

SORT = Command(
    "sort",
    "put lines in order",
    "sort [OPTION]... [FILE]...",
    options=(
        Option("-b", "--ignore-leading-blanks", help="ignore leading blanks", key="b"),
        Option("-c", help="check whether the input is sorted; say where it is not", key="c"),
        Option("--check", value="HOW", optional=True, help="as -c; with =quiet or =silent as -C"),
        Option("-C", help="as -c, without a message", key="C"),
        Option("-d", "--dictionary-order", help="consider only blanks, letters and digits", key="d"),
        Option("-f", "--ignore-case", help="fold lower case to upper case", key="f"),
        Option("-g", "--general-numeric-sort", help="compare as numbers, also 1e3, inf and nan", key="g"),
        Option("-h", "--human-numeric-sort", help="compare sizes such as 2K and 1G", key="h"),
        Option("-i", "--ignore-nonprinting", help="consider only printable characters", key="i"),
        Option("-k", "--key", value="KEYDEF", help="sort by a key; KEYDEF is F[.C][OPTS][,F[.C][OPTS]]"),
        Option("-m", "--merge", help="merge files that are sorted already"),
        Option("-M", "--month-sort", help="compare as months: unknown < JAN < ... < DEC", key="M"),
        Option("-n", "--numeric-sort", help="compare as numbers", key="n"),
        Option("-r", "--reverse", help="reverse the order", key="r"),
        Option("-s", "--stable", help="do not compare whole lines where the keys are equal"),
        Option("--sort", value="WORD", help="general-numeric, human-numeric, month, numeric or version"),
        Option("-t", "--field-separator", value="SEP", help="fields are separated by SEP, not by blanks"),
        Option("-u", "--unique", help="print one line of those that are equal"),
        Option("-V", "--version-sort", help="compare numbers within text as versions", key="V"),
        Option("-z", "--zero-terminated", help="lines end with NUL, not newline"),
        Option("-S", "--buffer-size", value="SIZE", help="ignored"),
        Option("--parallel", value="N", help="ignored"),
        Option("--batch-size", value="N", help="ignored"),
        Option("-R", "--random-sort", refused="the order would differ at every run; use sort without it"),
        Option("--random-source", value="FILE", refused="there is no random sort"),
        Option("-o", "--output", value="FILE", refused=_ELSEWHERE),
        Option("-T", "--temporary-directory", value="DIR", refused="sorting happens in memory"),
        Option("--compress-program", value="PROG", refused="sorting happens in memory"),
    ),
    description="Order is by bytes. At most 1,000,000 lines and 256 MiB are sorted. Where keys are equal the whole\n"
    "lines are compared, unless -s or -u is given.",
    usage_status=2,
)


def _chosen(text: str, option: str, words: Mapping[str, str]) -> str:
    try:
        return choose(text, option, words)
    except UsageError as failure:  # the one kind of wrong use that is 1, not 2
        raise Failure(f"{failure}\nTry 'sort --help' for more information.", 1) from None


def _completed(keys: list[Key], given: Key) -> list[Key]:
    """The keys with what they take from the global ordering options, checked."""
    if len(keys) > _MOST_KEYS:
        raise Failure(f"too many keys ({_MOST_KEYS} at most)", 2)
    for key in keys:
        if key.plain:
            key.inherit(given)
    if not keys and (given.kinds - {"r"} or given.skip_start):
        keys = [given]
    for key in keys:
        if "R" in key.kinds:
            raise UsageError("random order is not supported: it would differ at every run")
        key.check()
    return keys


class _Order:
    """How lines are compared: what the options say."""

    def __init__(self, call: Invocation) -> None:
        options = call.options
        given = Key()
        keys: list[Key] = []
        separator: str | None = None
        checks: set[str] = set()
        for name, text in options.given:
            if name == "key" and text is not None:
                keys.append(parse_key(text))
            elif name in ("c", "C"):
                checks.add(name)
            elif name == "check":
                checks.add("c" if text is None else _chosen(text, "--check", _CHECKS))
            elif name == "sort" and text is not None:
                given.add(_chosen(text, "--sort", _SORTS), start=True, end=True)
            elif name == "field-separator" and text is not None:
                separator = self._separator(text, separator)
            elif name in KINDS:
                given.add(name, start=True, end=True)
        if len(checks) > 1:
            raise Failure("options '-cC' are incompatible", 2)
        self.call = call
        self.keys = keys = _completed(keys, given)
        self.reverse = given.reverse
        self.check = checks.pop() if checks else ""
        self.unique = "unique" in options
        self.stable = "stable" in options
        self.ending = "\0" if "zero-terminated" in options else "\n"
        self.extractors = [Extractor(key, separator, self.ending) for key in keys]
        self.valuers = [valuer(key, self.ending) for key in keys]

    @staticmethod
    def _separator(text: str, before: str | None) -> str:
        raw = encode(text)
        if not raw:
            raise Failure("empty tab", 2)
        if raw == b"\\0":
            raw = b"\0"
        if len(raw) > 1:
            raise Failure(f"multi-character tab {quote_text(text)}", 2)
        separator = raw.decode("latin-1")
        if before not in (None, separator):
            raise Failure("incompatible tabs", 2)
        return separator

    # Sorting

    def sorted(self, lines: list[str]) -> list[str]:
        """The lines in order, without the repeated ones where those are not wanted."""
        if not self.keys:
            if self.unique:
                lines = list(dict.fromkeys(lines))
            self._weigh(len(lines))
            lines.sort(reverse=self.reverse)
            return lines
        out: list[str] = []
        self._by_key(lines, 0, out)
        return out

    def _weigh(self, number: int) -> None:
        """End the run when sorting so many lines in one call of C would not fit in the time left."""
        left = self.call.run.remaining()
        if left is not None and left < number * _SECONDS:
            self.call.run.expire()

    def _values(self, lines: list[str], level: int) -> list[Any]:
        """What lines are compared by at the key of that number."""
        value = self.valuers[level]
        keys = self.extractors[level].keys(lines)
        return keys if value is None else value(keys)

    def _by_key(self, lines: list[str], level: int, out: list[str]) -> None:
        """Append the lines, which are equal by the keys before, in order."""
        values: list[Any] = []
        for at in range(0, len(lines), _SAMPLE):
            self.call.check()
            values += self._values(lines[at : at + _SAMPLE], level)
        if len(set(values[:_SAMPLE])) * 2 > min(len(values), _SAMPLE):
            self._by_position(lines, values, level, out)
        else:
            self._by_group(lines, values, level, out)

    def _by_group(self, lines: list[str], values: list[Any], level: int, out: list[str]) -> None:
        """For few values: sort these, then the lines of each."""
        groups: dict[Any, str | list[str]] = {}  # a line alone is no list: half a million lists are slow to make
        get = groups.get
        for value, line in zip(values, lines, strict=True):
            group = get(value)
            if group is None:
                groups[value] = line
            elif isinstance(group, str):
                groups[value] = [group, line]
            else:
                group.append(line)
        self.call.check()
        self._weigh(len(groups))
        for value in sorted(groups, reverse=self.keys[level].reverse):
            group = groups[value]
            if isinstance(group, str):
                out.append(group)
            else:
                self._equals(group, level, out)

    def _by_position(self, lines: list[str], values: list[Any], level: int, out: list[str]) -> None:
        """For values that are mostly different: sort the lines' positions by them, then see which are equal."""
        self._weigh(len(lines))
        order = sorted(range(len(lines)), key=values.__getitem__, reverse=self.keys[level].reverse)
        values = list(map(values.__getitem__, order))
        lines = list(map(lines.__getitem__, order))
        self.call.check()
        done = 0
        end = 0
        for start in compress(count(), map(eq, values, islice(values, 1, None))):
            if start < end:
                continue
            out += lines[done:start]
            end = start + 2
            while end < len(values) and values[end] == values[start]:
                end += 1
            self._equals(lines[start:end], level, out)
            done = end
        out += lines[done:]

    def _equals(self, lines: list[str], level: int, out: list[str]) -> None:
        """Append lines that are equal by this key: in order of the next one, or as the options say."""
        if level + 1 < len(self.keys):
            self._by_key(lines, level + 1, out)
        elif self.unique:
            out.append(lines[0])
        else:
            if not self.stable:
                self._weigh(len(lines))
                lines.sort(reverse=self.reverse)
            out += lines

    # Comparing, for checks and merges

    def compare(self, one: str, other: str) -> int:
        """Negative, zero or positive, as one comes before other, with it or after it."""
        for level, key in enumerate(self.keys):
            first, second = self._values([one, other], level)
            if first != second:
                return -1 if (first < second) != key.reverse else 1
        if self.keys and (self.unique or self.stable):
            return 0
        if one == other:
            return 0
        return -1 if (one < other) != self.reverse else 1


@SORT.main
def sort(call: Invocation) -> int:
    order = _Order(call)
    operands = call.operands or ["-"]
    if order.check:
        if len(operands) > 1:
            raise Failure(f"extra operand {quote_text(operands[1])} not allowed with -{order.check}", 2)
        return _check(call, order, operands[0])
    if len(operands) > 1:
        for name in operands:
            if name != "-":
                _try(call, name)
    reader = _Reader(call, order.ending)
    if "merge" in call.options:
        files = [list(reader.lines(name)) for name in operands]
        if order.keys:
            lines: Iterable[str] = merge(*files, key=cmp_to_key(order.compare))
        else:
            lines = merge(*files, reverse=order.reverse)
        if order.unique:
            lines = _first_of_equals(lines, order.compare)
    else:
        everything: list[str] = []
        for name in operands:
            for part in reader.blocks(name):
                everything += part
        lines = order.sorted(everything)
    _write(call, iter(lines), order.ending)
    return call.status


def _first_of_equals(lines: Iterable[str], compare: Callable[[str, str], int]) -> Iterator[str]:
    for line, _ in groupby(lines, cmp_to_key(compare)):
        yield line.obj  # type: ignore[attr-defined]


def _write(call: Invocation, lines: Iterator[str], ending: str) -> None:
    while part := list(islice(lines, _WRITTEN)):
        part.append("")
        call.stdout.write(ending.join(part).encode("latin-1"))
        call.check()


def _try(call: Invocation, name: str) -> None:
    """Refuse an input that cannot be opened before any is read, as GNU does."""
    try:
        call.close(call.open(name))
    except IsADirectoryError:  # it opens, as sort sees it
        return
    except OSError as failure:
        raise Failure(f"cannot read: {quote_in_message(name)}: {reason(failure)}", 2) from None


class _Reader:
    """Reads lines within the limits, which count for all inputs together."""

    def __init__(self, call: Invocation, ending: str) -> None:
        self.call = call
        self.ending = ending
        self.count = 0
        self.size = 0

    def lines(self, name: str, trouble: str = "cannot read") -> Iterator[str]:
        """The lines of an input, without their ends."""
        for part in self.blocks(name, trouble):
            yield from part

    def blocks(self, name: str, trouble: str = "cannot read") -> Iterator[list[str]]:
        """The lines of an input, block by block."""
        call = self.call
        try:
            source = call.stdin if name == "-" else call.open(name)
        except IsADirectoryError as failure:
            raise Failure(f"read failed: {name}: {reason(failure)}", 2) from None
        except OSError as failure:
            raise Failure(f"{trouble}: {quote_in_message(name)}: {reason(failure)}", 2) from None
        try:
            yield from self._split(source)
        except OSError as failure:
            raise Failure(f"read failed: {name}: {reason(failure)}", 2) from None
        finally:
            if name != "-":
                call.close(source)

    def _split(self, source: Source) -> Iterator[list[str]]:
        for block in source.line_blocks(delimiter=self.ending.encode()):
            self.size += len(block)
            lines = block.decode("latin-1").split(self.ending)
            if not lines[-1]:
                lines.pop()
            self.count += len(lines)
            if self.count > limits.SORT_LINES:
                raise Failure(f"too many lines ({limits.SORT_LINES} at most)", 2)
            if self.size > limits.SORT_BYTES:
                raise Failure(f"input too large ({limits.SORT_BYTES} bytes at most)", 2)
            yield lines


def _check(call: Invocation, order: _Order, name: str) -> int:
    """Tell whether an input is in order; 1 when it is not."""
    previous: str | None = None
    least = 0 if order.unique else 1
    number = 0
    for lines in _Reader(call, order.ending).blocks(name, "open failed"):
        call.check()
        for line in lines:
            number += 1
            if previous is not None and order.compare(previous, line) >= least:
                if order.check == "c":
                    where = encode(f"sort: {name}:{number}: disorder: ")
                    call.stderr.write(where + (line + order.ending).encode("latin-1"))
                return 1
            previous = line
    return 0


COMMANDS = {"sort": SORT}
