"""journalctl beside systemd's on the same file of 50,000 entries: `python -m bench.journal`."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tracemalloc
from functools import partial

from bench.measure import Row, best, spawned, table
from rshell import Policy, Runner, SystemdTarget
from tests.journal import make_fixtures as made

ENTRIES = 50_000
UNITS = 8
MACHINE_ID = 40  # where a file's header has it


def entries() -> list[tuple[int, int, str, made.Fields]]:
    """Messages of eight services, a second apart."""
    rows: list[tuple[int, int, str, made.Fields]] = []
    for number in range(ENTRIES):
        unit = f"svc{number % UNITS}"
        fields: made.Fields = [
            ("_HOSTNAME", b"host"), ("_UID", b"0"), ("_PID", b"%d" % (400 + number % UNITS)), ("_TRANSPORT", b"stdout"),
            ("PRIORITY", b"%d" % (3 + number % 4)), ("_COMM", unit.encode()), ("SYSLOG_IDENTIFIER", unit.encode()),
            ("_SYSTEMD_UNIT", f"{unit}.service".encode()), ("_SYSTEMD_SLICE", b"system.slice"),
            ("MESSAGE", b"request %d from 10.0.%d.%d took %d ms" % (number, number % 250, number % 199, number % 777)),
        ]  # fmt: skip
        rows.append((made.START + number * 1_000_000, number * 1_000_000, made.BOOTS[0], fields))
    return rows


def target(folder: pathlib.Path) -> SystemdTarget:
    """Write the file; returns where it is."""
    scratch = folder / "system.journal"
    made.write(scratch, "zstd-keyed-compact", entries())
    with scratch.open("rb") as file:
        machine = file.read(64)[MACHINE_ID : MACHINE_ID + 16].hex()
    (folder / "journal" / machine).mkdir(parents=True)
    scratch.rename(folder / "journal" / machine / "system.journal")
    (folder / "machine-id").write_text(machine + "\n")
    return SystemdTarget([f"{folder}/journal"], f"{folder}/machine-id")


def rows(where: SystemdTarget) -> list[Row]:
    """The command as a process and in a Runner that lives on, beside journalctl as a process."""
    directory = where.journal_dirs[0]
    (file,) = pathlib.Path(directory).glob("*/system.journal")
    program = shutil.which("rshell", path=os.path.dirname(sys.executable)) or "rshell"
    ours = [
        program, "--allow-all-commands", "--allowed-services", "svc3.service:read", "--systemd-journal-dirs", directory,
        "--systemd-machine-id-path", where.machine_id_path, "-c",
    ]  # fmt: skip
    policy = Policy(
        allowed_commands=["rshell:*"], allowed_services=["svc3.service:read"], systemd_target=where, env={"TZ": "UTC"}
    )
    found = []
    with Runner(policy, cwd="/", warnings=None) as runner:
        for options in ("-n 100 -o cat", "-n 1000 -o short", "-n 100 -g 'took 77. ms' -p info -o short-iso"):
            script = f"journalctl -u svc3.service {options}"
            real = ["journalctl", "--file", str(file), "-u", "svc3.service", *options.replace("'", "").split(" ")]
            if "-g" in options:
                real = ["journalctl", "--file", str(file), "-u", "svc3.service", "-n", "100", "-g", "took 77. ms",
                        "-p", "info", "-o", "short-iso"]  # fmt: skip
            theirs = subprocess.run(real, env={**os.environ, "TZ": "UTC"}, capture_output=True)
            if runner.run(script).stdout != theirs.stdout:
                raise RuntimeError(f"{script}: another output; {theirs.stderr[:200]!r}")
            process, other, warm = best(spawned([*ours, script]), spawned(real), partial(runner.run, script), runs=9)
            found.append(Row(f"{options}, whole process", process, other, "journalctl"))
            found.append(Row(f"{options}, warm Runner", warm, other, "journalctl"))
    return found


def peak(where: SystemdTarget) -> int:
    """The most memory, in bytes, that Python objects take while 1,000 entries are read."""
    policy = Policy(allowed_commands=["rshell:*"], allowed_services=["svc3.service:read"], systemd_target=where)
    with Runner(policy, cwd="/", warnings=None) as runner:
        tracemalloc.start()
        runner.run("journalctl -u svc3.service -n 1000")
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return size


def main() -> int:
    """Print the table."""
    if made.REMOTE is None or shutil.which("journalctl") is None:
        print("journalctl and systemd-journal-remote are needed (Debian: systemd-journal-remote)")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        where = target(pathlib.Path(folder))
        print(table(f"The journal, {ENTRIES} entries", rows(where)))
        print(f"\nPeak of Python's memory, 1,000 entries: {peak(where) / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
