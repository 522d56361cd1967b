"""What data is, told from its first bytes: a compact table for what a server's disk holds (as file(1) words it)."""

from __future__ import annotations

import struct
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rshell.builtins.file_elf import Described, describe_elf
from rshell.builtins.timeformat import format_time

if TYPE_CHECKING:
    from collections.abc import Callable

    from rshell.builtins.file_elf import Read

_OCTETS = "application/octet-stream"
_GZIP_SYSTEMS = (
    "FAT filesystem (MS-DOS, OS/2, NT)", "Amiga", "VMS", "Unix", "VM/CMS", "Atari", "HPFS filesystem (OS/2, NT)",
    "MacOS", "Z-System", "CP/M", "TOPS/20", "NTFS filesystem (NT)", "QDOS", "Acorn RISCOS",
)  # fmt: skip
_XZ_CHECKS = {0: "NONE", 1: "CRC32", 4: "CRC64", 10: "SHA-256"}
_ZIP_METHODS = {0: "store", 8: "deflate", 9: "deflate64", 12: "bzip2", 14: "lzma", 93: "zstd", 95: "xz"}
_PNG_COLORS = {0: " grayscale", 2: "/color RGB", 3: " colormap", 4: " gray+alpha", 6: "/color RGBA"}
_LINKS = {
    0: "No link-layer encapsulation", 1: "Ethernet", 9: "PPP", 12: "Raw IP", 101: "Raw IP", 105: "802.11",
    108: "OpenBSD loopback", 113: "Linux cooked v1", 127: "802.11 with radiotap header", 276: "Linux cooked v2",
}  # fmt: skip
_STATES = ("offline", "online", "archived")


def describe(data: bytes, end: bytes, read: Read) -> Described | None:
    """What data (the beginning of a file, whose last bytes are end) is; None when the table does not know.

    read gives bytes from an offset of the file, for what stands further on.
    """
    if data.startswith(b"\x7fELF"):
        return describe_elf(data, read)
    for magic, kind in _TABLE:
        if data.startswith(magic):
            found = kind(data, end)
            if found is not None:
                return found
    return _tar(data)


def _gzip(data: bytes, end: bytes) -> Described | None:
    if len(data) < 10:
        return Described("gzip compressed data", "application/gzip")
    flags, modified, extra, system = struct.unpack_from("<BIBB", data, 3)
    words = ["gzip compressed data"]
    at = 10
    if flags & 2:
        words.append("has CRC")
    if flags & 4 and len(data) > 12:
        words.append("extra field")
        at += 2 + struct.unpack_from("<H", data, 10)[0]
    if flags & 8:
        words.append(f'was "{data[at : at + 64].split(bytes(1), 1)[0].decode("utf-8", "surrogateescape")}"')
    if flags & 16:
        words.append("has comment")
    if flags & 32:
        words.append("encrypted")
    if modified:
        when = datetime.fromtimestamp(modified, UTC)
        words.append(f"last modified: {format_time(when, 0, '%a %b %e %H:%M:%S %Y')}")
    words += {2: ["max compression"], 4: ["max speed"]}.get(extra, [])
    if system < len(_GZIP_SYSTEMS):
        words.append(f"from {_GZIP_SYSTEMS[system]}")
    if len(end) == 4:
        words.append(f"original size modulo 2^32 {struct.unpack('<I', end)[0]}")
    return Described(", ".join(words), "application/gzip")


def _xz(data: bytes, end: bytes) -> Described | None:
    check = _XZ_CHECKS.get(data[7] & 15) if len(data) > 7 else None
    return Described("XZ compressed data" + (f", checksum {check}" if check else ""), "application/x-xz")


def _bzip2(data: bytes, end: bytes) -> Described | None:
    size = (
        f", block size = {data[3:4].decode()}00k"
        if data[3:4] in (b"1", b"2", b"3", b"4", b"5", b"6", b"7", b"8", b"9")
        else ""
    )
    return Described("bzip2 compressed data" + size, "application/x-bzip2")


def _zstd(data: bytes, end: bytes) -> Described | None:
    if len(data) < 5:
        return None
    size = (0, 1, 2, 4)[data[4] & 3]
    at = 5 if data[4] & 0x20 else 6
    dictionary = int.from_bytes(data[at : at + size], "little") if size else "None"
    return Described(f"Zstandard compressed data (v0.8+), Dictionary ID: {dictionary}", "application/zstd")


def _zip(data: bytes, end: bytes) -> Described | None:
    if len(data) < 10:
        return None
    version, method = data[4], struct.unpack_from("<H", data, 8)[0]
    words = f"Zip archive data, at least v{version // 10}.{version % 10} to extract"
    if method in _ZIP_METHODS:
        words += f", compression method={_ZIP_METHODS[method]}"
    return Described(words, "application/zip")


def _png(data: bytes, end: bytes) -> Described | None:
    if len(data) < 29 or data[12:16] != b"IHDR":
        return Described("PNG image data", "image/png")
    width, height, depth, color, _, _, interlace = struct.unpack_from(">IIBBBBB", data, 16)
    kind = _PNG_COLORS.get(color, "")
    interlaced = "interlaced" if interlace else "non-interlaced"
    return Described(f"PNG image data, {width} x {height}, {depth}-bit{kind}, {interlaced}", "image/png")


def _jpeg(data: bytes, end: bytes) -> Described | None:
    words = ["JPEG image data"]
    if data[6:11] == b"JFIF\0" and len(data) >= 18:
        major, minor, units, wide, high = struct.unpack_from(">BBBHH", data, 11)
        words.append(f"JFIF standard {major}.{minor:02}")
        words.append({1: "resolution (DPI)", 2: "resolution (DPCM)"}.get(units, "aspect ratio"))
        words += [f"density {wide}x{high}", f"segment length {struct.unpack_from('>H', data, 4)[0]}"]
    elif data[6:12] == b"Exif\0\0":
        words.append("Exif standard")
    at = 2
    while at + 10 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker in (0xC0, 0xC1, 0xC2):
            precision, high, wide, parts = struct.unpack_from(">BHHB", data, at + 4)
            kind = ("baseline", "extended sequential", "progressive")[marker - 0xC0]
            words += [kind, f"precision {precision}", f"{wide}x{high}", f"components {parts}"]
            break
        at += 2 + struct.unpack_from(">H", data, at + 2)[0]
    return Described(", ".join(words), "image/jpeg")


def _gif(data: bytes, end: bytes) -> Described | None:
    if len(data) < 10:
        return None
    wide, high = struct.unpack_from("<HH", data, 6)
    return Described(f"GIF image data, version {data[3:6].decode('latin-1')}, {wide} x {high}", "image/gif")


def _pdf(data: bytes, end: bytes) -> Described | None:
    return Described(f"PDF document, version {data[5:8].decode('latin-1')}", "application/pdf")


def _sqlite(data: bytes, end: bytes) -> Described | None:
    if len(data) < 100:
        return None
    page = struct.unpack_from(">H", data, 16)[0]
    (counter, pages, free, frees, cookie, schema, cache, largest, encoding, user, vacuum, application) = (
        struct.unpack_from(">12I", data, 24)
    )
    valid, version = struct.unpack_from(">II", data, 92)
    words = ["SQLite 3.x database"]
    words += [f"application id {application}"] if application else []
    words += [f"user version {user}"] if user else []
    words += [f"last written using SQLite version {version}"] if version else []
    words += [f"page size {65_536 if page == 1 else page}"] if page != 4_096 else []
    for value, name in (
        (counter, "file counter"),
        (pages, "database pages"),
        (free, "1st free page"),
        (frees, "free pages"),
    ):
        words += [f"{name} {value}"] if value else []
    words += [f"cookie 0x{cookie:x}"] if cookie else []
    words += [f"schema {schema}"] if schema else []
    words += [f"cache page size {cache}"] if cache else []
    words += [f"largest root page {largest}"] if largest else []
    words += {1: ["UTF-8"], 2: ["UTF-16 little endian"], 3: ["UTF-16 big endian"]}.get(encoding, [])
    words += [f"vacuum mode {vacuum}"] if vacuum else []
    words += [f"version-valid-for {valid}"] if valid else []
    return Described(", ".join(words), "application/vnd.sqlite3")


def _pcap(data: bytes, end: bytes) -> Described | None:
    if len(data) < 24:
        return None
    order = "<" if data[:1] in (b"\xd4", b"\x4d") else ">"
    exact = b"\x3c" in data[:4]
    major, minor, _, _, length, link = struct.unpack_from(f"{order}HHiIII", data, 4)
    time = "nanosecond" if exact else "microsecond" + ("s" if order == ">" else "")
    kind = _LINKS.get(link & 0xFFFF, f"linktype#{link & 0xFFFF}")
    return Described(
        f"pcap capture file, {time} ts ({'little' if order == '<' else 'big'}-endian) - version {major}.{minor}"
        f" ({kind}, capture length {length})",
        "application/vnd.tcpdump.pcap",
    )


def _pcapng(data: bytes, end: bytes) -> Described | None:
    if len(data) < 16 or data[8:12] not in (b"\x4d\x3c\x2b\x1a", b"\x1a\x2b\x3c\x4d"):
        return None
    major, minor = struct.unpack_from("<HH" if data[8] == 0x4D else ">HH", data, 12)
    return Described(f"pcapng capture file - version {major}.{minor}", _OCTETS)


def _journal(data: bytes, end: bytes) -> Described | None:
    if len(data) < 192 or data[16] >= len(_STATES) or not any(data[24:40]):
        return None
    words = ["Journal file"]
    words += ["empty"] if not any(data[184:192]) else []
    words.append(_STATES[data[16]])
    words += ["sealed"] if data[8] & 1 else []
    words += ["compressed"] if data[12] & 1 else []
    return Described(", ".join(words), _OCTETS)


def _tar(data: bytes) -> Described | None:
    if len(data) < 512:
        return None
    field = data[148:156].strip(b" \0")
    if not field or field.translate(None, b"01234567"):
        return None
    header = data[:148] + b" " * 8 + data[156:512]
    if int(field, 8) != sum(header):  # text: ours
        return None
    kind = "tar archive"
    if data[257:265] == b"ustar  \0":
        kind = "POSIX tar archive (GNU)"
    elif data[257:262] == b"ustar":
        kind = "POSIX tar archive"
    return Described(kind, "application/x-tar")


def _fixed(words: str, mime: str = _OCTETS) -> Callable[[bytes, bytes], Described | None]:
    return lambda data, end: Described(words, mime)


_TABLE: tuple[tuple[bytes, Callable[[bytes, bytes], Described | None]], ...] = (
    (b"\x1f\x8b\x08", _gzip),
    (b"\xfd7zXZ\0", _xz),
    (b"BZh", _bzip2),
    (b"\x28\xb5\x2f\xfd", _zstd),
    (b"\x04\x22\x4d\x18", _fixed("LZ4 compressed data (v1.4+)", "application/x-lz4")),
    (b"PK\x03\x04", _zip),
    (b"PK\x05\x06", _fixed("Zip archive data (empty)", "application/zip")),
    (b"\x89PNG\r\n\x1a\n", _png),
    (b"\xff\xd8\xff", _jpeg),
    (b"GIF87a", _gif),
    (b"GIF89a", _gif),
    (b"%PDF-", _pdf),
    (b"SQLite format 3\0", _sqlite),
    (b"\xd4\xc3\xb2\xa1", _pcap),
    (b"\xa1\xb2\xc3\xd4", _pcap),
    (b"\x4d\x3c\xb2\xa1", _pcap),
    (b"\xa1\xb2\x3c\x4d", _pcap),
    (b"\x0a\x0d\x0d\x0a", _pcapng),
    (b"LPKSHHRH", _journal),
)
