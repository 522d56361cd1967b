"""Host commands: selections, messages, statuses and waiting, on a made-up machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rshell import Result
from tests.host.proc_tree import NOW, machine

Run = Callable[..., Result]


@pytest.fixture
def host(tmp_path: Path, run: Run) -> Run:
    tree = machine(tmp_path / "proc")

    def on_the_tree(script: str, **given: object) -> Result:
        return run(script, proc_path=str(tree), clock=lambda: float(NOW), env={"TZ": "UTC"}, **given)

    (tree / "self").symlink_to("101")
    return on_the_tree


@pytest.mark.parametrize(
    ("script", "stdout"),
    [
        ("ps", "  PID TTY          TIME CMD\n  101 tty5     1-00:00:00 two words\n"),
        ("ps -p 100,3 -o pid=", "    3\n  100\n"),
        ("ps -p '3 100' -o pid=", "    3\n  100\n"),
        ("ps 100 -o pid=", "  100\n"),
        ("ps -C systemd,rr -o pid=", "    1\n 1105\n"),
        ("ps -u daemon -o pid=", "  100\n"),
        ("ps --ppid 2 -o pid=", "    3\n"),
        ("ps axo pid=,comm= --sort -pid | head -n 1", "32107 idle\n"),
        ("ps -eo pid= | head -n 2", "    1\n    2\n"),
        ("ps -N -u root -o pid=", "  100\n  101\n"),
        ("uptime", " 13:20:00 up 4 days, 15:06,  load average: 0.05, 1.50, 12.34\n"),
        ("hostname -s; arch; uname -srm; nproc; nproc --ignore=5", "box\nriscv64\nLinux 6.1.0-99-test riscv64\n2\n1\n"),
        ("date; date -u +%s", "Fri Sep 25 18:13:20 UTC 2026\n1790400000\n"),
    ],
)
def test_output(host: Run, script: str, stdout: str) -> None:
    result = host(script)
    if script in ("uptime",) or script.startswith("date"):  # the clock of the tree
        clock = time.gmtime(NOW)
        stdout = stdout.replace("13:20:00", time.strftime("%H:%M:%S", clock))
        stdout = stdout.replace("Fri Sep 25 18:13:20 UTC 2026", time.strftime("%a %b %e %H:%M:%S UTC %Y", clock))
    assert (result.stdout.decode(), result.stderr) == (stdout, b"")


@pytest.mark.parametrize(
    ("script", "status", "message"),
    [
        ("ps -p 99", 1, ""),
        ("ps -o foo", 1, "ps: unknown field 'foo'; known fields: pid "),
        ("ps --sort foo", 1, "ps: unknown field 'foo'"),
        ("ps -p ''", 1, "ps: invalid PID ''\n"),
        ("ps -p 1,,2", 1, "ps: invalid PID ''\n"),
        ("ps -p 1_0", 1, "ps: invalid PID '1_0'\n"),
        ("ps foo", 1, "ps: option 'f' is not supported"),
        ("ps auxe", 1, "ps: option 'e' is not supported: arguments and environments of processes are private\n"),
        ("ps -o ''", 1, "ps: format specification must follow -o\n"),
        ("vmstat x", 1, "vmstat: failed to parse argument: 'x'\n"),
        ("vmstat 0", 1, "vmstat: delay must be positive integer\n"),
        ("vmstat 30 2", 1, "vmstat: it waits at most 29 s in all: 1 lines follow\n"),
        ("vmstat -S x", 1, "vmstat: -S requires k, K, m or M (default is KiB)\n"),
        ("sleep", 1, "sleep: missing operand\nTry 'sleep --help' for more information.\n"),
        ("sleep 1x", 1, "sleep: invalid time interval '1x'\n"),
        ("date -s 2020-01-01", 1, "date: option '-s' is not supported: the clock cannot be set\n"),
        ("date 01010000", 1, "date: the clock cannot be set\n"),
        ("hostname other", 1, "hostname: the name cannot be set\n"),
        ("pmap 99", 42, ""),
        ("lsof name", 1, "lsof: files are not looked up by name"),
    ],
)
def test_errors(host: Run, script: str, status: int, message: str) -> None:
    result = host(script)
    assert result.exit_code == status
    assert result.stderr.decode().startswith(message) and (message or not result.stderr)


def test_sleeps_add_up_and_run_side_by_side(host: Run) -> None:
    start = time.monotonic()
    assert host("sleep 0.1 0.1s | sleep 0.2").exit_code == 0
    assert 0.2 <= time.monotonic() - start < 0.39


def test_the_deadline_ends_sleep_and_vmstat(host: Run) -> None:
    for script in ("sleep infinity", "vmstat 5"):
        assert host(script, max_execution_time=0.2).timed_out


def test_vmstat_prints_as_it_samples(tmp_path: Path, make_runner: Callable[..., object]) -> None:
    times: list[float] = []
    runner = make_runner(proc_path=str(machine(tmp_path / "proc")))
    runner.run("vmstat 1 2", stdout=lambda chunk: times.append(time.monotonic()))  # type: ignore[attr-defined]
    assert len(times) == 2 and times[1] - times[0] >= 0.9
