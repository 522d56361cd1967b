"""The units that sizes are shown in: --block-size and its short forms (GNU coreutils)."""

from __future__ import annotations

import re
from typing import NamedTuple

from rshell import limits
from rshell.builtins.ls_format import scaled
from rshell.builtins.text import suffix_factor

_SIZE = re.compile(r"([0-9]*)([A-Za-z]*)")


class BlockSize(NamedTuple):
    """block: bytes of a unit. base: 1024 or 1000 for sizes like 1.1K, else 0. unit: what stands after each size."""

    block: int
    base: int = 0
    unit: str = ""

    def show(self, size: int) -> str:
        """A byte count in this unit, rounded up."""
        return scaled(size, self.block, self.base) + self.unit


HUMAN = BlockSize(1, 1_024)
SI = BlockSize(1, 1_000)


def block_size(text: str) -> BlockSize | None:
    """What a --block-size argument says; None when it is none."""
    if text in ("human-readable", "si"):
        return HUMAN if text == "human-readable" else SI
    match = _SIZE.fullmatch(text.removeprefix("'"))
    factor = suffix_factor(match[2]) if match else None
    if match is None or factor is None or not match[0] or len(match[1]) > limits.NUMBER_DIGITS:
        return None
    block = (int(match[1]) if match[1] else 1) * factor  # text: ours
    if block == 0:
        return None
    return BlockSize(block, 0, "" if match[1] else _unit(match[2]))


def _unit(suffix: str) -> str:
    """A suffix as GNU shows it after sizes: k for 1000, K for 1024."""
    letter = suffix[:1]
    if letter in "kK":
        letter = "k" if suffix[1:] == "B" else "K"
    return letter + suffix[1:]
