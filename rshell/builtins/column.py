"""column: put lines into columns, or fields into a table (util-linux)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Failure, Invocation, Option, decode, encode, reason
from rshell.builtins.text import clamped
from rshell.builtins.width import width

if TYPE_CHECKING:
    from collections.abc import Iterator

_NO = "only plain tables are made; use -t -s -o -N -R -d -L"
COLUMN = Command(
    "column",
    "put lines into columns, or fields into a table",
    "column [-t [-s CHARS] [-o STRING] [-N NAMES] [-R COLUMNS] [-d]] [-c WIDTH] [-x] [-L] [FILE]...",
    options=(
        Option("-c", "--output-width", value="WIDTH", help="fill WIDTH characters, COLUMNS or 80 if not given"),
        Option("-d", "--table-noheadings", help="do not print the names of -N"),
        Option("-e", "--table-header-repeat", help="accepted: there are no pages"),
        Option("-L", "--keep-empty-lines", help="do not leave out empty lines"),
        Option("-N", "--table-columns", value="NAMES", help="the names of the columns, separated by commas"),
        Option("-o", "--output-separator", value="STRING", help="print STRING between columns, not two spaces"),
        Option("-R", "--table-right", value="COLUMNS", help="align these columns (names or numbers) to the right"),
        Option("-s", "--separator", value="CHARS", help="each of CHARS ends a field; blanks if not given"),
        Option("-t", "--table", help="make a table of the fields of lines"),
        Option("-x", "--fillrows", help="fill rows before columns"),
        *(
            Option(*names.split(" "), value="ARG", refused=_NO)
            for names in (
                "-n --table-name", "-O --table-order", "-l --table-columns-limit", "-E --table-noextreme",
                "-H --table-hide", "-T --table-truncate", "-W --table-wrap", "-r --tree", "-i --tree-id",
                "-p --tree-parent",
            )
        ),
        Option("-J", "--json", refused=_NO),
    ),
    description=f"All input is held in memory, {limits.TAIL_BUFFER} bytes at most.",
)  # fmt: skip

_TAB = 8
_CELLS = 2_000_000  # of one table
_UNDECODABLE = re.compile("[\udc80-\udcff]")


@COLUMN.main
def column(call: Invocation) -> int:
    options = call.options
    columns = options.get("output-width")
    if columns is None:
        columns = call.context.environment().get("COLUMNS", "80")
        room = clamped(columns, 1, 2**31) or 80
    else:
        room = clamped(columns, 0, 2**31) or 0
        if room < 1:
            raise Failure(f"invalid columns argument: '{columns}'")
    if "table" in options and "fillrows" in options:
        raise Failure("mutually exclusive arguments: --table --fillrows")
    if "table" not in options and options.last("table-columns", "table-right"):
        raise Failure("option --table required for all --table-*")
    lines = list(_lines(call, "keep-empty-lines" in options))
    if "table" in options:
        _table(call, lines)
    else:
        _fill(call, lines, room, rows_first="fillrows" in options)
    return call.status


def _lines(call: Invocation, keep_empty: bool) -> Iterator[str]:
    size = 0
    names: list[str | None] = [*call.operands] or [None]
    for name in names:
        source = call.stdin
        if name is not None:  # '-' is a file like any other here
            try:
                source = call.open(name)
            except IsADirectoryError:
                call.error("read failed: is a directory")
                continue
            except OSError as failure:
                call.error(f"{name}: {reason(failure)}")
                continue
        for block in source.line_blocks():
            size += len(block)
            if size > limits.TAIL_BUFFER:
                raise Failure(f"input too long ({limits.TAIL_BUFFER} bytes at most)")
            lines = decode(block).split("\n")
            if not lines[-1]:
                lines.pop()
            for line in lines:
                line = line.partition("\0")[0]
                if keep_empty or line.strip(" \t\v\f\r"):
                    if not line.strip(" \t\v\f\r"):
                        line = ""
                    yield _UNDECODABLE.sub(lambda found: f"\\x{ord(found.group()) - 0xDC00:02x}", line)


def _wide(text: str) -> int:
    """The columns that text takes."""
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(max(0, width(character)) for character in text)


# Tables


def _rows(lines: list[str], separators: str | None) -> list[list[str]]:
    """The fields of each line: between blanks, or each ended by one of the separators."""
    pattern = re.compile(f"[{re.escape(separators)}]") if separators else None
    rows: list[list[str]] = []
    cells = 0
    for line in lines:
        row: list[str] = []
        if not line.strip(" \t\v\f\r"):
            pass
        elif pattern is not None:
            row = pattern.split(line)
        elif separators is None:
            row = [field for field in line.replace("\t", " ").split(" ") if field]
        else:
            row = [line]
        rows.append(row)
        cells += len(row)
        if cells > _CELLS:
            raise Failure(f"table too large ({_CELLS} cells at most)")
    return rows


def _table(call: Invocation, lines: list[str]) -> None:
    if not lines:
        return
    options = call.options
    rows = _rows(lines, options.get("separator"))
    names = (options.get("table-columns") or "").split(",") if "table-columns" in options else []
    count = max(len(names), max(map(len, rows)))
    call.status = 0  # a table is a success, whatever could not be read before
    if not count:  # nothing but empty lines: a table without columns
        call.status = 1
        return
    if count * len(rows) > 10 * _CELLS:
        raise Failure(f"table too large ({_CELLS} cells at most)")
    if names:
        rows.insert(0, names)
    widths = [0] * count
    for row in rows:
        for at, cell in enumerate(row):
            size = _wide(cell)
            if size > widths[at]:
                widths[at] = size
    right = _aligned(options.get("table-right"), names, count)
    glue = options.get("output-separator")
    glue = "  " if glue is None else glue
    if names and "table-noheadings" in options:  # the names make room all the same
        del rows[0]
    for number, row in enumerate(rows):
        if not number % 256:
            call.check()
        out = []
        for at, size in enumerate(widths):
            cell = row[at] if at < len(row) else ""
            padding = " " * (size - _wide(cell))
            if at in right and (cell or at < count - 1):
                cell = padding + cell
            elif at < count - 1:
                cell += padding
            out.append(cell)
        call.write(encode(glue.join(out)) + b"\n")


def _aligned(text: str | None, names: list[str], count: int) -> set[int]:
    """The columns that are aligned to the right, counted from 0."""
    right: set[int] = set()
    for word in (text or "").split(",") if text else []:
        number = clamped(word, -1, count + 1)
        if word in names:
            right.add(names.index(word))
        elif number is not None:
            right.add(count - 1 if number == -1 else number - 1)
        else:
            raise Failure(f"undefined column name '{word}'")
    return right


# Lines in columns


def _fill(call: Invocation, lines: list[str], room: int, *, rows_first: bool) -> None:
    widths = list(map(_wide, lines))
    longest = (max(widths, default=0) + _TAB) // _TAB * _TAB
    if longest >= room:
        for line in lines:
            call.write(encode(line) + b"\n")
        return
    across = room // longest
    down = -(-len(lines) // across)
    for row in range(down):
        places = range(row, len(lines), down)
        if rows_first:
            places = range(row * across, min((row + 1) * across, len(lines)))
        out: list[str] = []
        at = 0  # the column that has been reached
        for number, place in enumerate(places):
            end = number * longest
            while number and (stop := (at + _TAB) // _TAB * _TAB) <= end:
                out.append("\t")
                at = stop
            out.append(lines[place])
            at += widths[place]
        call.write(encode("".join(out)) + b"\n")


COMMANDS = {"column": COLUMN}
