"""The two hashes that journal files use for DATA payloads: SipHash-2-4 and Jenkins' lookup3."""

from __future__ import annotations

from struct import Struct

_M64 = (1 << 64) - 1
_M32 = (1 << 32) - 1
_KEY = Struct("<QQ")
_THREE = Struct("<III")


def siphash24(key: bytes, message: bytes) -> int:
    """SipHash-2-4 of `message` under a key of 16 bytes, as a 64-bit number (Aumasson, Bernstein 2012)."""
    k0, k1 = _KEY.unpack(key)
    state = (k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573)
    whole = len(message) & ~7
    for start in range(0, whole, 8):
        state = _absorb(state, int.from_bytes(message[start : start + 8], "little"))
    state = _absorb(state, int.from_bytes(message[whole:], "little") | (len(message) & 0xFF) << 56)
    v0, v1, v2, v3 = state
    v0, v1, v2, v3 = _rounds((v0, v1, v2 ^ 0xFF, v3), 4)
    return v0 ^ v1 ^ v2 ^ v3


def _absorb(state: tuple[int, int, int, int], word: int) -> tuple[int, int, int, int]:
    v0, v1, v2, v3 = state
    v0, v1, v2, v3 = _rounds((v0, v1, v2, v3 ^ word), 2)
    return v0 ^ word, v1, v2, v3


def _rounds(state: tuple[int, int, int, int], count: int) -> tuple[int, int, int, int]:
    v0, v1, v2, v3 = state
    for _ in range(count):
        v0 = (v0 + v1) & _M64
        v1 = ((v1 << 13 | v1 >> 51) & _M64) ^ v0
        v0 = (v0 << 32 | v0 >> 32) & _M64
        v2 = (v2 + v3) & _M64
        v3 = ((v3 << 16 | v3 >> 48) & _M64) ^ v2
        v0 = (v0 + v3) & _M64
        v3 = ((v3 << 21 | v3 >> 43) & _M64) ^ v0
        v2 = (v2 + v1) & _M64
        v1 = ((v1 << 17 | v1 >> 47) & _M64) ^ v2
        v2 = (v2 << 32 | v2 >> 32) & _M64
    return v0, v1, v2, v3


# lookup3's rotations, in the order in which they are done
_MIX = (4, 6, 8, 16, 19, 4)
_FINAL = (14, 11, 25, 16, 4, 14, 24)


def _rotate(value: int, count: int) -> int:
    return (value << count | value >> (32 - count)) & _M32


def _words(block: bytes) -> tuple[int, int, int]:
    a, b, c = _THREE.unpack(block)
    return a, b, c


def jenkins64(message: bytes) -> int:
    """Bob Jenkins' lookup3 (hashlittle2, both seeds 0), its first word as the upper half."""
    a: int = (0xDEADBEEF + len(message)) & _M32
    b = c = a
    if not message:
        return c << 32 | b
    last = (len(message) - 1) // 12 * 12  # the last block, of 1 to 12 bytes, is mixed differently
    for start in range(0, last, 12):
        x, y, z = _words(message[start : start + 12])
        a, b, c = (a + x) & _M32, (b + y) & _M32, (c + z) & _M32
        for turn in range(0, 6, 3):
            a = ((a - c) & _M32) ^ _rotate(c, _MIX[turn])
            c = (c + b) & _M32
            b = ((b - a) & _M32) ^ _rotate(a, _MIX[turn + 1])
            a = (a + c) & _M32
            c = ((c - b) & _M32) ^ _rotate(b, _MIX[turn + 2])
            b = (b + a) & _M32
    x, y, z = _words(message[last:].ljust(12, b"\0"))
    a, b, c = (a + x) & _M32, (b + y) & _M32, (c + z) & _M32
    c = ((c ^ b) - _rotate(b, _FINAL[0])) & _M32
    a = ((a ^ c) - _rotate(c, _FINAL[1])) & _M32
    b = ((b ^ a) - _rotate(a, _FINAL[2])) & _M32
    c = ((c ^ b) - _rotate(b, _FINAL[3])) & _M32
    a = ((a ^ c) - _rotate(c, _FINAL[4])) & _M32
    b = ((b ^ a) - _rotate(a, _FINAL[5])) & _M32
    c = ((c ^ b) - _rotate(b, _FINAL[6])) & _M32
    return c << 32 | b
