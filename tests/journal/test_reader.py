"""Every layout reads as it was written; matches, order, times and limits hold."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from rshell.journal import All, AnyOf, Entry, Journal, JournalError, open_files, open_target, term, unit_matches
from tests.journal import make_fixtures as made

ALL = made.entries()
Row = tuple[int, int, str, list[tuple[str, bytes]]]


def rows(entries: Iterator[Entry]) -> list[Row]:
    return [
        (e.realtime, e.monotonic, e.boot_id.hex(), sorted(f for f in e.fields(1 << 20) if f[0] != "_BOOT_ID"))
        for e in entries
    ]


WANTED: list[Row] = [(r, m, b, sorted(f)) for r, m, b, f in ALL]


@pytest.fixture(params=made.COMMITTED)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return made.unpack(tmp_path, request.param)


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    with open_files([str(path)]) as opened:
        yield opened


def test_all_entries_in_both_directions(journal: Journal) -> None:
    assert rows(journal.query()) == WANTED
    assert rows(journal.query(newest_first=True)) == WANTED[::-1]
    assert journal.problems == []


@pytest.mark.skipif(made.REMOTE is None, reason="systemd-journal-remote is not installed")
@pytest.mark.parametrize("variant", made.VARIANTS)
def test_every_layout_that_systemd_writes_here(variant: str, tmp_path: Path) -> None:
    path = tmp_path / "x.journal"
    made.write(path, variant, made.entries(200))
    with open_files([str(path)]) as journal:
        assert [(row[0], row[3]) for row in rows(journal.query())] == [(e[0], sorted(e[3])) for e in made.entries(200)]
        assert len(list(journal.query(term("_SYSTEMD_UNIT", "db.service")))) == sum(
            ("_SYSTEMD_UNIT", b"db.service") in entry[3] for entry in made.entries(200)
        )
        assert journal.problems == []


def test_a_unit_is_its_messages_and_what_root_says_of_it(journal: Journal) -> None:
    def belongs(fields: dict[str, bytes]) -> bool:
        return (
            fields.get("_SYSTEMD_UNIT") == b"web.service"
            or (fields["_PID"] == b"1" and fields.get("UNIT") == b"web.service")
            or (fields["_UID"] == b"0" and fields.get("COREDUMP_UNIT") == b"web.service")
            or (fields["_UID"] == b"0" and fields.get("OBJECT_SYSTEMD_UNIT") == b"web.service")
        )

    wanted = [entry[0] for entry in ALL if belongs(dict(entry[3]))]
    match = unit_matches("web.service")
    assert [e.realtime for e in journal.query(match)] == wanted
    assert [e.realtime for e in journal.query(match, newest_first=True, limit=4)] == wanted[:-5:-1]
    assert len(list(journal.query(unit_matches("system.slice")))) == len(ALL)
    assert list(journal.query(unit_matches("none.service"))) == []


def test_boots_times_and_priorities(journal: Journal) -> None:
    newest = journal.newest_boot()
    assert newest is not None and newest.hex() == made.BOOTS[1]
    match = All((term("_BOOT_ID", newest.hex()), AnyOf((term("PRIORITY", "1"), term("PRIORITY", "2")))))
    wanted = [e[0] for e in ALL if e[2] == made.BOOTS[1] and dict(e[3])["PRIORITY"] in (b"1", b"2")]
    assert [e.realtime for e in journal.query(match)] == wanted
    since, until = made.START + 10_000_000, made.START + 19_500_000
    between = [e[0] for e in ALL if since <= e[0] <= until]
    assert [e.realtime for e in journal.query(since=since, until=until)] == between
    assert [e.realtime for e in journal.query(since=since, until=until, newest_first=True)] == between[::-1]
    assert list(journal.query(since=until + 10**9)) == []
    assert list(journal.query(until=since - 10**9, newest_first=True)) == []


def test_a_field_is_cut_and_the_first_of_several_counts(journal: Journal) -> None:
    found = {number: entry for number, entry in enumerate(journal.query())}
    assert found[6].get("MESSAGE", 11) == b"long 6 abcd"
    assert found[6].get("MESSAGE") == (b"long 6 " + b"abcdefghij" * 9_000)[:65_536]
    assert found[7].get("MESSAGE") == b"repetitive 7 " + b"x" * 2_000
    assert found[8].get("MESSAGE") == b""
    assert found[14].get("MESSAGE") is None
    assert found[13].get("TAG") in (b"one", b"two")


def test_where_and_limit(journal: Journal) -> None:
    picked = journal.query(where=lambda entry: entry.get("PRIORITY") == b"3", limit=2, newest_first=True)
    assert [entry.get("PRIORITY") for entry in picked] == [b"3", b"3"]
    assert list(journal.query(limit=0)) == []


def test_check_is_called_and_may_stop_a_query(journal: Journal) -> None:
    class Late(Exception):
        pass

    def late() -> None:
        raise Late

    both = AnyOf(tuple(term("PRIORITY", str(number)) for number in range(8)))
    with pytest.raises(Late):
        list(journal.query(AnyOf((both,) * 30), check=late))


def test_duplicates_in_two_files_appear_once(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.journal"
    shutil.copy(path, copy)
    with open_files([str(path), str(copy)]) as journal:
        assert rows(journal.query()) == WANTED
        assert rows(journal.query(newest_first=True, limit=7)) == WANTED[:-8:-1]


def test_a_file_cut_short_under_us_is_an_error(path: Path) -> None:
    with open_files([str(path)]) as journal:
        entries = journal.query()
        next(entries)
        os.truncate(path, 100_000)
        with pytest.raises(JournalError):
            for entry in entries:
                list(entry.fields())


def test_a_file_replaced_between_queries_is_read_anew(path: Path, tmp_path: Path) -> None:
    with open_files([str(path)]) as journal:
        first = next(journal.query(limit=1))
        other = tmp_path / "other"
        shutil.copy(path, other)
        os.replace(other, path)
        assert len(list(journal.query())) == len(ALL)
        with pytest.raises(JournalError):
            list(first.fields())


def test_files_that_change_at_each_look_are_an_error(path: Path) -> None:
    turn = iter(range(1, 100))

    def touch(_: Entry) -> bool:
        os.utime(path, ns=(0, next(turn) * 10**9))
        return True

    with open_files([str(path)]) as journal, pytest.raises(JournalError, match="changed"):
        list(journal.query(where=touch, limit=3))


def test_one_change_is_retried(path: Path) -> None:
    changed: list[bool] = []

    def touch_once(_: Entry) -> bool:
        if not changed:
            os.utime(path, ns=(0, 10**9))
            changed.append(True)
        return True

    with open_files([str(path)]) as journal:
        assert len(list(journal.query(where=touch_once, limit=3))) == 3


class Target:
    def __init__(self, base: Path, machine: str) -> None:
        self.journal_dirs = [str(base / "journal")]
        self.machine_id_path = str(base / "machine-id")
        self.journal_control_socket = None
        self.directory = base / "journal" / machine
        self.directory.mkdir(parents=True)
        (base / "machine-id").write_text(machine + "\n", "ascii")


def machine_of(path: Path) -> str:
    return path.read_bytes()[40:56].hex()


@pytest.fixture
def target(tmp_path: Path) -> Target:
    source = made.unpack(tmp_path, "zstd-keyed-compact")
    made_target = Target(tmp_path / "host", machine_of(source))
    shutil.copy(source, made_target.directory / "system.journal")
    return made_target


def test_a_target_reads_regular_files_with_a_journal_name(target: Target, tmp_path: Path) -> None:
    (target.directory / "notes.txt").write_bytes(b"x")
    (target.directory / "link.journal").symlink_to("system.journal")
    os.mkfifo(target.directory / "pipe.journal")
    (target.directory / "bad name.journal").write_bytes(b"x")
    with open_target(target) as journal:
        assert len(list(journal.query())) == len(ALL)
        assert journal.problems == []
        assert journal.disk_usage() == (target.directory / "system.journal").stat().st_blocks * 512


def test_a_file_of_another_machine_is_left_out_and_named(target: Target) -> None:
    data = bytearray((target.directory / "system.journal").read_bytes())
    data[40:56] = b"\1" * 16
    (target.directory / "user-1.journal").write_bytes(data)
    with open_target(target) as journal:
        assert len(list(journal.query())) == len(ALL)
        assert journal.problems == ["user-1.journal: file belongs to another machine"]


def test_only_bad_files_are_an_error(target: Target) -> None:
    (target.directory / "system.journal").write_bytes(b"LPKSHHRH" + bytes(300))
    with open_target(target) as journal, pytest.raises(JournalError, match=r"system\.journal"):
        list(journal.query())


def test_129_files_are_too_many(target: Target) -> None:
    for number in range(127):
        os.link(target.directory / "system.journal", target.directory / f"user-{number}.journal")
    with open_target(target) as journal:
        assert len(list(journal.query())) == len(ALL)  # hard links: one file
    for number in range(128):
        (target.directory / f"user-{number}.journal").unlink(missing_ok=True)
        (target.directory / f"user-{number}.journal").write_bytes(b"")
    with open_target(target) as journal, pytest.raises(JournalError, match="more than 128"):
        list(journal.query())


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda t: os.unlink(t.machine_id_path), "machine ID"),
        (lambda t: Path(t.machine_id_path).write_text("nonsense", "ascii"), "not a machine ID"),
        (lambda t: shutil.rmtree(t.journal_dirs[0]), "journal directory"),
        (lambda t: t.__dict__.update(machine_id_path=None), "no machine ID path"),
        (lambda t: t.__dict__.update(journal_dirs=[]), "no journal directory"),
    ],
)
def test_what_is_missing_is_named(target: Target, spoil: object, message: str) -> None:
    assert callable(spoil)
    spoil(target)
    with pytest.raises(JournalError, match=message):
        open_target(target)


def test_a_flag_that_is_not_known_fails_with_its_number(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[12] |= 0x40
    path.write_bytes(data)
    with open_files([str(path)]) as journal, pytest.raises(JournalError, match="0x40"):
        list(journal.query())
    data[12] &= ~0x40
    data[8] |= 0x40  # compatible: no matter
    path.write_bytes(data)
    with open_files([str(path)]) as journal:
        assert len(list(journal.query())) == len(ALL)


def test_a_closed_journal_says_so(path: Path) -> None:
    journal = open_files([str(path)])
    entry = next(journal.query(limit=1))
    journal.close()
    with pytest.raises(JournalError):
        list(journal.query())
    with pytest.raises(JournalError):
        entry.get("MESSAGE")


def test_the_last_entries_of_several_files_oldest_first(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.journal"
    shutil.copy(path, copy)
    with open_files([str(path), str(copy)]) as journal:
        assert rows(journal.query(limit=9, last=True)) == WANTED[-9:]
        wanted = rows(journal.query(unit_matches("web.service")))[-5:]
        assert rows(journal.query(unit_matches("web.service"), limit=5, last=True)) == wanted
