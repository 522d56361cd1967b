"""stat: show what the kernel knows of files and file systems (GNU coreutils)."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from rshell.builtins.choice import choose
from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, reason
from rshell.builtins.filemode import device_numbers, kind_of, mode_text
from rshell.builtins.filesystems import type_name
from rshell.builtins.quoting import quote
from rshell.builtins.stat_format import Field, Format, compile_format
from rshell.builtins.timeformat import format_time
from rshell.builtins.zone import zone_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from datetime import tzinfo

    from rshell.sandbox.kernel import FileSystem

STAT = Command(
    "stat",
    "show what the kernel knows of files, or of their file systems",
    "stat [OPTION]... FILE...",
    options=(
        Option("-L", "--dereference", help="show what links point to"),
        Option("-f", "--file-system", help="show the file system that the file is on"),
        Option("--cached", value="MODE", help="always, never, default; accepted, nothing is cached"),
        Option("-c", "--format", value="FORMAT", help="show FORMAT and a newline for each file"),
        Option("--printf", value="FORMAT", help="as -c, with backslash escapes and without the newline"),
        Option("-t", "--terse", help="show everything on one line"),
    ),
    description="""\
Of files: %a mode in octal, %A as letters, %b blocks of %B bytes, %C security context, %d device (%Hd %Ld major,
minor), %D in hex, %f raw mode in hex, %F type, %g %G group, %h links, %i inode, %m mount point, %n name, %N name quoted
and where a link leads, %o best size of a read, %r device number of a device (%Hr %Lr, %t %T in hex), %R in hex,
%s size, %u %U user, %w %W birth, %x %X access, %y %Y modification, %z %Z change of status: a time, and seconds
since the epoch. Of file systems (-f): %a free blocks for all users, %b blocks, %c files, %d free files,
%f free blocks, %i identity, %l longest name, %n name, %s block size, %S fragment size, %t type in hex, %T name.""",
)

_MOUNTS = "stat.mounts"  # kept for the run
_NANO = 1_000_000_000
_TYPES = {
    "d": "directory", "l": "symbolic link", "p": "fifo", "s": "socket", "c": "character special file",
    "b": "block special file", "?": "weird file",
}  # fmt: skip
_DEFAULT = """\
  File: %(name)s
  Size: %%-10s\tBlocks: %%-10b IO Block: %%-6o %%F
Device: %%Hd,%%Ld\tInode: %%-10i  Links: %(links)s
Access: (%%04a/%%10.10A)  Uid: (%%5u/%%8U)   Gid: (%%5g/%%8G)
Access: %%x
Modify: %%y
Change: %%z
 Birth: %%w
"""
_TERSE = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n"
_DEFAULT_SYSTEM = """\
  File: "%n"
    ID: %-8i Namelen: %-7l Type: %T
Block size: %-10s Fundamental block size: %S
Blocks: Total: %-10b Free: %-10f Available: %a
Inodes: Total: %-10c Free: %d
"""
_TERSE_SYSTEM = "%n %i %l %t %s %S %b %f %a %c %d\n"


class _Subject:
    """One file, and what is asked of it only when the format wants it."""

    __slots__ = ("call", "follow", "found", "name", "zone")

    def __init__(self, call: Invocation, name: str, found: os.stat_result, follow: bool, zone: tzinfo) -> None:
        self.call = call
        self.name = name
        self.found = found
        self.follow = follow
        self.zone = zone

    def target(self) -> str | None:
        """Where a link leads; None for what is none, or cannot be read."""
        if kind_of(self.found.st_mode) != "l":
            return None
        try:
            return self.call.run.sandbox.readlink(self.call.absolute(self.name))
        except OSError as failure:
            self.call.error(f"cannot read symbolic link {quote(self.name)}: {reason(failure)}")
            return None

    def mount_point(self) -> str:
        """Where the file system that holds it is mounted; ? where that cannot be told."""
        call = self.call
        run = call.run
        try:
            path = call.absolute(self.name)
            if kind_of(self.found.st_mode) == "l":  # of a link, the directory that holds it
                path = path.rstrip("/").rpartition("/")[0] or "/"
            path = run.sandbox.resolve(path)
            if _MOUNTS not in run.caches:
                run.caches[_MOUNTS] = [mount.target for mount in run.host.mounts().all()[0]]
        except OSError as failure:
            call.error(f"failed to find the mount point of {quote(self.name)}: {reason(failure)}")
            return "?"
        targets: list[str] = run.caches[_MOUNTS]
        return max((t for t in targets if t == "/" or path == t or path.startswith(t + "/")), key=len, default="?")

    def birth(self) -> int | None:
        """When the file was made, where that is known."""
        if self.name == "-":
            return self.call.stdin.file.birth_time() if self.call.stdin.file is not None else None
        try:
            return self.call.run.sandbox.birth_time(self.call.absolute(self.name), self.follow)
        except OSError:
            return None

    def user(self) -> str:
        """The owner's name."""
        return self.call.run.accounts.user_name(self.found.st_uid) or "UNKNOWN"

    def group(self) -> str:
        """The group's name."""
        return self.call.run.accounts.group_name(self.found.st_gid) or "UNKNOWN"

    def time(self, nanoseconds: int) -> str:
        """A time as stat shows it."""
        seconds, part = divmod(nanoseconds, _NANO)
        try:
            when = datetime.fromtimestamp(seconds, self.zone)
        except (OverflowError, ValueError, OSError):
            return f"{seconds}.{part:09}"
        return format_time(when, part, "%Y-%m-%d %H:%M:%S.%N %z")

    def type(self) -> str:
        """The type in words."""
        kind = kind_of(self.found.st_mode)
        if kind == "f":
            return "regular file" if self.found.st_size else "regular empty file"
        return _TYPES[kind]


def _quoted(field: Field, subject: _Subject) -> bytes:
    return _link(field, subject, quote)


def _literal(field: Field, subject: _Subject) -> bytes:
    return _link(field, subject, str)


def _link(field: Field, subject: _Subject, show: Callable[[str], str]) -> bytes:
    target = subject.target()
    name = field.text(show(subject.name))
    return name if target is None else name + b" -> " + field.text(show(target))


def _birth(field: Field, subject: _Subject) -> bytes:
    born = subject.birth()
    return field.text("-" if born is None else subject.time(born))


def _context(field: Field, subject: _Subject) -> bytes:
    subject.call.error(f"failed to get security context of {quote(subject.name)}: no data available")
    return field.text("?")


_DIRECTIVES: dict[str, Callable[[Field, _Subject], bytes]] = {
    "a": lambda field, of: field.octal(of.found.st_mode & 0o7777),
    "A": lambda field, of: field.text(mode_text(of.found.st_mode)),
    "b": lambda field, of: field.unsigned(of.found.st_blocks),
    "B": lambda field, of: field.unsigned(512),
    "C": _context,
    "d": lambda field, of: field.unsigned(of.found.st_dev),
    "Hd": lambda field, of: field.unsigned(device_numbers(of.found.st_dev)[0]),
    "Ld": lambda field, of: field.unsigned(device_numbers(of.found.st_dev)[1]),
    "D": lambda field, of: field.hexadecimal(of.found.st_dev),
    "f": lambda field, of: field.hexadecimal(of.found.st_mode),
    "F": lambda field, of: field.text(of.type()),
    "g": lambda field, of: field.unsigned(of.found.st_gid),
    "G": lambda field, of: field.text(of.group()),
    "h": lambda field, of: field.unsigned(of.found.st_nlink),
    "i": lambda field, of: field.unsigned(of.found.st_ino),
    "m": lambda field, of: field.text(of.mount_point()),
    "n": lambda field, of: field.text(of.name),
    "N": _literal,
    "o": lambda field, of: field.unsigned(of.found.st_blksize),
    "r": lambda field, of: field.unsigned(of.found.st_rdev),
    "Hr": lambda field, of: field.unsigned(device_numbers(of.found.st_rdev)[0]),
    "Lr": lambda field, of: field.unsigned(device_numbers(of.found.st_rdev)[1]),
    "R": lambda field, of: field.hexadecimal(of.found.st_rdev),
    "s": lambda field, of: field.signed(of.found.st_size),
    "t": lambda field, of: field.hexadecimal(device_numbers(of.found.st_rdev)[0]),
    "T": lambda field, of: field.hexadecimal(device_numbers(of.found.st_rdev)[1]),
    "u": lambda field, of: field.unsigned(of.found.st_uid),
    "U": lambda field, of: field.text(of.user()),
    "w": _birth,
    "W": lambda field, of: field.seconds(of.birth() or 0),
    "x": lambda field, of: field.text(of.time(of.found.st_atime_ns)),
    "X": lambda field, of: field.seconds(of.found.st_atime_ns),
    "y": lambda field, of: field.text(of.time(of.found.st_mtime_ns)),
    "Y": lambda field, of: field.seconds(of.found.st_mtime_ns),
    "z": lambda field, of: field.text(of.time(of.found.st_ctime_ns)),
    "Z": lambda field, of: field.seconds(of.found.st_ctime_ns),
}
_QUOTING = {**_DIRECTIVES, "N": _quoted}  # for formats with a plain %N

_System = tuple[str, "FileSystem"]
_SYSTEM_DIRECTIVES: dict[str, Callable[[Field, _System], bytes]] = {
    "a": lambda field, of: field.signed(of[1].available),
    "b": lambda field, of: field.unsigned(of[1].blocks),
    "c": lambda field, of: field.unsigned(of[1].files),
    "d": lambda field, of: field.signed(of[1].files_free),
    "f": lambda field, of: field.signed(of[1].free),
    "i": lambda field, of: field.hexadecimal(of[1].identity),
    "l": lambda field, of: field.unsigned(of[1].name_length),
    "n": lambda field, of: field.text(of[0]),
    "s": lambda field, of: field.unsigned(of[1].block),
    "S": lambda field, of: field.unsigned(of[1].fragment),
    "t": lambda field, of: field.hexadecimal(of[1].type),
    "T": lambda field, of: field.text(type_name(of[1].type)),
}


@STAT.main
def stat(call: Invocation) -> int:
    cached = call.options.get("cached")
    if cached is not None:
        choose(cached, "--cached", {"default": "default", "never": "never", "always": "always"})
    if not call.operands:
        raise UsageError("missing operand")
    if "file-system" in call.options:
        _systems(call)
    else:
        _files(call)
    return call.status


def _given_format(call: Invocation) -> tuple[str, bool] | None:
    """The format that was asked for, and whether backslashes are escapes in it."""
    option = call.options.last("format", "printf")
    text = call.options.get(option) if option else None
    if text is None:
        return None
    return text, option == "printf"


def _files(call: Invocation) -> None:
    zone = zone_of(call)
    follow = "dereference" in call.options
    given = _given_format(call)
    end = b"\n" if given is not None and not given[1] else b""
    formats: dict[bool, Format[_Subject]] = {}  # whether it is a device -> its format
    for name in call.operands:
        try:
            found = _status(call, name, follow)
        except OSError as failure:
            call.error(f"cannot statx {quote(name)}: {reason(failure)}")
            continue
        device = kind_of(found.st_mode) in "cb"
        if device not in formats:
            if given is not None:
                directives = _QUOTING if "%N" in given[0] else _DIRECTIVES
                both = compile_format(given[0], directives, call, escapes=given[1])
                formats = {False: both, True: both}
            elif "terse" in call.options:
                formats[device] = compile_format(_TERSE, _DIRECTIVES, call, escapes=False)
            else:
                text = _DEFAULT % {"name": "%N", "links": "%-5h Device type: %Hr,%Lr" if device else "%h"}
                formats[device] = compile_format(text, _DIRECTIVES, call, escapes=False)
        formats[device].apply(_Subject(call, name, found, follow, zone), call.write)
        call.write(end)


def _status(call: Invocation, name: str, follow: bool) -> os.stat_result:
    if name != "-":
        return call.stat(name, follow=follow)
    if call.stdin.file is None:
        raise Failure("cannot stat standard input: it is not a file")
    return call.stdin.file.stat()


def _systems(call: Invocation) -> None:
    given = _given_format(call)
    text, escapes = given or (_TERSE_SYSTEM if "terse" in call.options else _DEFAULT_SYSTEM, False)
    compiled: Format[_System] = compile_format(text, _SYSTEM_DIRECTIVES, call, escapes=escapes)
    end = b"\n" if given is not None and not escapes else b""
    sandbox = call.run.sandbox
    for name in call.operands:
        if name == "-":
            call.error("using '-' to denote standard input does not work in file system mode")
            continue
        try:
            if not name:
                raise FileNotFoundError(2, "no such file or directory")
            path = call.absolute(name)
            found = call.run.call_in_thread(partial(sandbox.file_system, path))
        except OSError as failure:
            call.error(f"cannot read file system information for {quote(name)}: {reason(failure)}")
            continue
        compiled.apply((name, found), call.write)
        call.write(end)


COMMANDS = {"stat": STAT}
