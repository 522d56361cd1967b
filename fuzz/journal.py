"""Damaged journal files: flips, cuts and splices of real ones.

`python -m fuzz.journal` tries RSHELL_FUZZ_CASES (10,000) cases; the tests try 200. Whatever the bytes are,
the reader gives entries or a JournalError, reads nothing beyond the file's end, and comes back soon.
"""

from __future__ import annotations

import os
import tempfile
import time
from functools import cache
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from rshell.journal import JournalError, open_files, unit_matches
from tests.journal import make_fixtures as made

SECONDS = 5.0  # for one case; a sound file takes some milliseconds
ENTRIES = 20_000  # a damaged file of 60 entries cannot give more

_INTERESTING = (0, 1, 7, 8, 16, 64, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 40, (1 << 63) - 1, (1 << 64) - 8, (1 << 64) - 1)

# (what, where from, where to or what value): places are fractions of the used part of the file
Damage = tuple[str, int, int]


@cache
def _sound(variant: str) -> tuple[bytes, tuple[int, ...]]:
    """The file without the empty rest of its arena, and the places where something is written."""
    with tempfile.TemporaryDirectory() as scratch:
        data = made.unpack(Path(scratch), variant).read_bytes()
    used = tuple(place for place in range(0, len(data), 8) if any(data[place : place + 8]))
    return data, used


def damaged(variant: str, damage: list[Damage]) -> bytes:
    """A fixture with damage done to it."""
    sound, used = _sound(variant)
    data = bytearray(sound)
    for kind, first, second in damage:
        place = used[first % len(used)]
        if kind == "flip":
            data[(place + second % 8) % len(data)] ^= 1 << (second // 8 % 8)
        elif kind == "number":
            data[place : place + 8] = _INTERESTING[second % len(_INTERESTING)].to_bytes(8, "little")
        elif kind == "link":  # any offset that something has
            data[place : place + 8] = used[second % len(used)].to_bytes(8, "little")
        elif kind == "splice":
            other = used[second % len(used)]
            data[place : place + 256] = data[other : other + 256]
        elif kind == "cut":
            del data[place:]
            break
    return bytes(data)


damages = st.lists(
    st.tuples(st.sampled_from(["flip", "number", "link", "splice"] * 6 + ["cut"]),
              st.integers(0, 1 << 20), st.integers(0, 1 << 20)),
    min_size=1, max_size=12,
)  # fmt: skip


def read_everything(path: str) -> None:
    """Read a file in all the ways there are; JournalError is the only exception that counts as an answer."""
    began = time.monotonic()
    for match in (None, unit_matches("web.service"), unit_matches("system.slice")):
        for newest_first in (False, True):
            for since, until in ((None, None), (made.START + 9_000_000, made.START + 30_000_000)):
                try:
                    with open_files([path]) as journal:
                        entries = journal.query(match, since=since, until=until, newest_first=newest_first)
                        for count, entry in enumerate(entries):
                            assert count < ENTRIES
                            entry.get("MESSAGE")
                            for _ in entry.fields():
                                pass
                except JournalError:
                    pass
    assert time.monotonic() - began < SECONDS


def one_case(variant: str, damage: list[Damage]) -> None:
    """Damage a fixture and read it."""
    with tempfile.NamedTemporaryFile(suffix=".journal") as file:
        file.write(damaged(variant, damage))
        file.flush()
        read_everything(file.name)


def check(cases: int) -> None:
    """Try that many cases."""
    settings(max_examples=cases, deadline=None, database=None, suppress_health_check=list(HealthCheck),
             phases=(Phase.explicit, Phase.generate, Phase.shrink))(
        given(st.sampled_from(made.COMMITTED), damages)(one_case)
    )()  # fmt: skip


def main() -> None:
    """The long run."""
    cases = os.environ.get("RSHELL_FUZZ_CASES", "10000")
    check(int(cases))
    print(f"{cases} damaged journal files: no exception but JournalError")


if __name__ == "__main__":
    main()
