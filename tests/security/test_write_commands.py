"""Attacks by the commands that write: tee, truncate, logrotate and rm, and the redirections beside them.

Whatever is denied is tried by a way round: ``..``, links, hard links, roots inside roots, FIFOs, a thread that
swaps things meanwhile. The budget of rm is tried through everything that can run it often.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rshell import Policy, Result, Runner, limits
from tests.security.race import attacker, descriptors, regular, replacing

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc/self/fd")

CANARY = b"CANARY"
ROUNDS = 20_000
SECONDS = float(os.environ.get("RSHELL_RACE_SECONDS", "3"))  # of one race, when the rounds take longer
# each must change nothing where writing is denied
WRITERS = (
    "echo x | tee {}",
    "echo x | tee -a {}",
    "truncate -s 1 {}",
    "truncate -c -s 1 {}",
    "logrotate -f {}",
    "logrotate -s 1 {}",
    "rm {}",
    "echo x > {}",
    "echo x >> {}",
    "echo x | tee /dev/null {}",
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """``rw`` with a ``:ro`` root in it, ``ro`` with a ``:rw`` root in it, and ``out`` outside of all."""
    for name in ("rw/d", "rw/keep/d", "ro/d", "ro/open/d", "out/d"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("rw/f", "rw/keep/f", "rw/keep/d/f", "ro/f", "ro/d/f", "ro/open/f", "out/f", "out/d/f"):
        (tmp_path / name).write_bytes(CANARY)
    return tmp_path


@pytest.fixture
def runner(tree: Path) -> Iterator[Runner]:
    """A Runner in remediation mode over the tree; it must leave no descriptor behind."""
    before = descriptors()
    roots = [f"{tree}/rw:rw", f"{tree}/rw/keep:ro", f"{tree}/ro:ro", f"{tree}/ro/open:rw"]
    policy = Policy(
        allowed_commands=["rshell:*"], allowed_paths=roots, mode="remediation", max_execution_time=20.0
    )  # fmt: skip
    with Runner(policy, cwd=f"{tree}/rw", warnings=None) as opened:
        yield opened
    assert descriptors() == before


def contents(where: Path) -> dict[str, bytes]:
    """What every regular file below a directory holds."""
    return {
        str(path): path.read_bytes() for path in sorted(where.rglob("*")) if path.is_file() and not path.is_symlink()
    }


def denied(result: Result) -> None:
    """The script changed nothing, and said so."""
    assert result.exit_code != 0 and result.stderr and not result.changes, result
    assert b"internal error" not in result.stderr and not result.timed_out


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize(
    "path",
    [
        "keep/f", "keep/new", "./keep/../keep/f", "d/../keep/d/f", "../ro/f", "../ro/new", "../ro/d/f", "../ro/open/../f",
        "../ro/open/../d/f", "../out/f", "../out/new", "d/../../out/f", "/proc/self/fd/0", "/proc/self/root/etc/passwd",
        "/etc/rshell-was-here", "keep", "d", ".", "..", "d/", "f/", "f/x", "''", "/dev/zero", "/dev/stdout",
    ],
)  # fmt: skip
def test_what_is_denied_stays_denied(writer: str, path: str, runner: Runner, tree: Path) -> None:
    before = contents(tree)
    result = runner.run(writer.format(path))
    if not (writer.startswith("truncate -c") and path in ("keep/new", "../ro/new", "f/x", "''")):
        denied(result)
    assert contents(tree) == before and not os.path.exists("/etc/rshell-was-here")


@pytest.mark.parametrize("writer", WRITERS)
def test_after_cd_the_most_specific_root_still_decides(writer: str, runner: Runner, tree: Path) -> None:
    before = contents(tree)
    for where, path in (("keep", "f"), ("keep/d", "../f"), ("../ro", "f"), ("../ro/open", "../f"), ("d", "../keep/f")):
        denied(runner.run(f"cd {where} && {writer.format(path)}"))
        runner.reset()
    assert contents(tree) == before


@pytest.mark.parametrize("writer", [w for w in WRITERS if not w.startswith("rm")])
@pytest.mark.parametrize("target", ["{0}/out/f", "../out/f", "f", "keep/f", "{0}/out/new", "self"])
def test_no_link_is_written_through(writer: str, target: str, runner: Runner, tree: Path) -> None:
    (tree / "rw/link").symlink_to(target.format(tree) if target != "self" else "link")
    (tree / "rw/dirlink").symlink_to(f"{tree}/out/d")
    before = contents(tree)
    denied(runner.run(writer.format("link")))
    denied(runner.run(writer.format("dirlink/f")))
    assert contents(tree) == before and (tree / "rw/link").is_symlink()


@pytest.mark.parametrize("writer", [w for w in WRITERS if not w.startswith("rm")])
def test_no_hard_link_is_written_to(writer: str, runner: Runner, tree: Path) -> None:
    (tree / "rw/hard").hardlink_to(tree / "out/f")
    denied(runner.run(writer.format("hard")))
    assert (tree / "out/f").read_bytes() == CANARY


@pytest.mark.parametrize("writer", WRITERS)
def test_no_fifo_is_opened_or_removed(writer: str, runner: Runner, tree: Path) -> None:
    os.mkfifo(tree / "rw/fifo")
    result = runner.run(writer.format("fifo"), timeout=5)
    denied(result)
    assert (tree / "rw/fifo").is_fifo() and result.duration < 2


def test_rm_takes_the_link_and_leaves_what_it_names(runner: Runner, tree: Path) -> None:
    (tree / "rw/link").symlink_to(f"{tree}/out/f")
    (tree / "rw/hard").hardlink_to(tree / "out/d/f")
    (tree / "rw/dirlink").symlink_to(f"{tree}/out/d")
    assert runner.run("rm link hard dirlink").exit_code == 0
    denied(runner.run("rm dirlink/f"))
    assert (tree / "out/f").read_bytes() == (tree / "out/d/f").read_bytes() == CANARY
    assert sorted(os.listdir(tree / "rw")) == ["d", "f", "keep"]


# The budget of rm


def many(where: Path, count: int = 3 * limits.RM_RUN) -> None:
    """Files to remove."""
    where.mkdir(exist_ok=True)
    for number in range(count):
        (where / f"f{number:03}").touch()


@pytest.mark.parametrize(
    "script",
    [
        "for f in many/*; do rm $f; done",
        "for f in many/*; do (rm $f); done",
        "for f in many/*; do echo $(rm $f); done",
        "for f in many/*; do rm $f | cat; done",
        "for f in many/*; do echo x | rm $f; done",
        "find many -type f | xargs -n 1 rm",
        "find many -type f | xargs -n 10 rm",
        "find many -type f | xargs rm",
        "find many -type f -exec rm {} \\;",
        "find many -type f -exec rm {} +",
        "find many -type f -execdir rm {} \\;",
        "for f in many/*; do echo $f | xargs rm; done",
        "find many -type f -exec xargs rm {} \\;",
        "for f in many/*0; do rm $f; done; find many -type f -exec rm {} \\; ; find many -type f | xargs -n 7 rm",
        "for f in many/*; do cd many; rm ../$f; cd ..; done",
        "for a in many/f0* ; do rm $a & done",
    ],
)
def test_the_budget_of_rm_holds_everywhere(script: str, runner: Runner, tree: Path) -> None:
    many(tree / "rw/many")
    runner.run(script)
    left = len(os.listdir(tree / "rw/many"))
    assert 2 * limits.RM_RUN <= left <= 3 * limits.RM_RUN
    if (
        "exec rm {} +" not in script
        and "| xargs rm" not in script
        and "&" not in script
        and "xargs rm {}" not in script
    ):
        assert left <= 2 * limits.RM_RUN + 10, left


def test_the_budget_of_rm_is_a_runs(runner: Runner, tree: Path) -> None:
    many(tree / "rw/many")
    for removed in (1, 2):
        result = runner.run("for f in many/*; do rm $f; done")
        assert len(os.listdir(tree / "rw/many")) == (3 - removed) * limits.RM_RUN
        assert len(result.changes) == limits.RM_RUN and b"at most 100 a run" in result.stderr


# Racing threads


def race(runner: Runner, script: str, turns: tuple[Callable[[], None], ...], stop: Callable[[], bool]) -> int:
    """Run a script again and again while a thread makes its turns; how often."""
    count = 0
    with attacker(*turns) as rounds:
        while (count < ROUNDS and not stop()) or rounds[0] <= 100:
            runner.run(script)
            count += 1
    return count


@pytest.mark.parametrize(
    "script",
    [
        "echo x | tee race", "echo x | tee -a race", "truncate -s 1 race", "truncate -c -s 0 race", "logrotate -f race",
        "rm race", "echo x > race", "echo x >> race", "rm swap/f", "truncate -c -s 0 swap/f", "echo x | tee swap/f",
    ],
)  # fmt: skip
def test_a_thread_that_swaps_names_gains_nothing(script: str, runner: Runner, tree: Path) -> None:
    rw = tree / "rw"
    (rw / "real").mkdir()
    outside = contents(tree / "out")

    def link(path: str) -> None:
        os.symlink(f"{tree}/out/f", path)

    def hard(path: str) -> None:
        os.link(f"{tree}/out/f", path)

    def gate(path: str) -> None:
        os.symlink(f"{tree}/out/d", path)

    def own(path: str) -> None:
        os.symlink("real", path)

    race_path, swap = str(rw / "race"), str(rw / "swap")
    turns = (
        replacing(race_path, regular(b"mine")), replacing(race_path, link), replacing(race_path, hard),
        replacing(swap, gate), replacing(swap, own), lambda: (rw / "real/f").touch(),
    )  # fmt: skip
    alarm = threading.Event()
    timer = threading.Timer(SECONDS, alarm.set)
    timer.start()
    try:
        assert race(runner, script, turns, alarm.is_set) > 20
    finally:
        timer.cancel()
    assert contents(tree / "out") == outside


def test_changes_tell_all_that_was_done(runner: Runner, tree: Path) -> None:
    """Replaying the audit trail accounts for every difference in the tree."""
    before = contents(tree)
    result = runner.run(
        "echo new | tee n1 n2; echo more | tee -a f; truncate -s 3 d/t; logrotate -f f; rm n2 nope; echo r > r; "
        "echo a >> ../ro/open/f; rm ../ro/f; echo b > keep/f; (echo s | tee sub); find d -type f -exec rm {} \\;"
    )
    after = contents(tree)
    touched = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    recorded = {os.path.normpath(change.path) for change in result.changes}
    assert touched <= recorded
    assert recorded - touched == {f"{tree}/rw/n2", f"{tree}/rw/d/t"}
    assert after[f"{tree}/rw/keep/f"] == CANARY and after[f"{tree}/ro/f"] == CANARY
