"""The scheduler of a run: every stage of a pipeline is a coroutine that yields to it.

Stages never switch to each other. The hub, in which `Scheduler.run` was called, starts every stage
and resumes the one that can go on; so Python's recursion depth does not add up over stages, and what
happens is a function of the script alone.
"""

from __future__ import annotations

import contextvars
import heapq
import math
import select
import time
from collections import deque
from typing import TYPE_CHECKING, Protocol

import greenlet

from rshell import limits
from rshell.interp.endings import Ended, Unwound

if TYPE_CHECKING:
    from collections.abc import Callable


class Clock(Protocol):
    """What the scheduler asks of its run."""

    def interrupted(self) -> Ended | None:
        """Why the run must end now, if it must."""

    def next_limit(self) -> float | None:
        """The monotonic time of the nearest deadline."""

    def check(self) -> None:
        """Raise when the current stage must end now."""

    def watch_wake(self) -> int | None:
        """A descriptor that becomes readable when the run is cancelled."""


class Group:
    """Stages that somebody waits for together: a pipeline."""

    __slots__ = ("left", "waiter")

    def __init__(self, waiter: Stage) -> None:
        self.left = 0
        self.waiter = waiter


class Stage:
    """One coroutine and what it owns.

    owned holds the closers of its pipe ends and files; the scheduler calls them once, when the stage has ended,
    however it ended, also when it never started.
    """

    __slots__ = ("body", "coroutine", "error", "group", "owned", "ready")

    def __init__(self, body: Callable[[], object], group: Group | None) -> None:
        self.body = body
        self.group = group
        self.owned: list[Callable[[], None]] = []
        self.error: BaseException | None = None
        self.coroutine: greenlet.greenlet | None = None
        self.ready = False

    def start(self) -> None:
        """What the coroutine runs: nothing leaves it but through error."""
        try:
            self.body()
        except BaseException as error:  # handed to the hub, which decides
            self.error = error
        finally:
            self.body = _ended  # drop the closure, and all it holds


def _ended() -> None:
    return


class Scheduler:
    """Runs the coroutines of one run."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.hub: greenlet.greenlet | None = None  # where run() was called
        self.queue: deque[Stage] = deque()
        self.stages: list[Stage] = []
        self.current: Stage | None = None
        self.timers: list[tuple[float, int, Stage]] = []
        self.readers: dict[int, Stage] = {}
        self.ending: BaseException | None = None
        self._serial = 0

    def run(self, body: Callable[[], object]) -> BaseException | None:
        """Run body as the first coroutine until it and all it started have ended.

        Returns what ended the run early, None when body came to its end.
        """
        self.hub = greenlet.getcurrent()
        main = Stage(body, None)
        self._add(main)
        try:
            self._loop(main)
        except BaseException as error:  # raised in the hub itself: a signal handler of the application
            self.ending = self.ending or error
        finally:
            self._unwind()
        return self.ending

    def spawn(self, body: Callable[[], object], group: Group) -> Stage:
        """Make a stage; it is started by the hub, in the order of spawning."""
        if len(self.stages) >= limits.COROUTINES:
            raise OverflowError(f"too many pipeline stages at once ({limits.COROUTINES} at most)")
        stage = Stage(body, group)
        group.left += 1
        self._add(stage)
        return stage

    def join(self, group: Group) -> None:
        """Wait until all stages of group have ended."""
        while group.left:
            self.suspend()

    def suspend(self) -> None:
        """Give control to the hub until somebody calls resume() for this stage."""
        if self.ending is not None:
            raise Unwound
        hub = self.hub
        assert hub is not None
        hub.switch()
        self.clock.check()

    def resume(self, stage: Stage) -> None:
        """Let stage go on when its turn comes."""
        if not stage.ready:
            stage.ready = True
            self.queue.append(stage)

    def sleep_until(self, when: float) -> None:
        """Wait until the monotonic clock shows when."""
        while time.monotonic() < when:
            self.suspend_until(when)

    def suspend_until(self, when: float) -> None:
        """suspend(), but the monotonic clock showing when resumes the stage as well."""
        stage = self.current
        assert stage is not None
        self._serial += 1
        heapq.heappush(self.timers, (when, self._serial, stage))
        self.suspend()

    def wait_readable(self, descriptor: int, until: float | None) -> bool:
        """Wait until descriptor can be read, or the monotonic clock shows until; False then."""
        stage = self.current
        assert stage is not None
        if until is not None:
            self._serial += 1
            heapq.heappush(self.timers, (until, self._serial, stage))
        self.readers[descriptor] = stage
        try:
            while True:
                if _poll([descriptor], 0.0):
                    return True
                if until is not None and time.monotonic() >= until:
                    return False
                self.suspend()
        finally:
            self.readers.pop(descriptor, None)

    def _add(self, stage: Stage) -> None:
        coroutine = greenlet.greenlet(stage.start, self.hub)
        coroutine.gr_context = contextvars.copy_context()
        stage.coroutine = coroutine
        self.stages.append(stage)
        self.resume(stage)

    def _loop(self, main: Stage) -> None:
        queue = self.queue
        while self.ending is None:
            if not queue:
                if not self.stages:
                    return
                self._idle()
                continue
            stage = queue.popleft()
            stage.ready = False
            coroutine = stage.coroutine
            assert coroutine is not None
            if coroutine.dead:
                continue
            self.current = stage
            coroutine.switch()
            if coroutine.dead:
                self._finish(stage)

    def _finish(self, stage: Stage) -> None:
        self.stages.remove(stage)
        for close in reversed(stage.owned):
            close()
        stage.owned.clear()
        stage.coroutine = None
        if stage.error is not None and not isinstance(stage.error, Unwound):
            self.ending = self.ending or stage.error
        stage.error = None
        group = stage.group
        if group is not None:
            group.left -= 1
            if not group.left:
                self.resume(group.waiter)

    def _idle(self) -> None:
        """Nothing can go on: wait for a timer, a descriptor, the deadline or a cancel."""
        self.ending = self.clock.interrupted()
        if self.ending is not None:
            return
        limit = self.clock.next_limit()
        if limit is None and not self.timers and not self.readers:
            raise RuntimeError("every stage waits for another")
        waiting = list(self.readers)
        wake = self.clock.watch_wake()
        if wake is not None:
            waiting.append(wake)
        times = [t for t in (self.timers[0][0] if self.timers else None, limit) if t is not None]
        for descriptor in _poll(waiting, max(0.0, min(times) - time.monotonic()) if times else None):
            reader = self.readers.get(descriptor)
            if reader is not None:
                self.resume(reader)
        now = time.monotonic()
        while self.timers and self.timers[0][0] <= now:
            self.resume(heapq.heappop(self.timers)[2])
        if limit is not None and now >= limit:
            for stage in self.stages:  # the one whose limit it is will see it
                self.resume(stage)
        self.ending = self.clock.interrupted()

    def _unwind(self) -> None:
        """End every stage that is still alive, the last reader first."""
        if self.ending is None:
            self.ending = Unwound() if self.stages else None
        while self.stages:
            stage = self.stages[-1]
            coroutine = stage.coroutine
            assert coroutine is not None
            self.current = stage
            while not coroutine.dead:
                if not coroutine:  # never started: throw() runs none of its code
                    break
                coroutine.throw(Unwound())
            self._finish(stage)
        self.queue.clear()
        self.timers.clear()
        self.current = None
        self.hub = None


def _poll(descriptors: list[int], seconds: float | None) -> list[int]:
    """The descriptors that can be read, waiting at most seconds (None: for ever)."""
    if not hasattr(select, "poll"):
        return select.select(descriptors, [], [], seconds)[0]
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN)
    # rounded up: a wait that ends early would only be repeated
    milliseconds = None if seconds is None else math.ceil(seconds * 1000)
    return [fd for fd, _ in poll.poll(milliseconds)]
