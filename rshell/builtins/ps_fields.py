"""The fields of ps: how each is headed, laid out, shown and sorted (ps(1), procps 4)."""

from __future__ import annotations

from datetime import datetime
from math import floor
from typing import TYPE_CHECKING

from rshell.builtins.timeformat import DAYS, MONTHS

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from rshell.host.accounts import Accounts
    from rshell.host.proc import Process, Processes

_DAY = 86_400
_LATEST = 253_402_214_400  # the last day that datetime can name
_CLASSES = {0: "TS", 1: "FF", 2: "RR", 3: "B", 4: "ISO", 5: "IDL", 6: "DLN"}
_TERMINALS = {166: "ttyACM", 188: "ttyUSB", 204: "ttyAMA", 229: "hvc"}


class Look:
    """What a table of processes is shown by: the moment, the zone, the names of accounts."""

    def __init__(self, processes: Processes, accounts: Accounts, now: float, zone: tzinfo, ticks: int) -> None:
        self.now = floor(now)
        self.zone = zone
        self.ticks = ticks
        self.uptime = processes.uptime
        self.boot_time = processes.boot_time or floor(now - processes.uptime)
        self.memory = processes.memory_total
        self.accounts = accounts
        self.today = self.at(self.now)
        self._dates: dict[int, datetime] = {}

    def at(self, seconds: int) -> datetime:
        return datetime.fromtimestamp(max(0, min(seconds, _LATEST)), self.zone)

    def started(self, process: Process) -> int:
        """When a process started, in seconds since the epoch."""
        return self.boot_time + process.start // self.ticks

    def start_date(self, process: Process) -> datetime:
        seconds = self.started(process)
        date = self._dates.get(seconds)
        if date is None:
            date = self._dates[seconds] = self.at(seconds)
        return date

    def elapsed(self, process: Process) -> float:
        return max(0.0, self.uptime - process.start / self.ticks)

    def cpu_time(self, process: Process) -> int:
        return process.ticks // self.ticks

    def cpu(self, process: Process) -> float:
        """The share of one processor that it had in its life, in percent."""
        elapsed = self.elapsed(process)
        return process.ticks / self.ticks * 100 / elapsed if elapsed else 0.0

    def memory_share(self, process: Process) -> int:
        """In thousandths of the machine's memory."""
        return min(999, process.resident * 1000 // self.memory) if self.memory else 0

    def user(self, number: int) -> str:
        return self.accounts.user_name(number) or str(number)

    def group(self, number: int) -> str:
        return self.accounts.group_name(number) or str(number)


class Field:
    """A column. width: at least. right: aligned so. cut: the text is cut to the width where another column follows."""

    __slots__ = ("cut", "heading", "key", "right", "show", "width")

    def __init__(
        self,
        heading: str,
        width: int,
        show: Callable[[Process, Look], str],
        *,
        right: bool = False,
        cut: bool = False,
        key: Callable[[Process, Look], float | str | bytes] | None = None,
    ) -> None:
        self.heading = heading
        self.width = width
        self.show = show
        self.right = right
        self.cut = cut
        self.key = key or show

    def headed(self, heading: str) -> Field:
        """The same column under another heading, which widens it where it must."""
        return Field(heading, max(self.width, len(heading)), self.show, right=self.right, cut=self.cut, key=self.key)


def printable(comm: bytes) -> str:
    """A process's name; what no terminal can show as question marks."""
    try:
        text = comm.decode("ascii")
        if text.isprintable():
            return text
    except UnicodeDecodeError:
        text = comm.decode("utf-8", "surrogateescape")
    return "".join(c if c.isprintable() else "?" for c in text)


def _name(process: Process, look: Look) -> str:
    return printable(process.comm)


def _command(process: Process, look: Look) -> str:
    name = printable(process.comm)
    if process.state == "Z":
        return f"[{name}] <defunct>"
    return f"[{name}]" if process.is_kernel_thread else name


def _terminal(process: Process, look: Look) -> str:
    return terminal_name(process.terminal)


def terminal_name(device: int) -> str:
    """The name of a terminal by its device number, '?' for none (devices.txt of the kernel)."""
    if device <= 0:
        return "?"
    major, minor = device >> 8 & 0xFFF, device & 0xFF | device >> 12 & 0xFFF00
    if 136 <= major <= 143:
        return f"pts/{(major - 136) * 256 + minor}"
    if major == 4:
        return f"tty{minor}" if minor < 64 else f"ttyS{minor - 64}"
    if major == 5:
        return {0: "tty", 1: "console", 2: "ptmx"}.get(minor, "?")
    return f"{_TERMINALS[major]}{minor}" if major in _TERMINALS else "?"


def _stat(process: Process, look: Look) -> str:
    nice = process.nice
    return (
        process.state
        + ("<" if nice < 0 else "N" if nice > 0 else "")
        + ("L" if process.locked else "")
        + ("s" if process.session == process.pid else "")
        + ("l" if process.threads > 1 else "")
        + ("+" if process.group == process.foreground else "")
    )


def _cpu(process: Process, look: Look) -> str:
    tenths = floor(look.cpu(process) * 10)
    return f"{tenths // 10}" if tenths > 999 else f"{tenths / 10:.1f}"


def _memory(process: Process, look: Look) -> str:
    return f"{look.memory_share(process) / 10:4.1f}"  # the blank is part of the text, as procps has it


def _span(seconds: int, *, hours: bool) -> str:
    days, rest = divmod(seconds, _DAY)
    text = f"{rest // 60 % 60:02}:{rest % 60:02}"
    if days or rest >= 3_600 or hours:
        text = f"{rest // 3_600:02}:{text}"
    return f"{days}-{text}" if days else text


def _time(process: Process, look: Look) -> str:
    return _span(look.cpu_time(process), hours=True)


def _short_time(process: Process, look: Look) -> str:
    seconds = look.cpu_time(process)
    return f"{seconds // 60}:{seconds % 60:02}"


def _elapsed(process: Process, look: Look) -> str:
    return _span(floor(look.elapsed(process)), hours=False)


def _start(process: Process, look: Look) -> str:
    date, today = look.start_date(process), look.today
    if date.year != today.year:
        return f"{date.year:4}"
    if (date.month, date.day) != (today.month, today.day):
        return f"{MONTHS[date.month - 1]}{date.day:02}"
    return f"{date:%H:%M}"


def _started(process: Process, look: Look) -> str:
    date = look.start_date(process)
    if look.now - look.started(process) > _DAY:
        return f"{MONTHS[date.month - 1]} {date.day:2}"
    return f"{date:%H:%M:%S}"


def _start_in_full(process: Process, look: Look) -> str:
    date = look.start_date(process)
    return f"{DAYS[date.weekday()]} {MONTHS[date.month - 1]} {date.day:2} {date:%H:%M:%S} {date.year}"


def _nice(process: Process, look: Look) -> str:
    return str(process.nice) if process.policy in (0, 3) else "-"


def _realtime(process: Process, look: Look) -> str:
    return str(process.realtime_priority) if process.policy else "-"


def _waits(process: Process, look: Look) -> str:
    return printable(process.waits_in) or "-"


def _shortened(name: str, width: int = 8) -> str:
    return name if len(name) <= width else name[: width - 1] + "+"


def _number(heading: str, width: int, value: Callable[[Process, Look], int], show: Callable[[int], str] = str) -> Field:
    return Field(heading, width, lambda p, k: show(value(p, k)), right=True, key=value)


def _user(heading: str, which: int) -> Field:
    return Field(heading, 8, lambda p, k: _shortened(k.user(p.uid(which))), key=lambda p, k: k.user(p.uid(which)))


def _group(heading: str, which: int) -> Field:
    return Field(heading, 8, lambda p, k: _shortened(k.group(p.gid(which))), key=lambda p, k: k.group(p.gid(which)))


def _ticks(process: Process, look: Look) -> int:
    return process.ticks


_COMM = {"comm": "COMMAND", "ucomm": "COMMAND", "ucmd": "CMD"}
_ARGS = {"args": "COMMAND", "command": "COMMAND", "cmd": "CMD"}


def known_fields(digits: int = 5) -> dict[str, Field]:
    """Every field by name; digits is the width of process IDs."""
    pid = {
        "pid": _number("PID", digits, lambda p, k: p.pid),
        "tgid": _number("TGID", digits, lambda p, k: p.pid),
        "ppid": _number("PPID", digits, lambda p, k: p.ppid),
        "pgid": _number("PGID", digits, lambda p, k: p.group),
        "pgrp": _number("PGRP", digits, lambda p, k: p.group),
        "sid": _number("SID", digits, lambda p, k: p.session),
        "sess": _number("SESS", digits, lambda p, k: p.session),
        "tpgid": _number("TPGID", digits, lambda p, k: p.foreground),
    }
    users = {
        "uid": _number("UID", 5, lambda p, k: p.uid()),
        "euid": _number("EUID", 5, lambda p, k: p.uid()),
        "ruid": _number("RUID", 5, lambda p, k: p.uid(0)),
        "suid": _number("SUID", 5, lambda p, k: p.uid(2)),
        "fuid": _number("FUID", 5, lambda p, k: p.uid(3)),
        "gid": _number("GID", 5, lambda p, k: p.gid()),
        "egid": _number("EGID", 5, lambda p, k: p.gid()),
        "rgid": _number("RGID", 5, lambda p, k: p.gid(0)),
        "user": _user("USER", 1),
        "uname": _user("USER", 1),
        "euser": _user("EUSER", 1),
        "ruser": _user("RUSER", 0),
        "group": _group("GROUP", 1),
        "egroup": _group("EGROUP", 1),
        "rgroup": _group("RGROUP", 0),
    }
    state = {
        "state": Field("S", 1, lambda p, k: p.state),
        "s": Field("S", 1, lambda p, k: p.state),
        "stat": Field("STAT", 4, _stat),
        "tty": Field("TT", 8, _terminal, key=lambda p, k: p.terminal),
        "tt": Field("TT", 8, _terminal, key=lambda p, k: p.terminal),
        "tname": Field("TTY", 8, _terminal, key=lambda p, k: p.terminal),
        "f": _number("F", 1, lambda p, k: p.flags >> 6 & 7, "{:o}".format),
        "flags": _number("F", 1, lambda p, k: p.flags >> 6 & 7, "{:o}".format),
        "wchan": Field("WCHAN", 6, _waits, cut=True),
    }
    times = {
        "stime": Field("STIME", 5, _start, right=True, key=lambda p, k: p.start),
        "start": Field("STARTED", 8, _started, right=True, key=lambda p, k: p.start),
        "start_time": Field("START", 5, _start, right=False, key=lambda p, k: p.start),
        "lstart": Field("STARTED", 24, _start_in_full, right=True, key=lambda p, k: p.start),
        "time": Field("TIME", 8, _time, right=True, key=_ticks),
        "cputime": Field("TIME", 8, _time, right=True, key=_ticks),
        "bsdtime": Field("TIME", 6, _short_time, right=True, key=_ticks),
        "times": _number("TIME", 8, lambda p, k: k.cpu_time(p)),
        "etime": Field("ELAPSED", 11, _elapsed, right=True, key=lambda p, k: k.elapsed(p)),
        "etimes": _number("ELAPSED", 7, lambda p, k: floor(k.elapsed(p))),
    }
    sizes = {
        "rss": _number("RSS", 5, lambda p, k: p.resident),
        "rssize": _number("RSS", 5, lambda p, k: p.resident),
        "rsz": _number("RSZ", 5, lambda p, k: p.resident),
        "vsz": _number("VSZ", 6, lambda p, k: p.virtual),
        "vsize": _number("VSZ", 6, lambda p, k: p.virtual),
        "sz": _number("SZ", 5, lambda p, k: p.virtual // 4),
        "pmem": Field("%MEM", 4, _memory, right=True, key=lambda p, k: p.resident),
        "%mem": Field("%MEM", 4, _memory, right=True, key=lambda p, k: p.resident),
        "min_flt": _number("MINFL", 6, lambda p, k: p.fields[6]),
        "maj_flt": _number("MAJFL", 6, lambda p, k: p.fields[8]),
    }
    scheduling = {
        "pcpu": Field("%CPU", 4, _cpu, right=True, key=lambda p, k: k.cpu(p)),
        "%cpu": Field("%CPU", 4, _cpu, right=True, key=lambda p, k: k.cpu(p)),
        "c": _number("C", 2, lambda p, k: min(99, floor(k.cpu(p))), "{:2}".format),
        "nlwp": _number("NLWP", 4, lambda p, k: p.threads),
        "thcount": _number("THCNT", 5, lambda p, k: p.threads),
        "ni": Field("NI", 3, _nice, right=True, key=lambda p, k: p.nice),
        "nice": Field("NI", 3, _nice, right=True, key=lambda p, k: p.nice),
        "pri": _number("PRI", 3, lambda p, k: 39 - p.priority),
        "opri": _number("PRI", 3, lambda p, k: 60 + p.priority),
        "priority": _number("PRI", 3, lambda p, k: p.priority),
        "psr": _number("PSR", 3, lambda p, k: p.processor),
        "cls": Field("CLS", 3, lambda p, k: _CLASSES.get(p.policy, "?"), right=True),
        "class": Field("CLS", 3, lambda p, k: _CLASSES.get(p.policy, "?")),
        "policy": Field("POL", 3, lambda p, k: _CLASSES.get(p.policy, "?")),
        "rtprio": Field("RTPRIO", 6, _realtime, right=True, key=lambda p, k: p.realtime_priority),
    }
    names = {name: Field(heading, 15, _name, cut=True, key=lambda p, k: p.comm) for name, heading in _COMM.items()}
    names |= {name: Field(heading, 27, _command, cut=True, key=lambda p, k: p.comm) for name, heading in _ARGS.items()}
    return pid | users | state | times | sizes | scheduling | names


def laid_out(columns: list[Field], texts: list[str]) -> str:
    """One line of the table. A text that is too wide moves the next columns only as far as it must."""
    line = ""
    edge = 0  # where the column should start
    last = len(columns) - 1
    for at, (field, text) in enumerate(zip(columns, texts, strict=True)):
        width = field.width
        if field.cut and at != last:
            text = text[:width]
        start = edge + width - len(text) if field.right and len(text) < width else edge
        gap = start - len(line)
        line += " " * (gap if gap > 0 else 1 if at else 0) + text
        edge += width + 1
    return line
