"""tail against GNU's, its limits and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from rshell import limits
from tests.builtins.oracle import Ours, Theirs, same

TEXTS = [b"", b"\n", b"a", b"1\n2\n3\n", b"1\n2\n3", b"line\n" * 5_000, b"\n" * 20_000, b"x" * 300_000 + b"\ny\n", b"a\0b\0c"]
OPTIONS = [
    "", "-n 0", "-n 1", "-n 2", "-n 3", "-n +0", "-n +1", "-n +2", "-n +4", "-n -2", "-c 0", "-c 1", "-c +2", "-c -3", "-1", "-2c", "-1b", "-2l", "+2", "+2c",
    "-n 1K", "-c 1b", "-c 1kB", "-n 4999", "-n 4096", "-n +4999", "-c 24999", "-c +24999", "-z -n 1", "-z -n +2", "--lines=1", "--bytes=2", "-v -n 1", "-q -n 1",
    "-n 1 -c 5", "-n 18446744073709551615", "-n 1Z", "-n 0Z", "-n x", "-n +-3", "-n --3", "-n ''", "-n +K", "-n K", "-c 1R", "-9223372036854775808", "-1x", "-x",
]  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS)
def test_as_gnu(run: Ours, bash: Theirs, tmp_path: Path, options: str) -> None:
    for text in TEXTS:
        (tmp_path / "f").write_bytes(text)
        same(run, bash, f"tail {options} f")
        same(run, bash, f"tail {options} < f")
        same(run, bash, f"cat f | tail {options}")


@pytest.mark.parametrize("options", ["-n 1", "-n +2", "-c 3", "-q -n 1", "-n 0"])
def test_several_files(run: Ours, bash: Theirs, tmp_path: Path, options: str) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "f").write_bytes(b"1\n2\n3\n")
    for operands in ("f f", "nope f", "d f", "f - f", "- -", "f d"):
        same(run, bash, f"tail {options} {operands} < f")


def test_reading_goes_on_where_the_shell_stands(run: Ours, bash: Theirs, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"".join(b"%d\n" % number for number in range(4_000)))
    same(run, bash, "{ head -n 3990; tail -n 100; tail -n 1; } < f")


@pytest.mark.parametrize("option", ["-f", "--follow", "--follow=name", "-F", "--retry", "-1f"])
def test_following_is_refused(run: Ours, tmp_path: Path, option: str) -> None:
    (tmp_path / "f").write_bytes(b"x\n")
    result = run(f"tail {option} f")
    assert (result.stdout, result.exit_code) == (b"", 1)
    assert result.stderr is not None and b"is not supported: there is no end to wait for" in result.stderr


def test_messages(run: Ours, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    assert run("tail nope").stderr == b"tail: cannot open 'nope' for reading: no such file or directory\n"
    assert run("tail d").stderr == b"tail: error reading 'd': is a directory\n"
    assert run("tail -n x").stderr == b"tail: invalid number of lines: 'x'\n"
    assert run("tail -c 1Z").stderr == b"tail: invalid number of bytes: '1Z': value too large for defined data type\n"


def test_what_a_pipe_may_give(run: Ours, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TAIL_BUFFER", 400_000)
    monkeypatch.setattr(limits, "TAIL_READ", 1_000_000)
    assert run("cat | tail -c 150000 | wc -c", stdin=b"x" * 1_000_000).stdout == b"150000\n"
    result = run("cat | tail -c 600000", stdin=b"x" * 1_000_000)
    assert (result.stdout, result.exit_code) == (b"", 1)
    assert result.stderr == b"tail: more than 400000 bytes to keep; give a smaller count, or the file itself\n"
    result = run("cat | tail -n 1", stdin=b"x\n" * 500_001)
    assert (result.stdout, result.exit_code) == (b"", 1)
    assert result.stderr == b"tail: input too long (1000000 bytes at most from a pipe)\n"
