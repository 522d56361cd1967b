"""Every bound of the language: at it a script runs, one past it there is a message and a status, and the Runner goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rshell import Policy, Result, Runner, limits


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Callable[..., Result]]:
    policy = Policy(allowed_commands=["rshell:*"], allowed_paths=[f"{tmp_path}:ro"])
    with Runner(policy, cwd=str(tmp_path)) as runner:

        def run_script(script: str, **options: object) -> Result:
            runner.reset()
            result = runner.run(script, **options)  # type: ignore[arg-type]
            assert b"internal error" not in result.stderr
            assert runner.run("echo usable").stdout == b"usable\n"
            return result

        yield run_script


def test_a_variable_at_the_limit_and_one_byte_more(run: Callable[..., Result]) -> None:
    fill = "x=" + "a" * 1023 + "\n" + "x=b$x\n" + "".join("x=$x$x\n" for _ in range(10))
    assert run(fill + 'echo ok; y=$x; echo "$?"').stderr == b"y: variable storage limit exceeded (2097152 bytes total)\n"
    assert run(fill + "echo ok").stdout == b"ok\n"
    over = run(fill + "echo before; y=1; echo after")
    assert (over.stdout, over.exit_code) == (b"before\n", 1)
    assert over.stderr == b"y: variable storage limit exceeded (1048577 bytes total)\n"


def test_the_storage_limit_ends_a_subshell_only(run: Callable[..., Result]) -> None:
    fill = "x=" + "a" * 1024 + "\n" + "".join("x=$x$x\n" for _ in range(10))
    result = run(fill + '(y=1; echo no); echo "status $?"; for i in a; do echo no; done')
    assert result.stdout == b"status 1\n"
    assert result.exit_code == 1


def test_the_limit_counts_bytes_and_gives_back_what_is_overwritten(run: Callable[..., Result]) -> None:
    fill = "x=" + "é" * 512 + "\n" + "".join("x=$x$x\n" for _ in range(10))
    assert run(fill + "echo ok; x=; y=" + "a" * 1000 + "; echo ok").stdout == b"ok\nok\n"
    assert run(fill + "y=1").exit_code == 1


def test_read_counts_towards_the_storage_limit(run: Callable[..., Result]) -> None:
    fill = "x=" + "a" * 1024 + "\n" + "".join("x=$x$x\n" for _ in range(10))
    assert run(fill + "read y; echo no", stdin=b"1\n").exit_code == 1


def test_a_substitution_at_the_limit_and_one_byte_more(run: Callable[..., Result]) -> None:
    exact = run('printf %s "$(cat)" | wc -c', stdin=b"a" * limits.SUBSTITUTION)
    assert exact.stdout == b"1048576\n"
    for script in ('echo "$(cat)"', 'x=$(cat); echo "status $?"', "echo $(cat | cat)", "cat <<E\n$(cat)\nE"):
        over = run(script, stdin=b"a" * (limits.SUBSTITUTION + 1))
        assert over.stderr == b"command substitution: output too long (1048576 bytes at most)\n"
        assert over.stdout in (b"", b"status 1\n")


def test_brace_words_at_the_limit_and_one_more(run: Callable[..., Result]) -> None:
    assert run("for i in {1..16384}; do :; done; echo $i").stdout == b"16384\n"
    for script in ("echo {1..16385}", "echo {1..129}{1..129}", "for i in {1..999999999999}; do :; done", "x {a,b}" * 1 + "{1..9}" * 9):
        over = run(script)
        assert over.stderr == b"brace expansion: too many words (16384 at most)\n"
        assert (over.stdout, over.exit_code) == (b"", 1)


def test_the_words_of_a_command_at_the_limit_and_one_more(run: Callable[..., Result]) -> None:
    count = limits.COMMAND_WORDS // 2
    x = b"a " * (count - 1) + b"a"
    exact = run('x=$(cat); set_=1; for i in $x $x; do n=$i; done; echo "$n"', stdin=x)
    assert exact.stdout == b"a\n"
    over = run("x=$(cat); echo $x $x b", stdin=x)
    assert over.stderr == b"too many words (1000000 at most)\n"
    assert over.exit_code == 1


def test_the_bytes_of_a_command_at_the_limit_and_one_more(run: Callable[..., Result], tmp_path: Path) -> None:
    x = b"a" * (limits.COMMAND_BYTES // 16)
    (tmp_path / "f").write_bytes(x[len("test-n") :])  # the name and the operator count too
    exact = 'x=$(cat); test -n "' + "$x" * 15 + '$(cat f)"; echo $?'
    assert run(exact, stdin=x).stdout == b"0\n"
    (tmp_path / "f").write_bytes(x[len("test-n") - 1 :])
    assert run(exact, stdin=x).stdout == b"1\n"
    for words in ('"$x' + "$x" * 15 + '-"', '"$x" ' * 16 + "y", '"$x$x" ' * 8 + "y", "$x " * 17):
        over = run(f"x=$(cat); echo {words}; echo $?", stdin=x)
        assert over.stdout == b"1\n"
        assert b"bytes at most)" in over.stderr


def test_a_here_document_at_the_limit_and_one_byte_more(run: Callable[..., Result], tmp_path: Path) -> None:
    x = b"a" * limits.MIB
    body = "$x" * 9 + "$x"
    script = 'x=$(cat)\nwc -c <<E\n{}\nE\necho "status $?"'
    over = run(script.format(body), stdin=x)  # its final newline is one too many
    assert over.stderr == b"here-document too long (10485760 bytes at most)\n"
    assert over.stdout == b"status 1\n"
    (tmp_path / "f").write_bytes(x[1:])
    exact = run(script.format("$x" * 9 + "$(cat f)"), stdin=x)
    assert exact.stdout == b"10485760\nstatus 0\n"


@pytest.mark.parametrize("count", [256, 257])
def test_pipeline_stages_at_the_limit_and_one_more(count: int, run: Callable[..., Result]) -> None:
    result = run("echo a" + " | cat" * (count - 1) + "; echo $?")
    if count == 256:
        assert result.stdout == b"a\n0\n"
    else:
        assert result.stderr == b"line 1: pipeline: too many stages (256 at most)\n"
        assert (result.stdout, result.exit_code) == (b"", 2)


def test_live_coroutines_are_bounded(run: Callable[..., Result]) -> None:
    stage = "cat" + " | cat" * 255
    result = run(f"({stage}) | ({stage}) | ({stage}) | ({stage}) | ({stage}); echo done", stdin=b"a")
    assert b"too many pipeline stages at once (1024 at most)" in result.stderr
    assert result.stdout.endswith(b"done\n")
    assert run(f"({stage}) | ({stage}) | ({stage})", stdin=b"a").stdout == b"a"


def test_glob_matches_at_the_limit_and_one_more(run: Callable[..., Result], tmp_path: Path) -> None:
    for number in range(limits.GLOB_ENTRIES):
        (tmp_path / f"{number:05d}").touch()
    assert run("for i in *; do :; done; echo $i").stdout == b"09999\n"
    (tmp_path / "one-more").touch()
    over = run("echo *; echo $?")
    assert over.stderr == b"glob: too many matches (10000 at most)\n"
    assert over.stdout == b"1\n"


def test_directories_read_for_patterns_are_bounded_in_a_run(run: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    loop = "for i in {1..%d}; do x=$i; for f in a*; do :; done; done; echo done"
    assert run(loop % limits.GLOB_READS).stdout == b"done\n"
    over = run(loop % (limits.GLOB_READS + 1))
    assert over.stderr == b"glob: too many directories read (10000 a run at most)\n"


def test_commands_run_by_commands_are_bounded(run: Callable[..., Result]) -> None:
    assert run("echo a | " + "xargs " * 8 + "echo").stdout == b"a\n"
    over = run("echo a | " + "xargs " * 9 + "echo")
    assert b"nested too deep (8 at most)" in over.stderr
    assert over.exit_code != 0


def test_open_descriptors_are_bounded(run: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a\n")
    deep = "{ " * 90 + "cat" + "; }< f < f < f" * 90
    over = run(deep)
    assert over.stderr == b"f: too many open files (256 at most)\n"
    assert over.exit_code == 1
    assert run("{ " * 80 + "cat" + "; }< f < f < f" * 80).stdout == b"a\n"


def test_a_step_budget_keeps_long_expansions_within_the_deadline(run: Callable[..., Result]) -> None:
    result = run('x=$(cat); while :; do y="$x"; done', stdin=b"a" * 500_000, timeout=0.2)
    assert result.timed_out
    assert result.duration < 0.5
