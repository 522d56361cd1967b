"""file beside file(1) on files made here; where there is none, the sentences it gave are not checked."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shutil
import socket
import sqlite3
import struct
import sys
import tarfile
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.builtins.oracle import quoted, same

if TYPE_CHECKING:
    from tests.builtins.oracle import Ours, Theirs

needs_file = pytest.mark.skipif(not shutil.which("file"), reason="no file(1) on this machine")

TEXTS: dict[str, bytes] = {
    "ascii": b"hello\n",
    "nonl": b"no newline",
    "utf8": "héllo\n".encode(),
    "bom": b"\xef\xbb\xbfhello\n",
    "crlf": b"a\r\nb\r\n",
    "mixed": b"a\r\nb\n",
    "cr": b"a\rb\r",
    "crlf2": b"a\rb\n",
    "long": b"x" * 2000,
    "l300": b"x" * 300 + b"\n",
    "l301": b"x" * 301 + b"\n",
    "l300cr": b"x" * 300 + b"\r\n",
    "longutf": "é".encode() * 301,
    "u16le": "\ufeffhi\r\n".encode("utf-16-le"),
    "u16be": "\ufeffhi\n".encode("utf-16-be"),
    "latin1": b"caf\xe9\n",
    "nel": b"a\x85b\n",
    "extended": b"a\x93b\n",
    "escapes": b"a\x1b[1mb\n",
    "overstrike": b"a\bb\r\n\x1b",
    "formfeed": b"a\fb\n",
    "nul": b"hello\0world\n",
    "delete": b"a\x7fb\n",
    "zeros": bytes(100),
    "binary": b"\1\2\3",
    "one": b"a",
    "empty": b"",
    "json": b'{"a": 1, "b": [1,2,{"c":null}]}\n',
    "array.json": b"[1,2,3]\n",
    "nd.json": b'{"a":1}\n{"b":2}\n',
    "bad.json": b'{"a":\n',
    "string.json": b'"str"\n',
    "xml": b'<?xml version="1.0" encoding="UTF-8"?><a/>\n',
    "html": b"<html><body>\n",
    "csv": b"a,b,c\n1,2,3\n4,5,6\n",
    "cert": b"-----BEGIN CERTIFICATE-----\nMII\n",
    "key": b"-----BEGIN RSA PRIVATE KEY-----\nMII\n",
    "diff": b"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n",
    "ssh": b"ssh-rsa AAAA\n",
}
SCRIPTS = (
    "/bin/sh", "/bin/bash", "/usr/bin/env python3", "/usr/bin/python3", "/usr/bin/perl -w", "/usr/bin/env bash",
    "/usr/bin/awk -f", "/bin/sed -f", "/usr/bin/env node", "/usr/bin/env ruby", "/bin/zsh", "/bin/dash", " /bin/sh",
    "/usr/local/bin/weird -x", "/usr/bin/make -f", "/usr/bin/php", "/bin/ksh", "/usr/bin/lua",
)  # fmt: skip


def png(width: int, height: int, color: int) -> bytes:
    """A small picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, color, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n"
        + header
        + chunk(b"IDAT", zlib.compress(bytes(height * (width * 4 + 1))))
        + chunk(b"IEND", b"")
    )


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """One file of every kind."""
    for name, data in TEXTS.items():
        (tmp_path / name).write_bytes(data)
    for number, line in enumerate(SCRIPTS):
        (tmp_path / f"script{number}").write_text(f"#!{line}\necho hi\n")
    (tmp_path / "script-utf8").write_text("#!/bin/sh\né\r\n")
    (tmp_path / "script-binary").write_bytes(b"#!/bin/sh\n\0\n")
    (tmp_path / "gz").write_bytes(gzip.compress(b"hello", 9, mtime=0))
    with gzip.GzipFile(tmp_path / "named.gz", "wb", 1, mtime=1_700_000_000) as out:
        out.write(b"hello")
    (tmp_path / "xz").write_bytes(lzma.compress(b"hello"))
    (tmp_path / "bz2").write_bytes(bz2.compress(b"hello"))
    (tmp_path / "zst").write_bytes(bytes.fromhex("28b52ffd2005290000") + b"hello")
    (tmp_path / "lz4").write_bytes(bytes.fromhex("04224d186440a7") + bytes(20))
    with zipfile.ZipFile(tmp_path / "zip", "w") as made:
        made.writestr("a", "b" * 100)
    with zipfile.ZipFile(tmp_path / "deflated.zip", "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("a", "b" * 100)
    zipfile.ZipFile(tmp_path / "empty.zip", "w").close()
    for name, layout in (("gnu", tarfile.GNU_FORMAT), ("ustar", tarfile.USTAR_FORMAT)):
        with tarfile.open(tmp_path / f"{name}.tar", "w", format=layout) as tar:
            tar.add(tmp_path / "ascii", "ascii")
    base = sqlite3.connect(tmp_path / "base.sqlite")
    base.execute("create table t(a)")
    base.close()
    for color in (0, 2, 3, 4, 6):
        (tmp_path / f"{color}.png").write_bytes(png(3, 2, color))
    (tmp_path / "jpg").write_bytes(
        bytes.fromhex("ffd8ffe000104a46494600010101004800480000ffc00011080010002003012200021101031101ffd9")
    )
    (tmp_path / "gif").write_bytes(b"GIF89a\x10\0\x20\0\x80\0\0" + bytes(20))
    (tmp_path / "pdf").write_bytes(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n")
    (tmp_path / "le.pcap").write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
    (tmp_path / "be.pcap").write_bytes(struct.pack(">IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 113))
    (tmp_path / "ns.pcap").write_bytes(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 101))
    journal = b"LPKSHHRH" + struct.pack("<IIB7x", 1, 1, 2) + b"\1" * 168 + bytes(100)
    (tmp_path / "journal").write_bytes(journal)
    (tmp_path / "dir").mkdir()
    (tmp_path / "sticky").mkdir()
    (tmp_path / "sticky").chmod(0o1777)
    (tmp_path / "link").symlink_to("ascii")
    (tmp_path / "dangling").symlink_to("nowhere")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "new\nline é").touch()
    (tmp_path / "setuid").write_bytes(b"hello\n")
    (tmp_path / "setuid").chmod(0o4755)
    here = os.getcwd()
    os.chdir(tmp_path)  # a socket's path is short
    try:
        with socket.socket(socket.AF_UNIX) as made_socket:
            made_socket.bind("sock")
    finally:
        os.chdir(here)
    return tmp_path


@needs_file
@pytest.mark.parametrize("options", ["", "-b", "-i", "--mime-type", "--mime-encoding", "-L", "-N"])
def test_every_kind_as_file_says(options: str, run: Ours, bash: Theirs, shelf: Path) -> None:
    if options == "--mime-encoding":
        (shelf / "dangling").unlink()  # file(1) 5.44 says "ERROR: (null)"
    for name in sorted(os.listdir(shelf)):
        same(run, bash, f"TZ=UTC file {options} {quoted(name)}")
    same(run, bash, f"TZ=UTC file {options} *")


@needs_file
@pytest.mark.parametrize(
    "call",
    [
        "file nope ascii",
        "file -E nope",
        "file ''",
        "file",
        "file -b ascii dir",
        "echo hi | file -",
        "file - < ascii",
        "file -Z",
    ],
)
def test_calls_as_file(call: str, run: Ours, bash: Theirs, shelf: Path) -> None:
    same(run, bash, call)


@needs_file
@pytest.mark.skipif(sys.platform != "linux", reason="looks at programs of this machine")
def test_programs_as_file_says(make_runner: object, bash: Theirs, run: Ours) -> None:
    found = [path for path in ("/bin/ls", "/bin/bash", "/usr/lib/x86_64-linux-gnu/libc.so.6") if os.path.isfile(path)]
    for path in found:
        theirs = bash(f"file -L {path}; file -iL {path}")
        ours = run(f"file -L {path}; file -iL {path}", allowed_paths=["/usr:ro", "/bin:ro"])
        assert ours.stdout == theirs.stdout


def test_damaged_headers_do_no_harm(run: Ours, tmp_path: Path) -> None:
    """Whatever stands behind a magic number, the answer is a sentence."""
    import random

    chance = random.Random(4)
    for magic in (b"\x7fELF\2\1", b"\x7fELF\1\2", b"\x1f\x8b\x08", b"SQLite format 3\0", b"\xff\xd8\xff", b"LPKSHHRH", b"PK\3\4",
                  b"\x89PNG\r\n\x1a\n", b"\xd4\xc3\xb2\xa1", b"\x28\xb5\x2f\xfd", b"#!", b"%PDF-", b"BZh", b"\x0a\x0d\x0d\x0a"):  # fmt: skip
        for size in (0, 1, 5, 20, 60, 200, 600):
            for number in range(4):
                (tmp_path / f"f{number}").write_bytes(magic + chance.randbytes(size))
            result = run("file f0 f1 f2 f3")
            assert result.exit_code == 0 and result.stdout.count(b"\n") == 4 and not result.stderr


def test_outside_the_roots(run: Ours) -> None:
    assert run("file /etc/passwd").stdout == b"/etc/passwd: cannot open `/etc/passwd' (Permission denied)\n"
