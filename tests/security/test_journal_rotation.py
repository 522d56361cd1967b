"""Attacks on rotation: the socket that was looked at is the one that is called, and it cannot hold us up."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rshell import Policy, Runner, SystemdTarget, limits
from rshell.journal import JournalError, rotate
from tests.journal.varlink_server import dripping, endless, say, serving, silent
from tests.security.race import descriptors

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc/self/fd")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "machine-id").write_text("ab" * 16 + "\n")
    return tmp_path / "socket"


@pytest.fixture
def runner(path: Path) -> Iterator[Runner]:
    policy = Policy(
        allowed_commands=["rshell:journalctl"], mode="remediation", allowed_services=["systemd-journald.service:clean"],
        systemd_target=SystemdTarget([], str(path.parent / "machine-id"), str(path)),
    )  # fmt: skip
    with Runner(policy, cwd="/", warnings=None) as runner:
        yield runner


def wait(descriptor: int, seconds: float) -> bool:
    import select

    return bool(select.select([descriptor], [], [], seconds)[0])


def test_a_swapped_path_does_not_redirect_the_call(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Right after the socket is pinned, its path is given to another server."""
    with serving(path) as right, serving(path.with_name("other")) as wrong:
        pin = rotate._pin

        def pinned_and_swapped(name: str) -> int:
            held = pin(name)
            os.rename(path.with_name("other"), path)
            return held

        monkeypatch.setattr(rotate, "_pin", pinned_and_swapped)
        rotate.rotate(str(path), wait)
    assert (len(right.calls), len(wrong.calls)) == (1, 0)


def test_a_link_is_refused(path: Path) -> None:
    with serving(path.with_name("other")) as server:
        os.symlink(path.with_name("other"), path)
        with pytest.raises(JournalError, match="not a socket"):
            rotate.rotate(str(path), wait)
    assert server.calls == []


@pytest.mark.parametrize("reached", ["nothing", "another"])
def test_without_procfs_nothing_is_called(path: Path, reached: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.stat

    def stat(name: object, **options: object) -> os.stat_result:
        if str(name).startswith("/proc/self/fd/"):
            if reached == "nothing":
                raise FileNotFoundError(2, "no such file or directory")
            return real(path.parent)
        return real(name, **options)  # type: ignore[call-overload, no-any-return]

    with serving(path) as server:
        monkeypatch.setattr(rotate.os, "stat", stat)
        with pytest.raises(JournalError, match="needs procfs"):
            rotate.rotate(str(path), wait)
        monkeypatch.undo()
    assert server.calls == []


def test_an_answer_is_bounded(path: Path, runner: Runner) -> None:
    before = descriptors()
    with serving(path, endless):
        result = runner.run("journalctl --rotate")
    assert result.exit_code == 1
    assert result.stderr.endswith(b"answer too long (65536 bytes at most)\n")
    assert descriptors() == before


@pytest.mark.parametrize(("size", "status"), [(limits.JOURNAL_REPLY, 0), (limits.JOURNAL_REPLY + 1, 1)])
def test_the_bound_of_an_answer(path: Path, runner: Runner, size: int, status: int) -> None:
    with serving(path, say(b"{}".ljust(size) + b"\0")):
        assert runner.run("journalctl --rotate").exit_code == status


@pytest.mark.parametrize("answer", [silent, dripping])
def test_the_deadline_holds(path: Path, runner: Runner, answer: object) -> None:
    with serving(path, answer):  # type: ignore[arg-type]
        began = time.monotonic()
        result = runner.run("journalctl --rotate; echo later", timeout=0.3)
        assert time.monotonic() - began < 2
    assert result.timed_out and result.stdout == b""


def test_without_a_deadline_it_still_ends(path: Path, runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "JOURNAL_ROTATION", 0.3)
    for answer in (silent, dripping):
        with serving(path, answer):
            result = runner.run("journalctl --rotate")
        assert result.exit_code == 1 and b"no answer in" in result.stderr
        path.unlink()


def test_nothing_is_called_without_mode_or_grant(path: Path) -> None:
    target = SystemdTarget([], str(path.parent / "machine-id"), str(path))
    with serving(path) as server:
        for mode, grants in (
            ("read-only", ["systemd-journald.service:*"]),
            ("remediation", ["systemd-journald.service:read"]),
        ):
            policy = Policy(allowed_commands=["rshell:*"], mode=mode, allowed_services=grants, systemd_target=target)
            with Runner(policy, cwd="/", warnings=None) as runner:
                assert runner.run("journalctl --rotate").exit_code == 1
    assert server.calls == []


def test_nothing_is_imported_while_a_script_runs_that_may_write(tmp_path: Path) -> None:
    """A module that the script wrote could be what is imported."""
    script = f"""
import sys
from rshell import Policy, Runner, SystemdTarget
from tests.journal.target_tree import Tree, archived
from pathlib import Path
tree = Tree(Path({str(tmp_path / "host")!r}))
tree.add("system.journal", 0, now=1e9)
policy = Policy(
    allowed_commands=["rshell:journalctl"], allowed_paths=[{str(tmp_path)!r} + ":rw"], mode="remediation",
    allowed_services=["systemd-journald.service:*", "web.service:read"], systemd_target=tree.target("/nowhere"),
)
runner = Runner(policy, cwd="/", warnings=None)
before = set(sys.modules)
for call in ("-u web.service -g message --since 2020-01-01", "-k -b -o cat", "--disk-usage", "--rotate",
             "--vacuum-time 1d --vacuum-size 1K"):
    runner.run("TZ=Europe/Madrid; journalctl " + call)
print(sorted(set(sys.modules) - before))
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr
