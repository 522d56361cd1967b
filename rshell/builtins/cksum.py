"""cksum: checksums and block counts, or digests by name (GNU coreutils, POSIX cksum)."""

from __future__ import annotations

import hashlib
import zlib
from typing import TYPE_CHECKING

from rshell.builtins.choice import choose
from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, encode
from rshell.builtins.quoting import quote_text
from rshell.builtins.sums import CHECKING, Algorithm, Checker, algorithm, check_use, digests, line
from rshell.builtins.text import OutOfRange, number

if TYPE_CHECKING:
    from collections.abc import Callable

    from rshell.builtins.streams import Source

CKSUM = Command(
    "cksum",
    "print or check checksums",
    "cksum [OPTION]... [FILE]...",
    options=(
        Option("-a", "--algorithm", value="TYPE", help="crc (default), bsd, sysv, md5, sha1, sha224, sha256, "
               "sha384, sha512, blake2b or sm3"),
        Option("-l", "--length", value="BITS", help="the length of a blake2b digest, a multiple of 8"),
        Option("--tag", help="write lines in the BSD style (default)"),
        Option("--untagged", help="write the digest first, without its type"),
        Option("--debug", refused="there is one implementation"),
        *CHECKING,
    ),
)  # fmt: skip

_NAMES = ("bsd", "sysv", "crc", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "sm3")
_CHECKSUMS = ("bsd", "sysv", "crc")
_MIRRORED = bytes(sum((byte >> bit & 1) << (7 - bit) for bit in range(8)) for byte in range(256))
_ONES = 0xFFFFFFFF
_BLOCK = 1 << 18
_BLAKE2_BITS = 512


def crc(source: Source) -> tuple[int, int]:
    """POSIX's checksum of a source, and how many bytes it gave.

    POSIX feeds the polynomial 0x04C11DB7 with the highest bit of each byte first, zlib with the lowest. So
    zlib on mirrored bytes goes through the mirror images of the same states; its inversion of the first
    state is undone by starting from all ones, and that of the last is what POSIX does too.
    """
    state = _ONES
    length = 0
    crc32, mirrored = zlib.crc32, _MIRRORED
    for block in source.blocks(_BLOCK):
        length += len(block)
        state = crc32(block.translate(mirrored), state)
    tail = length.to_bytes((length.bit_length() + 7) // 8, "little")
    state = crc32(tail.translate(mirrored), state)
    return int.from_bytes(state.to_bytes(4, "little").translate(mirrored), "big"), length


def _sysv(source: Source) -> tuple[int, int]:
    total = length = 0
    for block in source.blocks(_BLOCK):
        length += len(block)
        total += sum(block)
    total &= _ONES
    folded = (total & 0xFFFF) + (total >> 16)
    return (folded & 0xFFFF) + (folded >> 16), -(-length // 512)


def _bsd(source: Source) -> tuple[int, int]:
    state = length = 0
    for block in source.blocks(_BLOCK):
        length += len(block)
        for byte in block:
            state = (state >> 1) + ((state & 1) << 15) + byte & 0xFFFF
    return state, -(-length // 1024)


_SUMS: dict[str, tuple[Callable[[Source], tuple[int, int]], str]] = {
    "crc": (crc, "{} {}"),
    "sysv": (_sysv, "{} {}"),
    "bsd": (_bsd, "{:05d} {:5d}"),
}


def _blake2b(bits: int) -> Algorithm:
    tag = "BLAKE2b" if bits == _BLAKE2_BITS else f"BLAKE2b-{bits}"
    return Algorithm(tag, bits // 4, lambda: hashlib.blake2b(digest_size=bits // 8))


def _algorithm(name: str, bits: int = _BLAKE2_BITS) -> Algorithm:
    if name == "blake2b":
        return _blake2b(bits)
    if name not in hashlib.algorithms_available:
        raise Failure(f"algorithm {quote_text(name)} is not available here")
    return algorithm(name)


def _known(tag: bytes) -> Algorithm | None:
    """The algorithm that a line's tag names."""
    text = tag.decode("ascii")
    if text.startswith("BLAKE2b-"):
        try:
            bits = number(text[8:])
        except OutOfRange:
            return None
        return _blake2b(bits) if bits and 0 < bits <= _BLAKE2_BITS and bits % 8 == 0 else None
    name = "blake2b" if text == "BLAKE2b" else text.lower()
    if name in _CHECKSUMS or name not in _NAMES or (name != "blake2b" and text != text.upper()):
        return None
    return _algorithm(name) if name == "blake2b" or name in hashlib.algorithms_available else None


def _length(text: str | None) -> int:
    if text is None:
        return 0
    try:
        bits = number(text)
    except OutOfRange:
        bits = _BLAKE2_BITS + 8
    if bits is None or bits < 0:
        raise Failure(f"invalid length: {quote_text(text)}")
    return bits


@CKSUM.main
def cksum(call: Invocation) -> int:
    """Print a line for each input, or check."""
    options = call.options
    bits = _length(options.get("length"))
    named = options.get("algorithm")
    name = "crc" if named is None else choose(named, "--algorithm", {word: word for word in _NAMES})
    if bits and name != "blake2b":
        raise UsageError("--length is only supported with --algorithm=blake2b")
    if bits > _BLAKE2_BITS:
        raise Failure(
            f"invalid length: '{options.get('length')}'\ncksum: maximum digest length for 'BLAKE2b' is 512 bits"
        )
    if bits % 8:
        raise Failure(f"invalid length: '{options.get('length')}'\ncksum: length is not a multiple of 8")
    if "check" in options:
        if named is not None and name in _CHECKSUMS:
            raise Failure("--check is not supported with --algorithm={bsd,sysv,crc}")
        check_use(call)
        checker = Checker(call, None if named is None else _algorithm(name, bits or _BLAKE2_BITS), _known)
        for path in call.operands or ("-",):
            checker.file(path)
        return call.status
    check_use(call)
    zero = "zero" in options
    if name in _CHECKSUMS:
        _checksums(call, name, b"\0" if zero else b"\n")
        return call.status
    chosen = _algorithm(name, bits or _BLAKE2_BITS)
    tag = "" if options.last("tag", "untagged") == "untagged" else chosen.tag
    for path, digest in digests(call, chosen.of):
        call.write(line(path, digest, tag, b"  ", zero=zero))
    return call.status


def _checksums(call: Invocation, name: str, end: bytes) -> None:
    compute, layout = _SUMS[name]
    for path, found in digests(call, lambda source: layout.format(*compute(source))):
        call.write(found.encode() + (b" " + encode(path) if call.operands else b"") + end)


COMMANDS = {"cksum": CKSUM}
