"""tee, rm, truncate and logrotate: what they change, say and record."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rshell import limits

if TYPE_CHECKING:
    from rshell import Result, Runner
    from tests.builtins.oracle import Ours

CALLS = (
    "rm f",
    "truncate -s 0 f",
    "logrotate -f f",
    "echo x | tee f",
    "echo x | tee -a /dev/null f",
    "rm",
    "truncate -x",
)


@pytest.fixture
def write(make_runner: Callable[..., Runner], tmp_path: Path) -> Callable[..., Result]:
    """Run a script in remediation mode; the test's directory may be written."""
    runner = make_runner(mode="remediation", allowed_paths=[f"{tmp_path}:rw"])

    def run(script: str, **given: Any) -> Result:
        result = runner.run(script, **given)
        assert b"internal error" not in (result.stderr or b""), result.stderr
        return result

    return run


def changes(result: Result, tmp_path: Path) -> list[tuple[str, str, int, str]]:
    """The changes, paths shown below the test's directory."""
    return [(c.action, c.path.removeprefix(f"{tmp_path}/"), c.size, c.command) for c in result.changes]


@pytest.mark.parametrize("call", CALLS)
def test_read_only_mode_changes_nothing(call: str, run: Ours, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"kept")
    result = run(call, allowed_paths=[f"{tmp_path}:rw"])
    name = call.removeprefix("echo x | ").split(" ")[0]
    assert (result.exit_code, result.stdout, result.stderr) == (1, b"", f"{name}: requires remediation mode\n".encode())
    assert (tmp_path / "f").read_bytes() == b"kept" and not result.changes


@pytest.mark.parametrize("call", ["tee", "tee /dev/null", "tee -a /dev/null /dev/null", "tee -i", "tee -p"])
def test_tee_without_files_works_in_both_modes(call: str, run: Ours, write: Callable[..., Result]) -> None:
    for result in (run(f"echo x | {call}"), write(f"echo x | {call}")):
        assert (result.stdout, result.exit_code, result.changes) == (b"x\n", 0, ())


def test_tee_writes_and_appends(write: Callable[..., Result], tmp_path: Path) -> None:
    result = write("echo one | tee a b; echo two | tee -a a; echo three | tee b > /dev/null")
    assert result.stdout == b"one\ntwo\n"
    assert (tmp_path / "a").read_bytes() == b"one\ntwo\n" and (tmp_path / "b").read_bytes() == b"three\n"
    assert changes(result, tmp_path) == [
        ("write", "b", 4, "tee"), ("write", "a", 4, "tee"), ("append", "a", 4, "tee"), ("write", "b", 6, "tee"),
    ]  # fmt: skip


def test_tee_reports_each_file_and_goes_on(write: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "l").symlink_to("target")
    result = write("echo x | tee d a nope/f '' l /etc/passwd b")
    assert (result.stdout, result.exit_code) == (b"x\n", 1)
    assert result.stderr == (
        b"tee: d: is a directory\n"
        b"tee: nope/f: no such file or directory\n"
        b"tee: '': no such file or directory\n"
        b"tee: l: symlinks are not supported as write targets\n"
        b"tee: /etc/passwd: permission denied\n"
    )
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == b"x\n"
    assert not (tmp_path / "target").exists()


def test_tee_writes_as_it_reads(
    write: Callable[..., Result], make_runner: Callable[..., Runner], tmp_path: Path
) -> None:
    """What it has read is in the file although its reader leaves long before the input ends."""
    roots = [f"{tmp_path}:rw", "/dev:ro"]
    result = make_runner(mode="remediation", allowed_paths=roots).run(
        "cat /dev/zero | tee f | head -c 10 | wc -c", timeout=10
    )
    assert (result.stdout, result.exit_code) == (b"10\n", 0) and (tmp_path / "f").stat().st_size < 1 << 20
    assert result.changes[0].size == (tmp_path / "f").stat().st_size
    result = write("(echo one; sleep 0.05; cat f; echo two) | tee f > /dev/null; cat f")
    assert result.stdout == b"one\none\ntwo\n"


def test_a_write_limit_ends_one_file_and_is_recorded(make_runner: Callable[..., Runner], tmp_path: Path) -> None:
    runner = make_runner(mode="remediation", allowed_paths=[f"{tmp_path}:rw"], max_write_bytes=5)
    result = runner.run("echo 12345678 | tee f")
    assert (result.stdout, result.stderr) == (b"12345678\n", b"tee: f: write limit exceeded\n")
    assert result.exit_code == 1 and (tmp_path / "f").read_bytes() == b"12345"
    assert changes(result, tmp_path) == [("write", "f", 5, "tee")]


def test_rm_removes_files_and_links_but_no_directories(write: Callable[..., Result], tmp_path: Path) -> None:
    for name in ("a", "b", "-x", "kept"):
        (tmp_path / name).write_bytes(b"123")
    (tmp_path / "d").mkdir()
    for link, target in (("l", "kept"), ("ld", "d"), ("dangling", "nowhere")):
        (tmp_path / link).symlink_to(target)
    result = write("rm -v a l ld dangling d nope '' a -- -x; echo $?; rm b d/")
    assert result.stdout == b"removed 'a'\nremoved 'l'\nremoved 'ld'\nremoved 'dangling'\nremoved '-x'\n1\n"
    assert result.stderr == (
        b"rm: cannot remove 'd': is a directory\n"
        b"rm: cannot remove 'nope': no such file or directory\n"
        b"rm: cannot remove '': no such file or directory\n"
        b"rm: cannot remove 'a': no such file or directory\n"
        b"rm: cannot remove 'd/': is a directory\n"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d", "kept"]
    assert changes(result, tmp_path) == [
        ("remove", "a", 3, "rm"), ("remove", "l", 0, "rm"), ("remove", "ld", 0, "rm"), ("remove", "dangling", 0, "rm"),
        ("remove", "-x", 3, "rm"), ("remove", "b", 3, "rm"),
    ]  # fmt: skip


def test_rm_takes_ten_files_a_call(write: Callable[..., Result], tmp_path: Path) -> None:
    names = [f"f{number:02}" for number in range(limits.RM_CALL + 1)]
    for name in names:
        (tmp_path / name).touch()
    result = write(f"rm {' '.join(names)}")
    assert (
        result.stderr == b"rm: too many files: 11, at most 10 a call; nothing was removed\n" and result.exit_code == 1
    )
    assert len(list(tmp_path.iterdir())) == limits.RM_CALL + 1 and not result.changes
    assert write(f"rm {' '.join(names[1:])}").exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == names[:1]


@pytest.mark.parametrize(
    "option", ["-r", "-R", "-f", "-rf", "-i", "-I", "-d", "--recursive", "--force", "--interactive=never"]
)
def test_rm_refuses_options_by_name(option: str, write: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    result = write(f"rm {option} f")
    assert result.exit_code == 1 and b"is not supported: " in result.stderr and (tmp_path / "f").exists()


def test_truncate_sets_a_size(write: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"123456789")
    result = write("truncate -s 4 f; truncate -s 1K new; truncate -cs 5 missing; echo $?; truncate --size=2kB f")
    assert (result.stdout, result.stderr) == (b"0\n", b"") and not (tmp_path / "missing").exists()
    assert (tmp_path / "f").read_bytes() == b"1234" + bytes(1996) and (tmp_path / "new").stat().st_size == 1024
    assert changes(result, tmp_path) == [
        ("truncate", "f", 5, "truncate"), ("truncate", "new", 0, "truncate"), ("truncate", "f", 0, "truncate")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("-s +1 f", "relative size '+1' is not supported: give the size itself"),
        ("-s -1 f", "relative size '-1' is not supported: give the size itself"),
        ("-s '<1' f", "relative size '<1' is not supported: give the size itself"),
        ("-s %8 f", "relative size '%8' is not supported: give the size itself"),
        ("-s x f", "Invalid number: 'x'"),
        ("-s '' f", "Invalid number: ''"),
        ("-s 1b f", "Invalid number: '1b'"),
        ("-s 1_0 f", "Invalid number: '1_0'"),
        (
            "-s 99999999999999999999999 f",
            "Invalid number: '99999999999999999999999': value too large for defined data type",
        ),
        ("-s 1025G f", "size '1025G' is too large (1099511627776 bytes at most)"),
        ("-s 1 d", "cannot open 'd' for writing: is a directory"),
        ("-s 1 d/x/y", "cannot open 'd/x/y' for writing: no such file or directory"),
        ("-s 1 ''", "cannot open '' for writing: no such file or directory"),
    ],
)
def test_truncate_says_what_is_wrong(
    arguments: str, message: str, write: Callable[..., Result], tmp_path: Path
) -> None:
    (tmp_path / "f").write_bytes(b"123")
    (tmp_path / "d").mkdir()
    result = write(f"truncate {arguments}")
    assert (result.exit_code, result.stderr, result.changes) == (1, f"truncate: {message}\n".encode(), ())
    assert (tmp_path / "f").read_bytes() == b"123"


def test_truncate_reaches_its_bound(write: Callable[..., Result], tmp_path: Path) -> None:
    result = write("truncate -s 1T f")
    assert result.exit_code == 0 or (b"file too large" in result.stderr and not (tmp_path / "f").exists())


def test_logrotate_empties_logs(write: Callable[..., Result], tmp_path: Path) -> None:
    for name, size in (("small", 3), ("big", 2000), ("exact", 1024), ("empty", 0)):
        (tmp_path / name).write_bytes(b"x" * size)
    result = write("logrotate -n -s 1K small big exact empty")
    assert result.stdout == (
        b"kept 'small': 3 bytes\nwould truncate 'big': 2000 bytes\nwould truncate 'exact': 1024 bytes\nkept 'empty': 0 bytes\n"
    )
    assert not result.changes and (tmp_path / "big").stat().st_size == 2000
    result = write("logrotate -s 1K small big exact; logrotate -vf small empty")
    assert (result.stdout, result.stderr) == (b"truncated 'small': 3 bytes\nkept 'empty': 0 bytes\n", b"")
    assert [path.stat().st_size for path in tmp_path.iterdir()] == [0, 0, 0, 0]
    assert changes(result, tmp_path) == [
        ("truncate", "big", 2000, "logrotate"), ("truncate", "exact", 1024, "logrotate"), ("truncate", "small", 3, "logrotate")
    ]  # fmt: skip


def test_logrotate_says_what_is_wrong(write: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"123")
    (tmp_path / "d").mkdir()
    result = write("logrotate -f missing d; logrotate f; logrotate -f -s 1 f; logrotate -s x f; logrotate -f")
    hint = b"Try 'logrotate --help' for more information.\n"
    assert result.stderr == (
        b"logrotate: cannot truncate 'missing': no such file or directory\n"
        b"logrotate: cannot truncate 'd': is a directory\n"
        b"logrotate: exactly one of '--size' and '--force' is needed\n" + hint
        + b"logrotate: exactly one of '--size' and '--force' is needed\n" + hint
        + b"logrotate: invalid size 'x'\n"
        + b"logrotate: missing file operand\n" + hint
    )  # fmt: skip
    assert (tmp_path / "f").read_bytes() == b"123" and not (tmp_path / "missing").exists() and not result.changes


def test_logrotate_says_what_it_is_not(write: Callable[..., Result]) -> None:
    assert b"This is not logrotate(8)" in write("logrotate --help").stdout


def test_the_application_hears_of_each_change(tmp_path: Path) -> None:
    from rshell import Policy, Runner

    heard: list[tuple[str, str, int, str]] = []
    (tmp_path / "f").write_bytes(b"123")
    policy = Policy(allowed_commands=["rshell:*"], allowed_paths=[f"{tmp_path}:rw"], mode="remediation")
    with Runner(policy, cwd=str(tmp_path), on_write=lambda *change: heard.append(change)) as runner:
        result = runner.run("truncate -s 1 f; echo a | tee g; rm g f")
    assert [(c.action, c.path, c.size, c.command) for c in result.changes] == heard
    assert [change[0] for change in heard] == ["truncate", "write", "remove", "remove"]
