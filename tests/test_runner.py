"""The Runner: its streams, deadlines, state, and what it never does."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import io
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rshell import Policy, Result, Runner, limits, parse

ALL = Policy(allowed_commands=["rshell:*"])


@pytest.fixture
def runner() -> Iterator[Runner]:
    with Runner(ALL, cwd="/") as made:
        yield made


def test_a_policy_that_grants_nothing_runs_nothing() -> None:
    with Runner(Policy()) as runner:
        result = runner.run("echo hi; cat /etc/passwd; exit 0")
    assert result.stdout == b""
    assert result.exit_code == 127
    assert result.stderr.split(b"\n")[0] == b"echo: command not allowed"


def test_state_lasts_until_reset(runner: Runner) -> None:
    runner.run("x=1; false")
    assert runner.run("echo $x $?").stdout == b"1 1\n"
    runner.reset()
    assert runner.run("echo \"[$x]\" $?").stdout == b"[] 0\n"


def test_exit_ends_one_run_only(runner: Runner) -> None:
    assert runner.run("exit 3; echo no").exit_code == 3
    assert runner.run("echo $?").stdout == b"3\n"


def test_stdin_is_empty_bytes_or_a_reader(runner: Runner) -> None:
    assert runner.run("cat").stdout == b""
    assert runner.run("cat", stdin=b"a\0\xff").stdout == b"a\0\xff"
    assert runner.run("cat", stdin=io.BytesIO(b"x\ny\n")).stdout == b"x\ny\n"


def test_stdin_from_a_pipe_is_waited_for_within_the_deadline(runner: Runner) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb") as sink:
        started = time.monotonic()
        assert runner.run("cat", stdin=source, timeout=0.2).timed_out
        assert time.monotonic() - started < 0.4
        sink.write(b"late\n")
        sink.flush()
        assert runner.run("read line; echo \"$line\"", stdin=source).stdout == b"late\n"


def test_writers_and_callables_get_chunks_and_the_result_holds_none(runner: Runner) -> None:
    chunks: list[bytes] = []
    errors = io.BytesIO()
    result = runner.run("echo a; echo b; nope", stdout=chunks.append, stderr=errors)
    assert chunks == [b"a\n", b"b\n"]
    assert errors.getvalue() == b"nope: command not found\n"
    assert (result.stdout, result.stderr) == (b"", b"")


@pytest.mark.parametrize("script", ["echo a", "echo a | cat", "(echo a; cat) | cat", "x=$(cat | cat); echo b"])
def test_an_exception_of_the_callers_writer_leaves_run_after_everything_is_unwound(script: str) -> None:
    def broken(data: bytes) -> None:
        raise KeyError("mine")

    with Runner(ALL) as runner:
        with pytest.raises(KeyError, match="mine"):
            runner.run(script, stdout=broken)
        assert runner.run("echo fine").stdout == b"fine\n"


def test_an_exception_of_the_callers_reader_leaves_run(runner: Runner) -> None:
    class Broken:
        def read(self, size: int) -> bytes:
            raise LookupError("mine")

    with pytest.raises(LookupError):
        runner.run("cat | cat", stdin=Broken())  # type: ignore[arg-type]
    assert runner.run("echo fine").stdout == b"fine\n"


LOOPS = [
    "while :; do :; done",
    "until false; do x=y; done",
    "while :; do echo; done >/dev/null",
    "while :; do echo a; done | while read x; do :; done",
    "x=$(while :; do :; done)",
    "(while :; do :; done) | cat",
    "cat | cat",
    "while :; do (:); done",
    "while :; do x=$(echo a | cat); done",
    "for i in {1..16000}; do for j in {1..16000}; do for k in {1..16000}; do :; done; done; done",
]


@pytest.mark.parametrize("script", LOOPS)
def test_the_deadline_ends_every_loop_within_100_ms(script: str, runner: Runner) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as never, os.fdopen(writing, "wb"):
        taken = []
        for _ in range(5):  # the machine may be busy: one try in time is proof
            started = time.monotonic()
            result = runner.run(script, timeout=0.15, stdin=never)
            taken.append(time.monotonic() - started)
            assert (result.timed_out, result.exit_code) == (True, 124)
            if taken[-1] < 0.25:
                break
    assert min(taken) < 0.25
    assert runner.run("echo fine").stdout == b"fine\n"


@pytest.mark.parametrize("script", ["while :; do :; done", "cat | cat", "while :; do echo; done | cat >/dev/null"])
def test_cancel_from_a_thread_ends_the_run(script: str, runner: Runner) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as never, os.fdopen(writing, "wb"):
        threading.Timer(0.05, runner.cancel).start()
        result = runner.run(script, timeout=5, stdin=never)
    assert (result.cancelled, result.timed_out, result.exit_code) == (True, False, 130)
    assert result.duration < 0.5


def test_cancel_from_a_signal_handler_ends_the_run(runner: Runner) -> None:
    before = signal.signal(signal.SIGALRM, lambda *_: runner.cancel())
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        assert runner.run("while :; do :; done", timeout=5).cancelled
    finally:
        signal.signal(signal.SIGALRM, before)


def test_an_exception_of_a_signal_handler_leaves_run_and_the_runner_stays_usable(runner: Runner) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for script in ("while :; do :; done", "while :; do echo; done | cat >/dev/null"):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with pytest.raises(KeyboardInterrupt):
                runner.run(script, timeout=5)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert runner.run("echo fine").stdout == b"fine\n"


def test_cancel_without_a_run_does_nothing(runner: Runner) -> None:
    runner.cancel()
    assert runner.run("echo a").stdout == b"a\n"


def test_one_run_at_a_time() -> None:
    caught: list[str] = []
    with Runner(ALL) as runner:

        def again(data: bytes) -> None:
            try:
                runner.run("echo inner")
            except RuntimeError as error:
                caught.append(str(error))

        runner.run("echo outer", stdout=again)
        assert caught == ["the Runner is already running a script"]
        assert runner.run("echo after").exit_code == 0


def test_closed_runners_say_so() -> None:
    runner = Runner(ALL)
    runner.close()
    runner.close()
    with pytest.raises(RuntimeError, match="closed"):
        runner.run("echo")


def test_runners_in_threads_are_independent() -> None:
    results: dict[int, bytes] = {}

    def work(number: int) -> None:
        with Runner(ALL) as runner:
            results[number] = runner.run(f"for i in {{1..300}}; do echo {number}; done | cat | cat").stdout

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {n: f"{n}\n".encode() * 300 for n in range(8)}


def test_arun_gives_a_result_and_cancelling_the_task_ends_the_run() -> None:
    async def main() -> None:
        with Runner(ALL) as runner:
            assert (await runner.arun("echo hi")).stdout == b"hi\n"
            task = asyncio.create_task(runner.arun("while :; do :; done"))
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert runner.run("echo usable").stdout == b"usable\n"  # so the run had ended

    asyncio.run(main())


def test_arun_carries_the_callers_exceptions() -> None:
    def broken(data: bytes) -> None:
        raise KeyError("mine")

    async def main() -> None:
        with Runner(ALL) as runner:
            with pytest.raises(KeyError):
                await runner.arun("echo hi", stdout=broken)
            with pytest.raises(TypeError):
                await runner.arun("echo hi", nonsense=1)
            assert (await runner.arun("echo hi")).exit_code == 0

    asyncio.run(main())


def test_contextvars_reach_the_callers_writer() -> None:
    name: contextvars.ContextVar[str] = contextvars.ContextVar("name", default="unset")
    name.set("mine")
    seen: list[str] = []
    with Runner(ALL) as runner:
        runner.run("echo a | cat", stdout=lambda data: seen.append(name.get()))
    assert seen == ["mine"]


def test_a_program_is_parsed_once_and_run_by_many() -> None:
    program = parse("for i in 1 2; do echo $i$x; done")
    with Runner(ALL) as one, Runner(ALL) as other:
        one.run("x=a")
        assert one.run(program).stdout == b"1a\n2a\n"
        assert other.run(program).stdout == b"1\n2\n"
        assert one.run(program).stdout == b"1a\n2a\n"


@pytest.mark.parametrize(("stream", "limit"), [("stdout", limits.STDOUT), ("stderr", limits.STDERR)])
def test_output_limits_deliver_what_fits_and_end_the_run(stream: str, limit: int, runner: Runner) -> None:
    into = "" if stream == "stdout" else " >&2"
    line = "x" * 1023
    result = runner.run(f"while :; do echo {line}{into}; done; echo never", timeout=20)
    assert result.output_truncated
    assert (result.exit_code, result.timed_out) == (1, False)
    text = result.stdout if stream == "stdout" else result.stderr
    assert len(text) == limit
    if stream == "stdout":
        assert result.stderr == b"stdout limit exceeded (10485760 bytes)\n"
    exact = runner.run(f"cat{into}", stdin=b"x" * limit)
    assert (exact.exit_code, exact.output_truncated) == (0, False)


def test_the_exec_handler_is_the_only_way_out_and_only_for_allowed_names() -> None:
    calls: list[list[str]] = []

    def handler(argv: list[str], **given: object) -> int:
        calls.append(argv)
        given["stdout"].write(b"external\n")  # type: ignore[attr-defined]
        return 7

    policy = Policy(allowed_commands=["rshell:echo", "rshell:frob"])
    with Runner(policy, exec_handler=handler) as runner:
        result = runner.run("frob a 'b c'; echo $?; other; x=$(frob)")
        assert result.stdout == b"external\n7\n"
        assert result.stderr == b"other: command not allowed\n"
    assert calls == [["frob", "a", "b c"], ["frob"]]


def test_warnings_come_once_before_the_first_output(tmp_path: Path) -> None:
    policy = Policy(allowed_commands=["rshell:*"], allowed_paths=[f"{tmp_path}/gone"])
    expected = f"AllowedPaths: skipping {tmp_path}/gone: no such file or directory\n".encode()
    with Runner(policy) as runner:
        assert runner.warnings == (expected.decode().rstrip(),)
        assert runner.run("nope").stderr == expected + b"nope: command not found\n"
        assert runner.run("nope").stderr == b"nope: command not found\n"
    said: list[str] = []
    with Runner(policy, warnings=said.append) as runner:
        assert said == [expected.decode()]
        assert runner.run("nope").stderr == b"nope: command not found\n"
    with Runner(policy, warnings=None) as runner:
        assert runner.run("echo").stderr == b""


def test_the_clock_can_be_replaced_and_is_read_once_a_run() -> None:
    times = iter([1.0, 2.0])
    with Runner(ALL, clock=lambda: next(times)) as runner:
        runner.run("echo")  # no command asks for the time
        assert next(times) == 1.0


@pytest.mark.parametrize(
    "script",
    [
        "", "\n\n", "# only\n#comments", "a;" * 1_000_000, "(" * 100_000, '"' * 100_001, "$(" * 100_000, "`" * 100_001,
        "{ " * 100_000, "if " * 100_000, "${" * 100_000, "'", '"', "`", "$(", "${", "<<", "<<E", "|", "&&", "(", "{",
        "for", "case", "echo \0", "\0", "\ud800", "echo \udcff\ud800", "\r\n\r\n", "echo a\r\n", "a" * (limits.SCRIPT + 1),
        b"\xff\xfe", b"echo \xff", "x=" + "y" * (limits.VARIABLE + 1), "{a,b}" * 50, "echo " + "{1..9}" * 20, "cat<<<",
        "echo " + "*" * 5000, "|".join([":"] * 256), "|".join([":"] * 257), "!" * 5000, "! " * 5000 + "true", "A=" * 9999,
    ],
)  # fmt: skip
def test_no_script_makes_run_raise_or_hang(script: str | bytes, runner: Runner) -> None:
    result = runner.run(script, timeout=20)
    assert isinstance(result, Result)
    assert b"internal error" not in result.stderr
    assert not result.timed_out
    assert runner.run("echo fine").stdout == b"fine\n"


def test_the_script_limit_and_one_byte_more(runner: Runner) -> None:
    tail = "\necho ok"
    fits = "#" * (limits.SCRIPT - len(tail)) + tail
    assert runner.run(fits).stdout == b"ok\n"
    result = runner.run("#" + fits)
    assert (result.exit_code, result.stdout) == (2, b"")
    with Runner(ALL, max_script_bytes=limits.SCRIPT + 1) as larger:
        assert larger.run("#" + fits).stdout == b"ok\n"
    with pytest.raises(ValueError, match="max_script_bytes"):
        Runner(ALL, max_script_bytes=limits.SCRIPT_CEILING + 1)


HOSTILE = [
    "cat | cat | nope | cat",
    "echo a | (exit 3) | cat",
    "while :; do echo a; done | read x",
    "x=$(while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done); echo $?",
    "cat < /nope | cat < /etc/passwd",
    "while :; do :; done",
    "(while :; do echo a; done) | while read x; do :; done",
    "cat <<E | cat | cat\n$(echo a | cat)\nE\n",
    "for i in a b; do echo $i | { read x; exit 4; } ; done",
    "echo $(echo $(echo a | cat) | cat) | cat",
    "for i in {1..3}; do break | continue; done | cat",
    ": | : | : | : | : | : | : | :",
]


def test_descriptors_and_coroutines_stay_flat_over_10_000_hostile_runs() -> None:
    import greenlet

    def open_descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))

    def coroutines() -> int:
        gc.collect()
        return sum(isinstance(thing, greenlet.greenlet) for thing in gc.get_objects())

    policy = Policy(allowed_commands=["rshell:*"], allowed_paths=["/etc:ro"])
    with Runner(policy, cwd="/etc") as runner:
        for script in HOSTILE:
            runner.run(script, timeout=0.01)
        before, alive = open_descriptors(), coroutines()
        for turn in range(10_000):
            script = HOSTILE[turn % len(HOSTILE)]
            if "while :" in script and turn % 40:
                script = HOSTILE[0]
            runner.run(script, timeout=0.005)
        assert open_descriptors() == before
        assert coroutines() == alive


def test_read_with_a_time_limit_gives_up_on_a_silent_stdin(runner: Runner) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as silent, os.fdopen(writing, "wb"):
        result = runner.run('read -t 0.1 x; echo "$? [$x]"', stdin=silent, timeout=5)
    assert int(result.stdout.split(b" ")[0]) > 128
    assert result.duration < 1
