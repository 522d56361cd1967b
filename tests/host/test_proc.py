"""Processes of hostile trees: nothing raises, nothing is believed that makes no sense."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from rshell import Result, limits
from rshell.host.proc import Processes
from tests.host.proc_tree import base, process

Run = Callable[..., Result]


def processes(root: Path) -> Processes:
    return Processes(str(root), lambda: None)


def test_a_name_of_64_kib_is_cut_to_what_a_kernel_allows(tmp_path: Path) -> None:
    process(base(tmp_path), 5, b"x" * 65_536)
    (found,) = processes(tmp_path).all()
    assert found.comm == b"x" * 63


@pytest.mark.parametrize(
    "stat",
    [b"", b"5", b"5 (x", b"5 (x) ", b"5 (x) S", b"5 (x) S 1 2 3\n", b")(", b"5 x S " + b"1 " * 60, b"5 (x) S" + b" -" * 40,
     b"5 (x) S" + b" 1_0" * 40, b"5 (x) S" + b" " + b"9" * 21 + b" 1" * 40, b"\0" * 300, b"5 (x) S" + b" 1" * 5000],
)  # fmt: skip
def test_a_stat_that_makes_no_sense_is_no_process(tmp_path: Path, stat: bytes) -> None:
    process(base(tmp_path), 4, "fine")
    process(tmp_path, 5, "x")
    (tmp_path / "5/stat").write_bytes(stat)
    assert [found.pid for found in processes(tmp_path).all()] == [4]


def test_huge_numbers_are_shown_and_do_no_harm(tmp_path: Path, run: Run) -> None:
    process(base(tmp_path), 5, "x")
    (tmp_path / "5/stat").write_bytes(b"5 (x) S" + b" 99999999999999999999" * 49 + b"\n")
    (tmp_path / "5/status").write_bytes(
        b"Uid:\t9999999999999999999\t9999999999999999999\nVmRSS:\t 99999999999999999 kB\n"
    )
    for script in ("ps -ef", "ps aux", "ps -eF", "ps -eo pid,etime,etimes,start,lstart,wchan,cls,rtprio,pri,psr,f,tty"):
        result = run(script, proc_path=str(tmp_path))
        assert (result.exit_code, result.stderr, result.stdout.count(b"\n")) == (0, b"", 2), script


@pytest.mark.parametrize("missing", ["stat", "status", "wchan"])
def test_files_that_are_missing(tmp_path: Path, run: Run, missing: str) -> None:
    process(base(tmp_path), 4, "fine")
    process(tmp_path, 5, "x")
    (tmp_path / "5" / missing).unlink()
    expected = {"stat": b"    4\n", "status": b"    5\n    4\n"}.get(missing, b"    4\n    5\n")  # by size
    assert run("ps -eo pid= --sort user,wchan,rss,pid", proc_path=str(tmp_path)).stdout == expected


@pytest.mark.parametrize("missing", ["meminfo", "uptime", "stat", "sys/kernel/pid_max"])
def test_without_the_files_of_the_machine_processes_are_listed(tmp_path: Path, run: Run, missing: str) -> None:
    process(base(tmp_path), 4, "fine")
    (tmp_path / missing).unlink()
    result = run("ps aux", proc_path=str(tmp_path))
    assert (result.exit_code, result.stderr, result.stdout.count(b"\n")) == (0, b"", 2)


def test_a_process_that_vanishes_after_its_stat_was_read(tmp_path: Path) -> None:
    path = process(base(tmp_path), 5, "x", uid=7)
    (found,) = processes(tmp_path).all()
    for name in os.listdir(path):
        (path / name).unlink()
    path.rmdir()
    assert (found.uid(), found.resident, found.locked, found.waits_in) == (0, 0, False, b"")


def test_parents_in_a_circle(tmp_path: Path, run: Run) -> None:
    process(base(tmp_path), 5, "a", ppid=6)
    process(tmp_path, 6, "b", ppid=5)
    process(tmp_path, 7, "c", ppid=7)
    assert (
        run("ps -eo pid=,ppid= --sort ppid", proc_path=str(tmp_path)).stdout
        == b"    6     5\n    5     6\n    7     7\n"
    )


def test_names_that_are_no_text(tmp_path: Path, run: Run) -> None:
    process(base(tmp_path), 5, b"a\xff\n\x1b[2J\xc2\x9b")
    assert run("ps -eo comm=", proc_path=str(tmp_path)).stdout == b"a??" + b"?[2J?\n"


def test_a_fifo_in_the_place_of_stat_is_not_waited_for(tmp_path: Path, run: Run) -> None:
    path = process(base(tmp_path), 5, "x")
    (path / "stat").unlink()
    os.mkfifo(path / "stat")
    assert run("ps -e", proc_path=str(tmp_path)).exit_code == 1


def test_entries_that_are_no_process_ids(tmp_path: Path) -> None:
    process(base(tmp_path), 5, "x")
    for name in ("05", "0", "5a", "-5", "٣", "99999999999"):
        (tmp_path / name).mkdir()
    assert processes(tmp_path).identifiers == [5]


@pytest.mark.parametrize(("count", "status"), [(5, 0), (6, 1)])
def test_a_table_that_is_cut_says_so(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, count: int, status: int
) -> None:
    monkeypatch.setattr(limits, "PROCESSES", 5)
    base(tmp_path)
    for pid in range(1, count + 1):
        process(tmp_path, pid, "x")
    result = run("ps -e --no-headers", proc_path=str(tmp_path))
    assert (result.stdout.count(b"\n"), result.exit_code) == (5, status)
    assert result.stderr == (b"ps: too many processes: only the first 5 were read\n" if status else b"")


@pytest.mark.parametrize(
    "command", ["ps", "ps -p 1", "free", "uptime", "vmstat", "uname", "hostname", "pmap 1", "lsof", "lsof -p 1"]
)
def test_without_procfs_the_platform_is_not_supported(tmp_path: Path, run: Run, command: str) -> None:
    result = run(command, proc_path=str(tmp_path / "none"))
    name = command.split(" ")[0].encode()
    assert (result.exit_code, result.stdout) == (1, b"")
    assert result.stderr == name + b": not supported on this platform\n"
