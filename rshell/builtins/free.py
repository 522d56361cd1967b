"""free: memory in use, as procps shows it."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

from rshell.builtins.command import Command, Invocation, Option

if TYPE_CHECKING:
    from collections.abc import Callable

_REPEAT = "it shows one moment; use a loop with sleep"
# option: power of 1024 or 1000
_BINARY = {"bytes": 0, "kibi": 1, "mebi": 2, "gibi": 3, "tebi": 4, "pebi": 5}
_DECIMAL = {"kilo": 1, "mega": 2, "giga": 3, "tera": 4, "peta": 5}
_LETTERS = "BKMGTP"

FREE = Command(
    "free",
    "show how much memory is free and used",
    "free [OPTION]...",
    options=(
        Option("-b", "--bytes", help="in bytes"),
        Option("-k", "--kibi", help="in kibibytes (default)"),
        Option("-m", "--mebi", help="in mebibytes"),
        Option("-g", "--gibi", help="in gibibytes"),
        Option("--tebi", help="in tebibytes"),
        Option("--pebi", help="in pebibytes"),
        Option("--kilo", help="in kilobytes"),
        Option("--mega", help="in megabytes"),
        Option("--giga", help="in gigabytes"),
        Option("--tera", help="in terabytes"),
        Option("--peta", help="in petabytes"),
        Option("-h", "--human", help="in the unit that fits each number"),
        Option("--si", help="use powers of 1000"),
        Option("-l", "--lohi", help="show low and high memory"),
        Option("-t", "--total", help="add a line of totals"),
        Option("-v", "--committed", help="add a line of committed memory"),
        Option("-w", "--wide", help="show buffers and cache apart"),
        Option("-s", "--seconds", value="N", refused=_REPEAT),
        Option("-c", "--count", value="N", refused=_REPEAT),
    ),
)


def _human(kib: int, base: int) -> str:
    """At most three digits, or one and a decimal, and the unit's letter."""
    suffix = "i" if base == 1024 else ""
    text = f"{kib * 1024}B"
    if len(text) <= 4:
        return text
    for power in range(1, len(_LETTERS)):
        value = kib * 1024 / base**power
        unit = _LETTERS[power] + suffix
        for text in (f"{value:.1f}{unit}", f"{floor(value)}{unit}"):
            if len(text) <= 4 + len(suffix):
                return text
    return text


def _scale(call: Invocation) -> Callable[[int], str]:
    """How a number of KiB is shown."""
    base = 1000 if "si" in call.options else 1024
    unit = call.options.last(*_BINARY, *_DECIMAL, "human")
    if unit == "human":
        return lambda kib: _human(kib, base)
    if unit in _DECIMAL:
        base = 1000
        power = _DECIMAL[unit]
    else:
        power = _BINARY[unit or "kibi"]
    if unit is None and base == 1000:
        power = 1
    return lambda kib: str(kib * 1024 // base**power)


@FREE.main
def free(call: Invocation) -> int:
    memory = call.run.host.memory()
    shown = _scale(call)
    wide = "wide" in call.options

    def line(label: str, *sizes: int) -> None:
        call.print(f"{label:9}" + " ".join(f"{shown(size):>11}" for size in sizes))

    caches = (memory.buffers, memory.cached) if wide else (memory.buffers + memory.cached,)
    headings = ["total", "used", "free", "shared", *(["buffers", "cache"] if wide else ["buff/cache"]), "available"]
    call.print(" " * 9 + " ".join(f"{heading:>11}" for heading in headings))
    line("Mem:", memory.total, memory.used, memory.free, memory.shared, *caches, memory.available)
    if "lohi" in call.options:
        high, high_free = memory.values.get("HighTotal", 0), memory.values.get("HighFree", 0)
        low, low_free = memory.total - high, memory.free - high_free
        line("Low:", low, low - low_free, low_free)
        line("High:", high, high - high_free, high_free)
    line("Swap:", memory.swap_total, memory.swap_used, memory.swap_free)
    if "total" in call.options:
        line(
            "Total:",
            memory.total + memory.swap_total,
            memory.used + memory.swap_used,
            memory.free + memory.swap_free,
        )
    if "committed" in call.options:
        line("Comm:", memory.commit_limit, memory.committed, memory.commit_limit - memory.committed)
    return 0


COMMANDS = {"free": FREE}
