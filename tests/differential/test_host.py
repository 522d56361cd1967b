"""Host commands against the real tools: exactly on made-up trees, within a tolerance on the live machine."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rshell import Policy, Result, Runner
from tests.host.oracle import ENVIRONMENT, real
from tests.host.proc_tree import BOOT, NOW, base, machine, process

Run = Callable[..., Result]
FUZZ = int(os.environ.get("RSHELL_FUZZ", "50"))


def rows(output: bytes) -> list[bytes]:
    """Lines of a table without the one for ps itself, sorted but for the headings; names without brackets."""
    lines = output.split(b"\n")
    lines = [re.sub(rb"\[((?:systemd|cat|two|\xc3|bad|rr|idle).*)\]$", rb"\1", line) for line in lines]
    return [lines[0], *sorted({line for line in lines[1:]})]


FIELDS = (
    "pid,ppid,user,group,stat,tty", "comm,pid,ni,pri,opri,priority,psr,cls,rtprio", "vsz,rss,sz,pmem,nlwp,min_flt",
    "pcpu,c,time,times,etime,etimes", "wchan,pid,f,state,s", "uid,gid,ruid,rgid,pgid,sid,tpgid", "pid,comm=NAME,user=",
    "pid=A_LONG_HEADING,vsz,rss", "pid,args", "tname,%cpu,%mem,thcount", "class,policy,comm",
)  # fmt: skip


@pytest.mark.parametrize("options", ["-e", "-ef", "-eF", "aux", "ax", *(f"-e -o {fields}" for fields in FIELDS)])
def test_ps_on_a_made_up_machine(tmp_path: Path, run: Run, options: str) -> None:
    machine(tmp_path)
    # start times are told from the clock: the tree says it was booted that long ago
    theirs = real(tmp_path, "ps", *options.split(" "))
    ours = run(f"ps {options}", proc_path=str(tmp_path), clock=time.time)
    assert (rows(ours.stdout), ours.exit_code) == (rows(theirs.stdout), theirs.returncode), theirs.stderr


@pytest.mark.parametrize(
    "order", ["pid", "-pid", "comm,pid", "-rss,pid", "+ppid,-pid", "uid,-pcpu,pid", "start,pid", "-vsz,pid"]
)
def test_ps_sorts_as_ps(tmp_path: Path, run: Run, order: str) -> None:
    machine(tmp_path)
    theirs = real(tmp_path, "ps", "-e", "--sort", order, "-o", "pid=,uid=,ppid=").stdout.split(b"\n")
    ours = run(f"ps -e --sort {order} -o pid=,uid=,ppid=", proc_path=str(tmp_path)).stdout.split(b"\n")
    assert ours == list(dict.fromkeys(theirs))


@pytest.mark.parametrize(
    "command",
    ["free", "free -h", "free -b", "free -m", "free -g", "free -w", "free -t", "free -v", "free -l", "free -h --si", "free --si",
     "free -m --si", "free --mega", "free --tebi", "free -hwt", "uptime -p", "vmstat", "vmstat -a", "vmstat -w", "vmstat -aw",
     "vmstat -s", "vmstat -S k", "vmstat -S m", "vmstat -S M", "vmstat -s -S k", "vmstat -f"],
)  # fmt: skip
def test_memory_and_load_on_a_made_up_machine(tmp_path: Path, run: Run, command: str) -> None:
    machine(tmp_path)
    theirs = real(tmp_path, *command.split(" "))
    ours = run(command, proc_path=str(tmp_path))
    assert (ours.stdout, ours.stderr, ours.exit_code) == (theirs.stdout, b"", theirs.returncode)


@settings(max_examples=max(3, FUZZ // 16), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.integers(0, 2**34), min_size=12, max_size=12), st.integers(0, 10**9))
def test_free_and_uptime_for_any_numbers(tmp_path: Path, sizes: list[int], seconds: int) -> None:
    machine(tmp_path)
    names = re.findall(r"(?m)^(\w+):", (tmp_path / "meminfo").read_text())
    lines = dict(zip(names, sorted(sizes, reverse=True) + [0] * len(names), strict=False))
    (tmp_path / "meminfo").write_text("".join(f"{name}: {size} kB\n" for name, size in lines.items()))
    (tmp_path / "uptime").write_text(f"{seconds}.25 0.0\n")
    with Runner(Policy(allowed_commands=["rshell:*"], proc_path=str(tmp_path)), cwd="/", warnings=None) as runner:
        for command in ("free -hwt", "free -h --si", "free -b", "uptime -p", "vmstat -S m"):
            assert runner.run(command).stdout == real(tmp_path, *command.split(" ")).stdout, command


@pytest.mark.parametrize("command", ["uname -a", "uname -snrvm", "uname -o", "uname -pi", "hostname", "arch", "nproc", "nproc --all",
                                     "nproc --ignore=1", "id", "id -u", "id -Gn", "id -un", "id root", "id daemon", "id -u daemon root",
                                     "id -G daemon", "whoami", "id nosuch", "id -n", "id -ug", "uname x", "nproc --ignore=x"])  # fmt: skip
def test_names_of_this_machine(run: Run, command: str) -> None:
    theirs = subprocess.run(command.split(" "), capture_output=True, env=ENVIRONMENT, timeout=20)
    ours = run(command)
    assert (ours.stdout, ours.exit_code) == (theirs.stdout, theirs.returncode)
    assert ours.stderr == theirs.stderr.replace("‘".encode(), b"'").replace("’".encode(), b"'")


def test_this_process_is_seen_as_ps_sees_it(run: Run) -> None:
    fields = "pid,ppid,uid,user,state,tty,nlwp,ni,pri,lstart,sid,pgid"
    theirs = subprocess.run(["ps", "-o", fields, "-p", f"{os.getpid()},1"], capture_output=True, env=ENVIRONMENT).stdout
    ours = run(f"ps -o {fields} -p {os.getpid()},1", env={"TZ": "UTC"}).stdout
    assert re.sub(rb" [SR] ", b" . ", ours) == re.sub(rb" [SR] ", b" . ", theirs)


def test_memory_of_this_machine_is_nearly_the_same(run: Run) -> None:
    theirs = subprocess.run(["free", "-m"], capture_output=True, env=ENVIRONMENT).stdout
    ours = run("free -m").stdout
    for mine, other in zip(re.findall(rb"[0-9]+", ours), re.findall(rb"[0-9]+", theirs), strict=True):
        assert abs(int(mine) - int(other)) <= 200 + int(other) // 10


@pytest.mark.parametrize("options", ["", "-x", "-q"])
def test_the_memory_map_of_a_sleeping_process(run: Run, options: str) -> None:
    with subprocess.Popen(["sleep", "30"]) as sleeper:
        try:
            time.sleep(0.3)
            command = f"pmap {options} {sleeper.pid}".replace("  ", " ")
            theirs = subprocess.run(command.split(" "), capture_output=True, env=ENVIRONMENT).stdout.split(b"\n")
            ours = run(command).stdout.split(b"\n")
        finally:
            sleeper.kill()
    assert ours[1:] == theirs[1:]
    assert ours[0] == b"%d:   sleep" % sleeper.pid


def test_the_open_files_of_a_sleeping_process(run: Run, tmp_path: Path) -> None:
    held = tmp_path / "held"
    with open(held, "w+b") as file, subprocess.Popen(["sleep", "30"], stdin=file, pass_fds=[file.fileno()]) as sleeper:
        try:
            held.unlink()
            time.sleep(0.3)
            command = ["lsof", "-p", str(sleeper.pid)]
            theirs = subprocess.run(command, capture_output=True, env=ENVIRONMENT)
            everything = run(" ".join(command), allowed_paths=["/:ro"])
            narrow = run(" ".join(command), allowed_paths=["/usr:ro"]).stdout
        except FileNotFoundError:
            pytest.skip("no lsof on this machine")
        finally:
            sleeper.kill()
    assert everything.stdout == theirs.stdout
    assert b" (restricted) (deleted)\n" in narrow and str(tmp_path).encode() not in narrow
    assert re.search(rb"txt .* /usr/bin/\S*sleep|coreutils", narrow)


DATES = ("@0", "@1709210096.123456789", "2026-12-31 23:59:59", "2024-02-29 00:07:05", "1999-03-04 12:00 EST")
FORMAT = st.lists(
    st.tuples(
        st.sampled_from(["", "-", "_", "0", "^", "#", "_^", "+"]), st.sampled_from(["", "", "1", "3", "10", "12"]),
        st.sampled_from("aAbBcCdDeFgGhHIjklmMNpPqrRSTuUVwWxXyYzZ"),
    ).map("".join).map("%{}".format), min_size=1, max_size=8,
)  # fmt: skip


@settings(max_examples=FUZZ, deadline=None)
@given(
    st.sampled_from(DATES),
    FORMAT,
    st.sampled_from(["UTC", "Europe/Madrid", "Asia/Kathmandu", "America/St_Johns", "EST5EDT"]),
)
def test_date_formats(when: str, fields: list[str], zone: str) -> None:
    argv = ["date", "-d", when, "+" + "|".join(fields)]
    theirs = subprocess.run(argv, capture_output=True, env={**ENVIRONMENT, "TZ": zone}, timeout=20)
    with Runner(Policy(allowed_commands=["rshell:*"], env={"TZ": zone}), cwd="/", warnings=None) as runner:
        ours = runner.run(" ".join(f"'{word}'" for word in argv))
    assert ours.stdout == theirs.stdout


def test_the_clock_of_the_tree(tmp_path: Path, run: Run) -> None:
    process(base(tmp_path), 7, "x", age=3_600)
    given = {"proc_path": str(tmp_path), "clock": lambda: float(NOW), "env": {"TZ": "UTC"}}
    assert run("ps -p 7 -o lstart=", **given).stdout == run(f"date -d @{NOW - 3600} '+%a %b %e %T %Y'").stdout
    assert run("uptime -s", **given).stdout == run(f"date -d @{BOOT} '+%F %T'", env={"TZ": "UTC"}).stdout
