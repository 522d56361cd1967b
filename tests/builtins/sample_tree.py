"""A small tree with one of everything, for the commands that look at files."""

from __future__ import annotations

import os
from pathlib import Path


def write(where: Path, name: bytes, content: bytes = b"", mode: int = 0o644, modified: float | None = None) -> None:
    """Make one file."""
    path = os.path.join(os.fsencode(where), name)
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, mode)
    if modified is not None:
        os.utime(path, (modified, modified))


def build(where: Path, now: float) -> None:
    """Fill an empty directory."""
    write(where, b"a", b"x" * 10)
    write(where, b"b b", b"y" * 2000, 0o755)
    write(where, b"new\nline")
    write(where, b"bad\xff.txt")
    write(where, "é.log".encode(), b"z" * 100_000, 0o600, 1_500_000_000)
    write(where, b"file10.txt", modified=1_600_000_000)
    write(where, b"file9.txt", b"12", 0o4755)
    for name in (b"file1.txt~", b".hid", b"qu'ote", b"tab\t", "日本語".encode(), b"x" * 40, b"z.c", b"y.h"):
        write(where, name)
    (where / "dir/sub").mkdir(parents=True)
    write(where, b"dir/sub/f")
    write(where, b"dir/g")
    (where / "dir/deep/er/est").mkdir(parents=True)
    write(where, b"dir/deep/x.log", b"1" * 513)
    (where / "empty").mkdir()
    (where / "empty").chmod(0o1777)
    for link, target in (
        ("ld", "dir"), ("la", "a"), ("dangling", "nowhere"), ("dir/up", ".."), ("dir/deep/loop", "../.."), ("self", "self"),
    ):  # fmt: skip
        (where / link).symlink_to(target)
    os.mkfifo(where / "fifo")
    with open(where / "sparse", "wb") as file:
        file.truncate(5_000_000)
    os.link(where / "a", where / "hard")
    write(where, b"future", modified=now + 864_000)
    if os.geteuid() == 0:
        os.chown(where / "a", 12_345, 12_345)
