"""Memory and swap from meminfo, counters from vmstat and stat (proc(5))."""

from __future__ import annotations

from functools import cached_property

from rshell.host.source import count, pairs, require


class Memory:
    """One look at the memory; sizes in KiB. Values that a kernel does not give are 0."""

    def __init__(self, proc_path: str) -> None:
        self._proc = proc_path
        self.values = pairs(require(f"{proc_path}/meminfo"))

    def _of(self, *names: str) -> int:
        return sum(self.values.get(name, 0) for name in names)

    @property
    def total(self) -> int:
        return self._of("MemTotal")

    @property
    def free(self) -> int:
        return self._of("MemFree")

    @property
    def buffers(self) -> int:
        return self._of("Buffers")

    @property
    def cached(self) -> int:
        """The page cache and what can be reclaimed of the kernel's own caches."""
        return self._of("Cached", "SReclaimable")

    @property
    def shared(self) -> int:
        return self._of("Shmem")

    @property
    def available(self) -> int:
        """What can be had without swapping; where the kernel (or a container) says more than all, what is free."""
        available = self.values.get("MemAvailable", self.free)
        return self.free if available > self.total else available

    @property
    def used(self) -> int:
        return max(0, self.total - self.available)

    @property
    def active(self) -> int:
        return self._of("Active")

    @property
    def inactive(self) -> int:
        return self._of("Inactive")

    @property
    def swap_total(self) -> int:
        return self._of("SwapTotal")

    @property
    def swap_free(self) -> int:
        return self._of("SwapFree")

    @property
    def swap_used(self) -> int:
        return max(0, self.swap_total - self.swap_free)

    @property
    def commit_limit(self) -> int:
        return self._of("CommitLimit")

    @property
    def committed(self) -> int:
        return self._of("Committed_AS")

    @cached_property
    def activity(self) -> Activity:
        """The counters of the same moment."""
        return Activity(self._proc)


class Activity:
    """Counters since boot: processor ticks, paging, interrupts, switches.

    ticks: user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice, in 1/100 s.
    """

    def __init__(self, proc_path: str) -> None:
        self.paging = pairs(require(f"{proc_path}/vmstat"))
        # The line of interrupts has one number for each that there could be.
        lines = {
            line.partition(b" ")[0]: line.partition(b" ")[2].lstrip(b" ")
            for line in require(f"{proc_path}/stat").split(b"\n")
        }
        ticks = [count(field) for field in lines.get(b"cpu", b"").split(b" ")[:10]]
        self.ticks = ticks + [0] * (10 - len(ticks))
        self.interrupts = count(lines.get(b"intr", b""))
        self.switches = count(lines.get(b"ctxt", b""))
        self.boot_time = count(lines.get(b"btime", b""))
        self.forks = count(lines.get(b"processes", b""))
        self.running = count(lines.get(b"procs_running", b""))
        self.blocked = count(lines.get(b"procs_blocked", b""))
