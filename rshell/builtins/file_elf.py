"""What an ELF file is, told from its headers (elf(5)), as file(1) words it."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

Read: TypeAlias = Callable[[int, int], bytes]  # at most so many bytes, from an offset

_MACHINES = {
    2: "SPARC", 3: "Intel 80386", 8: "MIPS", 20: "PowerPC or cisco 4500", 21: "64-bit PowerPC or cisco 7500",
    22: "IBM S/390", 40: "ARM", 43: "SPARC V9", 50: "IA-64", 62: "x86-64", 183: "ARM aarch64", 243: "UCB RISC-V",
    247: "eBPF", 258: "LoongArch",
}  # fmt: skip
_SYSTEMS = {0: "SYSV", 1: "HP-UX", 2: "NetBSD", 3: "GNU/Linux", 6: "Solaris", 9: "FreeBSD", 12: "OpenBSD"}
_RELOCATABLE, _EXECUTABLE, _SHARED, _CORE = 1, 2, 3, 4
_LOAD, _DYNAMIC, _INTERPRETER, _NOTE = 1, 2, 3, 4
_SYMBOLS, _STRINGS = 2, 3
_FLAGS_1, _PIE = 0x6FFFFFFB, 0x08000000
_NOTES = 1 << 20  # bytes of one note segment
_FAR = 1 << 62  # no offset
_HEADERS = 4_096  # program or section headers looked at
_MIMES = {_RELOCATABLE: "x-object", _EXECUTABLE: "x-executable", _SHARED: "x-sharedlib", _CORE: "x-coredump"}


class Described(NamedTuple):
    """A description and the MIME type."""

    words: str
    mime: str


class _Segment(NamedTuple):
    type: int
    offset: int
    address: int
    size: int


class _Elf:
    """A parsed file; what should lie behind its end counts as zeros."""

    def __init__(self, data: bytes, read: Read) -> None:
        self.read = read
        self.wide = data[4] == 2
        self.order = ">" if data[5] == 2 else "<"
        header = self.unpack("HHIQQQIHHHHHH" if self.wide else "HHIIIIIHHHHHH", 16)
        self.type, self.machine, self.version = header[:3]
        programs, sections = header[4], header[5]
        program_size, program_count, section_size, section_count, self.names = header[8:]
        self.segments = [self.segment(programs + at * program_size) for at in range(min(program_count, _HEADERS))]
        self.sections = [self.section(sections + at * section_size) for at in range(min(section_count, _HEADERS))]

    def unpack(self, layout: str, at: int) -> tuple[int, ...]:
        layout = self.order + layout
        size = struct.calcsize(layout)
        data = self.at(at, size)
        return struct.unpack(layout, data) if len(data) == size else (0,) * len(layout[1:])

    def at(self, offset: int, size: int) -> bytes:
        """Bytes from an offset that the file itself states."""
        return self.read(offset, size) if offset < _FAR else b""

    def segment(self, at: int) -> _Segment:
        if self.wide:
            kind, _, offset, address, _, size = self.unpack("IIQQQQ", at)
        else:
            kind, offset, address, _, size = self.unpack("IIIII", at)
        return _Segment(kind, offset, address, size)

    def section(self, at: int) -> tuple[int, int, int]:
        """Name, type and offset."""
        layout = "IIQQQ" if self.wide else "IIIII"
        name, kind, _, _, offset = self.unpack(layout, at)
        return name, kind, offset

    def text(self, at: int, limit: int = 256) -> str:
        """The string at an offset."""
        return self.at(at, limit).split(b"\0", 1)[0].decode("utf-8", "surrogateescape")

    def at_address(self, address: int) -> str:
        """The string at an address of the memory that a core holds."""
        for segment in self.segments:
            if segment.type == _LOAD and segment.address <= address < segment.address + segment.size:
                return self.text(segment.offset + address - segment.address)
        return ""

    def notes(self) -> list[tuple[bytes, int, bytes]]:
        """Owner, type and content of the notes."""
        found: list[tuple[bytes, int, bytes]] = []
        for segment in self.segments:
            if segment.type != _NOTE:
                continue
            data = self.at(segment.offset, min(segment.size, _NOTES))
            at = 0
            while at + 12 <= len(data) and len(found) < 1_000:
                owner, size, kind = struct.unpack_from(f"{self.order}III", data, at)
                start = at + 12 + (owner + 3 & ~3)
                found.append((data[at + 12 : at + 12 + owner].rstrip(b"\0"), kind, data[start : start + size]))
                at = start + (size + 3 & ~3)
        return found

    def is_pie(self) -> bool:
        """Whether the dynamic section calls a shared object an executable."""
        step, layout = (16, "QQ") if self.wide else (8, "II")
        for segment in self.segments:
            if segment.type == _DYNAMIC:
                for at in range(segment.offset, segment.offset + min(segment.size, 65_536), step):
                    tag, value = self.unpack(layout, at)
                    if tag == _FLAGS_1:
                        return bool(value & _PIE)
                    if not tag:
                        break
        return False


def describe_elf(data: bytes, read: Read) -> Described:
    """What an ELF file is; data starts with its magic number."""
    if len(data) < 52 or data[4] not in (1, 2) or data[5] not in (1, 2):
        return Described("ELF", "application/octet-stream")
    elf = _Elf(data, read)
    pie = elf.type == _SHARED and elf.is_pie()
    kind = {
        _RELOCATABLE: "relocatable", _EXECUTABLE: "executable", _SHARED: "pie executable" if pie else "shared object",
        _CORE: "core file",
    }.get(elf.type, "no file type" if not elf.type else f"unknown type {elf.type}")  # fmt: skip
    words = [
        f"ELF {64 if elf.wide else 32}-bit {'LSB' if elf.order == '<' else 'MSB'} {kind}",
        _MACHINES.get(elf.machine, "no machine" if not elf.machine else f"*unknown arch 0x{elf.machine:x}*"),
        f"version {elf.version} ({_SYSTEMS.get(data[7], 'unknown')})",
    ]
    if elf.type == _CORE:
        words += _core(elf)
    else:
        if elf.type != _RELOCATABLE:
            words += _linking(elf, pie)
        words += _tables(elf)
    mime = "x-pie-executable" if pie else _MIMES.get(elf.type, "octet-stream")
    return Described(", ".join(words), f"application/{mime}")


def _linking(elf: _Elf, pie: bool) -> list[str]:
    kinds = {segment.type for segment in elf.segments}
    interpreter = next((elf.text(s.offset) for s in elf.segments if s.type == _INTERPRETER), "")
    if interpreter:
        words = ["dynamically linked", f"interpreter {interpreter}"]
    elif _DYNAMIC in kinds:
        words = ["static-pie linked" if pie else "dynamically linked"]
    else:
        words = ["statically linked"]
    build, system = "", ""
    for owner, kind, content in elf.notes():
        if owner == b"GNU" and kind == 3:
            name = {16: "md5/uuid", 20: "sha1", 8: "xxHash"}.get(len(content), "unknown")
            build = f"BuildID[{name}]={content.hex()}"
        elif owner == b"GNU" and kind == 1 and len(content) >= 16:
            target, *release = struct.unpack_from(f"{elf.order}IIII", content)
            name = {0: "GNU/Linux", 1: "Hurd", 2: "Solaris", 3: "kFreeBSD"}.get(target, "")
            system = f"for {name} {'.'.join(map(str, release))}"
    return words + [word for word in (build, system) if word]


def _tables(elf: _Elf) -> list[str]:
    """Whether symbols and debug information are there."""
    strings = elf.sections[elf.names][2] if elf.names < len(elf.sections) else _FAR
    debug = any(elf.text(strings + name, 16) == ".debug_info" for name, _, _ in elf.sections)
    symbols = any(kind == _SYMBOLS for _, kind, _ in elf.sections)
    return (["with debug_info"] if debug else []) + ["not stripped" if symbols else "stripped"]


def _core(elf: _Elf) -> list[str]:
    """Where a core comes from: its notes for the process and its auxiliary vector."""
    words: list[str] = []
    for owner, kind, content in elf.notes():
        if owner != b"CORE":
            continue
        if kind == 3:
            at = 56 if elf.wide else 44
            arguments = content[at : at + 80].split(b"\0", 1)[0].rstrip(b" ").decode("utf-8", "surrogateescape")
            words.append("SVR4-style")
            words.append(f"from '{arguments}'")
        elif kind == 6:
            words += _auxiliary(elf, content)
    return words


def _auxiliary(elf: _Elf, content: bytes) -> list[str]:
    layout = elf.order + ("QQ" if elf.wide else "II")
    step = struct.calcsize(layout)
    values = dict(struct.unpack_from(layout, content, at) for at in range(0, len(content) - step + 1, step))
    ids = ((11, "real uid"), (12, "effective uid"), (13, "real gid"), (14, "effective gid"))
    words = [f"{name}: {values[tag]}" for tag, name in ids if tag in values]
    for tag, name in ((31, "execfn"), (15, "platform")):
        text = elf.at_address(values[tag]) if tag in values else ""
        if text:
            words.append(f"{name}: '{text}'")
    return words
