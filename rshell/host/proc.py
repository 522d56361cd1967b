"""The processes, from stat and status of each below the proc path (proc(5)). Never cmdline, never environ."""

from __future__ import annotations

import os
import re
from functools import cached_property
from typing import TYPE_CHECKING

from rshell import limits
from rshell.host.memory import Memory
from rshell.host.source import Unavailable, count, read, require
from rshell.host.uptime import Uptime

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_STAT_SIZE = 128 * 1024  # far more than a kernel writes
_STATUS_SIZE = 64 * 1024
_COMM = 63  # bytes, the longest a kernel thread has
_PID = re.compile(r"[1-9][0-9]{0,9}")
_ENTRIES = 16 * limits.PROCESSES  # entries of the proc path that are looked at
_FIELDS = re.compile(rb"([!-~]) (-?[0-9]{1,20}(?: -?[0-9]{1,20}){19,79}) ?\n?")
_STATUS = re.compile(rb"^(Uid|Gid|VmLck|VmSize|VmRSS|Threads):\t *([0-9\t]{1,90})", re.MULTILINE)
_BOOT = re.compile(rb"^btime ([0-9]{1,20})$", re.MULTILINE)
TICKS: int = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") and "SC_CLK_TCK" in os.sysconf_names else 100


class Process:
    """One process at one moment.

    state: its letter. fields: the numbers of stat from ppid on, at least 40, 0 where the kernel gave
    none. comm: at most 63 bytes. Sizes are in KiB, times in ticks.
    """

    __slots__ = ("_path", "_status", "comm", "fields", "pid", "state")

    def __init__(self, path: bytes, pid: int, stat: bytes) -> None:
        start = stat.index(b"(")
        end = stat.rindex(b")")
        match = _FIELDS.fullmatch(stat, end + 2)
        if match is None or end < start:
            raise ValueError
        self._path = path
        self._status: dict[bytes, list[int]] | None = None
        self.pid = pid
        self.comm = stat[start + 1 : min(end, start + 1 + _COMM)]
        self.state = match[1].decode("ascii")
        fields = [int(field) for field in match[2].split(b" ")]  # text: ours
        self.fields = fields if len(fields) >= 40 else fields + [0] * (40 - len(fields))

    @property
    def status(self) -> dict[bytes, list[int]]:
        """What is wanted of the status file; nothing when the process has gone since."""
        if self._status is None:
            try:
                content = read(self._path + b"/status", _STATUS_SIZE)
            except OSError:
                content = b""
            self._status = {
                name: [count(value) for value in values.split(b"\t")] for name, values in _STATUS.findall(content)
            }
        return self._status

    @property
    def ppid(self) -> int:
        return self.fields[0]

    @property
    def group(self) -> int:
        return self.fields[1]

    @property
    def session(self) -> int:
        return self.fields[2]

    @property
    def terminal(self) -> int:
        """The device number of the controlling terminal, 0 for none."""
        return self.fields[3]

    @property
    def foreground(self) -> int:
        """The foreground process group of its terminal."""
        return self.fields[4]

    @property
    def flags(self) -> int:
        return self.fields[5]

    @property
    def is_kernel_thread(self) -> bool:
        return bool(self.fields[5] & 0x200000)

    @property
    def ticks(self) -> int:
        """Processor time, user and system."""
        return max(0, self.fields[10] + self.fields[11])

    @property
    def priority(self) -> int:
        return self.fields[14]

    @property
    def nice(self) -> int:
        return self.fields[15]

    @property
    def threads(self) -> int:
        return self.fields[16]

    @property
    def start(self) -> int:
        """When it started, in ticks since boot."""
        return max(0, self.fields[18])

    @property
    def virtual(self) -> int:
        """The size of its address space."""
        return max(0, self.fields[19]) // 1024

    @property
    def resident(self) -> int:
        sizes = self.status.get(b"VmRSS")
        return sizes[0] if sizes else 0

    @property
    def locked(self) -> bool:
        sizes = self.status.get(b"VmLck")
        return bool(sizes and sizes[0])

    @property
    def processor(self) -> int:
        return self.fields[35]

    @property
    def realtime_priority(self) -> int:
        return self.fields[36]

    @property
    def policy(self) -> int:
        """The scheduling policy's number."""
        return self.fields[37]

    def uid(self, which: int = 1) -> int:
        """A user ID: 0 the real, 1 the effective, 2 the saved, 3 that of the file system."""
        return self._id(b"Uid", which)

    def gid(self, which: int = 1) -> int:
        """A group ID, as uid()."""
        return self._id(b"Gid", which)

    def _id(self, kind: bytes, which: int) -> int:
        ids = self.status.get(kind)
        if ids is not None and len(ids) > which:
            return ids[which]
        try:
            found = os.stat(self._path)
        except OSError:
            return 0
        return found.st_uid if kind == b"Uid" else found.st_gid

    @property
    def waits_in(self) -> bytes:
        """The kernel function it sleeps in; empty when it does not, or may not be known."""
        try:
            name = read(self._path + b"/wchan", 256).partition(b"\n")[0]
        except OSError:
            return b""
        return b"" if name == b"0" else name


class Processes:
    """The processes below a proc path. truncated: all() left out those beyond limits.PROCESSES."""

    ticks = TICKS  # a second has so many

    def __init__(self, proc_path: str, check: Callable[[], None]) -> None:
        self._proc = proc_path
        self._root = os.fsencode(proc_path)
        self._check = check
        self.truncated = False
        self._more = False

    @cached_property
    def identifiers(self) -> list[int]:
        """The process IDs there are, in order, as they were when first asked for."""
        found: list[int] = []
        try:
            with os.scandir(self._proc) as entries:
                for seen, entry in enumerate(entries):
                    if seen & 1023 == 1023:
                        self._check()
                    if seen >= _ENTRIES:
                        self._more = True
                        break
                    if _PID.fullmatch(entry.name):
                        found.append(int(entry.name))  # text: ours
        except (FileNotFoundError, NotADirectoryError):
            raise Unavailable from None
        if not found:
            raise Unavailable
        found.sort()
        if len(found) > limits.PROCESSES:
            self._more = True
            del found[limits.PROCESSES :]
        return found

    def all(self, among: Iterable[int] | None = None) -> Iterator[Process]:
        """Every process, or those of the given IDs; what has gone or makes no sense is left out."""
        if among is None:
            among = self.identifiers
            self.truncated = self._more
        for seen, pid in enumerate(among):
            if seen & 63 == 63:
                self._check()
            process = self.one(pid)
            if process is not None:
                yield process

    def one(self, pid: int) -> Process | None:
        """The process of that ID, None when there is none."""
        path = b"%b/%d" % (self._root, pid)
        try:
            return Process(path, pid, read(path + b"/stat", _STAT_SIZE))
        except (OSError, ValueError):
            return None

    def own(self) -> Process | None:
        """This process, as the proc path shows it."""
        path = self._root + b"/self"
        try:
            stat = read(path + b"/stat", _STAT_SIZE)
            return Process(path, count(stat), stat)
        except (OSError, ValueError):
            return None

    @cached_property
    def uptime(self) -> float:
        """Seconds since boot; 0 where that is not known."""
        try:
            return Uptime(self._proc).seconds
        except OSError:
            return 0.0

    @cached_property
    def boot_time(self) -> int:
        """When the system started, in seconds since the epoch; 0 where that is not known."""
        try:
            match = _BOOT.search(read(f"{self._proc}/stat"))
        except OSError:
            return 0
        return int(match[1]) if match else 0  # text: ours

    @cached_property
    def memory_total(self) -> int:
        """The machine's memory in KiB; 0 where that is not known."""
        try:
            return Memory(self._proc).total
        except OSError:
            return 0

    @cached_property
    def highest(self) -> int:
        """The highest process ID there can be."""
        try:
            return count(require(f"{self._proc}/sys/kernel/pid_max", 64)) or 32_768
        except OSError:
            return 32_768
