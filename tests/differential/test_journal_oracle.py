"""The journal reader beside the real journalctl and systemd's own library, on files made here."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from rshell.journal import All, Entry, Match, open_files, term, unit_matches
from tests.journal import make_fixtures as made

JOURNALCTL = shutil.which("journalctl")
SYSTEM_PYTHON = "/usr/bin/python3"


def as_json(entries: list[Entry]) -> list[dict[str, object]]:
    """Entries as `journalctl -o json --all` prints them."""
    printed = []
    for entry in entries:
        fields: dict[str, list[object]] = {}
        for name, value in entry.fields(1 << 24):
            try:
                text: object = value.decode("utf-8")
                plain = all(c in "\n\t" or c >= " " for c in value.decode("utf-8"))
            except UnicodeDecodeError:
                plain = False
            fields.setdefault(name, []).append(text if plain else list(value))
        fields["_BOOT_ID"] = [entry.boot_id.hex()]
        fields["__REALTIME_TIMESTAMP"] = [str(entry.realtime)]
        fields["__MONOTONIC_TIMESTAMP"] = [str(entry.monotonic)]
        printed.append({name: values[0] if len(values) == 1 else values for name, values in fields.items()})
    return printed


def journalctl(path: Path, *arguments: str) -> list[dict[str, object]]:
    assert JOURNALCTL is not None
    done = subprocess.run([JOURNALCTL, "--file", str(path), "-o", "json", "--all", "--no-pager", *arguments],
                          check=True, capture_output=True, env={"TZ": "UTC", "LC_ALL": "C.UTF-8"})  # fmt: skip
    entries = [json.loads(line) for line in done.stdout.split(b"\n") if line.startswith(b"{")]
    for entry in entries:
        entry.pop("__CURSOR", None)
    return entries


QUERIES: dict[str, tuple[list[str], Match | None, bool, int | None]] = {
    "everything": ([], None, False, None),
    "newest first": (["-r"], None, True, None),
    "a unit": (["-u", "web.service"], unit_matches("web.service"), False, None),
    "a unit, the last": (["-r", "-n", "7", "-u", "db.service"], unit_matches("db.service"), True, 7),
    "a slice": (["-u", "system.slice"], unit_matches("system.slice"), False, None),
    "nothing": (["-u", "none.service"], unit_matches("none.service"), False, None),
    "the newest boot": (["-b"], All((term("_BOOT_ID", made.BOOTS[1]),)), False, None),
    "two fields": (["PRIORITY=3", "_SYSTEMD_UNIT=web.service"],
                   All((term("PRIORITY", "3"), term("_SYSTEMD_UNIT", "web.service"))), False, None),
}  # fmt: skip


@pytest.mark.skipif(JOURNALCTL is None, reason="journalctl is not installed")
@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("variant", made.COMMITTED)
def test_committed_files_read_as_journalctl_reads_them(variant: str, query: str, tmp_path: Path) -> None:
    path = made.unpack(tmp_path, variant)
    arguments, match, newest_first, limit = QUERIES[query]
    with open_files([str(path)]) as journal:
        ours = as_json(list(journal.query(match, newest_first=newest_first, limit=limit)))
        assert journal.problems == []
    assert ours == journalctl(path, *arguments)


@pytest.mark.skipif(JOURNALCTL is None or made.REMOTE is None, reason="systemd's journal tools are not installed")
@pytest.mark.parametrize("variant", made.VARIANTS)
def test_larger_files_read_as_journalctl_reads_them(variant: str, tmp_path: Path) -> None:
    path = tmp_path / "x.journal"
    made.write(path, variant, made.entries(600))
    for arguments, match, newest_first, limit in QUERIES.values():
        with open_files([str(path)]) as journal:
            ours = as_json(list(journal.query(match, newest_first=newest_first, limit=limit)))
        assert ours == journalctl(path, *arguments)
    for since, until in ((37, 410), (0, 5), (590, 10_000)):
        bounds = [f"--since=@{made.START // 10**6 + since}", f"--until=@{made.START // 10**6 + until}"]
        start, end = made.START + since * 10**6, made.START + until * 10**6
        for reverse in (False, True):
            with open_files([str(path)]) as journal:
                match = unit_matches("web.service")
                ours = as_json(list(journal.query(match, since=start, until=end, newest_first=reverse)))
            assert ours == journalctl(path, "-u", "web.service", *bounds, *(["-r"] if reverse else []))


def _has_library() -> bool:
    return subprocess.run([SYSTEM_PYTHON, "-c", "import systemd.journal"], capture_output=True).returncode == 0


@pytest.mark.skipif(not Path(SYSTEM_PYTHON).exists() or not _has_library(), reason="python3-systemd is not installed")
@pytest.mark.parametrize("variant", made.COMMITTED)
def test_committed_files_read_as_libsystemd_reads_them(variant: str, tmp_path: Path) -> None:
    path = made.unpack(tmp_path, variant)
    program = """
import sys
from systemd import journal
reader = journal.Reader(files=sys.argv[1:])
reader.data_threshold = 0
while reader._next():
    fields = reader._get_all()
    values = fields.get("MESSAGE")
    print(reader._get_realtime(), reader._get_monotonic()[0], sorted(fields), values)
"""
    done = subprocess.run([SYSTEM_PYTHON, "-c", program, str(path)], check=True, capture_output=True)
    with open_files([str(path)]) as journal:
        ours = [
            f"{e.realtime} {e.monotonic} {sorted({name for name, _ in e.fields()})} {e.get('MESSAGE', 1 << 24)!r}"
            for e in journal.query()
        ]
    assert ours == done.stdout.decode().split("\n")[:-1]
