"""df: show the room in file systems (GNU coreutils)."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.blocksize import HUMAN, SI, BlockSize, block_size
from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, encode, reason
from rshell.builtins.ls_format import human
from rshell.builtins.quoting import quote, quote_in_message
from rshell.builtins.width import width

if TYPE_CHECKING:
    from collections.abc import Callable

    from rshell.host.mounts import Mount, Usage

DF = Command(
    "df",
    "show the room in file systems",
    "df [OPTION]... [FILE]...",
    options=(
        Option("-a", "--all", help="also pseudo, duplicate, network and unreachable file systems"),
        Option("-B", "--block-size", value="SIZE", help="in units of SIZE (-BM: mebibytes)"),
        Option("-h", "--human-readable", help="in powers of 1024 (1023M)"),
        Option("-H", "--si", help="in powers of 1000 (1.1G)"),
        Option("-i", "--inodes", help="inodes instead of blocks"),
        Option("-k", help="as --block-size=1K (default)"),
        Option("-m", key="m"),
        Option("-l", "--local", help="only local file systems (as without it, unless -a is given)"),
        Option("--no-sync", help="nothing is synced (default)"),
        Option("--output", value="FIELD_LIST", optional=True, help="these columns, all without a list"),
        Option("-P", "--portability", help="POSIX's headings"),
        Option("--total", help="add a line of totals"),
        Option("-t", "--type", value="TYPE", help="only file systems of this type"),
        Option("-T", "--print-type", help="show types"),
        Option("-x", "--exclude-type", value="TYPE", help="no file systems of this type"),
        Option("-v", key="v"),
        Option("--sync", refused="nothing is written out to be shown"),
    ),
    description="Network file systems are not asked without -a, a FILE on them, or -t naming their type.",
)

# name: heading, least width, whether it is set to the right
_FIELDS = {
    "source": ("Filesystem", 14, False),
    "fstype": ("Type", 4, False),
    "itotal": ("Inodes", 5, True),
    "iused": ("IUsed", 5, True),
    "iavail": ("IFree", 5, True),
    "ipcent": ("IUse%", 4, True),
    "size": ("blocks", 5, True),
    "used": ("Used", 5, True),
    "avail": ("Available", 5, True),
    "pcent": ("Use%", 4, True),
    "file": ("File", 0, False),
    "target": ("Mounted on", 0, False),
}
_UNITS = "KMGTPEZY"


class _Line:
    """One line of the table. usage is None where it is not known."""

    __slots__ = ("file", "source", "target", "type", "usage")

    def __init__(self, source: str, kind: str, target: str, usage: Usage | None, file: str = "-") -> None:
        self.source = source
        self.type = kind
        self.target = target
        self.usage = usage
        self.file = file


def _unit_name(block: int) -> str:
    """A block size as the heading shows it: 1K, 1kB, 512B."""
    thousands, kibis = block, block
    by_1000 = by_1024 = True
    while by_1000 and by_1024:
        by_1000, by_1024 = thousands % 1_000 == 0, kibis % 1_024 == 0
        thousands, kibis = thousands // 1_000, kibis // 1_024
    base = 1_024 if by_1024 else 1_000
    power = 0
    unit = 1
    while block >= unit * base and power < len(_UNITS):
        unit *= base
        power += 1
    tenths = -(-block * 10 // unit)
    whole, part = divmod(tenths, 10)
    shown = str(-(-block // unit)) if tenths >= 100 or not part else f"{whole}.{part}"
    letter = "" if power == 0 else "k" if base == 1_000 and power == 1 else _UNITS[power - 1]
    return shown + letter + ("B" if base == 1_000 else "")


class _View:
    """What the options ask for."""

    def __init__(self, call: Invocation) -> None:
        options = call.options
        self.size = _size(call)
        self.all = "all" in options
        self.local = "local" in options
        self.total = "total" in options
        self.types = set(options.all("type"))
        self.excluded = set(options.all("exclude-type"))
        both = self.types & self.excluded
        if both:
            for name in sorted(both)[:-1]:
                call.error(f"file system type {quote(name)} both selected and excluded")
            raise Failure(f"file system type {quote(max(both))} both selected and excluded")
        self.posix = "portability" in options
        self.fields = self._fields(call)
        self.headings = {name: heading for name, (heading, _, _) in _FIELDS.items()}
        if self.size.base or "output" in options:
            self.headings["avail"] = "Avail"
        if self.size.base:
            self.headings["size"] = "Size"
        elif self.posix:
            self.headings["size"] = f"{self.size.block}-blocks"
            self.headings["pcent"] = "Capacity"
        else:
            self.headings["size"] = f"{_unit_name(self.size.block)}-blocks"

    def _fields(self, call: Invocation) -> list[str]:
        options = call.options
        if "output" in options:
            for key, name in (("inodes", "-i"), ("portability", "-P"), ("print-type", "-T")):
                if key in options:
                    raise UsageError(f"options {name} and --output are mutually exclusive")
            fields: list[str] = []
            for text in options.all("output"):
                for name in text.split(","):
                    if name not in _FIELDS:
                        raise UsageError(f"option --output: field {quote(name)} unknown")
                    if name in fields:
                        raise UsageError(f"option --output: field {quote(name)} used more than once")
                    fields.append(name)
            return fields or list(_FIELDS)
        kind = ["fstype"] if "print-type" in options else []
        numbers = ["itotal", "iused", "iavail", "ipcent"] if "inodes" in options else ["size", "used", "avail", "pcent"]
        return ["source", *kind, *numbers, "target"]

    def wants(self, mount: Mount) -> bool:
        """Whether the types that were asked for let a mount be shown."""
        if self.local and mount.remote:
            return False
        return mount.type not in self.excluded and (not self.types or mount.type in self.types)


def _size(call: Invocation) -> BlockSize:
    size = BlockSize(1_024)
    for key, argument in call.options.given:
        if key == "block-size":
            found = block_size(argument or "")
            if found is None:
                raise Failure(f"invalid -B argument {quote(argument or '')}")
            size = found
        elif key in ("human-readable", "si"):
            size = HUMAN if key == "human-readable" else SI
        elif key in ("k", "m"):
            size = BlockSize(1_024 if key == "k" else 1_048_576)
    return size


def _chosen(call: Invocation, view: _View, mounts: list[Mount]) -> tuple[list[Mount], set[int]]:
    """The mounts to show when no file is named, and where in them the file system is hidden by another."""
    host = call.run.host.mounts()
    asked = [
        mount
        for mount in mounts
        if view.wants(mount) and (view.all or (not mount.dummy and (not mount.remote or mount.type in view.types)))
    ]
    targets = [mount.target for mount in asked]
    devices = call.run.call_in_thread(lambda: host.devices(targets))
    best: dict[int, int] = {}  # device: position of the mount that stands for it
    for at, (mount, device) in enumerate(zip(asked, devices, strict=True)):
        call.check()
        device = mount.device if device is None else device
        if device not in best or _better(mount, asked[best[device]], total=view.total):
            best[device] = at
        elif mount.remote and asked[best[device]].remote and mount.source != asked[best[device]].source:
            best[-1 - at] = at  # the same by another way
    if not view.all:
        return [asked[at] for at in sorted(best.values())], set()
    hidden = set()
    for at, (mount, device) in enumerate(zip(asked, devices, strict=True)):
        if device is not None and device in best:
            shown = asked[best[device]]
            if shown.source != mount.source and not (shown.remote and mount.remote):
                hidden.add(at)
    return asked, hidden


def _better(one: Mount, other: Mount, *, total: bool) -> bool:
    """Whether one rather than other stands for the device that both are of."""
    if not total and one.remote and other.remote and one.source != other.source:
        return False
    if "/" in one.source and "/" not in other.source:
        return True
    nearer = len(other.target) > len(one.target)
    deeper = len(other.root) < len(one.root)
    return (nearer and not deeper) or (one.source != other.source and one.target == other.target)


def _lines(call: Invocation, view: _View, mounts: list[Mount]) -> list[_Line]:
    """The lines for all file systems."""
    chosen, hidden = _chosen(call, view, mounts)
    host = call.run.host.mounts()
    targets = [mount.target for mount in chosen]
    lines = []
    for at, (mount, usage) in enumerate(zip(chosen, call.run.call_in_thread(lambda: host.usage(targets)), strict=True)):
        call.check()
        if isinstance(usage, OSError):
            if usage.errno not in (2, 13):
                call.error(f"{quote_in_message(mount.target)}: {reason(usage)}")
            elif view.all:
                lines.append(_Line(mount.source, "-", mount.target, None))
        elif at in hidden:
            lines.append(_Line(mount.source, "-", mount.target, None))
        elif usage.size or view.all:
            lines.append(_Line(mount.source, mount.type, mount.target, usage))
    return lines


def _of_files(call: Invocation, view: _View, mounts: list[Mount]) -> list[_Line]:
    """The lines for the file systems that the operands are on."""
    found: list[tuple[str, Mount]] = []
    by_device: dict[int, list[Mount]] = {}
    for mount in mounts:
        by_device.setdefault(mount.device, []).append(mount)
    for name in call.operands:
        try:
            status = call.stat(name)
            path = call.run.sandbox.resolve(call.absolute(name), "none")
        except OSError as failure:
            call.report(name, failure)
            continue
        place = _mount_of(call, path, status.st_dev, mounts, by_device)
        if stat.S_ISBLK(status.st_mode):
            place = min((m for m in mounts if m.source == path), key=lambda m: len(m.target), default=place)
        if place is None:
            call.error(f"{quote_in_message(name)}: cannot find its mount point")
        elif view.wants(place):
            found.append((name, place))
    host = call.run.host.mounts()
    targets = [mount.target for _, mount in found]
    lines = []
    for (name, mount), usage in zip(found, call.run.call_in_thread(lambda: host.usage(targets)), strict=True):
        if isinstance(usage, OSError):
            call.error(f"{quote_in_message(name)}: {reason(usage)}")
        else:
            lines.append(_Line(mount.source, mount.type, mount.target, usage, name))
    return lines


def _mount_of(
    call: Invocation, path: str, device: int, mounts: list[Mount], by_device: dict[int, list[Mount]]
) -> Mount | None:
    """The mount that a canonical path is on: the deepest above it, if its device is that of the path."""
    best: Mount | None = None
    for mount in mounts:
        if best is not None and mount.dummy and not best.dummy:
            continue
        if best is not None and len(mount.target) < len(best.target):
            continue
        if mount.target == "/" or path == mount.target or path.startswith(mount.target + "/"):
            best = mount
    if best is not None:
        target = best.target
        if best.device == device or call.run.call_in_thread(lambda: call.run.host.mounts().devices([target])) == [
            device
        ]:
            return best
    same = by_device.get(device, [])
    return next((mount for mount in reversed(same) if not mount.dummy), same[-1] if same else None)


def _number(value: int, show: Callable[[int], str]) -> str:
    return f"-{show(-value)}" if value < 0 else show(value)


def _percent(used: int, available: int) -> str:
    total = used + available
    if total == 0 or ((used < 0) != (total < 0) and used):
        return "-"
    return f"{-(-used * 100 // total)}%"


def _cells(line: _Line, view: _View) -> dict[str, str]:
    cells = {"source": line.source, "fstype": line.type, "target": line.target, "file": line.file}
    usage = line.usage
    if usage is None:
        return {**dict.fromkeys(_FIELDS, "-"), **cells}
    used = usage.size - usage.free
    files_used = usage.files - usage.files_free

    def count(value: int) -> str:
        return human(value, view.size.base) if view.size.base else str(value)

    cells["size"], cells["used"], cells["avail"] = (
        _number(value, view.size.show) for value in (usage.size, used, usage.available)
    )
    cells["pcent"] = _percent(used, usage.available)
    cells["itotal"], cells["iused"], cells["iavail"] = (
        _number(value, count) for value in (usage.files, files_used, usage.files_free)
    )
    cells["ipcent"] = _percent(files_used, usage.files_free)
    return cells


def _plain(text: str) -> str:
    """text with every character that does not print as a question mark."""
    if text.isascii() and text.isprintable():
        return text
    return "".join("?" if c < " " or "\x7f" <= c < "\xa0" or "\ud800" <= c <= "\udfff" else c for c in text)


def _columns(text: str) -> int:
    return len(text) if text.isascii() else sum(max(0, width(character)) for character in text)


def _write(call: Invocation, view: _View, lines: list[_Line]) -> None:
    rows = [[view.headings[name] for name in view.fields]]
    for line in lines:
        cells = _cells(line, view)
        rows.append([_plain(cells[name]) for name in view.fields])
    widths = [_FIELDS[name][1] for name in view.fields]
    for row in rows:
        widths = [max(least, _columns(cell)) for least, cell in zip(widths, row, strict=True)]
    last = len(view.fields) - 1
    for row in rows:
        parts = []
        for at, (name, cell) in enumerate(zip(view.fields, row, strict=True)):
            space = " " * (widths[at] - _columns(cell))
            parts.append(space + cell if _FIELDS[name][2] else cell if at == last else cell + space)
        call.write(encode(" ".join(parts)) + b"\n")


def _total(lines: list[_Line], view: _View) -> _Line:
    known = [line.usage for line in lines if line.usage is not None]
    usage = type(known[0])(*(sum(column) for column in zip(*known, strict=True))) if known else None
    place = "-" if "source" in view.fields else "total"
    return _Line("total", "-", place, usage)


@DF.main
def df(call: Invocation) -> int:
    view = _View(call)
    mounts, whole = call.run.host.mounts().all()
    lines = _of_files(call, view, mounts) if call.operands else _lines(call, view, mounts)
    if lines:
        if view.total:
            lines.append(_total(lines, view))
        _write(call, view, lines)
    elif not call.status:
        call.error("no file systems processed")
    if not whole:
        call.flush()
        call.error(f"more than {limits.MOUNTS} mounts: the table is cut")
    return call.status


COMMANDS = {"df": DF}
