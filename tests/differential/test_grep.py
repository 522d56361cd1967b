"""Random options, patterns and texts: grep beside GNU grep."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.differential.text_tools import EXAMPLES, agree, options, texts, tool

tool("grep")

_CONTEXT = [st.integers(0, 3).map(lambda number, letter=letter: f"-{letter}{number}") for letter in "ABC"]
_OPTIONS = options(
    "-i", "-v", "-c", "-l", "-L", "-n", "-H", "-h", "-o", "-q", "-s", "-x", "-w", "-r", "-a", "-b", "-z", "-I", "-Z", "-T",
    "-E", "-F", "-3", "--no-group-separator", "--group-separator=X", "--binary-files=text", "--binary-files=without-match",
    "--label=L", "-on", "-ob", "-cv", "-nH", "--color=never", "--include=f", "--exclude=g", "--no-ignore-case", "-dskip",
    "--directories=recurse", st.integers(0, 3).map(lambda number: f"-m{number}"), *_CONTEXT, most=4,
)  # fmt: skip
_PATTERNS = st.one_of(
    st.sampled_from([
        "", "a", "abc", "A", "1", "12", "x y", ".", "^", "$", "^$", "^a", "a$", "a*", "[0-9]", "[^a]", "[[:alpha:]]*", "a.*b",
        "\\w", "-", "\\.", "y", "é", "^.$", "..", "v1", "[[:space:]]", "a\nb", "1\n\n", "z\nabc\n12", "a\\|b", "\\(a\\|1\\)",
        "\\<a", "a\\>", "x y z", "中", "\\S", " ",
    ]),
    st.lists(st.sampled_from(["a", "b", "1", " ", ".", "*", "[a-z]", "y"]), max_size=4).map("".join),
)  # fmt: skip
_OPERANDS = st.sampled_from([[], ["-"], ["f"], ["f", "g"], ["f", "nope"], ["f", "d"], ["d"], ["-", "f", "-"]])


@EXAMPLES
@given(_OPTIONS, _PATTERNS, _OPERANDS, texts(), texts(most=6), st.booleans())
def test_grep_agrees(
    given_options: list[str], pattern: str, operands: list[str], text: bytes, other: bytes, from_file: bool
) -> None:
    assume(not {"-E", "-F"} <= set(given_options))
    # GNU judges a long input by the pieces in which a pipe gave it.
    assume(len(text) < 60_000 or not any(byte in text for byte in (b"\0", b"\xff")))
    # Lines that are left out as no text move GNU's context about in ways of its own.
    assume("�" not in (text + other).decode(errors="replace") or not any(o[1] in "ABC3" for o in given_options))
    assume(b"\xf4\x90" not in text + other)  # characters to glibc, none to anybody else
    recursive = {"-r", "--directories=recurse"} & set(given_options)
    if recursive and not operands:
        operands = ["f"]  # the working directory holds what other tests left
    agree(["grep", *given_options, "-e", pattern, *operands], text, from_file=from_file, f=text, g=other)
