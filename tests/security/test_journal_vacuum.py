"""Attacks on cleanup: nothing goes but archived files of this machine, whatever stands in the directory."""

from __future__ import annotations

import os
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from rshell.journal.files import target_source
from rshell.journal.vacuum import Cleanup, vacuum
from tests.journal.target_tree import SEQNUM_ID, Tree, archived, set_aside
from tests.security.race import TRIES, attacker, descriptors

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc/self/fd")

NOW = 1_800_000_000.0
OLD = 90 * 86_400.0


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path / "host")
    tree.data = tree.data[:4096]
    return tree


def clean(tree: Tree) -> Cleanup:
    before = descriptors()
    with closing(target_source(tree.target())) as source:
        done = vacuum(source, until=round(NOW * 1e6), target=None)
    assert descriptors() == before
    return done


ALMOST = [
    "system.journal", "system.journal~", "system@.journal", f"system@{SEQNUM_ID}.journal",
    f"system@{SEQNUM_ID}-0000000000000001.journal", f"system@{SEQNUM_ID}-0000000000000001-00000000000000.journal",
    f"system@{SEQNUM_ID}-0000000000000001-0000000000000001.journal~",
    f"system@{SEQNUM_ID}-0000000000000001-0000000000000001.journal.gz",
    f"system@{SEQNUM_ID}-0000000000000001-0000000000000001.journal\n",
    f"system@{SEQNUM_ID}-0000000000000001-000000000000000A.journal",
    f"system@{SEQNUM_ID.upper()}-0000000000000001-0000000000000001.journal",
    f".system@{SEQNUM_ID}-0000000000000001-0000000000000001.journal",
    f"-system@{SEQNUM_ID}-0000000000000001-0000000000000001.journal",
    f"a@b@{SEQNUM_ID}-0000000000000001-0000000000000001.journal",
    f"@{SEQNUM_ID}-0000000000000001-0000000000000001.journal",
    f"sy stem@{SEQNUM_ID}-0000000000000001-0000000000000001.journal",
    "system@0000000000000001-0000000000000001.journal", "system@0000000000000001-000000000000001.journal~",
    "system@000000000000000g-0000000000000001.journal~", "system@٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠١-0000000000000001.journal~",
]  # fmt: skip


@pytest.mark.parametrize("name", ALMOST)
def test_names_that_nearly_match_stay(tree: Tree, name: str) -> None:
    tree.add(name, OLD, now=NOW)
    assert clean(tree).removed == []
    assert tree.names() == {name}


def test_other_machines_files_stay(tree: Tree) -> None:
    tree.add(archived(0), OLD, now=NOW, machine="cd" * 16)
    tree.add(set_aside(1), OLD, now=NOW, machine="00" * 16)
    assert clean(tree).removed == []


def test_what_is_no_journal_stays(tree: Tree) -> None:
    for number, content in enumerate((b"", b"LPKSHHRH", b"x" * 4096)):
        path = tree.directory / archived(number)
        path.write_bytes(content)
        os.utime(path, (1, 1))
    assert clean(tree).removed == []


def test_a_file_that_journald_may_still_write_stays(tree: Tree) -> None:
    tree.add(archived(0), OLD, now=NOW, state=1)
    assert clean(tree).removed == []


def test_links_and_odd_files_stay_and_their_targets_too(tree: Tree, tmp_path: Path) -> None:
    victim = tree.add("victim", OLD, now=NOW)
    os.rename(victim, tmp_path / "victim")
    os.symlink(tmp_path / "victim", tree.directory / archived(0))
    os.link(tmp_path / "victim", tree.directory / archived(1))
    os.mkfifo(tree.directory / archived(2))
    os.mkdir(tree.directory / archived(3))
    before = tree.names()
    assert clean(tree).removed == []
    assert tree.names() == before and (tmp_path / "victim").exists()


def test_two_names_of_one_archive_stay(tree: Tree) -> None:
    os.link(tree.add(archived(0), OLD, now=NOW), tree.directory / archived(1))
    assert clean(tree).removed == []


@pytest.mark.parametrize("which", ["journal", "machine"])
def test_a_directory_that_is_a_link_is_refused(tree: Tree, which: str) -> None:
    tree.add(archived(0), OLD, now=NOW)
    place = tree.journal if which == "journal" else tree.directory
    os.rename(place, tree.root / "moved")
    os.symlink(tree.root / "moved", place)
    with pytest.raises(Exception, match="journal directory"):
        clean(tree)


def test_a_machine_id_that_is_a_link_is_refused(tree: Tree) -> None:
    tree.add(archived(0), OLD, now=NOW)
    os.rename(tree.root / "machine-id", tree.root / "other")
    os.symlink(tree.root / "other", tree.root / "machine-id")
    with pytest.raises(Exception, match="machine ID"):
        clean(tree)


@pytest.mark.parametrize("taken", [False, True])
def test_a_file_that_is_swapped_in_after_the_last_look_is_put_back(
    tree: Tree, taken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worst moment: between the check and the call that goes by name."""
    active = tree.add("system.journal", OLD, now=NOW, state=1)
    inode = active.stat().st_ino
    name = tree.add(archived(0), OLD, now=NOW)
    rename, turns = os.rename, []

    def late(source: object, target: object, **options: object) -> None:
        if not turns:
            turns.append(1)
            rename(active, name)
            rename(source, target, **options)  # type: ignore[arg-type]
            if taken:
                tree.add(archived(0), 0, now=NOW)
        else:
            rename(source, target, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("rshell.journal.vacuum.os.rename", late)
    done = clean(tree)
    assert done.removed == [] and done.problems == [f"{archived(0)}: file was replaced"]
    inodes = {path.stat().st_ino: path for path in tree.directory.iterdir()}
    assert inode in inodes and inodes[inode].stat().st_nlink == 1
    assert (inodes[inode] == name) is not taken


def test_an_active_file_that_takes_an_archives_name_survives(tree: Tree) -> None:
    """A thread puts an archive in place, the active file over it, and the active file back, all the time."""
    active = tree.add("system.journal", OLD, now=NOW, state=1)
    status = active.stat()
    name = tree.directory / archived(0)
    spare = tree.directory / "spare"

    def swap() -> None:
        tree.add("spare", OLD, now=NOW)
        os.rename(spare, name)
        os.rename(active, name)
        until = time.monotonic() + 5
        while time.monotonic() < until:  # it may just be looked at under another name
            try:
                os.rename(name, active)
                return
            except FileNotFoundError:
                continue
        raise AssertionError("the active file is gone")

    with attacker(swap):
        for _ in range(TRIES):
            with closing(target_source(tree.target())) as source:
                vacuum(source, until=round(NOW * 1e6), target=None)
    assert (active.stat().st_ino, active.stat().st_nlink) == (status.st_ino, 1)
    assert active.read_bytes()[:8] == b"LPKSHHRH"
