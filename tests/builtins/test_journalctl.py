"""journalctl: what it reads, how it shows it, what it refuses, and under which grants."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from rshell import Policy, Result, Runner, SystemdTarget
from tests.journal import make_fixtures as made
from tests.journal.target_tree import Tree, archived

UNITS = ("web.service", "db.service", "job@1.service", "system.slice", "none.service")
READ = {unit: ["read"] for unit in (*UNITS, "systemd-journald.service")}
DAY = 86_400.0

Journalctl = Callable[..., Result]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path / "host")
    (tree.directory / "system.journal").write_bytes(tree.data)
    return tree


def policy(target: SystemdTarget | None, **changes: object) -> Policy:
    settings = {"allowed_commands": ["rshell:*"], "allowed_services": READ, "env": {"TZ": "UTC"}} | changes
    return Policy(systemd_target=target, **settings)  # type: ignore[arg-type]


@pytest.fixture
def journalctl(tree: Tree) -> Journalctl:
    def run(arguments: str, **changes: object) -> Result:
        target = changes.pop("target", tree.target())
        clock = changes.pop("clock", lambda: made.START / 1e6 + 100)
        with Runner(policy(target, **changes), cwd="/", warnings=None, clock=clock) as runner:  # type: ignore[arg-type]
            return runner.run(f"journalctl {arguments}")

    return run


def written(tmp_path: Path, *entries: made.Fields, variant: str = "zstd-keyed-compact") -> SystemdTarget:
    """A target whose journal holds entries, a second apart."""
    if made.REMOTE is None:
        pytest.skip("systemd-journal-remote is not installed")
    scratch = tmp_path / "x.journal"
    base: made.Fields = [("_SYSTEMD_UNIT", b"web.service"), ("_HOSTNAME", b"host")]
    made.write(scratch, variant, [
        (made.START + number * 1_000_000, number, made.BOOTS[0], [*base, *fields]) for number, fields in enumerate(entries)
    ])  # fmt: skip
    machine = scratch.read_bytes()[40:56].hex()
    place = tmp_path / "written" / machine
    place.mkdir(parents=True)
    scratch.rename(place / "system.journal")
    (tmp_path / "written-id").write_text(machine + "\n")
    return SystemdTarget([f"{tmp_path}/written"], f"{tmp_path}/written-id")


# What is shown


def test_the_newest_hundred_are_shown_oldest_first(journalctl: Journalctl) -> None:
    units = "-u web.service -u db.service -u job@1.service"
    shown = journalctl(f"{units} -n 3").stdout
    assert shown == (
        b"May 28 20:27:37 host web[100]: message 57\nMay 28 20:27:38 host db.[101]: message 58\n"
        b"May 28 20:27:39 host job[102]: message 59\n"
    )
    assert journalctl(f"{units} -n 3 -r").stdout.split(b"\n")[:-1] == shown.split(b"\n")[-2::-1]


def test_a_hundred_entries_unless_told_otherwise(tmp_path: Path, journalctl: Journalctl) -> None:
    target = written(tmp_path, *([("MESSAGE", b"%d" % number)] for number in range(1_100)))
    assert journalctl("-u web.service -o cat", target=target).stdout == b"".join(
        b"%d\n" % n for n in range(1_000, 1_100)
    )
    assert journalctl("-u web.service -o cat -n 1000", target=target).stdout == b"".join(
        b"%d\n" % n for n in range(100, 1_100)
    )


@pytest.mark.skipif(shutil.which("journalctl") is None, reason="needs journalctl")
@pytest.mark.parametrize(
    "options",
    [
        "-u web.service -o cat", "-u db.service -n 5", "-u db.service -u job@1.service -o cat -n 20", "-u web.service -b -o cat",
        "-u web.service -p err -o cat", "-u web.service -p 2..4 -o cat", "-u web.service -p emerg..crit -r -o cat",
        "-u db.service -g 'message [0-9]8' -o cat -n 2", "-u db.service -g MESSAGE -o cat", "-u db.service -g 'Message' -o cat",
        "-u db.service --case-sensitive -g message -o cat -n 3", "-u db.service --case-sensitive=no -g MESSAGE -o cat -n 3",
        "-u system.slice -o cat -n 1000", "-u none.service", "-u none.service -q", "-u none.service -o cat", "-u db.service -n 0",
        "-u none.service -g x", "-k -o cat", "-k", "-u db.service -n2 -o short-iso", "-u db.service --lines=2 -o short-precise",
        "-u db.service -n", "-u db.service -n -r", "-u db.service -S '2026-05-28 20:27:20' -o cat",
        "-u db.service --until=@1780000010 -o cat", "-u db.service --since tomorrow", "-u db.service --dmesg",
        "-u db.service -S @1780000005.5 -U '2026-05-28 20:26:59' -o cat", "-u db.service -o short-iso --utc -n 2",
        "-u db.service -b 0 -o cat",
    ],
)  # fmt: skip
def test_as_the_real_one(journalctl: Journalctl, tree: Tree, options: str) -> None:
    ours = journalctl(options)
    words = subprocess.run(["bash", "-c", f"printf '%s\\0' {options}"], capture_output=True, text=True).stdout.split(
        "\0"
    )[:-1]
    theirs = subprocess.run(
        ["journalctl", "--file", str(tree.directory / "system.journal"), *words], capture_output=True,
        env={"TZ": "UTC", "LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"], "SYSTEMD_PAGER": "", "SYSTEMD_COLORS": "0"},
    )  # fmt: skip
    cut = b"\n".join(line[: 64 * 1024] for line in theirs.stdout.split(b"\n"))
    if "cat" in options or b"-- No entries" in theirs.stdout or not theirs.stdout:
        assert ours.stdout == cut
    else:
        rest = iter(ours.stdout.split(b"\n"))
        for line in theirs.stdout.split(b"\n"):
            if line and not line.startswith((b" ", b"-- ")) and b"two lines" not in line and b"blob data]" not in line:
                assert line[:1_000] in (found[:1_000] for found in rest), line[:200]
    assert ours.exit_code == theirs.returncode


def test_an_entry_is_one_line_whatever_is_in_it(tmp_path: Path, journalctl: Journalctl) -> None:
    message = (
        "a\nb\rc\td\x1b[31me\x00\x7f\u0085\u200b\U000e0001\u2028\ue000é😀\u3000\u00a0e\u0301\\n".encode()
        + b"\xff\xc3(\xed\xa0\x80"
    )
    target = written(tmp_path, [("MESSAGE", message), ("SYSLOG_IDENTIFIER", b"i\n\xff"), ("_PID", b"1\t2")])
    shown = journalctl("-u web.service", target=target).stdout
    assert shown == (
        b"May 28 20:26:40 host i\\n\\xff[1\\t2]: a\\nb\\rc\\td\\x1b[31me\\x00\\x7f\\u0085\\u200b\\U000e0001\\u2028\\ue000"
        + "é😀\u3000\u00a0e\u0301".encode() + b"\\n\\xff\\xc3(\\xed\\xa0\\x80\n"
    )  # fmt: skip
    assert journalctl("-u web.service -o cat", target=target).stdout == message + b"\n"


def test_labels(tmp_path: Path, journalctl: Journalctl) -> None:
    target = written(
        tmp_path,
        [("MESSAGE", b"a"), ("SYSLOG_IDENTIFIER", b"id"), ("_COMM", b"comm"), ("_PID", b"5"), ("SYSLOG_PID", b"6")],
        [("MESSAGE", b"b"), ("_COMM", b"comm"), ("SYSLOG_PID", b"6")],
        [("MESSAGE", b"c"), ("_TRANSPORT", b"kernel")],
        [("MESSAGE", b"d"), ("_TRANSPORT", b"kernel"), ("SYSLOG_IDENTIFIER", b"audit")],
        [("MESSAGE", b"e")],
        [("SYSLOG_IDENTIFIER", b"no message")],
        [("MESSAGE", b"")],
        [("MESSAGE", b"f"), ("SYSLOG_IDENTIFIER", b"x" * 300)],
        [("MESSAGE", b"g"), ("_SOURCE_REALTIME_TIMESTAMP", b"1780000000123456")],
        [("MESSAGE", b"h"), ("_SOURCE_REALTIME_TIMESTAMP", b"yesterday")],
    )
    shown = journalctl("-u web.service -o short-precise", target=target).stdout.split(b"\n")
    assert shown == [
        b"May 28 20:26:40.000000 host id[5]: a", b"May 28 20:26:41.000000 host comm[6]: b",
        b"May 28 20:26:42.000000 host kernel: c", b"May 28 20:26:43.000000 host audit: d",
        b"May 28 20:26:44.000000 host unknown: e", b"May 28 20:26:46.000000 host unknown: ",
        b"May 28 20:26:47.000000 host unknown: f", b"May 28 20:26:40.123456 host unknown: g",
        b"May 28 20:26:49.000000 host unknown: h", b"",
    ]  # fmt: skip


def test_a_field_is_cut_at_its_limit(tmp_path: Path, journalctl: Journalctl) -> None:
    target = written(tmp_path, [("MESSAGE", b"x" * 65_536)], [("MESSAGE", b"y" * 65_537)])
    assert journalctl("-u web.service -o cat", target=target).stdout == b"x" * 65_536 + b"\n" + b"y" * 65_536 + b"\n"


@pytest.mark.parametrize(
    ("zone", "shown"),
    [("Europe/Madrid", b"2026-05-28T22:26:4"), ("XYZ-5:30", b"2026-05-29T01:56:4"), ("../../etc/passwd", b"2026-05-28T20:26:4")],
)  # fmt: skip
def test_the_scripts_zone_wins(tree: Tree, zone: str, shown: bytes) -> None:
    with Runner(policy(tree.target()), cwd="/", warnings=None) as runner:
        result = runner.run(
            f"TZ={zone}; journalctl -u web.service -u db.service -u job@1.service -o short-iso | head -n 1"
        )
    assert result.stdout.startswith(shown)


def test_damage_is_told(journalctl: Journalctl, tree: Tree) -> None:
    (tree.directory / archived(1)).write_bytes(tree.data[:300])
    result = journalctl("-u db.service -n 1 -o cat")
    assert result.stdout.count(b"\n") == 1
    assert result.exit_code == 1
    assert result.stderr.startswith(b"journalctl: " + archived(1).encode())


def test_a_file_that_journald_set_aside_is_only_mentioned(journalctl: Journalctl, tree: Tree) -> None:
    (tree.directory / "system@0000000000000001-0000000000000001.journal~").write_bytes(b"")
    result = journalctl("-u db.service -n 1 -o cat")
    assert (result.exit_code, result.stdout.count(b"\n")) == (0, 1)
    assert b".journal~: " in result.stderr


# What is refused


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "the journal is not read as a whole; use -u SERVICE or -k"),
        ("-n 5", "use -u SERVICE or -k"),
        ("-u '*.service'", "patterns are not supported; name each service with -u"),
        ("-u 'web.servic[e]'", "name each service with -u"),
        ("_PID=1", "use -u SERVICE or -k"),
        ("-u web.service _PID=1", "use -u SERVICE or -k"),
        ("/usr/bin/x", "use -u SERVICE or -k"),
        ("-f -u web.service", "run it again with --since"),
        ("-u web.service -o json", "use -o short, -o short-iso, -o short-precise, -o cat"),
        ("-u web.service -o export", "use -o short"),
        ("-u web.service --output=verbose", "use -o short"),
        ("--file=/x -u web.service", "use -u SERVICE or -k"),
        ("-D /x", "use -u SERVICE or -k"),
        ("--root=/ -k", "use -u SERVICE or -k"),
        ("-M x", "use -u SERVICE or -k"),
        ("--namespace=x -k", "use -u SERVICE or -k"),
        ("--cursor=x -k", "use --since and --until"),
        ("--list-boots", "use -b for the newest boot"),
        ("-u web.service -b -1", "use -b, or --since and --until"),
        ("-u web.service -b 2", "use -b, or --since and --until"),
        ("-u web.service --boot=all", "use -b, or --since and --until"),
        ("-u web.service -n 1001", "too many entries: '1001' (1000 at most)"),
        ("-u web.service -n 99999999999999999999999", "1000 at most"),
        ("-u web.service -n all", "1000 at most"),
        ("-u web.service -n +5", "invalid number of entries: '+5'"),
        ("-u web.service -n 1_0", "invalid number of entries: '1_0'"),
        ("-u web.service -p error", "invalid priority 'error'; use 0 to 7"),
        ("-u web.service -p 3..", "invalid priority '3..'"),
        ("-u web.service -p 8", "invalid priority '8'"),
        ("-u web.service --since soon", "invalid time 'soon'; use '2026-01-31 12:30:00'"),
        ("-u web.service --since now --until yesterday", "--since= must be before --until="),
        ("-u web.service -g '('", "missing )"),
        ("-u web.service -g '(?=a)'", "look-around"),
        ("-u web.service --case-sensitive", "needs --grep"),
        ("--disk-usage -u web.service", "--disk-usage does not go with --unit"),
        ("--rotate -n 5", "--rotate does not go with --lines"),
        ("--vacuum-size 1G", "--vacuum-size needs --vacuum-time"),
        ("--vacuum-files 3", "use --vacuum-time, with --vacuum-size"),
        ("--dry-run", "--dry-run needs --vacuum-time"),
        ("--dry-run --rotate --vacuum-time 1d", "--dry-run does not go with --rotate"),
        ("--vacuum-time soon", "invalid age 'soon'"),
        ("--vacuum-time 0", "invalid age '0'"),
        ("--vacuum-time 1d --vacuum-size 5MB", "invalid size '5MB'"),
        ("--vacuum-time 1d --vacuum-size 0", "invalid size '0'"),
    ],
)  # fmt: skip
def test_refusals_name_what_is_allowed(journalctl: Journalctl, arguments: str, message: str) -> None:
    result = journalctl(arguments, mode="remediation", allowed_services=[f"{unit}:*" for unit in READ])
    assert (result.exit_code, result.stdout) == (1, b"")
    assert message in result.stderr.decode()


def test_as_many_units_as_allowed(journalctl: Journalctl) -> None:
    names = [f"u{number}.service" for number in range(33)]
    grants = {name: ["read"] for name in names}
    arguments = [" ".join(f"-u {name}" for name in names[:count]) for count in (32, 33)]
    assert journalctl(arguments[0], allowed_services=grants).stdout == b"-- No entries --\n"
    result = journalctl(arguments[1], allowed_services=grants)
    assert (result.exit_code, b"too many units (32 at most)" in result.stderr) == (1, True)


# Grants, mode and target


MISSING = SystemdTarget(["/nowhere"], "/nowhere/machine-id", "/nowhere/socket")


@pytest.mark.parametrize(
    ("arguments", "needs"),
    [
        ("-u web.service", "web.service:read"),
        ("-u db.service -u web.service", "web.service:read"),
        ("-u Web.service", "Web.service:read"),
        ("-u web", "web:read; name the unit in full, as web.service"),
        ("-k", "systemd-journald.service:read"),
        ("-k -u db.service", "systemd-journald.service:read"),
        ("--disk-usage", "systemd-journald.service:read"),
        ("--rotate", "systemd-journald.service:clean"),
        ("--vacuum-time 1d", "systemd-journald.service:clean"),
        ("--vacuum-time 1d --dry-run", "systemd-journald.service:clean"),
    ],
)
def test_every_grant_is_looked_at_before_anything_is_opened(journalctl: Journalctl, arguments: str, needs: str) -> None:
    grants = {"db.service": ["*"], "web.service": ["restart"], "systemd-journald.service": ["stop"]}
    result = journalctl(arguments, target=MISSING, allowed_services=grants, mode="remediation")
    assert result.exit_code == 1
    assert result.stderr.decode().endswith(f": permission denied: needs the grant {needs}\n")


@pytest.mark.parametrize("arguments", ["--rotate", "--vacuum-time 1d", "--vacuum-time 1d --dry-run"])
def test_changes_need_remediation_mode(journalctl: Journalctl, arguments: str) -> None:
    result = journalctl(arguments, target=MISSING, allowed_services=["systemd-journald.service:*"])
    assert (result.exit_code, b"requires remediation mode\n" in result.stderr) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "directories", "machine", "socket", "message"),
    [
        ("-k", False, True, True, "the target has no journal directory"),
        ("--disk-usage", False, True, True, "the target has no journal directory"),
        ("--vacuum-time 1d", False, True, True, "the target has no journal directory"),
        ("--rotate", True, True, False, "the target has no journal control socket"),
        ("-k", True, False, True, "machine ID {root}/none: no such file or directory"),
        ("--rotate", True, False, True, "machine ID {root}/none: no such file or directory"),
    ],
)
def test_what_the_target_lacks_is_named(
    journalctl: Journalctl, tree: Tree, arguments: str, directories: bool, machine: bool, socket: bool, message: str
) -> None:
    target = SystemdTarget(
        [str(tree.journal)] if directories else [], f"{tree.root}/{'machine-id' if machine else 'none'}",
        "/nowhere/socket" if socket else None,
    )  # fmt: skip
    result = journalctl(arguments, target=target, mode="remediation", allowed_services=["systemd-journald.service:*"])
    assert result.exit_code == 1
    assert result.stderr.decode() == f"journalctl: {message.format(root=tree.root)}\n"


# The files


def test_disk_usage(journalctl: Journalctl, tree: Tree) -> None:
    allocated = (tree.directory / "system.journal").stat().st_blocks * 512
    assert allocated % (1 << 20) == 0 or allocated > 1 << 20
    result = journalctl("--disk-usage")
    assert result.stdout.startswith(b"Archived and active journals take up ")
    if shutil.which("journalctl"):
        theirs = subprocess.run(["journalctl", "-D", str(tree.directory), "--disk-usage"], capture_output=True)
        assert result.stdout == theirs.stdout


def test_cleanup_tells_what_it_did(journalctl: Journalctl, tree: Tree) -> None:
    now = made.START / 1e6
    for number, days in enumerate((9, 5, 1)):
        tree.add(archived(number), days * DAY, now=now)
    grants = {"allowed_services": ["systemd-journald.service:clean"], "mode": "remediation", "clock": lambda: now}
    size = 8 * 1024 * 1024
    before = tree.names()
    dry = journalctl("--vacuum-time 2d --dry-run", **grants).stdout.decode()
    assert dry.count("Would delete archived journal ") == 2 and tree.names() == before
    result = journalctl("--vacuum-time=2d --vacuum-size=1K", **grants)
    shown = result.stdout.decode().split("\n")
    assert [line.split(" (")[0] for line in shown[:2]] == [f"Deleted archived journal {archived(n)}" for n in (0, 1)]
    assert shown[2].startswith("Vacuuming done, freed ")
    assert shown[3].startswith("The target of 1.0K is not reached: what remains is active, younger than 2d")
    assert tree.names() == {"system.journal", archived(2)}
    assert [(change.action, change.path, change.command) for change in result.changes] == [
        ("remove", str(tree.directory / archived(n)), "journalctl") for n in (0, 1)
    ]
    assert size


def test_help_works_without_any_grant(journalctl: Journalctl) -> None:
    assert journalctl("--help", allowed_services=[]).stdout.startswith(b"Usage: journalctl -u SERVICE")
