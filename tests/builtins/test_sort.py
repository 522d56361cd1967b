"""sort against GNU's in byte order, its limits and its messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from rshell import limits
from tests.builtins.oracle import Ours, Theirs, same

TEXT = (
    "10 b Feb 2K\n9 a jan 1G\n\n 3 c MAR 512\n-1.5 B x 1M\n1e3 _ dec 3K\n0x10 d 1.10 v1.10\n007 a 1.9 v1.9\n10 b Feb 2K\n"
    "a:c:1\nb:a:10\nA:b:9\n\té x\nf-1.10.tar.gz\nf-1.9.tar.gz\n.hidden\n~\n100000000000000000000001\n100000000000000000000000\n-0\n+5\n.5\n5.\nlast"
).encode()
OPTIONS = [
    "", "-r", "-u", "-n", "-rn", "-g", "-h", "-M", "-V", "-f", "-fu", "-d", "-i", "-b", "-s", "-z", "-df", "-k 2", "-k 2,2", "-k 2,2r", "-k 1n", "-k 1,1n -k 2,2r", "-k 3M", "-k 4h",
    "-k 2.2", "-k 1.2,1.3", "-k 1.1,1.0", "-k 2b,2", "-k 2.1b,2.2b", "-t : -k 2", "-t : -k 3n", "-t : -k 2,2 -s", "-t : -k 2,2 -u", "-k 1,1 -u", "-k 9", "-k 3,2", "-k 99999,2", "-rk 2,2",
    "-sk 2,2", "-nu", "-ru", "-nr -k 2", "--sort=version", "--sort=n", "--stable -k 2", "--parallel=4 -S 10M", "-t '\\0' -k 1", "-fd -k 2", "-Vr", "-gr", "-hr", "-Mr", "-bf -k 2",
    "-c", "-C", "-cu", "--check=quiet", "-m", "-mu", "-mr", "-mk 2", "-dn", "-k 1nd", "-k x", "-k 0", "-k 1.0", "-k 1x", "-t ''", "-t ab", "-t a -t b", "-cC", "--sort=foo", "-x",
]  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS)
def test_as_gnu(run: Ours, bash: Theirs, tmp_path: Path, options: str) -> None:
    for text in (TEXT, TEXT + b"\n", b"", b"\n", b"b\na", TEXT.replace(b"\n", b"\0"), b"1 x\n2 y\n3 z\n"):
        (tmp_path / "f").write_bytes(text)
        same(run, bash, f"LC_ALL=C sort {options} f")
        same(run, bash, f"cat f | LC_ALL=C sort {options}")
    (tmp_path / "g").write_bytes(b"5 q\na:z:3\n")
    same(run, bash, f"LC_ALL=C sort {options} f g - < g")


def test_many_lines(run: Ours, bash: Theirs, tmp_path: Path) -> None:
    lines = [b"%d key%d %x\n" % (number * 7919 % 10_007, number % 13, number * 2654435761 % 2**32) for number in range(30_000)]
    (tmp_path / "f").write_bytes(b"".join(lines))
    for options in ("", "-n", "-k2,2", "-k3", "-k2,2 -k1,1nr", "-u -k2,2", "-s -k2,2", "-rk3,3"):
        same(run, bash, f"LC_ALL=C sort {options} f")


@pytest.mark.parametrize(
    ("call", "message", "status"),
    [
        ("nope f", "cannot read: nope: no such file or directory\n", 2),
        ("f d", "read failed: d: is a directory\n", 2),
        ("-c nope", "open failed: nope: no such file or directory\n", 2),
        ("-c f", "f:2: disorder: a\n", 1),
        ("-c f f", "extra operand 'f' not allowed with -c\n", 2),
        ("-dn f", "options '-dn' are incompatible\n", 2),
        ("-k 1x", "stray character in field spec: invalid field specification '1x'\n", 2),
        ("-k x", "invalid number at field start: invalid count at start of 'x'\n", 2),
        ("-k 0", "field number is zero: invalid field specification '0'\n", 2),
        ("-t ab", "multi-character tab 'ab'\n", 2),
        ("-R f", "option '-R' is not supported: the order would differ at every run; use sort without it\n", 2),
        ("-o x f", "option '-o' is not supported: output goes to standard output\n", 2),
        ("-T /tmp f", "option '-T' is not supported: sorting happens in memory\n", 2),
        ("--compress-program=x f", "option '--compress-program' is not supported: sorting happens in memory\n", 2),
    ],
)
def test_messages(run: Ours, tmp_path: Path, call: str, message: str, status: int) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "f").write_bytes(b"b\na\n")
    result = run(f"sort {call}")
    assert result.stderr is not None and result.stderr.startswith(f"sort: {message}".encode())
    assert (result.stdout, result.exit_code) == (b"", status)


def test_limits(run: Ours, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SORT_LINES", 3)
    assert run("sort", stdin=b"c\nb\na\n").stdout == b"a\nb\nc\n"
    assert run("sort", stdin=b"c\nb\na\nd").stderr == b"sort: too many lines (3 at most)\n"
    monkeypatch.setattr(limits, "SORT_BYTES", 4)
    assert run("sort", stdin=b"ab\nc").exit_code == 0
    result = run("sort", stdin=b"ab\ncd")
    assert (result.stderr, result.exit_code) == (b"sort: input too large (4 bytes at most)\n", 2)


def test_a_sort_that_does_not_fit_ends_the_run_before_it_starts(run: Ours) -> None:
    result = run("sort", stdin=b"b\na\n" * 200_000, max_execution_time=0.5)
    assert result.timed_out and result.duration < 2
