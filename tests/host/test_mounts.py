"""Mounts read from made-up trees."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rshell import limits
from rshell.host.mounts import Mount, Mounts
from rshell.host.source import Unavailable
from tests.host.test_sockets import nothing

ROOT = b"27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n"


def tree(folder: Path, content: bytes) -> str:
    """A proc path with that mountinfo."""
    (folder / "self").mkdir(parents=True)
    (folder / "self/mountinfo").write_bytes(content)
    return str(folder)


def test_names_are_unescaped_and_optional_fields_skipped(tmp_path: Path) -> None:
    line = b"30 25 0:27 /sub\\040dir /mnt/a\\011b\\134c\xff rw shared:1 master:2 - nfs4 host:/x\\040y rw\n"
    found, whole = Mounts(tree(tmp_path, ROOT + line), nothing).all()
    assert whole
    assert found == [
        Mount("/dev/vda", "/", "ext4", "/", os.makedev(254, 0)),
        Mount("host:/x y", "/mnt/a\tb\\c\udcff", "nfs4", "/sub dir", os.makedev(0, 27)),
    ]
    assert [(one.remote, one.dummy) for one in found] == [(False, False), (True, False)]


def test_broken_lines_are_no_mounts(tmp_path: Path) -> None:
    junk = b"\nx\n1 2 3\n1 2 9:9 / /a rw\n" + b"z" * 2_000_000 + b"\n1 1 " + b"9" * 5000 + b":1 / / rw - a b c\n\0\0\n"
    assert [one.target for one in Mounts(tree(tmp_path, junk + ROOT), nothing).all()[0]] == ["/"]


def test_a_source_may_be_empty(tmp_path: Path) -> None:
    found, _ = Mounts(tree(tmp_path, b"27 1 0:5 / /x rw - tmpfs  rw\n"), nothing).all()
    assert [(one.source, one.type) for one in found] == [("", "tmpfs")]


def test_the_bound_says_that_it_was_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = Mounts(tree(tmp_path, ROOT * 3), nothing)
    for bound, whole in ((3, True), (2, False)):
        monkeypatch.setattr(limits, "MOUNTS", bound)
        found, all_of_them = mounts.all()
        assert (len(found), all_of_them) == (bound, whole)


def test_no_tree(tmp_path: Path) -> None:
    with pytest.raises(Unavailable):
        Mounts(str(tmp_path), nothing).all()


def test_places_that_are_not_there() -> None:
    assert Mounts.devices(["/none/x", "/a\0b"]) == [None, None]
    assert all(isinstance(found, OSError) for found in Mounts.usage(["/none/x", "/a\0b"]))
