"""diff against GNU's."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from rshell import Runner, limits
from tests.builtins.oracle import Ours, Theirs, same

PAIRS: list[tuple[bytes, bytes]] = [
    (b"", b""), (b"a\n", b"a\n"), (b"", b"a\n"), (b"a\n", b""), (b"a", b"a\n"), (b"a\n", b"a"), (b"a", b"b"), (b"", b"a"), (b"\n", b""),
    (b"1\n2\n3\n", b"1\n2\n3"), (b"1\n2\n3", b"1\n2\nx"), (b"a\nb\nc\nd\n", b"a\nc\nd\n"), (b"a\nb\nc\n", b"a\nb\nb\nc\n"),
    (b"a\nb\na\nb\n", b"b\na\nb\na\n"), (b"x\n" * 30, b"x\n" * 31), (b"a\n\nb\n", b"a\nb\n\n\n"), (b"a b\n", b"a  b\n"), (b" a\n", b"a\n"),
    (b"a \n", b"a\n"), (b"A\n", b"a\n"), (b"a\tb", b"a b\n"), (b"ab\n", b"a b\n"), (b"a\r\nb\r\n", b"a\nb\n"), (b"\n\n\n", b"\n"),
    (b"a\n \nb\n", b"a\nb\n"), (b"a\n\nb\nc\nd\ne\nf\ng\nh\n", b"a\nb\nc\nd\ne\nf\nG\n\nh\n"), (b"a\0b", b"a\0c"), (b"a\0b", b"a\0b"),
    (b"x" * 4095 + b"\0\n", b"y\n"), (b"x" * 4096 + b"\0\n", b"y\n"), (b"\xff\n", b"\xfe\n"),
    (b"{\n  x\n}\n\n{\n  y\n}\n", b"{\n  x\n}\n\n{\n  z\n}\n\n{\n  y\n}\n"),
]  # fmt: skip
STYLES = [
    "",
    "-u",
    "-c",
    "-U 0",
    "-U1",
    "-C 1",
    "-C0",
    "-q",
    "-s",
    "--normal",
    "--unified=2",
    "--context",
    "-u5",
    "-7u",
    "-d",
    "-u -U 1",
]
IGNORE = [
    "-i",
    "-b",
    "-w",
    "-Z",
    "-B",
    "-iB",
    "-wB",
    "-bB -u",
    "-B -U 1",
    "-a",
    "-ib",
    "--strip-trailing-cr",
    "-iu",
    "-wq",
    "-Bc",
    "-ws",
    "-Bs",
    "-Zi",
    "-ZB -u",
]


def stamp(where: Path) -> None:
    for number, path in enumerate(sorted(where.rglob("*"))):
        os.utime(path, ns=(0, 1_700_000_000_123_456_789 + number * 10_000_000_000))


@pytest.mark.parametrize("options", STYLES + IGNORE)
def test_as_gnu(run: Ours, bash: Theirs, tmp_path: Path, options: str) -> None:
    for old, new in PAIRS:
        (tmp_path / "old").write_bytes(old)
        (tmp_path / "new").write_bytes(new)
        stamp(tmp_path)
        same(run, bash, f"diff {options} old new")


def edited(random_: random.Random, lines: list[bytes], edits: int, words: list[bytes]) -> list[bytes]:
    result = list(lines)
    for _ in range(edits):
        at = random_.randrange(len(result) + 1)
        kind = random_.randrange(4)
        size = random_.randrange(1, 4)
        if kind == 0:
            del result[at : at + size]
        elif kind == 1:
            result[at:at] = [random_.choice(words) for _ in range(size)]
        elif kind == 2:
            result[at : at + size] = [random_.choice(words) for _ in range(size)]
        else:
            result[at:at] = result[max(at - size, 0) : at]
    return result


@pytest.mark.parametrize("seed", range(40))
def test_edits(run: Ours, bash: Theirs, tmp_path: Path, seed: int) -> None:
    """Files with few and with many different lines, a little and much edited: byte for byte GNU's hunks."""
    random_ = random.Random(seed)
    words = [b"word %d\n" % number for number in range(random_.choice([2, 3, 10, 100, 5000]))]
    words += [b"}\n", b"\n", b"    return x\n"] * (len(words) // 10)
    lines = [random_.choice(words) for _ in range(random_.choice([5, 40, 400, 3000]))]
    (tmp_path / "old").write_bytes(b"".join(lines))
    (tmp_path / "new").write_bytes(b"".join(edited(random_, lines, random_.choice([1, 5, 30, 300]), words)))
    stamp(tmp_path)
    for options in ("", "-u", "-c", "-U 1", "-d", "-B"):
        same(run, bash, f"diff {options} old new")


def trees(where: Path) -> None:
    for name, text in {
        "a/f": "x\n", "b/f": "y\n", "a/same": "1", "b/same": "1", "a/o": "1", "b/p": "1", "a/sub/s": "s", "b/sub/s": "t", "a/m/x": "x\n", "b/m": "1",
        "a/only/x": "", "a/only/y": "why\n", "b/sp ace": "q", "a/e": "", "b/e/x": "1", "a/x.o": "1", "b/x.o": "2", "c": "x\n",
    }.items():  # fmt: skip
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        (where / name).write_text(text)
    stamp(where)


@pytest.mark.parametrize(
    "arguments",
    ["a b", "-r a b", "-ru a b", "-rN a b", "-rNu a b", "-rq a b", "-rqs a b", "-rs a b", "-N a b", "-r -U 1 a b", "-r -x '*.o' a b", "-rx f --exclude=m a b",
     "a/f b", "a b/f", "a/f b/m", "a c", "c a", "a/m b/m", "-r b a", "-rc -i a/ b/", "a nope", "nope a", "-N a nope", "-rN nope b", "-rNu a nope", "-r a a", "-rs a a",
     "--unidirectional-new-file -r a b", "-r -u --label x --label y a b", "-ru -- a b", "a/ b//", "-r . .", "a - < c", "- a < c", "-ru a/sub b/sub"],
)  # fmt: skip
def test_directories(run: Ours, bash: Theirs, tmp_path: Path, arguments: str) -> None:
    trees(tmp_path)
    same(run, bash, f"diff {arguments}")


@pytest.mark.parametrize(
    "arguments",
    ["a/f b/f", "-c a/f - --label A --label B < b/f", "- a/f < b/f", "- - < a/f", "-s - - < a/f", "nope a/f", "a/f nope", "nope nope2", "-N nope a/f", "-Nu a/f nope", "-N nope nope",
     "a/f", "", "a b c", "-u -c a/f b/f", "-U x a/f b/f", "--label A -u a/f b/f", "--label A --label B -c a/f b/f", "--label A --label B --label C a/f b/f",
     "-s c c", "-s c a/f", "-q c a/f", "-q c b/f", "-u c b/sp\\ ace", "--color=never a/f b/f", "-qN nope a/f", "-C -1 a/f b/f", "-1 a/f b/f", "-u a/f a/f"],
)  # fmt: skip
def test_operands(run: Ours, bash: Theirs, tmp_path: Path, arguments: str) -> None:
    trees(tmp_path)
    same(run, bash, f"diff {arguments}")


def test_times_are_shown_in_the_scripts_zone(run: Ours, bash: Theirs, tmp_path: Path) -> None:
    (tmp_path / 'q"\\\t').write_text("x\n")
    (tmp_path / "b").write_text("y\n")
    stamp(tmp_path)
    for zone in ("UTC", "CET-1CEST", "XXX3:30"):
        same(run, bash, f"TZ={zone} diff -u q* b")


def test_the_time_of_standard_input_is_the_runs(make_runner: Callable[..., Runner], tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\n")
    stamp(tmp_path)
    result = make_runner(clock=lambda: 1_700_000_000.5).run("diff -u a - < /dev/null")
    assert b"+++ -\t2023-11-14 22:13:20.500000000 +0000\n" in (result.stdout or b"")


def test_links_are_followed_and_loops_end(run: Ours, bash: Theirs, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name / "d").mkdir(parents=True)
        (tmp_path / name / "d" / "f").write_text(name)
        (tmp_path / name / "l").symlink_to("d")
    stamp(tmp_path)
    same(run, bash, "diff -r a b")
    for name in ("a", "b"):
        (tmp_path / name / "d" / "up").symlink_to("..")
    result = run("diff -r a b")
    assert result.exit_code == 2
    assert b"recursive directory loop" in (result.stderr or b"")


def test_messages(run: Ours, tmp_path: Path) -> None:
    trees(tmp_path)
    hint = b"Try 'diff --help' for more information.\n"
    for arguments, message in (
        ("a/f nope", b"diff: nope: no such file or directory\n"),
        ("a/f", b"diff: missing operand after 'a/f'\n" + hint),
        ("", b"diff: missing operand after 'diff'\n" + hint),
        ("-y a b", b"diff: option '-y' is not supported: use -u\n" + hint),
        ("-U x a b", b"diff: invalid context length 'x'\n" + hint),
        ("-u -c a b", b"diff: conflicting output style options\n" + hint),
        ("a -", b"diff: cannot compare '-' to a directory\n"),
    ):
        result = run(f"diff {arguments}")
        assert (result.stderr, result.exit_code) == (message, 2)


def test_bounds(run: Ours, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"x\n" * 500)
    (tmp_path / "b").write_bytes(b"y\n" * 500)
    monkeypatch.setattr(limits, "DIFF_LINES", 500)
    monkeypatch.setattr(limits, "DIFF_BYTES", 1000)
    assert run("diff a b").exit_code == 1
    monkeypatch.setattr(limits, "DIFF_LINES", 499)
    result = run("diff a b")
    assert (result.exit_code, result.stderr) == (2, b"diff: a: too many lines (499 at most)\n")
    monkeypatch.setattr(limits, "DIFF_BYTES", 999)
    result = run("diff a b")
    assert (result.exit_code, result.stderr) == (
        2,
        b"diff: a: file too large (999 bytes at most; cmp and -q have no limit)\n",
    )
    assert run("diff -q a b").exit_code == 1


def test_files_without_anything_in_common_end_in_time(run: Ours, tmp_path: Path) -> None:
    random_ = random.Random(1)
    for name in ("a", "b"):
        (tmp_path / name).write_text("".join(f"{random_.randrange(60)}\n" for _ in range(60_000)))
    result = run("diff a b > /dev/null", max_execution_time=1.0)
    assert result.timed_out or result.exit_code == 1
    assert result.duration < 2.0


def test_depth_of_directories(run: Ours, tmp_path: Path) -> None:
    deep = "/".join(["d"] * (limits.DIFF_DEPTH + 1))
    for name in ("a", "b"):
        (tmp_path / name / deep).mkdir(parents=True)
    result = run("diff -r a b")
    assert result.exit_code == 2
    assert b"directories nested too deep (64 levels at most)" in (result.stderr or b"")
