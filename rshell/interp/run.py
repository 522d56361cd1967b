"""One run of a script: its clock, deadline, budgets and scheduler, shared by all its shells."""

from __future__ import annotations

import errno
import os
import threading
import time
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rshell import limits
from rshell.interp.endings import CallerFailure, DispatchTimeout, Ended, ExpansionError
from rshell.interp.scheduler import Scheduler

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from rshell.features import Feature
    from rshell.host import Host
    from rshell.host.accounts import Accounts
    from rshell.interp.scheduler import Stage
    from rshell.journal.target import TargetJournal
    from rshell.policy import Policy
    from rshell.sandbox import Sandbox


def _earliest(*times: float | None) -> float | None:
    return min((t for t in times if t is not None), default=None)


class Change:
    """One change that a run made to a file.

    action: 'write', 'append', 'truncate' or 'remove'. path: as resolved. size: bytes written,
    or cut off. command: the name of the command, or '>' for a redirection.
    """

    __slots__ = ("action", "command", "path", "size")

    def __init__(self, action: str, path: str, size: int, command: str) -> None:
        self.action = action
        self.path = path
        self.size = size
        self.command = command

    def __repr__(self) -> str:
        return f"Change({self.action!r}, {self.path!r}, {self.size}, {self.command!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Change) and all(
            getattr(self, slot) == getattr(other, slot) for slot in Change.__slots__
        )

    __hash__ = None  # type: ignore[assignment]


class Run:
    """What one call of Runner.run shares among its shells, stages and commands.

    steps counts down to the next look at the clock: evaluator code does
    ``run.steps -= 1; if run.steps < 0: run.pulse()``.
    """

    def __init__(
        self,
        policy: Policy,
        sandbox: Sandbox,
        *,
        deadline: float | None,
        now: Callable[[], float],
        on_write: Callable[[str, str, int, str], object] | None = None,
        exec_handler: Callable[..., int] | None = None,
    ) -> None:
        self.policy = policy
        self.sandbox = sandbox
        self.deadline = deadline  # monotonic seconds
        self.started = 0.0  # monotonic seconds
        self.steps = limits.STEPS_PER_CLOCK
        self.cancelled = False
        self.changes: list[Change] = []
        self.counters: dict[str, int] = {}
        self.caches: dict[str, Any] = {}
        self.depth = 0  # of dispatch
        self.descriptors = 0  # that the script has open
        self.bulky = False  # a long word was expanded: the command's words must be added up
        self.exec_handler = exec_handler
        self.timeouts: list[tuple[float, Stage | None, object]] = []  # shorter deadlines of dispatched commands
        self._now = now
        self._clock: float | None = None
        self._on_write = on_write
        self._wake: tuple[int, int] | None = None
        self._lock = threading.RLock()  # a signal handler may cancel in the middle of close()
        self.scheduler = Scheduler(self)

    # The clock

    @property
    def now(self) -> float:
        """The run's one clock reading, seconds since the epoch."""
        if self._clock is None:
            try:
                self._clock = self._now()
            except Exception as error:
                raise CallerFailure(error) from error
        return self._clock

    @cached_property
    def accounts(self) -> Accounts:
        """The host's user and group names, read once a run."""
        from rshell.host.accounts import Accounts

        return Accounts()

    @cached_property
    def host(self) -> Host:
        """The readers of the kernel's files, below the policy's proc_path."""
        from rshell.host import Host

        return Host(self.policy.proc_path, self.check)

    @cached_property
    def journal(self) -> TargetJournal:
        """The systemd journal of the policy's target."""
        from rshell.journal.target import TargetJournal

        return TargetJournal(self.policy.systemd_target)

    def zone(self, name: str = "") -> tzinfo:
        """The host's time zone, or the one it knows by name."""
        from rshell.host.zone import local_zone, named_zone

        return named_zone(name) if name else local_zone()

    @property
    def uid(self) -> int:
        """The effective user ID of this process, -1 where there is none."""
        return os.geteuid() if hasattr(os, "geteuid") else -1

    @property
    def gid(self) -> int:
        """The effective group ID of this process, -1 where there is none."""
        return os.getegid() if hasattr(os, "getegid") else -1

    @property
    def features(self) -> tuple[Feature, ...]:
        """The table of language features, for the help command."""
        from rshell.features import FEATURES  # only help needs it

        return FEATURES

    def remaining(self) -> float | None:
        """Seconds left before the deadline, None without one."""
        limit = self._limit()
        return None if limit is None else limit - time.monotonic()

    def next_limit(self) -> float | None:
        """The monotonic time of the nearest deadline: the run's, or that of a dispatched command."""
        return _earliest(self.deadline, *(when for when, _, _ in self.timeouts))

    def _limit(self) -> float | None:
        """The nearest deadline of the current stage."""
        if not self.timeouts:
            return self.deadline
        current = self.scheduler.current
        return _earliest(self.deadline, *(when for when, stage, _ in self.timeouts if stage is current))

    def interrupted(self) -> Ended | None:
        """Why the run must end now: its deadline has passed, or it was cancelled."""
        if self.cancelled:
            return Ended("cancel")
        if self.deadline is not None and time.monotonic() >= self.deadline:
            return Ended("timeout")
        return None

    def check(self) -> None:
        """End the run when its deadline has passed or it was cancelled."""
        if self.cancelled:
            raise Ended("cancel")
        if self.deadline is not None or self.timeouts:
            now = time.monotonic()
            if self.deadline is not None and now >= self.deadline:
                raise Ended("timeout")
            for when, stage, token in self.timeouts:
                if now >= when and stage is self.scheduler.current:
                    raise DispatchTimeout(token)

    def expire(self) -> None:
        """End the run as timed out, now: what is about to be done does not fit in the time left."""
        raise Ended("timeout")

    def pulse(self) -> None:
        """Called when steps run out: look at the clock and go on."""
        self.steps = limits.STEPS_PER_CLOCK
        self.check()

    def charge(self, size: int) -> None:
        """Count the steps for size bytes of expansion."""
        self.steps -= size // limits.STEP_BYTES

    # Waiting

    def sleep(self, seconds: float) -> None:
        """Wait while other stages run; ends early with the deadline."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.check()
            self.scheduler.sleep_until(_earliest(until, self._limit()) or until)
        self.check()

    def wait_readable(self, descriptor: int, seconds: float | None) -> bool:
        """Wait until a descriptor can be read; False after seconds."""
        self.check()
        until = None if seconds is None else time.monotonic() + seconds
        ready = self.scheduler.wait_readable(descriptor, _earliest(until, self._limit()))
        self.check()
        return ready

    def call_in_thread(self, function: Callable[[], Any]) -> Any:
        """Call a blocking function in a thread that is left behind at the deadline.

        Returns its value or raises its exception.
        """
        reading, writing = os.pipe2(os.O_CLOEXEC) if hasattr(os, "pipe2") else os.pipe()
        outcome: list[tuple[bool, Any]] = []

        def work() -> None:
            try:
                outcome.append((True, function()))
            except Exception as error:
                outcome.append((False, error))
            finally:
                os.close(writing)  # the reader sees the end of the pipe

        threading.Thread(target=work, daemon=True).start()
        try:
            self.wait_readable(reading, None)
        finally:
            os.close(reading)
        if not outcome:
            raise TimeoutError(110, "connection timed out")
        fine, value = outcome[0]
        if fine:
            return value
        raise value

    # Ending it from outside

    def watch_wake(self) -> int | None:
        """The descriptor that cancel() writes to, so that an idle hub wakes up; made when first wanted."""
        with self._lock:
            if self._wake is None:
                self._wake = os.pipe()
                if self.cancelled:
                    os.write(self._wake[1], b"x")
            return self._wake[0]

    def cancel(self) -> None:
        """End the run as its deadline would. May be called from any thread."""
        with self._lock:
            self.cancelled = True
            if self._wake is not None:
                os.write(self._wake[1], b"x")

    def close(self) -> None:
        """Release the descriptors of the run."""
        with self._lock:
            wake, self._wake = self._wake, None
        for descriptor in wake or ():
            os.close(descriptor)

    # Budgets

    def record(self, action: str, path: str, size: int, command: str) -> None:
        """Note a change that was made, and tell the application's callback."""
        self.changes.append(Change(action, path, size, command))
        if self._on_write is not None:
            try:
                self._on_write(action, path, size, command)
            except Exception as error:
                raise CallerFailure(error) from error

    def open_one(self) -> None:
        """Count a descriptor that a script has opened. Raises OSError (EMFILE) past limits.DESCRIPTORS."""
        if self.descriptors >= limits.DESCRIPTORS:
            raise OSError(errno.EMFILE, f"too many open files ({limits.DESCRIPTORS} at most)")
        self.descriptors += 1

    def close_one(self) -> None:
        """A counted descriptor was closed."""
        self.descriptors -= 1

    def spend(self, budget: str, amount: int, limit: int, message: str) -> None:
        """Take amount from a budget of the run. Raises ExpansionError(message) past limit."""
        spent = self.counters.get(budget, 0) + amount
        if spent > limit:
            raise ExpansionError(message)
        self.counters[budget] = spent
