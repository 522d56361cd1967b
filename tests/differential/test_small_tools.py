"""Random options and texts: the small text tools beside the real ones."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.differential.text_tools import EXAMPLES, agree, options, texts

_OPERANDS = st.sampled_from([[], ["-"], ["f"], ["f", "g"], ["g", "-"], ["nope", "f"], ["d", "g"]])


def numbered(option: str, low: int, high: int) -> st.SearchStrategy[str]:
    """option with a number."""
    return st.integers(low, high).map(lambda number: f"{option}{number}")


def one_of(option: str, *values: str) -> st.SearchStrategy[str]:
    """option with one of the values."""
    return st.sampled_from(values).map(lambda value: f"{option}{value}")


# Calls of filters that read files: the options
FILTERS = {
    "tac": options("-b", one_of("-s", "a", ":", "aa", "\n\n", "", "é", "a\n")),
    "nl": options(
        one_of("-b", "a", "t", "n", "pa", "p^x", "p[0-9]", "x"), one_of("-h", "a", "t", "n"), one_of("-f", "a", "t", "n"),
        one_of("-n", "ln", "rn", "rz", "q"), numbered("-w", 0, 12), numbered("-v", -20, 20), numbered("-i", -3, 3),
        numbered("-l", 0, 3), one_of("-s", "", ": ", "%d", "é"), "-p", one_of("-d", "", "a", "ab", "abc"),
    ),
    "paste": options("-s", "-z", one_of("-d", ",", "", ",;", "\\n", "\\0,", "a\\tb", "\\\\", "\\q", "x\\", "é")),
    "expand": options("-i", one_of("-t", "1", "3", "8", "2,5", "2 7,9", "3,/4", "3,+4", "/5", "+6", "0", "5,5", "x", "")),
    "unexpand": options(
        "-a", "--first-only", one_of("-t", "1", "2", "3", "8", "2,5", "2 7,9", "3,/4", "3,+4", "/5", "+6", "0", "4,2", "x"),
    ),
    "fold": options("-b", "-s", numbered("-w", 0, 30), "-7"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILTERS)
def test_filters_agree(name: str) -> None:
    @EXAMPLES
    @given(FILTERS[name], _OPERANDS, texts(), texts(10), st.booleans())
    def check(given_options: list[str], operands: list[str], text: bytes, other: bytes, from_file: bool) -> None:
        if name == "tac":  # GNU's ends with `memory exhausted` at some lines above its first buffer
            text, other = text[:8000], other[:8000]
        agree([name, *given_options, *operands], text, from_file=from_file, f=text, g=other)

    check()


@EXAMPLES
@given(
    options("-1", "-2", "-3", "-z", "--check-order", "--nocheck-order", "--total", one_of("--output-delimiter=", ":", "", "ab")),
    st.sampled_from([["f", "g"], ["f", "-"], ["-", "g"], ["f"], ["f", "g", "f"], ["f", "nope"], ["d", "f"]]),
    texts(10), texts(10), st.integers(0, 5),
)  # fmt: skip
def test_comm_agrees(given_options: list[str], operands: list[str], text: bytes, other: bytes, mess: int) -> None:
    if mess:
        text, other = (b"".join(sorted(t.splitlines(keepends=True))) for t in (text + other[: len(other) // 2], other))
    agree(["comm", *given_options, *operands], text, locale="C", f=text, g=other)


_NAMES = st.lists(st.text(alphabet="/ab.c-", max_size=8), max_size=3)


@EXAMPLES
@given(st.sampled_from(["basename", "dirname"]), options("-z", "-a", one_of("-s", "", "b", ".c")), _NAMES)
def test_parts_of_paths_agree(name: str, given_options: list[str], names: list[str]) -> None:
    if name == "dirname":
        given_options = [option for option in given_options if option == "-z"]
    agree([name, *given_options, "--", *names])


@EXAMPLES
@given(_OPERANDS, texts(), texts(10))
def test_rev_agrees(operands: list[str], text: bytes, other: bytes) -> None:
    # What is no UTF-8 ends util-linux's rev, and NUL its lines; ours goes on.
    text, other = (re.sub(rb"\0", b"", t).decode(errors="replace").encode() for t in (text, other))
    agree(["rev", *operands], text, f=text, g=other)


_FIELD_TEXT = st.lists(
    st.lists(st.sampled_from(["a", "A", "b", "c", "1", "22", "", "é"]), max_size=4).map(":".join), max_size=12
)


@EXAMPLES
@given(
    options(
        "-z", "-i", "--header", "--check-order", "--nocheck-order", one_of("-t", ":", ":", "", "\\0", "ab"), one_of("-e", "", "X"),
        one_of("-a", "1", "2", "3"), one_of("-v", "1", "2"), one_of("-o", "auto", "0", "1.1,2.2", "2.1 0 1.3", "1.x", "3.1", "1.0"),
        one_of("-j", "1", "2", "0"), one_of("-1", "1", "2"), one_of("-2", "1", "3"), most=5,
    ),
    st.sampled_from([["f", "g"], ["f", "g"], ["f", "-"], ["-", "g"], ["f"], ["f", "g", "f"], ["f", "nope"], ["d", "f"], ["-", "-"]]),
    _FIELD_TEXT, _FIELD_TEXT, st.integers(0, 5), st.booleans(), st.sampled_from(["\n", ""]),
)  # fmt: skip
def test_join_agrees(
    given_options: list[str],
    operands: list[str],
    lines: list[str],
    others: list[str],
    mess: int,
    blanks: bool,
    end: str,
) -> None:
    if mess:
        lines, others = sorted(lines), sorted(others)
    text, other = ("\n".join(each) + end for each in (lines, others))
    if blanks:
        text, other = text.replace(":", " ").replace("c", "\t"), other.replace(":", " ")
    agree(["join", *given_options, *operands], text.encode(), locale="C", f=text.encode(), g=other.encode())


_NUMBERS = st.sampled_from(
    [
        "1",
        "2",
        "0",
        "5",
        "10",
        "-1",
        "-3",
        "0.1",
        "0.25",
        "-.5",
        "1.50",
        "007",
        "1e1",
        "1e-1",
        "2.5e1",
        "0x10",
        "x",
        "3.",
        "-0",
        "99",
    ]
)


@EXAMPLES
@given(
    options(
        "-w", one_of("-s", ",", "", "::", "é"),
        one_of("-f", "%g", "%.2f", "x%05.1fy", "%e", "%a", "%%%g", "%d", "%", "no", "%g%g", "%-8.3fz", "%+g"), most=2,
    ),
    st.lists(_NUMBERS, min_size=1, max_size=3),
)  # fmt: skip
def test_seq_agrees(given_options: list[str], numbers: list[str]) -> None:
    agree(["seq", *given_options, *numbers])


@EXAMPLES
@given(
    options(
        "-t", "-t", "-x", "-L", "-d", one_of("-s", ":", ",:", " "), one_of("-o", "", "|", " é "), one_of("-N", "a", "a,bbbb,c"),
        one_of("-R", "1", "2", "1,3"), one_of("-c", "10", "30", "100"), most=5,
    ),
    st.sampled_from([[], ["f"], ["f", "nope"], ["f", "f"]]),
    st.lists(st.lists(st.sampled_from(["a", "bb", "ccc ccc", "é", "中", "", " ", "x", "\t"]), max_size=5).map(":".join), max_size=15),
)  # fmt: skip
def test_column_agrees(given_options: list[str], operands: list[str], lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines).encode()
    agree(["column", *given_options, *operands], text, f=text)


_SIZES = st.sampled_from(
    ["0", "1", "9", "-5", "999", "1000", "1024", "1500", "9949", "9951", "99500", "999999", "1048576", "123456789012", "1.5", "0.05", "-2.25",
     "1K", "2.5M", "3Ki", "1Ti", "10G", "x", "", "1x", "1Kx", "5B", "007", "  12", "1.", "k", "4k"]
)  # fmt: skip
_NUMFMT = options(
    one_of("--from=", "none", "auto", "si", "iec", "iec-i"), one_of("--to=", "none", "si", "iec", "iec-i"),
    one_of("--round=", "up", "down", "from-zero", "towards-zero", "nearest"), one_of("--padding=", "5", "-6", "12", "0"),
    one_of("--suffix=", "B", "/s"), one_of("--format=", "%f", "%.1f", "x%8.2fy", "%-8f", "%06f", "%d"),
    one_of("--from-unit=", "512", "1K"), one_of("--to-unit=", "1K", "Ki"), "--header", one_of("--field=", "2", "1,3", "2-", "-"),
    one_of("--invalid=", "abort", "fail", "warn", "ignore"), one_of("-d", ":", ","), most=4,
).map(lambda given: list({option.partition("=")[0]: option for option in given}.values()))  # fmt: skip


@EXAMPLES
@given(_NUMFMT, st.lists(_SIZES, min_size=1, max_size=3))
def test_numfmt_of_arguments_agrees(given_options: list[str], numbers: list[str]) -> None:
    agree(["numfmt", *given_options, "--", *numbers])


@EXAMPLES
@given(_NUMFMT, st.lists(st.lists(_SIZES, max_size=4), max_size=5), st.sampled_from([" ", "  ", ":", "\t"]))
def test_numfmt_of_lines_agrees(given_options: list[str], rows: list[list[str]], glue: str) -> None:
    agree(["numfmt", *given_options], "".join(f"{glue.join(row)}\n" for row in rows).encode())
