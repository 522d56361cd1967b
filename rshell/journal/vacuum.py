"""Cleanup: removing archived journal files, and nothing else, from the journal directories.

A file is removed only under a strict name, when it is a regular file with one link and its header
says the directory's machine ID, and when all that tells its age (its last entry, its name, its last
change) says that it is old enough.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Container
from dataclasses import dataclass, field

from rshell.journal.files import Found, TargetSource, open_file, reason
from rshell.journal.format import HEADER_MINIMUM, ONLINE, SIGNATURE, JournalError
from rshell.journal.reader import read_header

_NAME = r"[A-Za-z0-9][A-Za-z0-9:_.\\-]*"
_ARCHIVED = re.compile(_NAME + r"@[0-9a-f]{32}-[0-9a-f]{16}-([0-9a-f]{16})\.journal", re.ASCII)
_SET_ASIDE = re.compile(_NAME + r"@([0-9a-f]{16})-[0-9a-f]{16}\.journal~", re.ASCII)

Inode = tuple[int, int]  # device and number


@dataclass(frozen=True, slots=True)
class Archive:
    """An archived file that may be removed once it is old enough."""

    found: Found
    newest: int  # microseconds since 1970: the latest that its entries, its name or its last change tell


@dataclass(slots=True)
class Cleanup:
    """What a vacuum did, or would do."""

    removed: list[tuple[str, int]] = field(default_factory=list)  # name, allocated bytes
    freed: int = 0
    usage: int = 0  # allocated bytes of what is left
    problems: list[str] = field(default_factory=list)


def listed(source: TargetSource) -> list[Found]:
    """Every journal file of the target once, however many there are; raises JournalError."""
    files: dict[Inode, Found] = {}
    for directory in source.directories:
        for found in directory.scan():
            files.setdefault((found.device, found.inode), found)
    return list(files.values())


def usage(source: TargetSource) -> int:
    """Allocated bytes of all journal files; raises JournalError."""
    return sum(found.allocated for found in listed(source))


def archives(source: TargetSource, check: Callable[[], None]) -> list[Archive]:
    """The files that a vacuum may remove, oldest first; raises JournalError."""
    kept = []
    for found in listed(source):
        check()
        if _name_time(found.name) is None:
            continue
        try:
            fd = open_file(found)
        except JournalError:  # not readable, or already gone: not ours to remove
            continue
        try:
            newest = _newest(fd, found, source.machine_id)
        finally:
            os.close(fd)
        if newest is not None:
            kept.append(Archive(found, newest))
    return sorted(kept, key=lambda archive: (archive.newest, archive.found.name))


def vacuum(
    source: TargetSource,
    *,
    until: int,
    target: int | None,
    only: Container[Inode] | None = None,
    dry_run: bool = False,
    check: Callable[[], None] = lambda: None,
    removed: Callable[[str, int], object] = lambda path, size: None,
) -> Cleanup:
    """Remove archives that hold nothing newer than `until` (microseconds since 1970), oldest first.

    With `target`, stop once all journal files together allocate no more bytes than that. `only` names the
    inodes that may be removed; None means all. With `dry_run` nothing is removed. `removed` is told path and
    size of each removed file. Raises JournalError when the directories cannot be read.
    """
    done = Cleanup(usage=usage(source))
    for archive in archives(source, check):
        check()
        found = archive.found
        if archive.newest > until or (target is not None and done.usage <= target):
            break
        if only is not None and (found.device, found.inode) not in only:
            continue
        if not dry_run:
            try:
                _remove(found, source.machine_id)
            except JournalError as error:
                done.problems.append(str(error))
                continue
            removed(_path(source, found), found.allocated)
        done.removed.append((found.name, found.allocated))
        done.freed += found.allocated
        done.usage -= found.allocated
    return done


def _path(source: TargetSource, found: Found) -> str:
    machine = (source.machine_id or b"").hex()
    for directory in source.directories:
        if directory.fd == found.directory:
            return f"{directory.path}/{machine}/{found.name}"
    return found.name


def _name_time(name: str) -> int | None:
    """The time in an archived file's name; None when it is not named as one."""
    match = _ARCHIVED.fullmatch(name) or _SET_ASIDE.fullmatch(name)
    return None if match is None else int(match[1], 16)


def _newest(fd: int, found: Found, machine_id: bytes | None) -> int | None:
    """The latest time of an open file; None when it is not one to remove."""
    named = _name_time(found.name)
    status = os.fstat(fd)
    if named is None or not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
        return None
    try:
        header = read_header(fd)
    except JournalError:
        return None
    if len(header) < HEADER_MINIMUM or not header.startswith(SIGNATURE) or header[40:56] != machine_id:
        return None
    # journald renames a file first and marks it then: until that is done it may still be written to.
    # One that it set aside as damaged is never marked.
    if header[16] == ONLINE and not found.name.endswith("~"):
        return None
    last = int.from_bytes(header[192:200], "little")
    return max(last, named, status.st_mtime_ns // 1_000)


def _remove(found: Found, machine_id: bytes | None) -> None:
    """Remove a file, if it still is the one that was listed; raises JournalError.

    unlink takes a name, and a name can be given to another file between any check and the call. So the file
    is first moved to a name that nobody knows, and removed under that when it is the right one. The new
    name is an archive's too: should everything stop between the two steps, it is still read and counted.
    """
    fd = open_file(found)
    try:
        status = os.fstat(fd)
        if (status.st_size, status.st_mtime_ns) != (found.size, found.modified):
            raise JournalError(f"{found.name}: changed while it was to be removed")
        if _newest(fd, found, machine_id) is None:
            raise JournalError(f"{found.name}: is not an archived file any more")
        place = found.directory
        if not _is(place, found.name, status):
            raise JournalError(f"{found.name}: file was replaced")
        away = f"removing@{os.urandom(8).hex()}-{os.urandom(8).hex()}.journal~"
        try:
            os.rename(found.name, away, src_dir_fd=place, dst_dir_fd=place)
            if not _is(place, away, status):
                _put_back(place, away, found.name)
                raise JournalError(f"{found.name}: file was replaced")
            os.unlink(away, dir_fd=place)
        except OSError as error:
            raise JournalError(f"{found.name}: {reason(error)}") from None
    finally:
        os.close(fd)


def _is(directory: int, name: str, status: os.stat_result) -> bool:
    """Whether a name stands for a certain regular file, which has no other name."""
    try:
        now = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except OSError:
        return False
    same = (now.st_dev, now.st_ino) == (status.st_dev, status.st_ino)
    return same and stat.S_ISREG(now.st_mode) and now.st_nlink == 1


def _put_back(directory: int, away: str, name: str) -> None:
    """Give a file that came under our name its own name again, replacing nothing."""
    try:
        os.link(away, name, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
    except FileExistsError:  # somebody has taken the name: both stay
        return
    except OSError:  # a directory, or no hard links here
        try:
            os.stat(name, dir_fd=directory, follow_symlinks=False)
        except FileNotFoundError:
            os.rename(away, name, src_dir_fd=directory, dst_dir_fd=directory)
        return
    os.unlink(away, dir_fd=directory)
