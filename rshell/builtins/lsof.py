"""lsof: the files that processes hold open. Names outside the allowed roots are not shown."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Failure, Invocation, Option, encode, reason
from rshell.builtins.ps_fields import printable
from rshell.builtins.text import clamped

if TYPE_CHECKING:
    from collections.abc import Callable

    from rshell.host.openfiles import OpenFile
    from rshell.host.proc import Process

_SELECT = "select with -p, -c and -u"
RESTRICTED = "(restricted)"

LSOF = Command(
    "lsof",
    "list the files that processes hold open",
    "lsof [-a] [-p LIST] [-c NAME] [-u LIST]",
    options=(
        Option("-p", value="LIST", help="of these processes; ^ID leaves one out"),
        Option("-c", value="NAME", help="of processes whose name begins so; ^NAME leaves them out"),
        Option("-u", value="LIST", help="of these users, by name or number; ^USER leaves one out"),
        Option("-a", help="of processes that meet all of -p, -c and -u, not one"),
        Option("-n"),
        Option("-P"),
        Option("-w"),
        Option("-i", value="ADDRESS", optional=True, refused="use ss"),
        Option("-U", "-N", "-F", "-t", "-d", "-g", "-R", "-r", "-s", "-o", "-l", "-b", "-D", "-S", refused=_SELECT),
    ),
    description="Names outside the allowed paths are shown as (restricted).",
)

_HEADINGS = ("COMMAND", "PID", "USER", "FD", "TYPE", "DEVICE", "SIZE/OFF", "NODE", "NAME")
_LEFT = (0, 8)
_TYPES = {
    stat.S_IFREG: "REG", stat.S_IFDIR: "DIR", stat.S_IFCHR: "CHR", stat.S_IFBLK: "BLK", stat.S_IFIFO: "FIFO",
    stat.S_IFSOCK: "sock", stat.S_IFLNK: "LINK",
}  # fmt: skip
_COMMAND = 9  # characters of a process's name
_DELETED = b" (deleted)"


class _Selection:
    """Which processes are wanted."""

    def __init__(self, call: Invocation) -> None:
        self.every = "a" in call.options
        self.pids, self.no_pids = self.listed(call, "p", lambda text: clamped(text, 0, 2**31), "process ID")
        self.users, self.no_users = self.listed(call, "u", lambda text: _user(call, text), "user")
        names = [encode(name) for name in call.options.all("c")]
        self.names = [name for name in names if not name.startswith(b"^")]
        self.no_names = [name[1:] for name in names if name.startswith(b"^")]

    @staticmethod
    def listed(call: Invocation, key: str, number: Callable[[str], int | None], what: str) -> tuple[set[int], set[int]]:
        wanted: set[int] = set()
        unwanted: set[int] = set()
        for word in [word for given in call.options.all(key) for word in given.split(",")]:
            value = number(word.removeprefix("^"))
            if value is None:
                raise Failure(f"illegal {what}: {word}")
            (unwanted if word.startswith("^") else wanted).add(value)
        return wanted, unwanted

    def wants(self, process: Process) -> bool:
        if process.pid in self.no_pids or (self.no_users and process.uid() in self.no_users):
            return False
        if any(process.comm.startswith(name) for name in self.no_names):
            return False
        tests = []
        if self.pids:
            tests.append(process.pid in self.pids)
        if self.names:
            tests.append(any(process.comm.startswith(name) for name in self.names))
        if self.users:
            tests.append(process.uid() in self.users)
        return not tests or (all(tests) if self.every else any(tests))


def _user(call: Invocation, text: str) -> int | None:
    number = call.run.accounts.user_id(text)
    return clamped(text, 0, 2**32) if number is None else number


def _allowed(call: Invocation, path: bytes) -> bool:
    """A name is shown when it lies below a root, by its text."""
    parts = path.split(b"/")
    if b".." in parts:
        return False
    for root in call.run.sandbox.roots:
        for base in (encode(root.path), root.real):
            base = base.rstrip(b"/")
            if path == base or path.startswith(base + b"/"):
                return True
    return False


def _named(call: Invocation, name: bytes) -> str:
    if not name.startswith(b"/"):
        kind, colon, _ = name.partition(b":[")
        return (
            printable(kind) if colon and kind in (b"pipe", b"socket") else printable(name.removeprefix(b"anon_inode:"))
        )
    path = name.removesuffix(_DELETED)
    shown = printable(path) if _allowed(call, path) else RESTRICTED
    return shown + (" (deleted)" if path != name else "")


def _row(call: Invocation, process: Process, user: str, file: OpenFile) -> tuple[str, ...]:
    found = file.stat
    kind, device, size, node = "unknown", "", "", ""
    if found is not None:
        form = stat.S_IFMT(found.st_mode)
        kind = _TYPES.get(form, "a_inode" if file.name.startswith(b"anon_inode:") else "unknown")
        number = found.st_rdev if form in (stat.S_IFCHR, stat.S_IFBLK) else found.st_dev
        device = f"{number >> 8 & 0xFFF},{number & 0xFF | number >> 12 & 0xFFF00}"
        regular = form in (stat.S_IFREG, stat.S_IFDIR)
        size = str(found.st_size) if regular else f"0t{file.offset}" if file.offset is not None else ""
        if kind == "a_inode":
            size = "0"
        node = str(found.st_ino)
    elif file.what in ("mem", "DEL"):
        kind = "REG"
    name = printable(process.comm)[:_COMMAND]
    return (name, str(process.pid), user, file.what + file.mode, kind, device, size, node, _named(call, file.name))


@LSOF.main
def lsof(call: Invocation) -> int:
    if call.operands:
        raise Failure(f"files are not looked up by name: {_SELECT}")
    selection = _Selection(call)
    processes = call.run.host.processes()
    files = call.run.host.open_files()
    rows: list[tuple[str, ...]] = [_HEADINGS]
    seen: set[int] = set()
    cut = False
    for process in processes.all():
        if not selection.wants(process):
            continue
        seen.add(process.pid)
        user = call.run.accounts.user_name(process.uid()) or str(process.uid())
        try:
            for file in files.of(process.pid):
                rows.append(_row(call, process, user, file))
                if len(rows) > limits.OPEN_FILES:
                    cut = True
                    break
        except OSError as failure:
            if selection.pids:
                call.error(f"{process.pid}: {reason(failure)}")
        if cut:
            break
    if len(rows) > 1:
        widths = [max(len(row[at]) for row in rows) for at in range(len(_HEADINGS) - 1)]
        for row in rows:
            call.print(_line(row, widths))
    if cut:
        call.error(f"too many open files: only the first {limits.OPEN_FILES} are shown")
    if processes.truncated:
        call.error(f"too many processes: only the first {limits.PROCESSES} were read")
    if len(rows) == 1 or selection.pids - seen:
        return max(call.status, 1)
    return call.status


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    parts = [f"{row[0]:{widths[0]}}"]
    for at in range(1, len(row) - 1):
        text = row[at]
        if at == 3:  # the number or word, then places for the mode and a lock
            mode = text[-1:] if text[:1] in "0123456789" and text[-1:] in "rwu" else ""
            text = f"{text.removesuffix(mode):>4}{mode:2}"
            parts.append(text)
        else:
            parts.append(f"{text:>{widths[at]}}")
    return " ".join([*parts, row[-1]])


COMMANDS = {"lsof": LSOF}
