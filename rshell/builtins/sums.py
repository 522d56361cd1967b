"""sha256sum, sha1sum, md5sum: print or check digests (GNU coreutils); what cksum shares with them."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Protocol

from rshell.builtins.command import Command, Invocation, Option, UsageError, decode, encode, reason
from rshell.builtins.quoting import quote_in_message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rshell.builtins.streams import Source

CHECKING = (
    Option("-c", "--check", help="read digests from the FILEs and check them"),
    Option("-z", "--zero", help="end output lines with a zero byte, names as they are"),
    Option("--ignore-missing", help="with -c: say nothing of missing files"),
    Option("--quiet", help="with -c: print no OK lines"),
    Option("--status", help="with -c: print nothing, the status tells"),
    Option("--strict", help="with -c: fail for lines that are no digest lines"),
    Option("-w", "--warn", help="with -c: name the lines that are no digest lines"),
)
_OPTIONS = (
    Option("-b", "--binary", help="mark names with *"),
    Option("-t", "--text", help="mark names with a blank (default)"),
    Option("--tag", help="write lines in the BSD style"),
    *CHECKING,
)
_BLANKS = b" \t"
_HEX = re.compile(rb"[0-9A-Fa-f]*")
_BLOCK = 1 << 18  # the digest functions let go of the interpreter for large blocks
_ESCAPED = ((b"\\", b"\\\\"), (b"\n", b"\\n"), (b"\r", b"\\r"))
_UNESCAPED = {b"\\": b"\\", b"n": b"\n", b"r": b"\r"}


class Digest(Protocol):
    """A digest under way, as hashlib makes it."""

    def update(self, data: bytes, /) -> None: ...

    def hexdigest(self) -> str: ...


class Algorithm:
    """A digest: its tag in BSD lines, its length in hexadecimal digits, and a maker of hash objects."""

    __slots__ = ("digits", "new", "tag")

    def __init__(self, tag: str, digits: int, new: Callable[[], Digest]) -> None:
        self.tag = tag
        self.digits = digits
        self.new = new

    def of(self, source: Source) -> str:
        """The digest of all that a source gives."""
        state = self.new()
        update = state.update
        for block in source.blocks(_BLOCK):
            update(block)
        return state.hexdigest()


def algorithm(name: str) -> Algorithm:
    """The algorithm of hashlib's name."""
    size = hashlib.new(name, usedforsecurity=False).digest_size
    return Algorithm(name.upper(), size * 2, lambda: hashlib.new(name, usedforsecurity=False))


def line(name: str, digest: str, tag: str, mark: bytes, *, zero: bool) -> bytes:
    """An output line: with tag in the BSD style, else with mark (two bytes) between digest and name."""
    raw, escape = (encode(name), b"") if zero else escaped(name)
    end = b"\0" if zero else b"\n"
    if tag:
        return b"%b%b (%b) = %b%b" % (escape, tag.encode(), raw, digest.encode(), end)
    return escape + digest.encode() + mark + raw + end


def escaped(name: str) -> tuple[bytes, bytes]:
    """A name for a line of its own, and what stands before the line then: a backslash, or nothing."""
    raw = shown = encode(name)
    for byte, text in _ESCAPED:
        shown = shown.replace(byte, text)
    return shown, b"" if shown == raw else b"\\"


def _unescaped(name: bytes) -> bytes | None:
    """A name with its escapes undone; None where a backslash stands alone."""
    if b"\0" in name:
        return None
    first, *rest = name.split(b"\\")
    out = [first]
    pieces = iter(rest)
    for piece in pieces:
        if not piece:  # two backslashes
            after = next(pieces, None)
            if after is None:
                return None
            out += [b"\\", after]
            continue
        letter = _UNESCAPED.get(piece[:1])
        if letter is None:
            return None
        out += [letter, piece[1:]]
    return b"".join(out)


def check_use(call: Invocation) -> None:
    """Refuse options that go only with -c, or never with it."""
    options = call.options
    if "check" in options:
        if "zero" in options:
            raise UsageError("the --zero option is not supported when verifying checksums")
        if "tag" in options and call.name != "cksum":
            raise UsageError("the --tag option is meaningless when verifying checksums")
        if "binary" in options or "text" in options:
            raise UsageError("the --binary and --text options are meaningless when verifying checksums")
        return
    for key in ("ignore-missing", "status", "warn", "quiet", "strict"):
        if key in options:
            raise UsageError(f"the --{key} option is meaningful only when verifying checksums")


class Checker:
    """Reads digest lines and checks the files that they name.

    chosen: the algorithm, None when each line's tag is to tell (by way of known).
    """

    def __init__(self, call: Invocation, chosen: Algorithm | None, known: Callable[[bytes], Algorithm | None]) -> None:
        self.call = call
        self.chosen = chosen
        self.current = chosen  # the algorithm of the last line with a tag
        self.known = known
        self.reversed: bool | None = None  # lines with one blank before the name, as BSD -r has them
        self.shortest = 1 if call.name == "cksum" else 2  # what stands behind a digest
        options = call.options
        self.ignore_missing = "ignore-missing" in options
        # the last of the three counts
        self.loudness = options.last("status", "quiet", "warn")
        self.strict = "strict" in options

    def file(self, path: str) -> None:
        """Check what one file of digest lines says; errors go to the call's status."""
        call = self.call
        shown = "'standard input'" if path == "-" else quote_in_message(path)
        proper = improper = unreadable = mismatched = 0
        matched = False
        try:
            source = call.stdin if path == "-" else call.open(path)
        except OSError as failure:
            if failure.errno == 21:  # a directory opens, and then cannot be read
                call.error(f"{shown}: read error")
            else:
                call.report(path, failure)
            return
        for number, text in enumerate(source.lines(), 1):
            call.check()
            text = text.removesuffix(b"\n").removesuffix(b"\r")
            if not text or text.startswith(b"#"):
                continue
            found = self.split(text)
            if found is None or (path == "-" and found[1] == b"-"):
                improper += 1
                if self.loudness == "warn":
                    call.flush()
                    tag = self.current.tag if self.current else "CRC"
                    call.warn(f"{shown}: {number}: improperly formatted {tag} checksum line")
                continue
            proper += 1
            verdict = self.verify(decode(found[1]), found[0])
            if verdict == "":
                continue
            unreadable += verdict == "FAILED open or read"
            mismatched += verdict == "FAILED"
            matched |= verdict == "OK"
            if self.loudness != "status" and not (verdict == "OK" and self.loudness == "quiet"):
                name, escape = escaped(decode(found[1])) if b"\n" in found[1] else (found[1], b"")
                call.write(b"%b%b: %b\n" % (escape, name, verdict.encode()))
        call.close(source)
        call.flush()
        if not proper:
            call.error(f"{shown}: no properly formatted checksum lines found")
            return
        if self.loudness != "status":
            for count, one, many in (
                (improper, "line is improperly formatted", "lines are improperly formatted"),
                (unreadable, "listed file could not be read", "listed files could not be read"),
                (mismatched, "computed checksum did NOT match", "computed checksums did NOT match"),
            ):
                if count:
                    call.warn(f"WARNING: {count} {one if count == 1 else many}")
            if self.ignore_missing and not matched:
                call.warn(f"{shown}: no file was verified")
        if not matched or mismatched or unreadable or (self.strict and improper):
            call.status = 1

    def verify(self, name: str, digest: bytes) -> str:
        """OK, FAILED, FAILED open or read, or nothing for a missing file that is to be ignored."""
        call = self.call
        assert self.current is not None
        try:
            source = call.stdin if name == "-" else call.open(name)
            try:
                found = self.current.of(source)
            finally:
                call.close(source)
        except OSError as failure:
            if self.ignore_missing and failure.errno == 2:
                return ""
            call.flush()
            call.warn(f"{quote_in_message(name)}: {reason(failure)}")
            return "FAILED open or read"
        return "OK" if found.encode() == digest.lower() else "FAILED"

    def split(self, text: bytes) -> tuple[bytes, bytes] | None:
        """Digest and name of a line, or None; sets the current algorithm."""
        text = text.lstrip(_BLANKS).partition(b"\0")[0]
        escape = text.startswith(b"\\")
        if escape:
            text = text[1:]
        if self.chosen is None:
            tag = re.match(rb"[A-Za-z0-9-]+(?= |\()", text)
            found = self.known(tag[0]) if tag else None
            if tag is None or found is None:
                return None
            self.current = found
            # cksum's own lines have a tag, or they are none
            rest = text[tag.end() :].removeprefix(b" ")
            return self._bsd(rest, escape) if rest.startswith((b" (", b"(")) else None
        name = self.chosen.tag.encode()
        if text.startswith(name):
            rest = text[len(name) :].removeprefix(b" " if self.shortest == 1 else b"")
            return self._bsd(rest, escape) if rest.startswith((b" (", b"(")) else None
        return self._plain(text, escape)

    def _plain(self, text: bytes, escape: bool) -> tuple[bytes, bytes] | None:
        digits = self.current.digits if self.current else 0
        digest, rest = text[:digits], text[digits:]
        if len(rest) < self.shortest or rest[:1] not in (b" ", b"\t") or not self._is_digest(digest):
            return None
        rest = rest[1:]
        if len(rest) <= 1 or rest[:1] not in (b" ", b"*"):
            if self.reversed is False:
                return None
            self.reversed = True
        elif not self.reversed:
            self.reversed = False
            rest = rest[1:]
        name = _unescaped(rest) if escape else rest
        return None if name is None else (digest, name)

    def _bsd(self, rest: bytes, escape: bool) -> tuple[bytes, bytes] | None:
        name, bracket, digest = rest.partition(b"(")[2].rpartition(b")")
        after = digest.lstrip(_BLANKS)
        if not bracket or not after.startswith(b"="):
            return None
        digest = after[1:].lstrip(_BLANKS)
        unescaped = _unescaped(name) if escape else name
        if unescaped is None or not self._is_digest(digest):
            return None
        return digest, unescaped

    def _is_digest(self, text: bytes) -> bool:
        return self.current is not None and len(text) == self.current.digits and _HEX.fullmatch(text) is not None


def _none(tag: bytes) -> Algorithm | None:
    return None


def _sum(call: Invocation) -> int:
    options = call.options
    chosen = algorithm(call.name.removesuffix("sum"))
    tagged = "tag" in options
    if tagged and options.last("binary", "text", "tag") == "text":
        raise UsageError("--tag does not support --text mode")
    check_use(call)
    if "check" in options:
        checker = Checker(call, chosen, _none)
        for path in call.operands or ("-",):
            checker.file(path)
        return call.status
    mark = b" *" if options.last("binary", "text") == "binary" else b"  "
    zero = "zero" in options
    for name, digest in digests(call, chosen.of):
        call.write(line(name, digest, chosen.tag if tagged else "", mark, zero=zero))
    return call.status


def digests(call: Invocation, of: Callable[[Source], str]) -> Iterator[tuple[str, str]]:
    """Each input's name with what `of` makes of it; an input that cannot be read to its end has none."""
    for name in call.operands or ("-",):
        try:
            source = call.stdin if name == "-" else call.open(name)
            try:
                yield name, of(source)
            finally:
                call.close(source)
        except OSError as failure:
            call.flush()
            call.report(name, failure)


def _declared(name: str) -> Command:
    command = Command(
        name, f"print or check {name.removesuffix('sum').upper()} digests", f"{name} [OPTION]... [FILE]...",
        options=_OPTIONS,
    )  # fmt: skip
    command.main(_sum)
    return command


COMMANDS = {name: _declared(name) for name in ("md5sum", "sha1sum", "sha256sum")}
