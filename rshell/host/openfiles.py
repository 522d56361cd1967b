"""What processes hold open and have mapped: fd, fdinfo, maps and smaps below the proc path (proc(5)).

Links are read and asked for their type and size; what they lead to is never opened.
"""

from __future__ import annotations

import os
import re
from itertools import islice
from typing import TYPE_CHECKING

from rshell import limits
from rshell.host.source import pairs, read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MAPS_SIZE = 32 * 1024 * 1024  # of maps or smaps of one process
_DESCRIPTORS = 65_536  # of one process
_MAPPING = re.compile(
    rb"^([0-9a-f]{1,16})-([0-9a-f]{1,16}) ([-r][-w][-x][-sp]) [0-9a-f]{1,16} ([0-9a-f]{2,6}):([0-9a-f]{2,8}) "
    rb"([0-9]{1,20}) *([^\n]*)$",
    re.MULTILINE,
)
_DETAIL = re.compile(rb"^(Rss|Shared_Dirty|Private_Dirty): +([0-9]{1,15}) kB$", re.MULTILINE)


class Mapping:
    """A mapped range. resident and dirty are in KiB, 0 where they were not asked for. name may be empty."""

    __slots__ = ("device", "dirty", "end", "inode", "mode", "name", "resident", "start")

    def __init__(self, match: re.Match[bytes]) -> None:
        self.start = int(match[1], 16)  # text: ours
        self.end = max(self.start, int(match[2], 16))  # text: ours
        self.mode = match[3].decode("ascii")
        self.device = (int(match[4], 16), int(match[5], 16))  # text: ours
        self.inode = int(match[6])  # text: ours
        self.name = match[7]
        self.resident = 0
        self.dirty = 0


class OpenFile:
    """A file that a process holds.

    what: cwd, rtd, txt, mem or a descriptor's number. name: as the kernel links it. mode: r, w, u or
    empty. stat: of the file itself, None where that may not be known. offset: None where there is none.
    """

    __slots__ = ("mode", "name", "offset", "stat", "what")

    def __init__(
        self, what: str, name: bytes, mode: str = "", stat: os.stat_result | None = None, offset: int | None = None
    ) -> None:
        self.what = what
        self.name = name
        self.mode = mode
        self.stat = stat
        self.offset = offset


class OpenFiles:
    """The readers for one proc path."""

    def __init__(self, proc_path: str, check: Callable[[], None]) -> None:
        self._root = os.fsencode(proc_path)
        self._check = check

    def mappings(self, pid: int, *, details: bool = False) -> tuple[list[Mapping], bool]:
        """The mapped ranges of a process, and whether that is all. Raises OSError."""
        content = read(b"%b/%d/%b" % (self._root, pid, b"smaps" if details else b"maps"), _MAPS_SIZE)
        found: list[Mapping] = []
        ends: list[int] = []
        whole = len(content) < _MAPS_SIZE
        for match in _MAPPING.finditer(content):
            if len(found) >= limits.MAPPINGS:
                whole = False
                break
            found.append(Mapping(match))
            ends.append(match.end())
        if details:
            self._add_details(content, found, ends)
        return found, whole

    def _add_details(self, content: bytes, found: list[Mapping], starts: list[int]) -> None:
        for at, mapping in enumerate(found):
            if at & 1023 == 1023:
                self._check()
            until = starts[at + 1] if at + 1 < len(starts) else len(content)
            for name, size in _DETAIL.findall(content, starts[at], until):
                if name == b"Rss":
                    mapping.resident = int(size)  # text: ours
                else:
                    mapping.dirty += int(size)  # text: ours

    def of(self, pid: int) -> Iterator[OpenFile]:
        """What a process holds open. Raises OSError when nothing of it may be seen."""
        base = b"%b/%d" % (self._root, pid)
        program: os.stat_result | None = None
        for what, link in (("cwd", b"/cwd"), ("rtd", b"/root"), ("txt", b"/exe")):
            try:
                name = os.readlink(base + link)
            except FileNotFoundError:
                continue  # a kernel thread has no program
            stat = _stat(base + link)
            if what == "txt":
                program = stat
            yield OpenFile(what, name, stat=stat)
        yield from self._mapped(pid, base, program)
        yield from self._descriptors(base)

    def _mapped(self, pid: int, base: bytes, program: os.stat_result | None) -> Iterator[OpenFile]:
        seen = {(program.st_dev, program.st_ino)} if program else set()
        try:
            mappings, _ = self.mappings(pid)
        except OSError:
            return
        for mapping in mappings:
            if not mapping.inode or not mapping.name.startswith(b"/"):
                continue
            identity = (os.makedev(*mapping.device), mapping.inode)
            if identity in seen:
                continue
            seen.add(identity)
            deleted = mapping.name.endswith(b" (deleted)")
            stat = _stat(b"%b/map_files/%x-%x" % (base, mapping.start, mapping.end))
            yield OpenFile("DEL" if deleted else "mem", mapping.name, stat=stat)

    def _descriptors(self, base: bytes) -> Iterator[OpenFile]:
        with os.scandir(base + b"/fd") as entries:
            names = [entry.name for entry in islice(entries, _DESCRIPTORS)]
        numbers = sorted(int(name) for name in names if re.fullmatch(b"[0-9]{1,9}", name))  # text: ours
        for at, number in enumerate(numbers):
            if at & 63 == 63:
                self._check()
            path = b"%b/fd/%d" % (base, number)
            try:
                name = os.readlink(path)
                access = os.lstat(path).st_mode
                info = read(b"%b/fdinfo/%d" % (base, number), 4096)
            except OSError:
                continue  # closed since
            mode = {0o400: "r", 0o200: "w", 0o600: "u"}.get(access & 0o600, "")
            yield OpenFile(str(number), name, mode, _stat(path), pairs(info).get("pos"))


def _stat(path: bytes) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None
