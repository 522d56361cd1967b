"""tr against GNU's, and its messages."""

from __future__ import annotations

import pytest

from tests.builtins.oracle import Ours, Theirs, same

TEXT = b"Hello  World 123\n\n\n\taabbcc--\\ [x]\0\xff\xfe\xc3\xa9 zz\r\n" * 3
CALLS = [
    "a-z A-Z", "'[:lower:]' '[:upper:]'", "'[:upper:]' '[:lower:]'", "-d a-z", "-d '[:space:]'", "-s ' '", "-s '[:alpha:]'", "-s 'a-z' 'A-Z'", "-ds a-z '[:space:]'",
    "-cd '[:alnum:]\\n'", "-cs '[:alnum:]' '\\n'", "-C a-z x", "-t abc xy", "abc xy", "abc '[x*]'", "abc '[x*2]y'", "abcdef '[x*]yz'", "'\\n' ' '", "'\\000' X", "'\\377' Y",
    "-d '\\r'", "a- -b", "'[=a=]' b", "'[a' xy", "'a]' xy", "x '\\\\'", "'' ''", "'\\0041' b", "-s '' ''", "-d ''", "a 'b\\'", "'[:digit:]' '[a*]'", "-- -x ab",
    "'[:upper:][:digit:]' '[:lower:]x'", "-c '\\n' '[x*]'", "--delete --complement a-z", "--squeeze-repeats l", "'a-c-e' 'x'",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_as_gnu(run: Ours, bash: Theirs, call: str) -> None:
    for text in (TEXT, b"", b"a", b"aaaa" * 100_000, TEXT * 3_000):
        same(run, bash, f"tr {call}", text)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("foo", "missing operand after 'foo'"),
        ("-ds a", "missing operand after 'a'\nTwo strings must be given when both deleting and squeezing repeats."),
        ("-d a p", "extra operand 'p'\nOnly one string may be given when deleting without squeezing repeats."),
        ("z-a x", "range-endpoints of 'z-a' are in reverse collating sequence order"),
        ("'\\n-\\1' x", "range-endpoints of '\\012-\\001' are in reverse collating sequence order"),
        ("'[:foo:]' a", "invalid character class 'foo'"),
        ("'[::]' a", "missing character class name '[::]'"),
        ("'[==]' a", "missing equivalence class character '[==]'"),
        ("'[=ab=]' a", "ab: equivalence class operand must be a single character"),
        ("a '[b*x]'", "invalid repeat count 'x' in [c*n] construct"),
        ("'[a*]' x", "the [c*] repeat construct may not appear in string1"),
        ("abc '[x*][y*]'", "only one [c*] repeat construct may appear in string2"),
        ("-ds a '[x*]'", "the [c*] construct may appear in string2 only when translating"),
        ("a ''", "when not truncating set1, string2 must be non-empty"),
        ("a '[=b=]'", "[=c=] expressions may not appear in string2 when translating"),
        ("a-z '[:upper:]'", "misaligned [:upper:] and/or [:lower:] construct"),
        ("a '[:digit:]'", "when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'"),
        ("'[:lower:]x' '[:upper:]'", "when translating with string1 longer than string2,\nthe latter string must not end with a character class"),
        ("-c '[:lower:]' ab", "when translating with complemented character classes,\nstring2 must map all characters in the domain to one"),
    ],
)
def test_wrong_sets(run: Ours, call: str, message: str) -> None:
    result = run(f"tr {call}")
    assert (result.stdout, result.stderr, result.exit_code) == (b"", f"tr: {message}\n".encode(), 1)


def test_warnings(run: Ours) -> None:
    result = run("tr '\\400' xy", stdin=b"a b0c\n")
    assert (result.stdout, result.exit_code) == (b"axbyc\n", 0)
    assert result.stderr == (
        b"tr: warning: the ambiguous octal escape \\400 is being\n"
        b"\tinterpreted as the 2-byte sequence \\040, 0\n"
    )
