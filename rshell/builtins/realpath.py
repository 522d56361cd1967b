"""realpath: show canonical paths (GNU coreutils)."""

from __future__ import annotations

import errno
import stat

from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, encode, reason
from rshell.builtins.quoting import quote_in_message

REALPATH = Command(
    "realpath",
    "show canonical paths",
    "realpath [OPTION]... FILE...",
    options=(
        Option("-e", "--canonicalize-existing", help="everything must exist"),
        Option("-m", "--canonicalize-missing", help="nothing need exist"),
        Option("-L", "--logical", help="resolve .. before links"),
        Option("-P", "--physical", help="resolve links as they come (the default)"),
        Option("-q", "--quiet", help="say nothing of errors"),
        Option("--relative-to", value="DIR", help="paths as seen from DIR"),
        Option("--relative-base", value="DIR", help="paths below DIR as seen from it, others absolute"),
        Option("-s", "--strip", "--no-symlinks", key="no-symlinks", help="follow no links"),
        Option("-z", "--zero", help="end each line with NUL"),
    ),
    description="Without -e or -m, all but the last component must exist.",
)


class _Resolver:
    """Makes paths canonical the way the options say."""

    def __init__(self, call: Invocation) -> None:
        options = call.options
        self.call = call
        mode = options.last("canonicalize-existing", "canonicalize-missing")
        self.missing = {"canonicalize-existing": "none", "canonicalize-missing": "any"}.get(mode or "", "last")
        style = options.last("logical", "physical", "no-symlinks")
        self.strips = style == "no-symlinks"
        self.logical = style == "logical"

    def resolve(self, path: str) -> str:
        """The canonical path. Raises OSError."""
        if not path:
            raise FileNotFoundError(errno.ENOENT, "no such file or directory")
        full = self.call.absolute(path)
        if self.strips or self.logical:
            full = self.stripped(full)
        return full if self.strips else self.call.run.sandbox.resolve(full, self.missing)

    def stripped(self, path: str) -> str:
        """path without ``.``, ``..`` and doubled slashes; links stay.

        As GNU, only what a slash or a dot stands behind, and the whole, are looked at.
        """
        parts = path.split("/")
        done: list[str] = []
        for at, name in enumerate(parts):
            if name in ("", "."):
                continue
            if name == "..":
                if done:
                    done.pop()
                continue
            done.append(name)
            rest = parts[at + 1 :]
            following = next((part for part in rest if part), None)
            if self.missing == "any":
                continue
            if rest and following in (None, ".", ".."):
                self.check("/" + "/".join(done) + "/", bool(following))
            elif not rest:
                self.check("/" + "/".join(done), False)
        return "/" + "/".join(done)

    def check(self, path: str, more: bool) -> None:
        """Let only what is missing at the end pass, and that unless everything must exist."""
        try:
            found = self.call.stat(path)
        except FileNotFoundError:
            if more or self.missing == "none":
                raise
            return
        if path.endswith("/") and not stat.S_ISDIR(found.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "not a directory")

    def directory(self, path: str) -> str:
        """The canonical path of what others are to be relative to; with -e it must be a directory."""
        try:
            found = self.resolve(path)
            if self.missing == "none" and not stat.S_ISDIR(self.call.stat(found).st_mode):
                raise NotADirectoryError(errno.ENOTDIR, "not a directory")
        except OSError as failure:
            raise Failure(f"{quote_in_message(path)}: {reason(failure)}") from None
        return found


@REALPATH.main
def realpath(call: Invocation) -> int:
    options = call.options
    if not call.operands:
        raise UsageError("missing operand")
    resolver = _Resolver(call)
    to, base = options.get("relative-to"), options.get("relative-base")
    origin = limit = None
    if base is not None and to is None:
        to = base
    if to is not None:
        origin = resolver.directory(to)
    if base is not None and origin is not None:
        limit = origin if base == to else resolver.directory(base)
        if not _below(origin, limit):
            origin = limit = None
    end = b"\0" if "zero" in options else b"\n"
    for name in call.operands:
        try:
            found = resolver.resolve(name)
        except OSError as failure:
            if "quiet" not in options:
                call.report(name, failure)
            call.status = 1
            continue
        if origin is not None and (limit is None or _below(found, limit)):
            found = relative(found, origin)
        call.write(encode(found) + end)
    return call.status


def _below(path: str, directory: str) -> bool:
    return directory == "/" or path == directory or path.startswith(directory + "/")


def relative(path: str, directory: str) -> str:
    """A canonical path as seen from a canonical directory."""
    there = [part for part in path.split("/") if part]
    here = [part for part in directory.split("/") if part]
    common = 0
    while common < min(len(there), len(here)) and there[common] == here[common]:
        common += 1
    return "/".join([".."] * (len(here) - common) + there[common:]) or "."


COMMANDS = {"realpath": REALPATH}
