"""Redirections to files in remediation mode: what is written, recorded, refused and left behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rshell import Change, Policy, Result, Runner


@pytest.fixture
def write(tmp_path: Path) -> Iterator[Callable[[str], Result]]:
    """Run a script in remediation mode in a directory that may be written."""
    policy = Policy(allowed_commands=["rshell:*"], allowed_paths=[f"{tmp_path}:rw"], mode="remediation")
    with Runner(policy, cwd=str(tmp_path)) as runner:
        yield runner.run


@pytest.mark.parametrize(
    ("script", "out", "err"),
    [
        ("echo a > out", b"a\n", None),
        ("echo a > out; echo b >> out", b"a\nb\n", None),
        ("echo long line > out; echo b >| out", b"b\n", None),
        ("nope 2> err", None, b"nope: command not found\n"),
        ("nope 2>> err; nope 2>> err", None, b"nope: command not found\n" * 2),
        ("{ echo a; nope; } &> out", b"a\nnope: command not found\n", None),
        ("echo a &>> out; nope &>> out", b"a\nnope: command not found\n", None),
        ("nope > out 2>&1", b"nope: command not found\n", None),
        ("for i in 1 2; do echo $i; done > out", b"1\n2\n", None),
        ("echo a | cat > out", b"a\n", None),
        ("> out", b"", None),
        ("x=1 > out", b"", None),
        ("echo a > out > err", b"", b"a\n"),
        ("printf 'x\\0\\377' > out", b"x\0\xff", None),
    ],
)
def test_output_goes_to_files(
    script: str, out: bytes | None, err: bytes | None, write: Callable[[str], Result], tmp_path: Path
) -> None:
    result = write(script)
    assert result.stdout == b""
    for name, content in (("out", out), ("err", err)):
        path = tmp_path / name
        assert (path.read_bytes() if path.exists() else None) == content


def test_every_change_is_recorded_after_it_happened(tmp_path: Path) -> None:
    seen: list[tuple[str, str, int, str, bytes]] = []

    def on_write(action: str, path: str, size: int, command: str) -> None:
        seen.append((action, path, size, command, Path(path).read_bytes()))

    policy = Policy(allowed_commands=["rshell:*"], allowed_paths=[f"{tmp_path}:rw"], mode="remediation")
    with Runner(policy, cwd=str(tmp_path), on_write=on_write) as runner:
        result = runner.run("echo abc > f; { echo d; echo e; } >> f")
    path = f"{tmp_path}/f"
    assert result.changes == (Change("write", path, 4, "echo"), Change("append", path, 4, "redirection"))
    assert seen == [
        ("write", path, 4, "echo", b"abc\n"),
        ("append", path, 4, "redirection", b"abc\nd\ne\n"),
    ]


@pytest.mark.parametrize("script", ["echo a > new < missing", "echo a > new > gone/x", "{ echo a; } 2> new < missing"])
def test_a_failing_redirection_leaves_no_file_behind_and_runs_nothing(
    script: str, write: Callable[[str], Result], tmp_path: Path
) -> None:
    result = write(script)
    assert (result.exit_code, result.stdout, result.changes) == (1, b"", ())
    assert not (tmp_path / "new").exists()


def test_a_file_that_was_there_stays_when_a_later_redirection_fails(
    write: Callable[[str], Result], tmp_path: Path
) -> None:
    (tmp_path / "old").write_text("content")
    write("echo a >> old < missing")
    assert (tmp_path / "old").read_text() == "content"


def test_the_write_budget_fails_the_command_that_passes_it_and_keeps_what_was_written(tmp_path: Path) -> None:
    policy = Policy(
        allowed_commands=["rshell:*"], allowed_paths=[f"{tmp_path}:rw"], mode="remediation", max_write_bytes=10
    )
    with Runner(policy, cwd=str(tmp_path)) as runner:
        result = runner.run("echo 1234567 > a; echo 1234567 > b; echo $?; cat > c < a; echo after")
        assert (tmp_path / "a").read_bytes() == b"1234567\n"
        assert (tmp_path / "b").read_bytes() == b"12"
        assert result.stdout == b"1\nafter\n"
        assert result.stderr == b"echo: write error: write limit exceeded\ncat: write error: write limit exceeded\n"
        assert runner.run("echo again > d").exit_code == 0  # a budget is a run's


@pytest.mark.parametrize("script", ["echo a > /dev/null; echo b 2> /dev/null", "cat < /dev/null > /dev/null"])
def test_the_null_device_is_always_there(script: str, tmp_path: Path) -> None:
    for mode in ("read-only", "remediation"):
        with Runner(Policy(allowed_commands=["rshell:*"], mode=mode)) as runner:
            assert runner.run(script).exit_code == 0


@pytest.mark.parametrize("operator", [">", ">>", ">|", "2>", "2>>", "&>", "&>>"])
@pytest.mark.parametrize("target", ["x", '"$f"', "$(echo x)", "/dev/nul?", "./dev/null", "/dev//null", "/dev/../dev/null"])
def test_read_only_mode_refuses_every_other_target_before_anything_runs(
    operator: str, target: str, tmp_path: Path
) -> None:
    with Runner(Policy(allowed_commands=["rshell:*"], allowed_paths=[f"{tmp_path}:rw"]), cwd=str(tmp_path)) as runner:
        result = runner.run(f"echo before; f=x; echo a {operator} {target}")
    shown = operator.replace("2", "").replace("|", "")
    assert (result.exit_code, result.stdout) == (2, b"")
    assert result.stderr == f"{shown} file redirection is not supported\n".encode()
    assert list(tmp_path.iterdir()) == []
