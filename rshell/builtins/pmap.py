"""pmap: the memory that a process has mapped, as procps shows it; under its name, without its arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, reason
from rshell.builtins.ps_fields import printable
from rshell.builtins.text import clamped

if TYPE_CHECKING:
    from rshell.host.openfiles import Mapping
    from rshell.host.proc import Process

_STACK_FIELD = 24  # where startstack stands among the numbers of stat
_GONE = 42

PMAP = Command(
    "pmap",
    "report the memory map of processes",
    "pmap [-xpq] PID...",
    options=(
        Option("-x", "--extended", help="show resident and dirty sizes"),
        Option("-p", "--show-path", refused="names are shown without their directories"),
        Option("-q", "--quiet", help="no heading and no total"),
        Option("-d", "--device", "-X", "-XX", "-A", "-c", "-C", "-n", "-N", refused="use -x"),
    ),
)  # fmt: skip


def _name(mapping: Mapping, stack: int) -> str:
    if mapping.name.startswith(b"/") or b"/" in mapping.name:
        name = mapping.name
        return printable(name.rpartition(b"/")[2] or b"/")
    return "  [ stack ]" if mapping.start <= stack <= mapping.end else "  [ anon ]"


def _mode(mapping: Mapping) -> str:
    return mapping.mode[:3] + ("s" if mapping.mode[3] == "s" else "-") + "-"


def _show(call: Invocation, process: Process) -> None:
    call.print(f"{process.pid}:   {printable(process.comm)}")
    extended = "extended" in call.options
    quiet = "quiet" in call.options
    try:
        mappings, whole = call.run.host.open_files().mappings(process.pid, details=extended)
    except OSError as failure:
        call.error(f"{process.pid}: {reason(failure)}")
        return
    stack = process.fields[_STACK_FIELD]
    if extended and not quiet:
        call.print("Address           Kbytes     RSS   Dirty Mode  Mapping")
    total = resident = dirty = 0
    for mapping in mappings:
        size = (mapping.end - mapping.start) >> 10
        total += size
        resident += mapping.resident
        dirty += mapping.dirty
        sizes = f" {size:7} {mapping.resident:7} {mapping.dirty:7}" if extended else f"{size:7}K"
        call.print(f"{mapping.start:016x}{sizes} {_mode(mapping)} {_name(mapping, stack)}")
    if not quiet and extended:
        call.print("---------------- ------- ------- ------- ")
        call.print(f"total kB         {total:7} {resident:7} {dirty:7}")
    elif not quiet:
        call.print(f"{' total':16}{total:7}K")
    if not whole:
        call.error(f"{process.pid}: too many mappings: only the first {limits.MAPPINGS} were read")


@PMAP.main
def pmap(call: Invocation) -> int:
    if not call.operands:
        raise UsageError("argument missing")
    processes = call.run.host.processes()
    processes.identifiers  # noqa: B018 - fails where there is no procfs
    pids = []
    for text in call.operands:
        pid = clamped(text.removeprefix("/proc/"), 0, 2**31)
        if not pid:
            raise Failure(f"failed to parse argument: '{text}'")
        pids.append(pid)
    for pid in pids:
        process = processes.one(pid)
        if process is None:
            call.status = max(call.status, _GONE)
        else:
            _show(call, process)
    return call.status


COMMANDS = {"pmap": PMAP}
