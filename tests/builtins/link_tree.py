"""Links of every kind, and names that go through them."""

from __future__ import annotations

from pathlib import Path

# A link to itself with -m is left out: GNU takes it for a missing name, here it is an error.
NAMES = """\
l lf dx dm dd abs odd r r/f r/f/ l/ lf/ dm/ dx/ missing missing/ missing/x l/f l/../r l/s/.. l/s/../.. r/nope r/nope/
r/nope/../f r/f/.. r/f/x . .. ./l//f/. missing/.. missing/../r '' r/f/. l/. dm/x dm/..""".replace("\n", " ").split(" ")


def build(where: Path) -> None:
    """Fill an empty directory, below one that may be read."""
    (where / "r/s").mkdir(parents=True)
    (where / "r/f").touch()
    for link, target in (
        ("l", "r"), ("lf", "r/f"), ("dx", "nowhere/x"), ("dm", "missing"), ("self", "self"), ("dd", "dm"),
        ("odd", "r/../r/f"), ("abs", str(where / "r")),
    ):  # fmt: skip
        (where / link).symlink_to(target)
