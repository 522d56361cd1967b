"""Runner: runs scripts under a Policy. The embedding API, with `parse` and `Policy`."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from rshell import limits
from rshell.builtins import registry
from rshell.builtins.streams import Source, empty, from_bytes
from rshell.interp.compile import Compiler
from rshell.interp.endings import CallerFailure, Ended, LoopExit, PipeClosed, ShellExit, Unwound
from rshell.interp.run import Change as Change
from rshell.interp.run import Run
from rshell.interp.shell import DEFAULT_IFS, Shell
from rshell.interp.sinks import Collector, Forwarder
from rshell.sandbox import Sandbox
from rshell.syntax import FeatureError, ShellSyntaxError, parse
from rshell.syntax.node import Node
from rshell.syntax.validate import validate

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from rshell.interp.compile import Code
    from rshell.policy import Policy
    from rshell.syntax.tree import Program

TIMEOUT_STATUS = 124
CANCEL_STATUS = 130
_KEPT_SCRIPTS = 32  # compiled scripts a Runner remembers
_KEPT_LENGTH = 64 * limits.KIB  # longer ones are not remembered


class Result(Node):
    """How a run went.

    exit_code: 0 to 255; 124 after a timeout, 130 after cancel(), 1 after an output limit, 2 for a
    syntax error or a refused feature. stdout, stderr: what was written, empty where the caller gave
    a writer. duration: seconds. changes: what was written to files, in order.
    """

    exit_code: int
    stdout: bytes = b""
    stderr: bytes = b""
    timed_out: bool = False
    cancelled: bool = False
    output_truncated: bool = False
    duration: float = 0.0
    changes: tuple[Change, ...] = ()


class Runner:
    """Runs scripts under one policy.

    Shell state (variables, directory, $?) lasts from one run to the next until reset(). A Runner is for one
    caller at a time; different Runners are independent of each other, also across threads.

    policy: what scripts may do. cwd: where they start, the process's own directory by default; may
    lie outside every root. clock: seconds since the epoch, for tests and replay. exec_handler: called for allowed
    commands that this shell does not have, the one way an external program could ever run.
    on_write: called as (action, path, bytes, command) after each change to a file. warnings: a
    writer or callable for what was wrong with the policy; None drops it; by default it goes to
    the first run's stderr.

    Raises ValueError for a cwd that is not absolute or not text.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        cwd: str | os.PathLike[str] | None = None,
        clock: Callable[[], float] = time.time,
        exec_handler: Callable[..., int] | None = None,
        on_write: Callable[[str, str, int, str], object] | None = None,
        warnings: Any = ...,
        max_script_bytes: int = limits.SCRIPT,
    ) -> None:
        where = os.getcwd() if cwd is None else os.fspath(cwd)
        if not isinstance(where, str) or not where.startswith("/") or "\0" in where:
            raise ValueError(f"cwd must be an absolute path: {where!r}")
        if not 0 < max_script_bytes <= limits.SCRIPT_CEILING:
            raise ValueError(f"max_script_bytes must be between 1 and {limits.SCRIPT_CEILING}")
        self.policy = policy
        self.max_script_bytes = max_script_bytes
        self._cwd = os.path.normpath(where)
        self._clock = clock
        self._exec_handler = exec_handler
        self._on_write = on_write
        self._sandbox = Sandbox(
            policy.allowed_paths,
            host_prefix=policy.host_prefix,
            writable=policy.mode == "remediation",
            max_write_bytes=policy.max_write_bytes,
        )
        self.warnings: tuple[str, ...] = (*policy.warnings, *self._sandbox.warnings)
        self._unsaid = self.warnings
        if warnings is not ...:
            self._unsaid = ()
            if warnings is not None:
                for warning in self.warnings:
                    (warnings if callable(warnings) else warnings.write)(warning + "\n")
        self._compiled: OrderedDict[object, tuple[object, Code]] = OrderedDict()
        self._busy = threading.Lock()
        self._active: Run | None = None
        self._closed = False
        self._shell: Shell | None = None
        if any(root.writable for root in policy.allowed_paths) and policy.mode == "remediation":
            self._preload()

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def run(
        self,
        script: str | bytes | Program,
        *,
        stdin: bytes | BinaryIO | None = None,
        stdout: Any = None,
        stderr: Any = None,
        timeout: float | None = None,
    ) -> Result:
        """Run a script to its end and say how it went. No script makes this raise.

        script: text, its bytes, or what parse() made of it. stdin: bytes, or a binary reader; None
        is an empty stdin. stdout, stderr: a binary writer or a callable that gets chunks of bytes as they come.
        timeout: seconds; the earlier of it and the policy's max_execution_time counts, from now on.

        Raises RuntimeError on a closed Runner or while another run goes on, and whatever the
        caller's own streams and callbacks raise, once everything is unwound.
        """
        return self._execute(self._begin(timeout), script, stdin, stdout, stderr)

    async def arun(self, script: str | bytes | Program, **options: Any) -> Result:
        """run() in a thread of its own. Cancelling the task cancels the run, and waits until it has ended."""
        import asyncio

        run = self._begin(options.pop("timeout", None))
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Result] = loop.create_future()

        def finish(result: Result | None, error: BaseException | None) -> None:
            if error is not None:
                done.set_exception(error)
            elif result is not None:
                done.set_result(result)

        def work() -> None:
            result, error = None, None
            try:
                streams = {name: options.get(name) for name in ("stdin", "stdout", "stderr")}
                result = self._execute(run, script, **streams)
            except BaseException as raised:  # carried to the task that waits
                error = raised
            loop.call_soon_threadsafe(finish, result, error)

        unknown = set(options) - {"stdin", "stdout", "stderr"}
        if unknown:
            self._end(run)
            raise TypeError(f"arun() got unexpected arguments: {', '.join(sorted(unknown))}")
        threading.Thread(target=work, name="rshell", daemon=True).start()
        cancelled: asyncio.CancelledError | None = None
        while not done.done():
            try:
                await asyncio.shield(done)
            except asyncio.CancelledError as asked:
                if done.cancelled():
                    raise
                cancelled = asked
                run.cancel()
            except BaseException:
                break
        if cancelled is not None:
            done.exception()
            raise cancelled
        return done.result()

    def cancel(self) -> None:
        """End the run that is going on, as its deadline would; from any thread or signal handler."""
        run = self._active
        if run is not None:
            run.cancel()

    def reset(self) -> None:
        """Forget the shell's state: variables, directory and $?."""
        self._shell = None

    def close(self) -> None:
        """Close the policy's roots. The Runner cannot be used afterwards; closing twice is harmless.

        Raises RuntimeError while a run goes on.
        """
        if self._closed:
            return
        if not self._busy.acquire(blocking=False):
            raise RuntimeError("the Runner is running a script")
        self._closed = True
        self._sandbox.close()
        self._busy.release()

    # One run

    def _begin(self, timeout: float | None) -> Run:
        started = time.monotonic()
        if timeout is not None and (isinstance(timeout, bool) or not timeout > 0):
            raise ValueError(f"timeout must be a positive number of seconds: {timeout!r}")
        if self._closed:
            raise RuntimeError("the Runner is closed")
        if not self._busy.acquire(blocking=False):
            raise RuntimeError("the Runner is already running a script")
        spans = [s for s in (timeout, self.policy.max_execution_time) if s is not None]
        run = Run(
            self.policy,
            self._sandbox,
            deadline=started + min(spans) if spans else None,
            now=self._clock,
            on_write=self._on_write,
            exec_handler=self._exec_handler,
        )
        run.started = started
        self._active = run
        return run

    def _end(self, run: Run) -> None:
        self._active = None
        run.close()
        self._busy.release()

    def _execute(self, run: Run, script: str | bytes | Program, stdin: Any, stdout: Any, stderr: Any) -> Result:
        try:
            return self._supervised(run, script, stdin, stdout, stderr)
        finally:
            self._end(run)

    def _supervised(self, run: Run, script: str | bytes | Program, stdin: Any, stdout: Any, stderr: Any) -> Result:
        out = Collector("stdout", limits.STDOUT) if stdout is None else Forwarder("stdout", limits.STDOUT, stdout)
        err = Collector("stderr", limits.STDERR) if stderr is None else Forwarder("stderr", limits.STDERR, stderr)
        self._sandbox.begin_run()
        shell = self._prepare(run, stdin, out, err)
        status = [0]

        def main() -> None:
            for warning in self._unsaid:
                shell.complain(warning)
            self._unsaid = ()
            status[0] = self._main(run, shell, script)

        ending = run.scheduler.run(main)
        exit_code, timed_out, cancelled = status[0], False, False
        if isinstance(ending, Ended):
            timed_out = ending.reason == "timeout"
            cancelled = ending.reason == "cancel"
            exit_code = TIMEOUT_STATUS if timed_out else CANCEL_STATUS if cancelled else 1
            if ending.reason == "stdout":
                _say(err, f"stdout limit exceeded ({out.limit} bytes)\n")
        elif isinstance(ending, CallerFailure):
            raise ending.error
        elif isinstance(ending, MemoryError):
            exit_code = 1
            _say(err, "memory exhausted\n")
        elif isinstance(ending, Exception):  # a bug of the interpreter itself: the script's run ends, nothing else
            exit_code = 1
            _say(err, f"internal error: {type(ending).__name__}\n")
        elif ending is not None and not isinstance(ending, Unwound):
            raise ending
        shell.status = exit_code
        return Result(
            exit_code,
            out.value(),
            err.value(),
            timed_out=timed_out,
            cancelled=cancelled,
            output_truncated=out.truncated or err.truncated,
            duration=time.monotonic() - run.started,
            changes=tuple(run.changes),
        )

    def _prepare(self, run: Run, stdin: Any, out: Collector, err: Collector) -> Shell:
        """The shell for a run, with the state that the last one left."""
        shell = self._shell
        if shell is None:
            shell = Shell(run, self._cwd, empty(), out, err)
            shell.vars.update(self.policy.env)
            shell.exported = frozenset(self.policy.env)
            shell.vars["IFS"] = DEFAULT_IFS
            shell.vars["PWD"] = self._cwd
            shell.vars["OPTIND"] = "1"
            if self._sandbox.roots:
                shell.vars["ALLOWED_PATHS"] = ":".join(root.path for root in self._sandbox.roots)
            self._shell = shell
        shell.run = run
        shell.stdin = _source(run, stdin)
        shell.stdout, shell.stderr = out, err
        shell.loops, shell.inline = 0, ()
        return shell

    def _main(self, run: Run, shell: Shell, script: str | bytes | Program) -> int:
        """The body of the first coroutine: from text to status."""
        try:
            code = self._code(run, script)
        except (ShellSyntaxError, FeatureError) as error:
            shell.complain(str(error))
            return 2
        except RecursionError:
            shell.complain("nesting too deep")
            return 2
        try:
            run.check()
            return code(shell)
        except ShellExit as leaving:
            return leaving.status
        except PipeClosed:
            return 141
        except LoopExit:
            return 0
        except RecursionError:
            shell.complain("nesting too deep")
            return 2

    def _code(self, run: Run, script: str | bytes | Program) -> Code:
        """The compiled script: remembered, or parsed, validated and compiled now."""
        compiled = self._compiled
        # hashing a Program would walk its whole tree
        key = script if isinstance(script, (str, bytes)) else id(script)
        kept = compiled.get(key)
        if kept is not None:
            compiled.move_to_end(key)
            return kept[1]
        program = script
        if isinstance(program, (str, bytes)):
            program = parse(program, limit=self.max_script_bytes, check=run.check)
        run.check()
        validate(program, mode=self.policy.mode)
        run.check()
        code = Compiler(self.policy).program(program)
        if len(program.source) <= _KEPT_LENGTH:
            compiled[key] = script, code  # the script too: it keeps its id from being used again
            if len(compiled) > _KEPT_SCRIPTS:
                compiled.popitem(last=False)
        return code

    def _preload(self) -> None:
        """Import all that the allowed commands can need, before a script can write modules anywhere."""
        from rshell.preload import preload

        preload([name for name in registry.names() if self.policy.allows(name)])


def _say(err: Collector, text: str) -> None:
    try:
        err.write(text.encode())
    except Ended:
        return  # stderr is full as well


def _source(run: Run, stdin: Any) -> Source:
    """The stdin of a run."""
    if stdin is None:
        return empty()
    if isinstance(stdin, (bytes, bytearray, memoryview)):
        return from_bytes(bytes(stdin))
    read: Callable[[int], bytes] = getattr(stdin, "read1", stdin.read)
    try:
        descriptor = stdin.fileno()
    except (OSError, AttributeError, ValueError):
        descriptor = -1

    def pull(size: int) -> bytes:
        run.check()
        if descriptor >= 0:
            run.wait_readable(descriptor, None)
        try:
            return read(size) or b""
        except Exception as error:
            raise CallerFailure(error) from error

    def timer(seconds: float) -> Callable[[], bool]:
        until = time.monotonic() + seconds
        return lambda: descriptor < 0 or run.wait_readable(descriptor, max(0.0, until - time.monotonic()))

    return Source(pull, timer=timer)
