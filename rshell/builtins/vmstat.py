"""vmstat: memory, paging, interrupts and processor time, as procps shows them."""

from __future__ import annotations

import struct
from datetime import datetime
from math import floor
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Failure, Invocation, Option
from rshell.builtins.text import clamped
from rshell.builtins.zone import zone_of

if TYPE_CHECKING:
    from rshell.host.memory import Activity, Memory

_UNITS = {"k": 1000, "K": 1024, "m": 1000**2, "M": 1024**2}
_OTHER = "only the tables of memory and activity are shown"

VMSTAT = Command(
    "vmstat",
    "report memory, paging and processor activity",
    "vmstat [-aws] [-S UNIT] [DELAY [COUNT]]",
    options=(
        Option("-a", "--active", help="show active and inactive memory instead of buffers and cache"),
        Option("-f", "--forks", help="show the number of forks since boot"),
        Option("-n", "--one-header", help="show the headings once"),
        Option("-s", "--stats", help="show counters since boot, one a line"),
        Option("-S", "--unit", value="UNIT", help="k, K, m or M: thousands, kibibytes, millions, mebibytes"),
        Option("-t", "--timestamp", help="show the time of each line"),
        Option("-w", "--wide", help="wider columns"),
        Option("-y", "--no-first", help="leave out the first line, the averages since boot"),
        Option("-d", "--disk", refused=_OTHER),
        Option("-D", "--disk-sum", refused=_OTHER),
        Option("-m", "--slabs", refused=_OTHER),
        Option("-p", "--partition", value="DEVICE", refused=_OTHER),
    ),
    description=f"It waits at most {limits.VMSTAT_WAIT} s in all: COUNT is cut to what fits, with a message.",
)

_HEAD = (
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----",
    "--procs-- -----------------------memory---------------------- ---swap-- -----io---- -system-- "
    "----------cpu----------",
)
_ACTIVITY = ("si", "so", "bi", "bo", "in", "cs", "us", "sy", "id", "wa", "st", "gu")
_NARROW = (2, 2, 6, 6, 6, 6, 4, 4, 5, 5, 4, 4, 2, 2, 2, 2, 2)
_WIDE = (4, 4, 12, 12, 12, 12, 4, 4, 5, 5, 4, 4, 3, 3, 3, 3, 3, 3)
_ROWS = 22  # lines between headings
_HZ = 100
_PAGE = 4  # KiB


def _single(value: float) -> float:
    found: float = struct.unpack("f", struct.pack("f", value))[0]
    return found


def _converted(kib: int, unit: int) -> int:
    """A size in the unit, with the rounding of procps, which counts in single precision."""
    return floor(_single(_single(_single(min(kib, 2**64)) / unit) * 1024))


def _names(active: bool) -> list[str]:
    memory = ["inact", "active"] if active else ["buff", "cache"]
    return ["r", "b", "swpd", "free", *memory, *_ACTIVITY]


def _joined(values: list[str], widths: tuple[int, ...]) -> str:
    return " ".join(f"{value:>{width}}" for value, width in zip(values, widths, strict=False))


def _rates(now: Activity, before: Activity | None, seconds: int, unit: int) -> list[int]:
    """si so bi bo in cs a second, and the shares of processor time; before None: since boot."""
    ticks = [new - old for new, old in zip(now.ticks, before.ticks if before else [0] * 10, strict=True)]
    ticks = [max(0, tick) for tick in ticks]
    use, system, idle, wait = ticks[0] + ticks[1], ticks[2] + ticks[5] + ticks[6], ticks[3], ticks[4]
    whole = use + system + idle + wait + ticks[7]
    if not whole:
        whole = idle = 1
    counters = []
    for name in ("pswpin", "pswpout", "pgpgin", "pgpgout"):
        moved = max(0, now.paging.get(name, 0) - (before.paging.get(name, 0) if before else 0))
        counters.append(_converted(moved * _PAGE, unit) if name.startswith("pswp") else moved)
    counters.append(max(0, now.interrupts - (before.interrupts if before else 0)))
    counters.append(max(0, now.switches - (before.switches if before else 0)))
    if before is None:
        rates = [(value * _HZ + whole // 2) // whole for value in counters]
    else:
        rates = [(value + seconds // 2) // seconds for value in counters]
    shares = (use, system, idle, wait, ticks[7], ticks[8] + ticks[9])
    return rates + [(100 * share + whole // 2) // whole for share in shares]


class _Table:
    def __init__(self, call: Invocation, unit: int) -> None:
        self.call = call
        self.unit = unit
        self.active = "active" in call.options
        self.wide = "wide" in call.options
        self.stamp = "timestamp" in call.options
        self.zone = zone_of(call)
        self.widths = _WIDE if self.wide else _NARROW

    def heading(self) -> None:
        first = _HEAD[self.wide]
        second = _joined(_names(self.active), self.widths)
        if self.stamp:
            first += " -----timestamp-----"
            zone = datetime.fromtimestamp(floor(self.call.run.now), self.zone).tzname() or ""
            second += f" {zone:>19}"
        self.call.print(first)
        self.call.print(second)

    def line(self, memory: Memory, before: Activity | None, seconds: int, waited: int) -> None:
        now = memory.activity
        kept = (memory.inactive, memory.active) if self.active else (memory.buffers, memory.cached)
        sizes = [_converted(size, self.unit) for size in (memory.swap_used, memory.free, *kept)]
        values = [now.running, now.blocked, *sizes, *_rates(now, before, seconds, self.unit)]
        text = _joined([str(value) for value in values], self.widths)
        if self.stamp:
            text += f" {datetime.fromtimestamp(floor(self.call.run.now) + waited, self.zone):%Y-%m-%d %H:%M:%S}"
        self.call.print(text)
        self.call.flush()


def _counters(call: Invocation, unit: int, letter: str) -> None:
    memory = call.run.host.memory()
    activity = memory.activity
    ticks = activity.ticks
    for size, what in (
        (memory.total, "total memory"),
        (memory.used, "used memory"),
        (memory.active, "active memory"),
        (memory.inactive, "inactive memory"),
        (memory.free, "free memory"),
        (memory.buffers, "buffer memory"),
        (memory.cached, "swap cache"),
        (memory.swap_total, "total swap"),
        (memory.swap_used, "used swap"),
        (memory.swap_free, "free swap"),
    ):
        call.print(f"{_converted(size, unit):13} {letter} {what}")
    for count, what in (
        (ticks[0], "non-nice user cpu ticks"),
        (ticks[1], "nice user cpu ticks"),
        (ticks[2], "system cpu ticks"),
        (ticks[3], "idle cpu ticks"),
        (ticks[4], "IO-wait cpu ticks"),
        (ticks[5], "IRQ cpu ticks"),
        (ticks[6], "softirq cpu ticks"),
        (ticks[7], "stolen cpu ticks"),
        (ticks[8], "non-nice guest cpu ticks"),
        (ticks[9], "nice guest cpu ticks"),
        (activity.paging.get("pgpgin", 0), "K paged in"),
        (activity.paging.get("pgpgout", 0), "K paged out"),
        (activity.paging.get("pswpin", 0), "pages swapped in"),
        (activity.paging.get("pswpout", 0), "pages swapped out"),
        (activity.interrupts, "interrupts"),
        (activity.switches, "CPU context switches"),
        (activity.boot_time, "boot time"),
        (activity.forks, "forks"),
    ):
        call.print(f"{count:13} {what}")


def _positive(text: str, what: str) -> int:
    value = clamped(text, -1, 10**9)
    if value is None:
        raise Failure(f"failed to parse argument: '{text}'")
    if value < 1:
        raise Failure(f"{what} must be positive integer")
    return value


@VMSTAT.main
def vmstat(call: Invocation) -> int:
    letter = call.options.get("unit") or "K"
    if letter not in _UNITS:
        raise Failure("-S requires k, K, m or M (default is KiB)")
    if len(call.operands) > 2:
        raise Failure(f"extra operand '{call.operands[2]}'")
    delay = _positive(call.operands[0], "delay") if call.operands else 1
    count = _positive(call.operands[1], "count") if len(call.operands) == 2 else 0 if call.operands else 1
    if "forks" in call.options:
        call.print(f"{call.run.host.memory().activity.forks:13} forks")
        return 0
    if "stats" in call.options:
        _counters(call, _UNITS[letter], letter)
        return 0
    skipped = 1 if "no-first" in call.options else 0
    fitting = limits.VMSTAT_WAIT // delay + 1 - skipped
    if count > fitting or (not count and call.operands):
        call.error(f"it waits at most {limits.VMSTAT_WAIT} s in all: {fitting} lines follow")
    if not count or count > fitting:
        count = fitting
    table = _Table(call, _UNITS[letter])
    before: Activity | None = None
    waited = 0
    memory = call.run.host.memory()
    table.heading()
    for at in range(count + skipped):
        if at:
            call.run.sleep(delay)
            waited += delay
            if at % _ROWS == 0 and "one-header" not in call.options:
                table.heading()
            memory = call.run.host.memory()
        if at >= skipped:
            table.line(memory, before, delay, waited)
        else:
            call.flush()
        before = memory.activity
    return call.status


COMMANDS = {"vmstat": VMSTAT}
