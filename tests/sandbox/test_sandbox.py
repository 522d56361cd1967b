"""The sandbox's rules, one by one."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rshell import limits
from rshell.policy import Root
from rshell.sandbox import Sandbox, TooManyEntries, absolute, reason

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="paths are not supported there")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a/d/e", "b/x", "out"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("a/f", "a/d/g", "a/d/e/h", "b/x/y", "out/z"):
        (tmp_path / name).write_text(name)
    links = {"a/file": "f", "a/dir": "d", "a/cross": "../b/x", "a/abs": f"{tmp_path}/b/x/y", "a/gone": "nothing"}
    for name, target in {**links, "a/loop": "loop", "a/evil": "../out/z", "a/far": "nowhere/at/all"}.items():
        (tmp_path / name).symlink_to(target)
    return tmp_path


@pytest.fixture
def sandbox(tree: Path) -> Iterator[Sandbox]:
    with Sandbox([Root(f"{tree}/a"), Root(f"{tree}/b")]) as opened:
        yield opened


def read(sandbox: Sandbox, path: str) -> str:
    """What a file holds, or why it cannot be read."""
    try:
        with sandbox.open(path) as file:
            return file.read(100).decode()
    except OSError as exc:
        return reason(exc)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/f", "a/f"),
        ("a//./d/../f", "a/f"),
        ("a/d/e/../../f", "a/f"),
        ("a/file", "a/f"),
        ("a/dir/g", "a/d/g"),
        ("a/dir/../f", "a/f"),
        ("a/cross/y", "b/x/y"),
        ("a/cross/../x/y", "b/x/y"),
        ("a/abs", "b/x/y"),
        ("a/../b/x/y", "b/x/y"),
        ("out/../a/f", "a/f"),
        ("a/none", "no such file or directory"),
        ("a/none/../f", "no such file or directory"),
        ("a/f/", "not a directory"),
        ("a/f/.", "not a directory"),
        ("a/f/../f", "not a directory"),
        ("a/file/", "not a directory"),
        ("a/d", "is a directory"),
        ("a/dir/", "is a directory"),
        ("a", "is a directory"),
        ("a/gone", "no such file or directory"),
        ("a/loop", "too many levels of symbolic links"),
        ("a/loop/x", "too many levels of symbolic links"),
        ("out/z", "permission denied"),
        ("out/none", "permission denied"),
        ("", "permission denied"),
        ("ab/f", "permission denied"),
    ],
)
def test_a_path_is_walked_as_the_kernel_walks_it(tree: Path, sandbox: Sandbox, path: str, expected: str) -> None:
    assert read(sandbox, f"{tree}/{path}") == expected
    with sandbox.session():
        for _ in range(2):
            assert read(sandbox, f"{tree}/{path}") == expected


@pytest.mark.parametrize(
    "path", ["a", "a/", "a/f", "a/file", "a/dir", "a/dir/", "a/d/..", "a/dir/.", "a/gone", "a/evil"]
)
def test_stat_is_the_kernel_s(tree: Path, sandbox: Sandbox, path: str) -> None:
    full = f"{tree}/{path}"
    assert sandbox.stat(full, follow=False) == os.lstat(full)
    if path not in ("a/gone", "a/evil"):
        assert sandbox.stat(full) == os.stat(full)


def test_readlink_says_what_the_link_says(tree: Path, sandbox: Sandbox) -> None:
    assert sandbox.readlink(f"{tree}/a/evil") == "../out/z"
    for path in ("a/f", "a/d", "a"):
        with pytest.raises(OSError) as caught:
            sandbox.readlink(f"{tree}/{path}")
        assert caught.value.errno == errno.EINVAL


@pytest.mark.parametrize("hops", [limits.SYMLINK_HOPS, limits.SYMLINK_HOPS + 1])
def test_ten_links_are_followed_and_no_more(tree: Path, sandbox: Sandbox, hops: int) -> None:
    (tree / "a/l0").symlink_to("f")
    for number in range(1, hops):
        (tree / f"a/l{number}").symlink_to(f"l{number - 1}")
    expected = "a/f" if hops == limits.SYMLINK_HOPS else "too many levels of symbolic links"
    assert read(sandbox, f"{tree}/a/l{hops - 1}") == expected


@pytest.mark.skipif(sys.platform != "linux", reason="compares with GNU readlink")
@pytest.mark.parametrize("missing", ["none", "last", "any"])
@pytest.mark.parametrize(
    "path",
    [
        *(
            "a",
            "a/",
            "a/f",
            "a/f/",
            "a/f/x",
            "a/file",
            "a/dir/g",
            "a/dir/../f",
            "a/cross",
            "a/gone",
            "a/gone/",
            "a/far",
        ),
        *(
            "a/none",
            "a/none/",
            "a/none/x",
            "a/none/../f",
            "a/none/../file",
            "a/none/x/../../dir/g",
            "a/none/../../b/x/y",
        ),
    ],
)
def test_resolve_agrees_with_readlink(tree: Path, sandbox: Sandbox, path: str, missing: str) -> None:
    option = {"none": "-e", "last": "-f", "any": "-m"}[missing]
    gnu = subprocess.run(["readlink", option, f"{tree}/{path}"], capture_output=True, text=True)
    try:
        ours = sandbox.resolve(f"{tree}/{path}", missing) + "\n"
    except OSError:
        ours = ""
    assert ours == gnu.stdout


def test_a_root_that_cannot_be_opened_is_a_warning(tree: Path) -> None:
    with Sandbox([Root(f"{tree}/none"), Root(f"{tree}/a/f"), Root(f"{tree}/a", True)]) as sandbox:
        assert sandbox.warnings == [
            f"AllowedPaths: skipping {tree}/none: no such file or directory",
            f"AllowedPaths: skipping {tree}/a/f: not a directory",
        ]
        assert [(root.path, root.writable) for root in sandbox.roots] == [(f"{tree}/a", True)]
        assert sandbox.mode_of(f"{tree}/a/new") is True


def test_the_whole_tree_can_be_a_root(tree: Path) -> None:
    with Sandbox([Root("/")]) as sandbox:
        assert read(sandbox, f"{tree}/a/evil") == "out/z"
        assert read(sandbox, f"/../..{tree}/a/f") == "a/f"
        assert sandbox.resolve("/") == "/" == sandbox.resolve("/..")
        with sandbox.directory("/") as top, top.directory("dev") as below:
            assert below.real == "/dev"


def test_a_root_is_known_by_its_own_and_its_real_name(tree: Path) -> None:
    with Sandbox([Root(f"{tree}/a/dir")]) as sandbox:
        assert read(sandbox, f"{tree}/a/dir/g") == read(sandbox, f"{tree}/a/d/g") == "a/d/g"
        assert sandbox.resolve(f"{tree}/a/dir/g") == f"{tree}/a/d/g"
        assert read(sandbox, f"{tree}/a/dir/../f") == "permission denied"


def test_a_root_keeps_its_directory_when_its_path_is_replaced(tree: Path, sandbox: Sandbox) -> None:
    (tree / "a").rename(tree / "moved")
    (tree / "a").symlink_to("out")
    assert read(sandbox, f"{tree}/a/f") == "a/f"
    assert read(sandbox, f"{tree}/a/z") == "no such file or directory"


def test_absolute_links_are_meant_from_the_host_prefix(tree: Path) -> None:
    host = tree / "host"
    (host / "log/pods").mkdir(parents=True)
    (host / "etc").mkdir()
    (host / "log/pods/p").write_text("p")
    (host / "etc/shadow").write_text("shadow")
    for name, target in {
        "plain": "/log/pods/p",
        "relative": "pods/p",
        "prefixed": f"{host}/log/pods/p",
        "above": "/../../log/pods/p",
        "escape": "/log/../etc/shadow",
        "host": f"{tree}/a/f",
    }.items():
        (host / "log" / name).symlink_to(target)
    (tree / "a/tolog").symlink_to("/log/pods/p")
    with Sandbox([Root(f"{host}/log"), Root(f"{tree}/a")], host_prefix=str(host)) as sandbox:
        for name in ("plain", "relative", "prefixed", "above"):
            assert read(sandbox, f"{host}/log/{name}") == "p"
        for path in (f"{host}/log/escape", f"{host}/log/host", f"{tree}/a/tolog"):
            assert read(sandbox, path) == "permission denied"


def test_a_listing_knows_names_and_kinds(tree: Path, sandbox: Sandbox) -> None:
    os.mkfifo(tree / "a/pipe")
    with open(os.fsencode(tree) + b"/a/\xff\n", "wb"):
        pass
    with sandbox.directory(f"{tree}/a") as opened:
        found = {entry.name: entry.kind for entry in opened.entries()}
        assert found["\udcff\n"] == found["f"] == "f"
        assert (found["d"], found["dir"], found["pipe"]) == ("d", "l", "p")
        assert len(found) == len(os.listdir(tree / "a"))
        for entry in opened.entries():
            path = os.fsencode(tree) + b"/a/" + entry.raw
            assert entry.stat() == os.lstat(path)
        assert (
            opened.identity == (opened.device, opened.inode) == (os.stat(tree / "a").st_dev, os.stat(tree / "a").st_ino)
        )
        with opened.open("\udcff\n") as file:
            assert file.read(1) == b""
        with opened.open("abs") as file:
            assert file.read(9) == b"b/x/y"
        assert opened.stat("file") == os.stat(tree / "a/file")
        assert opened.readlink("gone") == "nothing"
        assert opened.access("f", os.R_OK) and opened.access("f", os.W_OK) and not opened.access("gone", os.F_OK)
        with opened.directory("cross", follow=True) as other:
            assert (other.real, other.path) == (f"{tree}/b/x", f"{tree}/a/cross")


def test_two_listings_of_one_directory_do_not_disturb_each_other(tree: Path, sandbox: Sandbox) -> None:
    with sandbox.directory(f"{tree}/a") as opened:
        names = [entry.name for entry in opened.entries()]
        pairs = list(zip(opened.entries(), opened.entries(), strict=True))
        assert [(one.name, other.name) for one, other in pairs] == [(name, name) for name in names]


def test_a_listing_is_bounded(tree: Path, sandbox: Sandbox) -> None:
    with sandbox.directory(f"{tree}/a/d") as opened:
        assert len(list(opened.entries(2))) == 2
        with pytest.raises(TooManyEntries):
            list(opened.entries(1))


def test_a_file_reads_anywhere(tree: Path, sandbox: Sandbox) -> None:
    with sandbox.open(f"{tree}/a/d/g") as file:
        assert (file.size, file.is_regular, file.created) == (5, True, False)
        assert file.pread(2, 2) == b"d/" and file.read(3) == b"a/d" and file.read(9) == b"/g" and file.read(9) == b""
        assert file.seek(-1, os.SEEK_END) == 4 and file.read(9) == b"g"
    file.close()
    assert file.closed
    with pytest.raises(OSError):
        file.read(1)


def test_a_session_keeps_a_few_parents_and_lets_them_go(tree: Path, sandbox: Sandbox) -> None:
    for number in range(20):
        (tree / f"a/d{number}").mkdir()
        (tree / f"a/d{number}/f").write_text(str(number))
    before = len(os.listdir("/dev/fd"))
    with sandbox.session():
        for _ in range(2):
            for number in range(20):
                assert read(sandbox, f"{tree}/a/d{number}/f") == str(number)
        assert len(os.listdir("/dev/fd")) == before + limits.PARENTS_KEPT
        (tree / "a/d19").rename(tree / "a/old")
        with sandbox.session():
            assert read(sandbox, f"{tree}/a/d19/f") == "no such file or directory"
        assert read(sandbox, f"{tree}/a/d19/f") == "no such file or directory"
    assert len(os.listdir("/dev/fd")) == before


def test_a_closed_sandbox_reaches_nothing(tree: Path) -> None:
    sandbox = Sandbox([Root(f"{tree}/a")])
    sandbox.close()
    sandbox.close()
    assert read(sandbox, f"{tree}/a/f") == "permission denied"


def test_permissions_are_the_kernel_s(tree: Path) -> None:
    """Search permission is enough to go through a directory; as another user, since root may do all."""
    if os.geteuid() != 0:
        pytest.skip("needs to become another user")
    (tree / "a/d").chmod(0o711)
    (tree / "a/shut").mkdir(mode=0o700)
    (tree / "a/shut/f").write_text("f")
    (tree / "a/f").chmod(0o600)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with Sandbox([Root(f"{tree}/a", True)], writable=True) as sandbox:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
                assert read(sandbox, f"{tree}/a/d/g") == "a/d/g"
                with sandbox.directory(f"{tree}/a/d") as opened:
                    assert [opened.access("g", mode) for mode in (os.R_OK, os.W_OK)] == [True, False]
                    try:
                        list(opened.entries())
                        raise AssertionError("listed")
                    except PermissionError:
                        pass
                assert read(sandbox, f"{tree}/a/f") == read(sandbox, f"{tree}/a/shut/f") == "permission denied"
                assert not sandbox.access(f"{tree}/a/f", os.R_OK) and sandbox.access(f"{tree}/a/f", os.F_OK)
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


def test_reasons_are_in_lower_case() -> None:
    assert reason(FileNotFoundError(errno.ENOENT, "x")) == "no such file or directory"
    assert reason(OSError(errno.EPROTO, "x")) == os.strerror(errno.EPROTO).lower()
    assert reason(OSError("x")) == "input/output error"


def test_absolute_collapses_nothing() -> None:
    assert absolute("/a", "../b//.") == "/a/../b//."
    assert absolute("/", "b") == "/b"
    assert absolute("/a", "//b") == "//b"
