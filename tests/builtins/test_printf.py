"""printf against bash's."""

from __future__ import annotations

import pytest

from tests.builtins.oracle import Ours, Theirs, quoted, same

TEXT = [
    ("%c", "é"), ("%c|", ""), ("%5c|", "é"), ("%-3c|", "a"), ("%5s|", "é"), ("%.1s|", "éa"), ("%.2s|", "éa"), ("%5b|", "é"),
    ("%.2b|", "éa"), ("%010s|", "a"), ("%05c|", "a"), ("%+s", "a"), ("%.s|", "abc"), ("%ls", "abc"), ("%lc", "é"), ("%hs", "a"),
    ("%s\n",), ("", "a"), ("a", "b", "c"), ("%c", "abc", "def"), ("%s %s|", "a"), ("%%%d", "1"), ("%5c|", ""), ("%s", "a\\nb"),
    ("%q", "a b"), ("%q", ""), ("%q", "a'b"), ("%q", "é"), ("%q", "a\nb"), ("%q", "a\tb é"), ("%q", "~a"), ("%q", "a~b"), ("%q", "#a"),
    ("%q", "a#b"), ("%q", "a=b"), ("%q", "{a,b}"), ("%q", ",a"), ("%q", "^!"), ("%10q|", "a b"), ("%.2q|", "a b"), ("%q", "\x7f"),
    ("%q", "\x1b["), ("%q", "-a"), ("%q", "%@+/_.-:"), ("%q", "a\\b'c\n"), ("%Q", "a b"), ("%.3Q", "a b c"), ("%q", "a:~b"),
    ("%q", "a=~b"), ("%q", "\x85"), ("%q", "\u200b"), ("%q", "\ue000"), ("%q", "\ufffe"), ("%q", "\xa0"), ("%q", "\u2028"), ("%q|", "a", "b"),
    ("%-5q|", "a"), ("%*s|", "", "a"), ("%*s|",), ("%*s|", "-10", "a"), ("%.*s|", "abc", "x"), ("%*.*s|", "5", "2", "abc"),
]  # fmt: skip

ESCAPES = [
    ("\\101\\x41\\0101\\1011",), ("\\u00e9\\U1F600\\x",), ("\\xg",), ("\\c",), ("a\\cb",), ("\\\"\\'\\?",), ("\\e\\E\\a\\b\\f\\v\\r\\t\\n\\\\",),
    ("\\8\\q",), ("a\\",), ("\\400",), ("\\777",), ("\\xff",), ("\\x414",), ("\\u",), ("\\U110000",), ("\\UFFFFFFFF",), ("\\u0",), ("a\\0b",),
    ("%b", "\\101\\0101\\1011"), ("%b", "\\01011"), ("%b", "a\\cb", "x"), ("%b", "\\\"\\'\\?"), ("%b", "a\\0b"), ("%b", "a\\"), ("%b", "\\x"),
    ("%.3b|", "ab\\ncd"), ("%5b|", "\\n"), ("%b", "\\u00e9"), ("%b", "\\8"), ("%s%b", "\\n", "\\c", "z"), ("a%bz", "\\c"), ("\\%d", "1"),
]  # fmt: skip

INTEGERS = [
    ("%d", "'é"), ("%d", '"'), ("%d", "'"), ("%d", "'ab"), ("%d", ""), ("%d", " 5"), ("%d", "5 "), ("%d", "+5"), ("%d", "- 5"), ("%d", "0x"),
    ("%d", "08"), ("%d", "-08"), ("%d", "0b1"), ("%d", "1e3"), ("%d", "-9223372036854775809"), ("%u", "18446744073709551616"), ("%u", "-1"),
    ("%x", "-255"), ("%#x", "255"), ("%#X", "255"), ("%#o", "0"), ("%#o", "8"), ("%+d", "5"), ("% d", "5"), ("%.0d|", "0"), ("%+.0d|", "0"),
    ("%#.0o|", "0"), ("%#.0x|", "0"), ("%5.3d|", "-7"), ("%05.3d|", "7"), ("%-+5d|", "7"), ("%'d", "1234567"), ("%-#10x|", "255"), ("%+u", "3"),
    ("% x", "3"), ("%hhd", "300"), ("%jd", "3"), ("%Ld", "3"), ("%lld", "3"), ("%zd", "3"), ("%*d", "abc", "3"), ("%*d", "-5", "3"), ("%.*d|", "-5", "3"),
    ("%-05d|", "3"), ("%.d|", "0"), ("%d %d\n", "1", "2", "3"), ("%d", "99999999999999999999999999999"), ("%d", "0x1ffffffffffffffff"), ("%i", "-0"),
    ("%d", "--5"), ("%d", "1_0"), ("%d", "٣"), ("%d|",), ("%x|",), ("%d %s\n", "x", "y", "z", "w"), ("%d", "0x-5"), ("%d", "-0x5"), ("%d", "0 "),
    ("%#.3x|", "10"), ("%#08x|", "10"), ("%-08x|", "10"), ("%+.3d|", "10"), ("%#.3o|", "8"), ("%+05d|", "-3"), ("% 05d|", "3"), ("%u", "-999999999999999999999"),
    ("%X", "0xABCDEF"), ("%o", "-1"), ("%d", "1" * 300), ("%d", "0" * 300 + "7"),
]  # fmt: skip

FLOATS = [
    (f"%{flags}{conversion}|", number)
    for flags in ("", ".0", ".2", ".15", ".40", "#", "#.0", "+", " ", "020", "-20.3", "010.2")
    for conversion in "fegaFEGA"
    for number in ("0", "-0", "1", "-2.5", "0.1", "3.14159", "2.0005", "99999.95", "1e10", "123456789012345678901234567890", "1e-7", "5e-324")
] + [
    ("%f", "1e300"), ("%f", "1e5000"), ("%e", "1e-5000"), ("%g", "3.6e-4951"), ("%e", "1e4932"), ("%e", "1.19e4932"), ("%e", "1.18e4932"), ("%f", "0x1p3"),
    ("%f", "abc"), ("%f", "1.5x"), ("%f", ""), ("%f", " 1"), ("%f", "1 "), ("%f", "+inf"), ("%f", "infinity"), ("%f", "nan(12)"), ("%f", "-nan"), ("%F", "nan"),
    ("%5.1f|", "inf"), ("%05f|", "inf"), ("%05.1f|", "-inf"), ("%+f", "nan"), ("% f", "inf"), ("%f", "nan("), ("%f", "infi"), ("%f", "."), ("%f", "1e"),
    ("%f", "1e+"), ("%f", "0x"), ("%f", "0x.8"), ("%f", "0x1.8p"), ("%f", "1,5"), ("%f", "'a"), ("%.0f", "0.5"), ("%.0f", "2.5"), ("%f", ".5"), ("%f", "5."),
    ("%.0a", "15.5"), ("%.2a", "0.999999"), ("%.20a", "1"), ("%Lf", "3"), ("%f|",), ("%.*f\n", "2", "3.14159"), ("%.*f\n",), ("%g", "100000"), ("%g", "1000000"),
    ("%.100f", "0.1"), ("%.100g", "0.1"), ("%e", "1e999999999999999999999"), ("%e", "0e999999999999999999999"), ("%e", "1" * 1000), ("%f", "0." + "0" * 900 + "1"),
]  # fmt: skip

FORMATS = [
    ("%z", "a"), ("a%", "b"), ("%5", "b"), ("%l", "b"), ("%**d", "5", "3", "4"), ("%5*d", "5", "3"), ("%5-d", "3"), ("%..5d|", "0"), ("%T", "0"), ("%1$d", "3"),
    ("%5%|",), ("%-%|",), ("--", "%s", "a"), ("-", "a"), ("%s\n%z", "a"), ("%y", "a"), ("a%sb%y", "1"),
]  # fmt: skip


@pytest.mark.parametrize("args", TEXT + ESCAPES + INTEGERS + FORMATS)
def test_as_bash(run: Ours, bash: Theirs, args: tuple[str, ...]) -> None:
    same(run, bash, f"printf {quoted(*args)}", stderr=True)


def test_floating_point_as_bash(run: Ours, bash: Theirs) -> None:
    """In one script: there are many."""
    same(run, bash, "\n".join(f'printf {quoted(*args)}; echo " $?"' for args in FLOATS), stderr=True)


@pytest.mark.parametrize(
    ("script", "stdout", "stderr", "status"),
    [
        ("printf", b"", b"printf: usage: printf format [arguments]\n", 2),
        ("printf --", b"", b"printf: usage: printf format [arguments]\n", 2),
        ("printf -x a", b"", b"printf: -x: invalid option\nprintf: usage: printf format [arguments]\n", 2),
        ("printf -v x a", b"", b"printf: -v: not supported: use NAME=$(printf ...)\n", 1),
        ("printf 'a%n' x", b"a", b"printf: %n: not supported (security risk)\n", 1),
        ("printf '%(%Y)T' 0", b"", b"printf: %(...)T: not supported: use date\n", 1),
        ("printf '%#x' 0", b"0x0", b"", 0),
        ("printf %f 0xffffffffffffffff", b"18446744073709551616.000000", b"", 0),
    ],
)
def test_where_it_differs_from_bash(run: Ours, script: str, stdout: bytes, stderr: bytes, status: int) -> None:
    result = run(script)
    assert (result.stdout, result.stderr, result.exit_code) == (stdout, stderr, status)


@pytest.mark.parametrize("conversion", ["%{}d", "%.{}d", "%{}s", "%.{}f"])
def test_width_and_precision_are_bounded(run: Ours, conversion: str) -> None:
    assert run(f"printf '{conversion.format(10_000)}' 1").exit_code == 0
    for amount in ("10001", "99999999999999999999"):
        result = run(f"printf '{conversion.format(amount)}' 1")
        assert (result.exit_code, result.stdout) == (1, b"")
        assert b"too large (10000 at most)" in result.stderr


@pytest.mark.parametrize("amount", ["10001", "-10001", "99999999999"])
def test_a_width_from_the_arguments_is_bounded(run: Ours, amount: str) -> None:
    result = run(f"printf '%*d' {amount} 1")
    assert (result.exit_code, result.stdout) == (1, b"")
    assert b"too large (10000 at most)" in result.stderr


def test_bytes_that_are_no_text(run: Ours, bash: Theirs) -> None:
    same(run, bash, 'x=$(printf \'\\377\\303\'); printf \'%s|%q|%d|%c|%b\' "$x" "$x" "\'$x" "$x" "$x"')
