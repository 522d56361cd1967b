"""du beside GNU du on a tree with one of everything, and in the cases that a tree of that kind does not have."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rshell import limits
from tests.builtins import sample_tree
from tests.builtins.oracle import same
from tests.security.race import descriptors

if TYPE_CHECKING:
    from rshell import Runner
    from tests.builtins.oracle import Ours, Theirs

CALLS = r"""
du
du -a
du -s
du -sh *
du -h
du -b
du -ab
du -k
du -m
du -c dir a
du -c a dir
du dir dir
du . dir
du dir/sub dir
du -l
du -la hard a
du -L dir/sub
du -L ld
du -aLl dir/deep
du -D ld
du -H ld dangling
du -P ld
du ld
du ld/
du dir/// empty//
du -S
du -Sc
du -aS
du -d 0
du -d 1 -a
du -d1
du -d x
du -d -1
du -s -a
du -s -d 0
du -s -d 2
du -t 10K
du -t -10K -a
du -t 0
du -t -0
du -t x
du --inodes
du --inodes -h
du --inodes -b
du --apparent-size -a
du --si -a
du -B 512
du -B K
du -BM
du -B 1M
du -B 1kB -a
du -B x
du --block-size=human-readable -a
du -0 dir
du --exclude='*.log' -a
du --exclude=deep -a
du --exclude='dir/deep' -a .
du --exclude='./dir/deep' -a .
du --exclude='d*' -a dir empty
du --exclude=dir dir
du -x
du nope
du nope a
du ''
du -h -k
du -k -h -a
du -bh -a
du -hb -a
du --max-depth=1 --total
du -b fifo sparse
du --inodes -a -c
du -Z
"""


@pytest.mark.parametrize("call", [line for line in CALLS.split("\n") if line])
def test_as_gnu(call: str, run: Ours, bash: Theirs, tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    sample_tree.build(tmp_path / "tree", time.time())
    (tmp_path / "tree/dir/second").hardlink_to(tmp_path / "tree/a")
    same(run, bash, f"cd tree; {call}")


def test_reasons_are_in_lower_case(run: Ours) -> None:
    assert run("du nope; du /etc/passwd").stderr == (
        b"du: cannot access 'nope': no such file or directory\ndu: cannot access '/etc/passwd': permission denied\n"
    )


def test_times_have_another_way(run: Ours) -> None:
    result = run("du --time")
    assert result.exit_code == 1 and b"use find -printf" in result.stderr


def deep(where: Path, levels: int) -> None:
    """A chain of directories, made by descriptor: its path may be longer than the kernel takes."""
    at = os.open(where, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=at)
        below = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)


def test_depth_has_its_bound(make_runner: Callable[..., Runner], tmp_path: Path) -> None:
    for levels, good in ((limits.DU_DEPTH - 1, True), (limits.DU_DEPTH, False)):
        where = tmp_path / str(levels)
        where.mkdir()
        deep(where, levels)
        runner = make_runner()
        result = runner.run(f"du --inodes -s {levels}")
        assert (result.exit_code == 0) is good, result.stderr
        assert result.stdout == f"{limits.DU_DEPTH}\t{levels}\n".encode()
        assert good or b"directory nesting too deep (256 levels at most)" in result.stderr


def test_few_directories_are_open(make_runner: Callable[..., Runner], tmp_path: Path) -> None:
    seen = []
    deep(tmp_path, 200)
    before = descriptors()
    result = make_runner().run("du --inodes", stdout=lambda data: seen.append(descriptors()))
    assert result.exit_code == 0 and max(seen) < before + 50


def test_hard_links_have_their_bound(run: Ours, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "ab":
        (tmp_path / name).touch()
        (tmp_path / (name + name)).hardlink_to(tmp_path / name)
    monkeypatch.setattr(limits, "DU_LINKS", 2)
    assert run("du").exit_code == 0
    monkeypatch.setattr(limits, "DU_LINKS", 1)
    result = run("du")
    assert (result.exit_code, result.stderr) == (1, b"du: too many hard links (1 files at most)\n")
