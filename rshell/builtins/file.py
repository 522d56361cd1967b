"""file: tell what files hold (file(1) of Christos Zoulas), by a compact table of its own."""

from __future__ import annotations

import errno
import re
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Invocation, Option, UsageError, decode, encode, reason
from rshell.builtins.file_elf import Described
from rshell.builtins.file_magic import describe
from rshell.builtins.file_text import Text, is_csv, json_kind, text_of
from rshell.builtins.filemode import device_numbers, kind_of
from rshell.builtins.ls_format import display_width
from rshell.builtins.width import width

if TYPE_CHECKING:
    import os

    from rshell.builtins.file_elf import Read
    from rshell.builtins.streams import Source

FILE = Command(
    "file",
    "tell what files hold",
    "file [-bihLE] [--mime-type] [--mime-encoding] FILE...",
    options=(
        Option("-b", "--brief", help="leave out the names"),
        Option("-i", "--mime", help="show MIME type and encoding"),
        Option("--mime-type", help="show the MIME type"),
        Option("--mime-encoding", help="show the encoding"),
        Option("-h", "--no-dereference", help="do not follow symbolic links (the default)"),
        Option("-L", "--dereference", help="follow symbolic links"),
        Option("-E", help="a file that cannot be looked at is an error"),
        Option("-N", "--no-pad", help="do not align what is shown"),
        Option("-s", "--special-files", refused="devices are never read"),
        Option("-z", "--uncompress", refused="use zcat FILE | file -"),
    ),
    description="Known are texts, scripts, JSON, archives, compressed data, ELF, images, SQLite, PDF, pcap, journals.",
)

_READ = limits.MIB  # of each file
_SPECIAL = {"d": "directory", "p": "fifo (named pipe)", "s": "socket"}
_SPECIAL_MIMES = {"d": "directory", "l": "symlink", "p": "fifo", "s": "socket", "c": "chardevice", "b": "blockdevice"}
_SET = ((0o4000, "setuid"), (0o2000, "setgid"), (0o1000, "sticky"))
_SCRIPT = re.compile(rb"#![ \t]*([^\r\n]*)(.?)", re.DOTALL)
_ENV = re.compile(r"/(?:usr/)?bin/env +")

# program names of #! lines: what the script is called, and its MIME type
_SCRIPTS: dict[str, tuple[str, str]] = {
    "sh": ("POSIX shell script", "text/x-shellscript"),
    "bash": ("Bourne-Again shell script", "text/x-shellscript"),
    "ksh": ("Korn shell script", "text/x-shellscript"),
    "zsh": ("Paul Falstad's zsh script", "text/x-shellscript"),
    "csh": ("C shell script", "text/x-shellscript"),
    "tcsh": ("Tenex C shell script", "text/x-shellscript"),
    "awk": ("awk script", "text/x-awk"),
    "gawk": ("GNU awk script", "text/x-gawk"),
    "python": ("Python script", "text/x-script.python"),
    "ruby": ("Ruby script", "text/x-ruby"),
    "lua": ("Lua script", "text/x-lua"),
    "php": ("PHP script", "text/x-php"),
    "tclsh": ("Tcl script", "text/x-tcl"),
}
_MARKUP: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r'<\?xml version="1\.0"'), "XML 1.0 document", "text/xml"),
    (re.compile(r"\s*(?:<!doctype html|<html|<head|<title|<body)", re.IGNORECASE), "HTML document", "text/html"),
    (re.compile(r"diff --git |(?:.*\n)?--- .*\n\+\+\+ .*\n@@ "), "unified diff output", "text/x-diff"),
)
_KEYS = (
    ("-----BEGIN CERTIFICATE-----", "PEM certificate"),
    ("-----BEGIN CERTIFICATE REQ", "PEM certificate request"),
    ("-----BEGIN RSA PRIVATE", "PEM RSA private key"),
    ("-----BEGIN DSA PRIVATE", "PEM DSA private key"),
    ("-----BEGIN EC PRIVATE", "PEM EC private key"),
    ("-----BEGIN OPENSSH PRIVATE", "OpenSSH private key"),
    ("ssh-rsa ", "OpenSSH RSA public key"),
    ("ssh-ed25519 ", "OpenSSH ED25519 public key"),
)


class _Kind(Described):
    """What a file is, with the charset that -i shows."""

    charset: str

    def __new__(cls, words: str, mime: str, charset: str = "binary") -> _Kind:
        made = super().__new__(cls, words, mime)
        made.charset = charset
        return made


def kind_of_data(data: bytes, end: bytes, size: int, read: Read) -> _Kind:
    """What data is: a file's beginning, its last four bytes, its size, and a way to read the rest."""
    if not size:
        return _Kind("empty", "inode/x-empty")
    if size == 1:
        return _Kind("very short file (no magic)", "application/octet-stream")
    text = text_of(data)
    charset = text.charset if text is not None else "binary"
    found = describe(data, end, read)
    if found is not None:
        return _Kind(found.words, found.mime, charset)
    if data.startswith(b"#!"):
        return _script(data, text)
    if text is None:
        return _Kind("data", "application/octet-stream")
    json = json_kind(data)
    if json:
        words = "JSON text data" if json == "json" else "New Line Delimited JSON text data"
        return _Kind(words, "application/json" if json == "json" else "application/x-ndjson", charset)
    return _text(text)


def _text(text: Text) -> _Kind:
    for start, words in _KEYS:
        if text.text.startswith(start):
            return _Kind(words, "text/plain", text.charset)
    for pattern, words, mime in _MARKUP:
        if pattern.match(text.text):
            return _Kind(f"{words}, {text.encoding}{text.lines()}", mime, text.charset)
    if is_csv(text.text):
        return _Kind("CSV text", "text/csv", text.charset)
    return _Kind(text.encoding + text.lines(), "text/plain", text.charset)


def _script(data: bytes, text: Text | None) -> _Kind:
    match = _SCRIPT.match(data[:1_024])
    assert match is not None  # it starts with #!
    line = decode(match[1]).rstrip(" \t")
    charset = text.charset if text is not None else "binary"
    program = _ENV.sub("", line)
    name = program.split(" ")[0].rpartition("/")[2]
    known = name if name in _SCRIPTS else name.rstrip("0123456789.")
    words, mime = "", "text/plain"
    if match[2] or " " in line:
        if known == "perl" and not program.startswith("-"):
            return _Kind("Perl script text executable", "text/x-perl", charset)
        if known == "node" and text is not None:
            return _Kind(f"Node.js script executable, {text.encoding}{text.lines()}", "application/javascript", charset)
        words, mime = _SCRIPTS.get(known, (words, mime))
    words = words or f"a {program} script"
    if text is None:
        return _Kind(f"{words} executable (binary data)", mime, charset)
    return _Kind(f"{words}, {text.encoding} executable{text.lines()}", mime, charset)


class _Teller:
    def __init__(self, call: Invocation) -> None:
        self.call = call
        self.follow = call.options.last("dereference", "no-dereference") == "dereference"

    def tell(self, name: str) -> _Kind | str:
        """What a file is, or why that cannot be told."""
        if name == "-":
            return self.stream(self.call.stdin)
        try:
            found = self.call.stat(name, follow=self.follow)
        except OSError as failure:
            why = reason(failure)
            cannot = "cannot open"
            if "E" in self.call.options:
                self.call.status = 1
                cannot = "ERROR: cannot stat"
            return f"{cannot} `{printable(name)}' ({why[:1].upper()}{why[1:]})"
        kind = kind_of(found.st_mode)
        if kind == "f":
            return self.regular(name, found)
        words = self.special(name, kind, found)
        return _Kind(words, f"inode/{_SPECIAL_MIMES.get(kind, 'x-weird')}", "" if words[:6] == "broken" else "binary")

    def special(self, name: str, kind: str, found: os.stat_result) -> str:
        if kind == "l":
            return self.link(name)
        if kind in "cb":
            major, minor = device_numbers(found.st_rdev)
            return f"{'character' if kind == 'c' else 'block'} special ({major}/{minor})"
        marks = [word for bit, word in _SET if found.st_mode & bit]
        return ", ".join([*marks, _SPECIAL.get(kind, "weird file")])

    def link(self, name: str) -> str:
        call = self.call
        target = call.run.sandbox.readlink(call.absolute(name))
        try:
            call.stat(name)
        except OSError as failure:
            if failure.errno in (errno.ENOENT, errno.ENOTDIR):
                return f"broken symbolic link to {printable(target)}"
        return f"symbolic link to {printable(target)}"

    def regular(self, name: str, found: os.stat_result) -> _Kind:
        call = self.call
        try:
            file = call.open_file(name)
        except OSError as failure:
            if failure.errno not in (errno.EACCES, errno.EPERM):
                raise
            return _Kind("regular file, no read permission", "application/octet-stream")
        with file:
            size = file.size
            data = file.pread(_READ, 0)
            end = file.pread(4, size - 4) if size >= 4 else b""
            told = kind_of_data(data, end, max(size, len(data)), lambda at, count: file.pread(count, at))
        marks = [word for bit, word in _SET if found.st_mode & bit]
        if not marks:
            return told
        between = ", " if not size else " , " if told.mime == "text/plain" and told.words[:1] in "AUIN" else " "
        return _Kind(", ".join(marks) + between + told.words, told.mime, told.charset)

    def stream(self, source: Source) -> _Kind:
        pieces: list[bytes] = []
        left = _READ
        while left > 0 and (piece := source.read(left)):
            pieces.append(piece)
            left -= len(piece)
        data = b"".join(pieces)
        return kind_of_data(data, data[-4:] if left else b"", len(data), lambda at, count: data[at : at + count])


def printable(name: str) -> str:
    """A name with what does not print in octal."""
    if name.isascii() and name.isprintable():
        return name
    return "".join(
        [letter if width(letter) >= 0 else "".join([f"\\{byte:03o}" for byte in encode(letter)]) for letter in name]
    )


@FILE.main
def file(call: Invocation) -> int:
    if not call.operands:
        raise UsageError("missing operand")
    options = call.options
    names = ["/dev/stdin" if name == "-" else printable(name) for name in call.operands]
    column = 0 if "no-pad" in options else max(map(display_width, names))
    teller = _Teller(call)
    for name, shown in zip(call.operands, names, strict=True):
        call.check()
        try:
            told = teller.tell(name)
        except OSError as failure:
            call.report(name, failure)
            continue
        if isinstance(told, str):
            text = told
        elif "mime" in options:
            text = f"{told.mime}; charset={told.charset}" if told.charset else told.mime
        elif "mime-type" in options:
            text = told.mime
        elif "mime-encoding" in options:
            text = told.charset
        else:
            text = printable(told.words)
        call.print(
            text if "brief" in options or not name else f"{shown}:{' ' * (column - display_width(shown))} {text}"
        )
    return call.status


COMMANDS = {"file": FILE}
