"""cut against GNU's, and its messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builtins.oracle import Ours, Theirs, same

TEXT = b"a:b:c\n\nno delimiter\n:lead\ntrail:\n:\nx:y\nlast:one:two:three"


@pytest.mark.parametrize(
    "options",
    [
        "-d : -f 1", "-d : -f 2", "-d : -f 3", "-d : -f 2-", "-d : -f -2", "-d : -f 1,3", "-d : -f 3,1", "-d : -f 2 -s", "-d : -f 1 -s",
        "-d : -f 1- -s", "-d : -f 1-", "-d : -f 2 --complement", "-d : -f 1,2 --output-delimiter=' / '", "-d : -f 2- --output-delimiter=-",
        "-d '' -f 1", "-d $'\\n' -f 2", "-d $'\\n' -f 2,4-", "-d $'\\n' -f 1 -s", "-c 1", "-c 1-3", "-b 2-", "-c -2,4", "-c 1,2", "-b 1-2,3-4 --output-delimiter=:",
        "-b 2-3 --complement", "-c 3-1,2", "-b 1-", "-n -b 1", "-f 1", "-z -d : -f 1", "-z -f 1", "-f 99999", "-f 2-18446744073709551614", "--fields=2 --delimiter=:",
        "-d : -f '1 3'", "-d : -f 1,,2", "-d : -f 0", "-d : -f -", "-c 2-1", "-f 1 -b 1", "-d ab -f 1", "-d é -f 1", "-b 1 -d x", "-b 1 -s", "-d :", "",
    ],
)  # fmt: skip
def test_as_gnu(run: Ours, bash: Theirs, tmp_path: Path, options: str) -> None:
    for text in (TEXT, TEXT + b"\n", b"", b"\n", TEXT.replace(b"\n", b"\0"), (TEXT + b"\n") * 5_000, b"q:"):
        (tmp_path / "f").write_bytes(text)
        same(run, bash, f"cut {options} f")
        same(run, bash, f"cat f | cut {options} - f nope")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("-b 0", "byte/character positions are numbered from 1"),
        ("-f 0", "fields are numbered from 1"),
        ("-f 0-2", "fields are numbered from 1"),
        ("-b -", "invalid range with no endpoint: -"),
        ("-f 2-1", "invalid decreasing range"),
        ("-f 1--2", "invalid field range"),
        ("-b 1--2", "invalid byte or character range"),
        ("-b x", "invalid byte/character position 'x'"),
        ("-f 1,a", "invalid field value 'a'"),
        ("-f 18446744073709551615", "field number '18446744073709551615' is too large"),
        ("-f 1 -f 2", "only one list may be specified"),
        ("-d ab -f 1", "the delimiter must be a single character"),
        ("-d x -b 1", "an input delimiter may be specified only when operating on fields"),
        ("-s -b 1", "suppressing non-delimited lines makes sense\n\tonly when operating on fields"),
        ("", "you must specify a list of bytes, characters, or fields"),
    ],
)
def test_wrong_use(run: Ours, options: str, message: str) -> None:
    result = run(f"cut {options}")
    assert result.stderr == f"cut: {message}\nTry 'cut --help' for more information.\n".encode()
    assert (result.stdout, result.exit_code) == (b"", 1)


def test_a_line_at_the_limit_and_past_it(run: Ours) -> None:
    assert run("cut -c 1", stdin=b"x" * (1 << 20) + b"\n").stdout == b"x\n"
    result = run("cut -c 1", stdin=b"x" * ((1 << 20) + 1))
    assert (result.stdout, result.exit_code) == (b"", 1)
    assert result.stderr == b"cut: line too long (1048576 bytes at most)\n"
