"""journalctl beside the real one's recorded outputs, where there is a corpus (RSHELL_SHARED)."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from rshell import Policy, Runner, SystemdTarget
from rshell.builtins.journal_format import printable
from tests.builtins.oracle import quoted
from tests.journal.test_corpus import SHARED, manifest

MACHINE = "5a1e0f7c2b3d4e5f8a9b0c1d2e3f4a5b"
UNITS = (
    "nginx.service", "app@1.service", "mysql.service", "backup.timer", "system.slice", "redis.service", "cron.service",
    "ssh.service", "absent.service", "systemd-journald.service",
)  # fmt: skip

pytestmark = pytest.mark.skipif(not (SHARED / "manifest.json").exists(), reason="no corpus (RSHELL_SHARED)")

CASES = [case for case in manifest("manifest.json") if case["args"][0] in ("-u", "-k")]
MORE = manifest("more/manifest.json") or {"files": [], "sets": []}
REFUSED = {"--user-unit", "-1", "1", "2", "-9", "all", "-N", "-F", "json"}
# Real ones of their own kind of line: continued, unprintable, of another boot.
ODD = (b"   ", b"-- Boot ")


def target(tmp_path: Path, data: str) -> SystemdTarget:
    """The corpus' files unpacked as a host's journal directory."""
    machine = tmp_path / "machine-id"
    machine.write_text(MACHINE + "\n")
    place = tmp_path / "journal" / MACHINE
    place.mkdir(parents=True)
    source = SHARED / data
    packed = [source] if source.is_file() else sorted(source.glob("*/*.gz"))
    for path in packed:
        (place / path.name.removesuffix(".gz")).write_bytes(gzip.decompress(path.read_bytes()))
    return SystemdTarget([str(tmp_path / "journal")], str(machine))


def one_liners(output: bytes) -> list[bytes]:
    """The lines of real output that are an entry each."""
    lines = output.split(b"\n")
    kept = []
    for number, line in enumerate(lines):
        continued = number + 1 < len(lines) and lines[number + 1].startswith(b"   ")
        if line and not line.startswith(ODD) and not continued and b"B blob data]" not in line:
            kept.append(line)
    return kept


def same_line(line: bytes) -> bytes:
    """A line as both write it: kernel messages without an identifier are labelled by us."""
    return line.replace(b" unknown: ", b" kernel: ")


def check_short(ours: bytes, theirs: bytes) -> None:
    """Every one-line entry of the real output is in ours, in order; tabs and colours left aside."""
    rest = iter([same_line(line) for line in ours.split(b"\n")])
    for line in one_liners(theirs):
        if b"        " in line or printable(line) != line or len(line) > 64 * 1024:  # was a tab; is escaped; is cut
            continue
        assert same_line(line) in rest, line


DATA = sorted({case["data"] for case in CASES})


@pytest.mark.parametrize("data", [name for name in DATA if not name.startswith("damaged")])
def test_recorded_outputs(data: str, tmp_path: Path) -> None:
    policy = Policy(
        allowed_commands=["rshell:journalctl"], allowed_services={unit: ["read"] for unit in UNITS},
        systemd_target=target(tmp_path, data),
    )  # fmt: skip
    with Runner(policy, cwd="/") as runner:
        for case in CASES:
            if case["data"] != data:
                continue
            result = runner.run("TZ=UTC\n" + command(case["args"]))
            theirs = gzip.decompress((SHARED / case["stdout"]).read_bytes())
            assert result.exit_code == case["exit"], (case["args"], result.stderr)
            if "cat" in case["args"]:
                assert result.stdout == cut(theirs), case["args"]
            else:
                check_short(result.stdout, theirs)


def command(args: Sequence[str]) -> str:
    return "journalctl " + quoted(*args)


def cut(output: bytes) -> bytes:
    """Real `cat` output with each line cut where a field is cut."""
    return b"\n".join(line[: 64 * 1024] for line in output.split(b"\n"))


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["data"].startswith("damaged")], ids=lambda case: str(case["data"])
)
def test_damaged_files_give_valid_entries_or_an_error(case: Any, tmp_path: Path) -> None:
    policy = Policy(
        allowed_commands=["rshell:journalctl"], allowed_services={unit: ["read"] for unit in UNITS},
        systemd_target=target(tmp_path, case["data"]), max_execution_time=20.0,
    )  # fmt: skip
    with Runner(policy, cwd="/") as runner:
        result = runner.run("TZ=UTC\n" + command(case["args"]))
    assert result.exit_code in (0, 1)
    assert b"internal error" not in result.stderr
    if result.exit_code == 1:
        assert result.stderr.startswith(b"journalctl: ")
    elif case["exit"] == 0:
        assert result.stdout.count(b"\n") == case["lines"]


def plain(argv: Sequence[str]) -> bool:
    """Whether a recorded call is one that we take."""
    return ("-u" in argv or "-k" in argv) and not REFUSED & set(argv) and "*" not in "".join(argv)


def recorded(case: Any) -> bytes | None:
    if "stdout_inline" in case:
        return str(case["stdout_inline"]).encode()
    if "stdout" not in case:
        return None
    data = (SHARED / "more" / case["stdout"]).read_bytes()
    return gzip.decompress(data) if case["stdout"].endswith(".gz") else data


def check_recorded(commands: Sequence[Any], target: SystemdTarget, *, short: bool = True) -> None:
    for case in commands:
        args = case["argv"][3:]
        if not plain(args) or (theirs := recorded(case)) is None or theirs.count(b"\n") > 1_000:
            continue
        if "-n" not in args:
            args = [*args, "-n", "1000"]
        units = {unit for option, unit in pairwise(args) if option == "-u"}
        if not all("." in unit and "/" not in unit for unit in units):
            continue
        policy = Policy(
            allowed_commands=["rshell:*"], systemd_target=target,
            allowed_services={unit: ["read"] for unit in units | {"systemd-journald.service"}},
        )  # fmt: skip
        with Runner(policy, cwd="/", warnings=None) as runner:
            result = runner.run("TZ=UTC\n" + command(args))
        assert (result.exit_code, result.stderr) == (case["rc"], b""), args
        if "cat" in args:
            assert result.stdout == cut(theirs), args
        elif short:
            check_short(result.stdout, theirs)


@pytest.mark.parametrize("file", MORE["files"], ids=lambda file: str(file["name"]))
def test_more_recorded_files(file: Any, tmp_path: Path) -> None:
    data = gzip.decompress((SHARED / "more" / file["path"]).read_bytes())
    machine = data[40:56].hex()
    (tmp_path / "machine-id").write_text(machine + "\n")
    (tmp_path / machine).mkdir()
    (tmp_path / machine / "system.journal").write_bytes(data)
    check_recorded(file["commands"], SystemdTarget([str(tmp_path)], f"{tmp_path}/machine-id"),
                   short=file["dataset"] != "ansi")  # fmt: skip  # real journalctl removes colours


@pytest.mark.parametrize("group", MORE["sets"], ids=lambda group: str(group["name"]))
def test_more_recorded_directories(group: Any, tmp_path: Path) -> None:
    for file in group["files"]:
        place = tmp_path / file["rel"]
        place.parent.mkdir(parents=True, exist_ok=True)
        data = (SHARED / "more" / file["path"]).read_bytes()
        place.write_bytes(gzip.decompress(data) if file["path"].endswith(".gz") else data)
    roots = {str(tmp_path / "var/log/journal"), str(tmp_path / "run/log/journal")}
    target = SystemdTarget(sorted(root for root in roots if Path(root).exists()), f"{tmp_path}/machine-id")
    # Where clocks stepped, the last thousand entries are in another order than all of them.
    commands = [
        case for case in group["commands"] if case["argv"][1:3] == ["-D", "var/log/journal"] and "-n" in case["argv"]
    ]
    if len(target.journal_dirs) == 1:
        check_recorded(commands, target)
