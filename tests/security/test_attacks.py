"""Attacks with whole scripts: confinement, messages that lie, time and memory that a script would take."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rshell import Policy, Result, Runner
from tests.security.race import attacker, descriptors

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc/self")

CANARY = b"CANARY"
DEADLINE = 0.3
LATE = 0.1


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root beside a directory that holds the canary, with links that lead to it."""
    inside, outside = tmp_path / "root", tmp_path / "out"
    (inside / "d").mkdir(parents=True)
    (inside / "ro").mkdir()
    (outside / "sub").mkdir(parents=True)
    (outside / "canary").write_bytes(CANARY)
    (outside / "sub" / "CANARY").write_bytes(CANARY)
    (inside / "a").write_bytes(b"1\n2\n3\n")
    (inside / "ro" / "kept").write_bytes(b"kept\n")
    links = {"lo": f"{outside}/canary", "ld": f"{outside}", "lrel": "../out/canary", "d/up": ".."}
    links["lself"] = f"/proc/self/root{outside}/canary"
    for name, target in links.items():
        (inside / name).symlink_to(target)
    return inside


@pytest.fixture
def runner(root: Path) -> Iterator[Runner]:
    """Every command, in remediation mode, with a read-only root inside a writable one."""
    gc.collect()  # what earlier tests left to the collector
    before = descriptors()
    policy = Policy(allowed_commands=["rshell:*"], allowed_paths=[f"{root}:rw", f"{root}/ro:ro"], mode="remediation")
    with Runner(policy, cwd=str(root), warnings=None) as opened:
        yield opened
    assert descriptors() <= before


# Confinement

PATHS = (
    "lo", "ld", "ld/canary", "ld/sub", "lrel", "lself", "d/up/../out/canary", "d/up/lo", "../out/canary",
    "{out}/canary", "{out}", "/proc/self/root{out}/canary", "/proc/self/cwd/../out/canary", "//{out}//canary",
    "ld/../root/../out/canary", "/dev/fd/3", "/proc/self/fd/3", "ld/.", "..",
)  # fmt: skip
READING = (
    "cat {}", "cat < {}", "echo $(<{})", "echo {}/*", "head {}", "tail -c 9 {}", "wc --files0-from={}", "sort {}",
    "sort --files0-from={}", "shuf --random-source={} a", "uniq {}", "cut -c1- {}", "grep -r '' {}", "grep -f {} a",
    "grep --exclude-from={} -r . d", "sed p {}", "sed -f {} a", "sed -n 'r {}' a", "awk 1 {}", "awk -f {} a",
    "awk 'BEGIN{{while((getline l<\"{}\")>0)print l}}'", "awk 'BEGIN{{ARGV[1]=\"{}\";ARGC=2}}1'", "jq -R . {}",
    "jq --rawfile x {} -n '$x'", "jq --slurpfile x {} -n '$x'", "jq -f {} a", "find {} -name 'c*' -exec cat '{{}}' ';'",
    "find -L {} -name 'C*'", "xargs -a {} echo", "echo {} | xargs cat", "date -f {}", "ls -la {}/", "ls -LR {}/",
    "tree -l {}", "file -f {}", "du -a {}/", "cd {} && ls", "cd ld; ls; cat canary", "md5sum -c {}", "od -c {}", "xxd {}",
    "base64 {} | base64 -d", "strings {}", "nl {}", "tac {}", "rev {} | rev", "fold {}", "join {} a", "comm {} a",
    "paste {}", "zcat -f {}", "read x < {}; echo $x", "PWD={} cat canary", "CDPATH={} cd sub && ls", "TZ=:{} date",
    "env -C {} ls", "cat <<E\n$(cat {})\nE",
)  # fmt: skip


@pytest.mark.parametrize("command", READING)
def test_no_command_reads_outside(runner: Runner, root: Path, command: str) -> None:
    for path in PATHS:
        script = command.format(path.format(out=root.parent / "out"))
        result = runner.run(script, stdin=b"", timeout=5)
        assert CANARY not in result.stdout + result.stderr, script
        assert b"internal error" not in result.stderr, script
        runner.reset()


WRITING = (
    "echo x > {}", "echo x >> {}", "echo x &> {}", "tee {} < a", "tee -a {} < a", "truncate -s 0 {}", "rm {}", "rm -f {}",
    "logrotate {}", "sed -i p {}", "sed 'w {}' a", "sed 's/1/2/w {}' a", "awk 'BEGIN{{print 1 > \"{}\"}}'",
    "find {} -delete", "find . -fprint {}", "sort -o {} a", "uniq a {}", "shuf -o {} a", "xxd a {}",
)  # fmt: skip


@pytest.mark.parametrize("command", WRITING)
def test_no_command_writes_outside(runner: Runner, root: Path, command: str) -> None:
    outside = root.parent / "out"
    for path in (*PATHS, "ro/kept", "ro/new", "ro/../ro/new", "d/up/ro/kept", "ld/new", "{out}/new"):
        script = command.format(path.format(out=outside))
        result = runner.run(script, stdin=b"", timeout=5)
        assert b"internal error" not in result.stderr, script
        runner.reset()
        assert (outside / "canary").read_bytes() == CANARY, script
        assert sorted(os.listdir(outside)) == ["canary", "sub"], script
        assert os.listdir(root / "ro") == ["kept"], script
        assert (root / "ro" / "kept").read_bytes() == b"kept\n", script


def test_scripts_while_a_directory_turns_into_a_link(runner: Runner, root: Path) -> None:
    (root / "t").mkdir()
    (root / "t" / "canary").write_bytes(b"inside")
    script = "cat t/canary; grep -r . t; head t/canary; find t -exec cat {} +; echo $(<t/canary); cd t && cat canary"

    def to_link() -> None:
        os.rename(root / "t", root / "real")
        os.symlink(root.parent / "out", root / "t")

    def to_directory() -> None:
        os.unlink(root / "t")
        os.rename(root / "real", root / "t")

    seen = b""
    with attacker(to_link, to_directory):
        until = time.monotonic() + 2
        while time.monotonic() < until:
            seen += runner.run(script, timeout=5).stdout
            runner.reset()
    assert CANARY not in seen
    assert b"inside" in seen


# Names of commands

ROUTES = (
    "{}", "command {}", "env {}", "env -i {}", "timeout 1 {}", "echo x | xargs {}", "find . -exec {} ';'",
    "find . -exec {} {{}} +", "x={}; $x", "$(printf {})", "xargs env timeout 1 {} < a", "'{}'", "\\{}",
    "timeout 1 env command {}",
)  # fmt: skip


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("name", ["uname", "rshell:uname", "/bin/uname", "./uname"])
def test_a_command_that_is_not_allowed_runs_by_no_route(root: Path, route: str, name: str) -> None:
    allowed = ["env", "timeout", "command", "xargs", "find", "printf"]
    policy = Policy(allowed_commands=[f"rshell:{command}" for command in allowed], allowed_paths=[str(root)])
    with Runner(policy, cwd=str(root)) as runner:
        result = runner.run(route.format(name), timeout=5)
    assert b"Linux" not in result.stdout
    assert b"not allowed" in result.stderr or b"not found" in result.stderr


# Messages that a name would make lie

LIE = "x\ncat: a: is gone\n\x1b[2J"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("cd $N", "cd: $'x\\ncat: a: is gone\\n\\E[2J': no such file or directory\n"),
        ("$N", "$'x\\ncat: a: is gone\\n\\E[2J': command not found\n"),
        ("cat < $N", "$'x\\ncat: a: is gone\\n\\E[2J': no such file or directory\n"),
        ("echo > $N/x", "$'x\\ncat: a: is gone\\n\\E[2J/x': no such file or directory\n"),
        ("cat $N", "cat: 'x'$'\\n''cat: a: is gone'$'\\n\\033''[2J': no such file or directory\n"),
        ("sort $N", "sort: cannot read: 'x'$'\\n''cat: a: is gone'$'\\n\\033''[2J': no such file or directory\n"),
        ("ls $N", "ls: cannot access 'x'$'\\n''cat: a: is gone'$'\\n\\033''[2J': no such file or directory\n"),
        ("head $N", "head: cannot open 'x'$'\\n''cat: a: is gone'$'\\n\\033''[2J' for reading: "
         "no such file or directory\n"),
        ("tail $N", "tail: cannot open 'x'$'\\n''cat: a: is gone'$'\\n\\033''[2J' for reading: "
         "no such file or directory\n"),
        ("find $N", "find: 'x\\ncat: a: is gone\\n\\033[2J': no such file or directory\n"),
        ("find . -newer $N", "find: 'x\\ncat: a: is gone\\n\\033[2J': no such file or directory\n"),
        ("find . -exec $N ';'", "find: -exec: 'x\\ncat: a: is gone\\n\\033[2J': command not found\n"),
        ("xargs -a $N", "xargs: Cannot open input file 'x\\ncat: a: is gone\\n\\033[2J': no such file or directory\n"),
        ("head -n $N", "head: invalid number of lines: 'x\\ncat: a: is gone\\n\\033[2J'\n"),
        ("tail -n $N", "tail: invalid number of lines: 'x\\ncat: a: is gone\\n\\033[2J'\n"),
        ("truncate -s $N a", "truncate: Invalid number: 'x\\ncat: a: is gone\\n\\033[2J'\n"),
    ],
)  # fmt: skip
def test_a_name_cannot_write_lines_of_messages(runner: Runner, script: str, expected: str) -> None:
    quoted = "'" + LIE + "'"
    assert runner.run(f"IFS=; {script.replace('$N', quoted)}").stderr == expected.encode()


# Time


def timed(runner: Runner, script: str) -> Result:
    """Run a script; it must end by its deadline. Tried again, as other processes may have held it up."""
    overdue = 0.0
    for _ in range(12):
        spent, started = time.process_time(), time.monotonic()
        result = runner.run(script, timeout=DEADLINE)
        spent, overdue = time.process_time() - spent, time.monotonic() - started - DEADLINE
        assert b"internal error" not in result.stderr
        if overdue < LATE:
            return result
        if spent < DEADLINE + LATE and overdue < 20 * LATE:
            continue  # the processor was elsewhere
    raise AssertionError(f"{overdue:.2f} s late")


@pytest.fixture
def heavy(root: Path) -> Path:
    """Files that make work: many lines, and one long line."""
    (root / "many").write_bytes(b"".join(b"%d field%d other\n" % (n * 7919 % 100_003, n) for n in range(100_000)))
    (root / "one").write_bytes(b"x" * 1_048_000 + b"\n")
    return root


def test_cut_of_many_ranges_ends_in_time(runner: Runner, heavy: Path) -> None:
    ranges = ",".join(str(n) for n in range(1, 30_000, 2))
    assert timed(runner, f"cut -c {ranges} many many many many").timed_out
    assert timed(runner, f"cut -f {ranges} -d ' ' many many many many").timed_out


def test_join_by_a_long_format_ends_in_time_and_memory(runner: Runner, heavy: Path) -> None:
    script = f"join -o {','.join(['1.1', '2.2'] * 25_000)} many many | wc -l"
    assert timed(runner, script).timed_out


def test_matches_of_one_line_end_in_time(runner: Runner, heavy: Path) -> None:
    assert timed(runner, "grep -o . one one one one | grep -c x").timed_out


def test_splitting_of_long_values_ends_in_time(runner: Runner) -> None:
    script = "a='x '; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do a=$a$a; done; IFS=' '; echo $a | wc -w"
    timed(runner, f"while :; do {script}; done")


# Memory


def test_memory_that_is_not_there_is_an_error_of_the_command(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    from rshell.builtins import registry

    def exhausted(call: object) -> int:
        raise MemoryError

    command = registry.find("cat")
    assert command is not None
    monkeypatch.setattr(command, "body", exhausted)
    monkeypatch.setattr(command, "quick", None)
    result = runner.run("cat a; echo $?")
    assert (result.stdout, result.stderr) == (b"1\n", b"cat: memory exhausted\n")
