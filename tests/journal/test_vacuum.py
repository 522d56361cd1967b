"""What a cleanup removes, in which order, and what it never touches."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from rshell.journal import JournalError
from rshell.journal.files import target_source
from rshell.journal.vacuum import Cleanup, usage, vacuum
from tests.journal.target_tree import Tree, archived, set_aside

NOW = 1_800_000_000.0
DAY = 86_400.0


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "host")


def clean(tree: Tree, age: float, **options: object) -> Cleanup:
    with closing(target_source(tree.target())) as source:
        return vacuum(source, until=round((NOW - age) * 1e6), target=options.pop("target", None), **options)  # type: ignore[arg-type]


def test_every_archive_at_least_that_old_goes(tree: Tree) -> None:
    tree.add("system.journal", 9 * DAY, now=NOW, state=1)
    tree.add("user-1000.journal", 9 * DAY, now=NOW, state=0)
    for number, days in enumerate((5, 1, 3, 2)):
        tree.add(archived(number, NOW - 20 * DAY), days * DAY, now=NOW)
    tree.add(set_aside(7, NOW - 20 * DAY), 4 * DAY, now=NOW, state=1)
    done = clean(tree, 2 * DAY)
    assert [name for name, _ in done.removed] == [
        archived(0, NOW - 20 * DAY), set_aside(7, NOW - 20 * DAY), archived(2, NOW - 20 * DAY), archived(3, NOW - 20 * DAY),
    ]  # fmt: skip
    assert tree.names() == {"system.journal", "user-1000.journal", archived(1, NOW - 20 * DAY)}
    assert done.problems == []


def test_a_size_stops_it_and_the_age_still_protects(tree: Tree) -> None:
    for number in range(4):
        tree.add(archived(number), (10 - number) * DAY, now=NOW)
    tree.add("system.journal", 0, now=NOW, state=1)
    one = (tree.directory / "system.journal").stat().st_blocks * 512
    assert [name for name, _ in clean(tree, DAY, target=5 * one).removed] == []
    assert [name for name, _ in clean(tree, DAY, target=3 * one).removed] == [archived(0), archived(1)]
    done = clean(tree, 8 * DAY, target=1)
    assert [name for name, _ in done.removed] == [archived(2)]
    assert done.usage == 2 * one and done.freed == one


def test_a_dry_run_tells_the_same_and_removes_nothing(tree: Tree) -> None:
    for number in range(3):
        tree.add(archived(number), (number + 1) * DAY, now=NOW)
    before = tree.names()
    planned = clean(tree, 2 * DAY, dry_run=True)
    assert tree.names() == before
    done = clean(tree, 2 * DAY)
    assert (planned.removed, planned.freed, planned.usage) == (done.removed, done.freed, done.usage)


def test_only_the_named_inodes_go(tree: Tree) -> None:
    kept = tree.add(archived(0), 9 * DAY, now=NOW)
    gone = tree.add(archived(1), 9 * DAY, now=NOW)
    status = gone.stat()
    assert clean(tree, DAY, only={(status.st_dev, status.st_ino)}).removed == [(gone.name, status.st_blocks * 512)]
    assert tree.names() == {kept.name}


@pytest.mark.parametrize("newest", ["entry", "name", "change"])
def test_the_newest_sign_of_age_counts(tree: Tree, newest: str) -> None:
    path = tree.add(archived(0, NOW if newest == "name" else NOW - 9 * DAY), 9 * DAY, now=NOW)
    if newest == "entry":
        data = bytearray(path.read_bytes())
        data[192:200] = round(NOW * 1e6).to_bytes(8, "little")
        path.write_bytes(data)
        os.utime(path, (NOW - 9 * DAY, NOW - 9 * DAY))
    elif newest == "change":
        os.utime(path, (NOW, NOW))
    assert clean(tree, DAY).removed == []


def test_removals_are_told_with_their_paths(tree: Tree) -> None:
    path = tree.add(archived(0), 9 * DAY, now=NOW)
    told: list[tuple[str, int]] = []
    size = path.stat().st_blocks * 512
    clean(tree, DAY, removed=lambda *what: told.append(what))
    assert told == [(str(path), size)]


def test_usage_is_what_all_journal_files_allocate(tree: Tree) -> None:
    paths = [tree.add(name, 0, now=NOW) for name in ("system.journal", archived(0), set_aside(1))]
    (tree.directory / "notes.txt").write_bytes(b"x" * 100_000)
    with closing(target_source(tree.target())) as source:
        assert usage(source) == sum(path.stat().st_blocks * 512 for path in paths)


def test_more_files_than_are_read_can_still_be_cleaned(tree: Tree) -> None:
    tree.data = tree.data[:4096]
    for number in range(140):
        tree.add(archived(number), 9 * DAY, now=NOW)
    assert len(clean(tree, DAY).removed) == 140


def test_a_missing_directory_is_named(tree: Tree) -> None:
    target = tree.target()
    os.rename(tree.journal, tree.root / "elsewhere")
    with pytest.raises(JournalError, match=r"journal directory .*/journal: no such file or directory"):
        target_source(target)
