"""zcat, bzcat, xzcat and zstdcat: print compressed files (gzip, bzip2, xz, zstd)."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from rshell.builtins.command import Command, Invocation, Option, reason
from rshell.builtins.decompress import (
    Damaged,
    TrailingGarbage,
    inflated,
    preload_bzip2,
    preload_gzip,
    preload_xz,
    preload_zstandard,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from rshell.builtins.streams import Source

_WRITES = "this only prints"
_OPTIONS = (
    Option("-f", "--force", help="print files that are not compressed as they are"),
    Option("-q", "--quiet", help="print no warnings"),
    Option("-c", "--stdout", "--to-stdout"),
    Option("-d", "--decompress", "--uncompress"),
    Option("-k", "--keep"),
    Option("-z", "--compress", refused=_WRITES),
    Option("-l", "--list", refused=_WRITES),
    Option("-t", "--test", refused="use zcat FILE > /dev/null"),
    Option("-r", "--recursive", refused="use find DIR -name '*.gz' -exec zcat {} +"),
)
_WARNING = 2  # gzip's status then
_SUFFIXES = (".gz", ".z", "-gz", "-z", ".Z")


class _Printer:
    """Prints the inputs of one call. kind: the format, as inflated() names it."""

    def __init__(self, call: Invocation, kind: str) -> None:
        self.call = call
        self.kind = kind
        self.quiet = "quiet" in call.options
        self.plain = "force" in call.options or kind == "zstandard"

    def operand(self, name: str) -> None:
        """Print one input; errors go to the call's status."""
        call = self.call
        shown = "stdin" if name == "-" else name
        try:
            source = call.stdin if name == "-" else call.open(name)
        except OSError as failure:
            found = self.with_suffix(name) if failure.errno == errno.ENOENT and self.kind == "gzip" else None
            if found is None:
                self.failed(name, failure)
                return
            shown, source = found
        try:
            self.print(shown, source)
        except OSError as failure:
            self.failed(shown, failure)
        finally:
            call.close(source)

    def with_suffix(self, name: str) -> tuple[str, Source] | None:
        """The file that name means without its suffix."""
        if name.endswith(_SUFFIXES):
            return None
        for suffix in _SUFFIXES:
            try:
                return name + suffix, self.call.open(name + suffix)
            except OSError:
                continue
        return None

    def failed(self, name: str, failure: OSError) -> None:
        directory = failure.errno == errno.EISDIR
        self.problem(name, reason(failure), _WARNING if directory and self.kind in ("gzip", "xz") else 1)

    def problem(self, name: str, text: str, status: int) -> None:
        call = self.call
        call.flush()
        if status != _WARNING or not self.quiet:
            call.warn(f"{name}: {text}")
        if call.status != 1:  # an error counts above a warning
            call.status = status

    def print(self, name: str, source: Source) -> None:
        call = self.call
        write = call.stdout.write
        try:
            for block in inflated(call, source, self.kind, plain=self.plain):
                write(block)
        except Damaged as damage:
            self.problem(name, str(damage), 1)
        except TrailingGarbage as garbage:
            if self.kind == "gzip":
                self.problem(name, str(garbage), _WARNING)
            elif not self.quiet:
                call.warn(f"{name}: {garbage}")


def _declared(name: str, kind: str, preload: Callable[[], None]) -> Command:
    command = Command(
        name, f"print files that are compressed with {kind}", f"{name} [OPTION]... [FILE]...",
        options=_OPTIONS, preload=preload,
    )  # fmt: skip

    @command.main
    def body(call: Invocation) -> int:
        printer = _Printer(call, kind)
        for operand in call.operands or ("-",):
            printer.operand(operand)
        return call.status

    return command


COMMANDS = {
    name: _declared(name, kind, preload)
    for name, kind, preload in (
        ("zcat", "gzip", preload_gzip),
        ("bzcat", "bzip2", preload_bzip2),
        ("xzcat", "xz", preload_xz),
        ("zstdcat", "zstandard", preload_zstandard),
    )
}
