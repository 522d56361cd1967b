"""Attacks on writing: nothing is changed outside the ``:rw`` roots, by any name and at any moment."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rshell.policy import Root
from rshell.sandbox import HardLinkRefused, LinkRefused, NotRegular, Sandbox, WriteLimit, reason
from tests.security.race import TRIES, attacker, descriptors, regular, replacing

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc/self/fd")

CANARY = b"CANARY"
DONE = "done"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """``rw`` with a ``:ro`` root in it, ``ro`` with a ``:rw`` root in it, and ``out`` with the canary."""
    for name in ("rw/d", "rw/keep/d", "ro/d", "ro/open/d", "out/d"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "f").write_bytes(CANARY)
    for name in ("rw/f", "out/f"):
        (tmp_path / name).write_bytes(CANARY)
    return tmp_path


@pytest.fixture
def sandbox(tree: Path) -> Iterator[Sandbox]:
    """A sandbox that may write, over the tree; it must leave no descriptor behind."""
    before = descriptors()
    roots = [Root(f"{tree}/rw", True), Root(f"{tree}/rw/keep"), Root(f"{tree}/ro"), Root(f"{tree}/ro/open", True)]
    with Sandbox(roots, writable=True) as opened:
        yield opened
    assert descriptors() == before


def write(sandbox: Sandbox, path: str, data: bytes = b"written", *, append: bool = False) -> str:
    """Write to a path as a redirection does: ``done``, or why not."""
    try:
        with sandbox.open_write(path, append=append, truncate=not append) as file:
            file.write(data)
    except OSError as exc:
        return reason(exc)
    return DONE


def test_nothing_is_written_without_the_right_to(tree: Path) -> None:
    with Sandbox([Root(f"{tree}/rw", True)]) as sandbox:
        for path in ("rw/f", "rw/new", "out/f"):
            assert write(sandbox, f"{tree}/{path}") == "permission denied"
            with pytest.raises(PermissionError):
                sandbox.unlink(f"{tree}/{path}")
            assert not sandbox.access(f"{tree}/out/f", os.W_OK)
        with sandbox.directory(f"{tree}/rw") as opened, pytest.raises(PermissionError):
            opened.unlink("f")
        with sandbox.open(f"{tree}/rw/f") as file:
            for act in (lambda: file.write(b"x"), lambda: file.truncate(0)):
                with pytest.raises(OSError):
                    act()
    assert (tree / "rw/f").read_bytes() == CANARY and not (tree / "rw/new").exists()


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("rw/f", True),
        ("rw/new", True),
        ("rw/d/f", True),
        ("rw/d/../f", True),
        ("rw/keep/f", False),
        ("rw/keep/d/f", False),
        ("rw/d/../keep/d/f", False),
        ("rw/keep/d/../../f", True),
        ("ro/d/f", False),
        ("ro/new", False),
        ("ro/open/d/f", True),
        ("ro/open/new", True),
        ("ro/d/../open/d/f", True),
        ("ro/open/../d/f", False),
        ("rw/../ro/d/f", False),
        ("rw/../out/f", False),
        ("out/f", False),
        ("out/../rw/f", True),
    ],
)
def test_the_most_specific_root_decides_at_every_depth(tree: Path, sandbox: Sandbox, path: str, allowed: bool) -> None:
    full = f"{tree}/{path}"
    existed = os.path.exists(full)
    assert write(sandbox, full) == (DONE if allowed else "permission denied")
    assert os.path.exists(full) == (existed or allowed)
    if os.path.exists(full):
        assert Path(full).read_bytes() == (b"written" if allowed else CANARY)
    if not allowed and existed:
        with pytest.raises(PermissionError):
            sandbox.unlink(full)
    elif allowed:
        sandbox.unlink(full)
    assert os.path.exists(full) == (existed and not allowed)


def test_a_directory_handle_keeps_the_mode_of_its_root(tree: Path, sandbox: Sandbox) -> None:
    with sandbox.directory(f"{tree}/rw") as top:
        with top.directory("keep") as keep, keep.directory("d") as below:
            for handle, name in ((below, "f"), (top, "keep"), (top, "d")):
                with pytest.raises(OSError):
                    handle.unlink(name)
        with top.directory("d") as below:
            below.unlink("f")
        top.unlink("f")
    with sandbox.directory(f"{tree}/ro") as top, top.directory("open") as opened, opened.directory("d") as below:
        below.unlink("f")
        with top.directory("d") as closed, pytest.raises(PermissionError):
            closed.unlink("f")
    assert (tree / "rw/keep/d/f").read_bytes() == CANARY


def test_a_root_met_under_another_name_keeps_its_mode(tree: Path) -> None:
    """The ``:ro`` root was renamed after it was opened: by device and inode it still is that root."""
    with Sandbox([Root(f"{tree}/rw", True), Root(f"{tree}/rw/keep")], writable=True) as sandbox:
        os.rename(tree / "rw/keep", tree / "rw/moved")
        assert write(sandbox, f"{tree}/rw/moved/d/f") == "permission denied"
        assert not sandbox.mode_of(f"{tree}/rw/moved/d/new")
        with sandbox.directory(f"{tree}/rw") as top, top.directory("moved") as moved, pytest.raises(PermissionError):
            moved.directory("d").unlink("f")
    assert (tree / "rw/moved/d/f").read_bytes() == CANARY


def test_links_are_refused_everywhere_in_the_path(tree: Path, sandbox: Sandbox) -> None:
    (tree / "rw/l").symlink_to("f")
    (tree / "rw/dl").symlink_to("d")
    (tree / "rw/evil").symlink_to(f"{tree}/out/f")
    (tree / "rw/dangling").symlink_to(f"{tree}/out/new")
    for path in ("l", "dl/f", "dl/new", "evil", "dangling", "dl/../f", "dl/"):
        with pytest.raises(LinkRefused):
            sandbox.open_write(f"{tree}/rw/{path}", truncate=True)
    with pytest.raises(LinkRefused):
        sandbox.unlink(f"{tree}/rw/dl/f")
    # A link that is removed loses only itself.
    sandbox.unlink(f"{tree}/rw/evil")
    assert (tree / "out/f").read_bytes() == CANARY and not (tree / "out/new").exists()
    assert not (tree / "rw/evil").is_symlink()


def test_hard_links_are_refused_and_left_as_they_are(tree: Path, sandbox: Sandbox) -> None:
    os.link(tree / "out/f", tree / "rw/hard")
    for append in (False, True):
        with pytest.raises(HardLinkRefused):
            sandbox.open_write(f"{tree}/rw/hard", append=append, truncate=not append)
    assert (tree / "out/f").read_bytes() == CANARY


def test_only_regular_files_are_written(tree: Path, sandbox: Sandbox) -> None:
    os.mkfifo(tree / "rw/fifo")
    with pytest.raises(NotRegular):
        sandbox.open_write(f"{tree}/rw/fifo", truncate=True)
    with pytest.raises(NotRegular):
        sandbox.unlink(f"{tree}/rw/fifo")
    for path in ("rw", "rw/d", "rw/d/", "rw/.", "rw/d/.."):
        for act in (sandbox.open_write, sandbox.unlink):
            with pytest.raises(IsADirectoryError):
                act(f"{tree}/{path}")
    for path, why in (
        ("rw/f/", "not a directory"),
        ("rw/x/y", "no such file or directory"),
        ("rw/f/x", "not a directory"),
    ):
        assert write(sandbox, f"{tree}/{path}") == why


def test_a_new_file_follows_the_umask_and_says_that_it_is_new(tree: Path, sandbox: Sandbox) -> None:
    before = os.umask(0o027)
    try:
        with sandbox.open_write(f"{tree}/rw/new", truncate=True) as file:
            assert file.created
        with sandbox.open_write(f"{tree}/rw/new", truncate=True) as file:
            assert not file.created
    finally:
        os.umask(before)
    assert (tree / "rw/new").stat().st_mode & 0o777 == 0o640
    with pytest.raises(FileNotFoundError):
        sandbox.open_write(f"{tree}/rw/newer", create=False)


def test_writing_appends_or_replaces(tree: Path, sandbox: Sandbox) -> None:
    path = f"{tree}/rw/f"
    assert write(sandbox, path, b"a") == write(sandbox, path, b"b", append=True) == DONE
    assert Path(path).read_bytes() == b"ab"
    with sandbox.open_write(path) as file:
        file.truncate(1)
        assert file.size == 1
    assert Path(path).read_bytes() == b"a"


def test_a_run_writes_no_more_than_its_budget(tree: Path) -> None:
    with Sandbox([Root(f"{tree}/rw", True)], writable=True, max_write_bytes=10) as sandbox:
        assert write(sandbox, f"{tree}/rw/a", b"123456") == DONE
        with sandbox.open_write(f"{tree}/rw/b", truncate=True) as file:
            assert file.write(b"1234") == 4
            assert file.write(b"") == 0
            with pytest.raises(WriteLimit):
                file.write(b"5")
        sandbox.begin_run()
        with sandbox.open_write(f"{tree}/rw/c", truncate=True) as file, pytest.raises(WriteLimit):
            file.write(b"x" * 11)
    assert (tree / "rw/b").read_bytes() == b"1234"
    assert (tree / "rw/c").read_bytes() == b"x" * 10


def hammer(tree: Path, attempt: Callable[[], str], tries: int = TRIES) -> None:
    """Write while the tree changes: the canary must stay as it is."""
    seen = {attempt() for _ in range(tries)}
    assert (tree / "out/f").read_bytes() == CANARY
    assert (tree / "out/d/f").read_bytes() == CANARY
    assert not (tree / "out/new").exists() and not (tree / "out/d/new").exists()
    assert DONE in seen, seen


def test_a_link_swapped_in_before_the_open(tree: Path, sandbox: Sandbox) -> None:
    path = f"{tree}/rw/f"
    link = replacing(path, lambda spare: os.symlink("../out/f", spare))
    with attacker(link, replacing(path, regular(b""))):
        hammer(tree, lambda: write(sandbox, path))


def test_a_link_to_a_missing_file_swapped_in_before_the_open(tree: Path, sandbox: Sandbox) -> None:
    path = f"{tree}/rw/f"
    with attacker(replacing(path, lambda spare: os.symlink("../out/new", spare)), lambda: os.unlink(path)):
        hammer(tree, lambda: write(sandbox, path))


def test_a_hard_link_that_comes_and_goes(tree: Path, sandbox: Sandbox) -> None:
    """Unlinked between the open and the look, the canary would have one name again: elsewhere."""
    path = f"{tree}/rw/f"
    hard = replacing(path, lambda spare: os.link(tree / "out/f", spare))
    with attacker(hard, lambda: os.unlink(path), replacing(path, regular(b""))):
        hammer(tree, lambda: write(sandbox, path))


def test_a_hard_link_that_is_there_only_while_it_is_opened(
    tree: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same, at the one moment that the race seldom finds."""
    path = f"{tree}/rw/f"
    swap = replacing(path, lambda spare: os.link(tree / "out/f", spare))
    restore = replacing(path, regular(b""))
    real_open = os.open

    def open_between(name: bytes, flags: int, *rest: int, **given: int) -> int:
        if name != b"f":
            return real_open(name, flags, *rest, **given)
        monkeypatch.setattr(os, "open", real_open)
        swap()
        fd = real_open(name, flags, *rest, **given)
        restore()
        assert os.fstat(fd).st_nlink == 1
        return fd

    monkeypatch.setattr(os, "open", open_between)
    assert write(sandbox, path) == DONE
    assert (tree / "out/f").read_bytes() == CANARY
    assert Path(path).read_bytes() == b"written"


def test_a_directory_replaced_by_a_link_before_the_write(tree: Path, sandbox: Sandbox) -> None:
    path, aside, link = f"{tree}/rw/d", f"{tree}/rw/aside", f"{tree}/rw/link"
    os.symlink("../out/d", link)

    def into_link() -> None:
        os.rename(path, aside)
        os.rename(link, path)

    def back() -> None:
        os.rename(path, link)
        os.rename(aside, path)

    with attacker(into_link, back):
        hammer(tree, lambda: write(sandbox, f"{path}/f"), TRIES // 2)
        hammer(tree, lambda: write(sandbox, f"{path}/new"), TRIES // 2)


def test_a_fifo_swapped_in_never_blocks(tree: Path, sandbox: Sandbox) -> None:
    path = f"{tree}/rw/f"
    with attacker(replacing(path, os.mkfifo), replacing(path, regular(b""))):
        hammer(tree, lambda: write(sandbox, path))


def test_a_read_only_root_renamed_during_the_walk(tree: Path, sandbox: Sandbox) -> None:
    keep, moved = f"{tree}/rw/keep", f"{tree}/rw/moved"

    def attempt() -> str:
        write(sandbox, f"{keep}/d/f")
        write(sandbox, f"{moved}/d/f")
        return write(sandbox, f"{tree}/rw/f")

    with attacker(lambda: os.rename(keep, moved), lambda: os.rename(moved, keep)):
        hammer(tree, attempt, TRIES // 2)
    assert (tree / "rw/keep/d/f").read_bytes() == CANARY


def test_removal_stays_in_the_directory_that_was_walked_to(tree: Path, sandbox: Sandbox) -> None:
    path, aside = f"{tree}/rw/d", f"{tree}/rw/aside"

    def turn() -> None:
        os.rename(path, aside)
        os.symlink("../out/d", path)
        os.unlink(path)
        os.rename(aside, path)

    def attempt() -> str:
        try:
            sandbox.unlink(f"{path}/f")
        except OSError:
            pass
        return write(sandbox, f"{tree}/rw/f")

    with attacker(turn):
        hammer(tree, attempt, TRIES // 2)
