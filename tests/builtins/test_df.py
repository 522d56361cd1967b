"""df on made-up mounts, and its messages."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rshell import Result, limits
from rshell.host.mounts import Mounts, Usage
from tests.host.test_mounts import tree

Run = Callable[..., Result]
MOUNTS = b"""\
1 0 0:1 / / rw - ext4 /dev/vda1 rw
2 1 0:2 / /proc rw - proc proc rw
3 1 0:3 / /srv/a\\040b rw - xfs /dev/mapper/vg-srv rw
4 1 0:1 /sub /bound rw - ext4 /dev/vda1 rw
5 1 0:5 / /net rw - nfs4 box:/export rw
6 1 0:6 / /run rw - tmpfs tmpfs rw
7 1 0:7 / /cg rw - cgroup2 cgroup2 rw
"""
ROOM = {
    "/": Usage(100 * 2**30, 60 * 2**30, 55 * 2**30, 1_000_000, 900_000),
    "/proc": Usage(0, 0, 0, 0, 0),
    "/srv/a b": Usage(5 * 2**40, 2**40, 2**40, 77, 0),
    "/bound": Usage(100 * 2**30, 60 * 2**30, 55 * 2**30, 1_000_000, 900_000),
    "/net": Usage(10**15, 5 * 10**14, 5 * 10**14, 0, 0),
    "/run": Usage(12345 * 1024, 12000 * 1024, 12000 * 1024, 5000, 4999),
    "/cg": Usage(0, 0, 0, 0, 0),
}
DEVICES = {"/": 1, "/proc": 2, "/srv/a b": 3, "/bound": 1, "/net": 5, "/run": 6, "/cg": 7}


@pytest.fixture
def host(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    proc = tree(tmp_path / "proc", MOUNTS)
    monkeypatch.setattr(Mounts, "devices", staticmethod(lambda targets: [DEVICES[target] for target in targets]))
    monkeypatch.setattr(Mounts, "usage", staticmethod(lambda targets: [ROOM[target] for target in targets]))
    return lambda script, **given: run(script, proc_path=proc, **given)


@pytest.mark.parametrize(
    ("script", "stdout"),
    [
        ("df", """\
Filesystem          1K-blocks       Used  Available Use% Mounted on
/dev/vda1           104857600   41943040   57671680  43% /
/dev/mapper/vg-srv 5368709120 4294967296 1073741824  80% /srv/a b
tmpfs                   12345        345      12000   3% /run
"""),
        ("df -h --total", """\
Filesystem          Size  Used Avail Use% Mounted on
/dev/vda1           100G   40G   55G  43% /
/dev/mapper/vg-srv  5.0T  4.0T  1.0T  80% /srv/a b
tmpfs                13M  345K   12M   3% /run
total               5.1T  4.1T  1.1T  80% -
"""),
        ("df -iT -x tmpfs", """\
Filesystem         Type  Inodes  IUsed  IFree IUse% Mounted on
/dev/vda1          ext4 1000000 100000 900000   10% /
/dev/mapper/vg-srv xfs       77     77      0  100% /srv/a b
"""),
        ("df -a -BG --output=target,size,pcent", """\
Mounted on 1G-blocks Use%
/               100G  43%
/proc             0G    -
/srv/a b       5120G  80%
/bound          100G  43%
/net         931323G  50%
/run              1G   3%
/cg               0G    -
"""),
        ("df -t nfs4", """\
Filesystem        1K-blocks         Used    Available Use% Mounted on
box:/export    976562500000 488281250000 488281250000  50% /net
"""),
        ("df -P -t tmpfs", """\
Filesystem     1024-blocks  Used Available Capacity Mounted on
tmpfs                12345   345     12000       3% /run
"""),
    ],
)  # fmt: skip
def test_output(host: Run, script: str, stdout: str) -> None:
    result = host(script)
    assert (result.stdout.decode(), result.stderr, result.exit_code) == (stdout, b"", 0)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("df -t none", "df: no file systems processed\n"),
        ("df -t ext4 -x ext4", "df: file system type 'ext4' both selected and excluded\n"),
        ("df -B x", "df: invalid -B argument 'x'\n"),
        ("df -B 0", "df: invalid -B argument '0'\n"),
        ("df /outside", "df: /outside: permission denied\n"),
        ("df nothing", "df: nothing: no such file or directory\n"),
        ("df --output=x", "df: option --output: field 'x' unknown\nTry 'df --help' for more information.\n"),
        ("df -T --output", "df: options -T and --output are mutually exclusive\nTry 'df --help' for more information.\n"),
        ("df --sync", "df: option '--sync' is not supported: nothing is written out to be shown\n"
                      "Try 'df --help' for more information.\n"),
    ],
)  # fmt: skip
def test_messages(host: Run, script: str, message: str) -> None:
    result = host(script)
    assert (result.stdout, result.stderr.decode(), result.exit_code) == (b"", message, 1)


def test_a_file_system_that_does_not_answer_is_left_at_the_deadline(
    tmp_path: Path, make_runner: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Mounts, "usage", staticmethod(lambda targets: time.sleep(20)))
    runner = make_runner(proc_path=tree(tmp_path / "proc", MOUNTS))
    started = time.monotonic()
    result = runner.run("df -a", timeout=0.3)  # type: ignore[attr-defined]
    assert result.timed_out
    assert time.monotonic() - started < 5


def test_network_file_systems_are_not_asked(host: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def devices(targets: list[str]) -> list[int]:
        asked.extend(targets)
        return [DEVICES[target] for target in targets]

    monkeypatch.setattr(Mounts, "devices", staticmethod(devices))
    host("df")
    assert asked
    assert "/net" not in asked


def test_control_characters_are_not_shown(tmp_path: Path, run: Run) -> None:
    proc = tree(tmp_path / "proc", b"1 0 0:1 / / rw - tmpfs a\x1b[2J\xff rw\n")
    result = run("df -a --output=source | tail -n 1", proc_path=proc)
    assert result.stdout == b"a?[2J?\n"


def test_a_cut_table_says_so(host: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOUNTS", 1)
    result = host("df")
    assert (result.stdout.count(b"\n"), result.exit_code) == (2, 1)
    assert result.stderr == b"df: more than 1 mounts: the table is cut\n"


def test_no_such_system(run: Run, tmp_path: Path) -> None:
    result = run("df", proc_path=str(tmp_path))
    assert (result.exit_code, result.stderr) == (1, b"df: not supported on this platform\n")


def test_a_thousand_mounts_take_no_time(tmp_path: Path, run: Run) -> None:
    lines = []
    for number in range(1_000):
        place = tmp_path / f"m{number}"
        place.mkdir()
        lines.append(b"%d 1 0:%d / %b rw - tmpfs t%d rw\n" % (number, number, os.fsencode(place), number))
    proc = tree(tmp_path / "proc", b"".join(lines))
    started = time.monotonic()
    assert run("df -a", proc_path=proc).stdout.count(b"\n") == 1_001
    assert time.monotonic() - started < 5  # a busy machine; bench/host.py has the figure
