"""Attacks on reading: nothing outside the roots is read, nothing is opened that acts on being opened."""

from __future__ import annotations

import os
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rshell.policy import Root
from rshell.sandbox import NotRegular, Sandbox, reason
from tests.security.race import TRIES, attacker, descriptors, regular, replacing

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc/self/fd")

CANARY = b"CANARY"
INSIDE = b"inside"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A root ``in`` beside a directory ``out`` that holds the canary under the same names."""
    for top, data in (("in", INSIDE), ("out", CANARY)):
        (tmp_path / top / "d").mkdir(parents=True)
        (tmp_path / top / "f").write_bytes(data)
        (tmp_path / top / "d" / "f").write_bytes(data)
    (tmp_path / "out" / "secret").write_bytes(CANARY)
    return tmp_path


@pytest.fixture
def sandbox(tree: Path) -> Iterator[Sandbox]:
    """The sandbox over ``in``, which must leave no descriptor behind."""
    before = descriptors()
    with Sandbox([Root(str(tree / "in"))]) as opened:
        yield opened
    assert descriptors() == before


def read(sandbox: Sandbox, path: str) -> bytes | str:
    """What a path holds, or why it cannot be read."""
    try:
        with sandbox.open(path) as file:
            return file.read(100)
    except OSError as exc:
        return reason(exc)


def hammer(sandbox: Sandbox, attempt: Callable[[], bytes | str], tries: int = TRIES) -> None:
    """Try to read the canary while the tree changes."""
    seen = {attempt() for _ in range(tries)}
    assert CANARY not in seen
    assert INSIDE in seen, seen


@pytest.mark.parametrize(
    "path",
    [
        "../out/secret",
        "d/../../out/secret",
        "./../out/secret",
        "d/./.././../out/secret",
        "//..//out/secret",
        "../in/../out/secret",
        "../../../../../../../../../etc/passwd",
        "..",
        "../out",
        "d/../..",
        "../in2/f",
    ],
)
def test_dot_dot_does_not_leave_a_root(tree: Path, sandbox: Sandbox, path: str) -> None:
    for look in (sandbox.open, sandbox.stat, sandbox.directory, sandbox.resolve, sandbox.readlink):
        with pytest.raises(PermissionError):
            look(f"{tree}/in/{path}")
    assert not sandbox.access(f"{tree}/in/{path}", os.F_OK)


@pytest.mark.parametrize("target", ["../out/secret", "{}/out/secret", "d/../../out/secret", "l2", "../out/d/../secret"])
def test_a_link_does_not_leave_a_root(tree: Path, sandbox: Sandbox, target: str) -> None:
    (tree / "in" / "l2").symlink_to("../out/secret")
    (tree / "in" / "l").symlink_to(target.format(tree))
    (tree / "in" / "dl").symlink_to(f"{tree}/out")
    for path in ("in/l", "in/dl/secret", "in/dl/../out/secret", "in/dl/"):
        for look in (sandbox.open, sandbox.stat, sandbox.directory, sandbox.resolve):
            with pytest.raises(PermissionError):
                look(f"{tree}/{path}")
        assert not sandbox.access(f"{tree}/{path}", os.F_OK)
    with sandbox.directory(f"{tree}/in") as opened:
        for look in (opened.open, opened.stat):
            with pytest.raises(PermissionError):
                look("l")
        with pytest.raises(NotADirectoryError):
            opened.directory("dl")
        with pytest.raises(PermissionError):
            opened.directory("dl", follow=True)


@pytest.mark.parametrize("name", ["..", "../out", "d/../../out", "", "/etc", "d/f", "\0"])
def test_a_directory_handle_takes_names_only(tree: Path, sandbox: Sandbox, name: str) -> None:
    with sandbox.directory(f"{tree}/in") as opened:
        for look in (opened.open, opened.stat, opened.directory, opened.readlink):
            with pytest.raises(OSError):
                look(name)
        assert not opened.access(name, os.F_OK)


def test_an_old_directory_handle_asks_nobody_else(tree: Path, sandbox: Sandbox) -> None:
    opened = sandbox.directory(f"{tree}/in")
    entry = next(iter(opened.entries()))
    opened.close()
    with open(tree / "out" / "f", "rb"):
        for look in (entry.stat, lambda: opened.open("f"), lambda: next(iter(opened.entries()))):
            with pytest.raises(OSError):
                look()


def test_proc_links_lead_nowhere_else(tree: Path) -> None:
    fd = os.open(tree / "out" / "secret", os.O_RDONLY)
    try:
        with Sandbox([Root("/proc"), Root(str(tree / "in"))]) as sandbox:
            for path in (f"/proc/self/fd/{fd}", f"/proc/self/root{tree}/out/secret", f"/proc/{os.getpid()}/fd/{fd}"):
                with pytest.raises(PermissionError):
                    sandbox.open(path)
            for path in ("/proc/self/root", "/proc/self/cwd/", f"/proc/self/root/proc/../{tree}/out"):
                with pytest.raises(PermissionError):
                    sandbox.directory(path)
            # What a link there says is walked as text, so what is allowed can be reached by it.
            assert read(sandbox, f"/proc/self/root{tree}/in/f") == INSIDE
    finally:
        os.close(fd)


def test_a_pipe_in_proc_is_not_opened() -> None:
    receiver, sender = os.pipe()
    try:
        with Sandbox([Root("/")]) as sandbox, pytest.raises(OSError):
            sandbox.open(f"/proc/self/fd/{receiver}")
    finally:
        os.close(receiver)
        os.close(sender)


def test_fifos_sockets_and_devices_are_not_opened(
    tree: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tree / "in" / "fifo")
    monkeypatch.chdir(tree / "in")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
    names = ["fifo", "socket"]
    try:
        os.mknod(tree / "in" / "memory", stat.S_IFCHR | 0o600, os.makedev(1, 1))
        os.mknod(tree / "in" / "loop", stat.S_IFBLK | 0o600, os.makedev(7, 0))
        names += ["memory", "loop"]
    except PermissionError:
        pass
    for name in names:
        with pytest.raises(NotRegular):
            sandbox.open(f"{tree}/in/{name}")
        with sandbox.directory(f"{tree}/in") as opened, pytest.raises(NotRegular):
            opened.open(name)


def test_the_five_devices_can_be_read() -> None:
    with Sandbox([Root("/dev")]) as sandbox:
        for name, data in (("null", b""), ("zero", b"\0" * 4), ("full", b"\0" * 4)):
            assert read(sandbox, f"/dev/{name}")[:4] == data
        with sandbox.open("/dev/urandom") as file:
            assert len(file.read(4)) == 4 and not file.is_regular and file.size == 0
        if os.path.exists("/dev/tty"):
            with pytest.raises(NotRegular):
                sandbox.open("/dev/tty")


def test_long_paths_and_names_are_errors(tree: Path, sandbox: Sandbox) -> None:
    base = f"{tree}/in/"
    fits = base + "./" * ((4095 - len(base) - 1) // 2) + "f"
    assert read(sandbox, fits) == INSIDE
    assert read(sandbox, base + "./" * 2100 + "f") == "file name too long"
    assert read(sandbox, base + "x" * 256) == "file name too long"
    assert read(sandbox, base + "x" * 255) == "no such file or directory"
    assert read(sandbox, base + "x" * 256 + "/f") == "file name too long"
    assert read(sandbox, base + "é" * 128) == "file name too long"
    assert read(sandbox, base + "f\0") == "invalid argument"


def test_a_link_swapped_between_look_and_open(tree: Path, sandbox: Sandbox) -> None:
    path = f"{tree}/in/f"
    link = replacing(path, lambda spare: os.symlink("../out/secret", spare))
    with attacker(link, replacing(path, regular(INSIDE))):
        hammer(sandbox, lambda: read(sandbox, path))


def test_a_directory_replaced_by_a_link_in_the_walk(tree: Path, sandbox: Sandbox) -> None:
    path, aside, link = f"{tree}/in/d", f"{tree}/in/aside", f"{tree}/in/link"
    os.symlink("../out/d", link)

    def into_link() -> None:
        os.rename(path, aside)
        os.rename(link, path)

    def back() -> None:
        os.rename(path, link)
        os.rename(aside, path)

    with attacker(into_link, back):
        hammer(sandbox, lambda: read(sandbox, f"{path}/f"))


def test_a_directory_moved_out_while_dot_dot_follows(tree: Path, sandbox: Sandbox) -> None:
    path, outside = f"{tree}/in/d", f"{tree}/out/moved"
    with attacker(lambda: os.rename(path, outside), lambda: os.rename(outside, path)):
        hammer(sandbox, lambda: read(sandbox, f"{path}/../f"))


def test_a_link_swapped_under_a_directory_handle(tree: Path, sandbox: Sandbox) -> None:
    path = f"{tree}/in/d"

    def attempt() -> bytes | str:
        try:
            with sandbox.directory(f"{tree}/in") as top, top.directory("d") as below:
                for entry in below.entries():
                    with below.open(entry.name) as file:
                        return file.read(100)
        except OSError as exc:
            return reason(exc)
        return b""

    def turn() -> None:
        os.rename(path, f"{tree}/in/aside")
        os.symlink("../out/d", path)
        os.unlink(path)
        os.rename(f"{tree}/in/aside", path)

    with attacker(turn):
        hammer(sandbox, attempt, TRIES // 2)


def test_a_fifo_swapped_in_never_blocks(tree: Path, sandbox: Sandbox) -> None:
    path = f"{tree}/in/f"
    with attacker(replacing(path, os.mkfifo), replacing(path, regular(INSIDE))):
        hammer(sandbox, lambda: read(sandbox, path))


def test_descriptors_stay_flat_over_failures(tree: Path, sandbox: Sandbox) -> None:
    (tree / "in" / "l").symlink_to("../out")
    (tree / "in" / "loop").symlink_to("loop")
    before = descriptors()
    names = ["", "f", "d", "d/f", "d/x", "l", "l/f", "loop", "loop/x", "f/x", "d/../f", "../out", "x" * 256, "d/\0"]
    for _ in range(50):
        for name in names:
            path = f"{tree}/in/{name}"
            for look in (sandbox.stat, sandbox.resolve, sandbox.readlink, sandbox.mode_of):
                try:
                    look(path)
                except OSError:
                    pass
            read(sandbox, path)
            sandbox.access(path, os.W_OK)
            try:
                opened = sandbox.directory(path)
            except OSError:
                continue
            listing = opened.entries()
            next(listing, None)
            del listing, opened
    assert descriptors() == before
