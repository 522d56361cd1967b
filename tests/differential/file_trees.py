"""Random trees: odd names, links, loops, empty directories, all permissions, sparse files."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import strategies as st

NAMES = st.one_of(
    st.sampled_from(
        [b"a", b"b", b"A", b".hidden", b"with space", b"new\nline", b"bad\xff", b"\xc3", "é".encode(), "日本".encode()]
    ),
    st.binary(min_size=1, max_size=6).filter(lambda n: b"/" not in n and b"\0" not in n and n not in (b".", b"..")),
)
FILES = st.tuples(
    st.sampled_from(["file", "sparse", "link", "fifo"]),
    st.integers(0, 5_000),
    st.integers(0, 0o7777),
    st.integers(0, 2_000_000_000),
    st.sampled_from([b".", b"..", b"a", b"a/b", b"nowhere", b"../a", b"bad\xff"]),
)
TREES = st.recursive(
    st.dictionaries(NAMES, FILES, max_size=5),
    lambda below: st.dictionaries(NAMES, st.one_of(FILES, below), max_size=4),
    max_leaves=12,
)


def plant(where: bytes, tree: dict[bytes, object]) -> None:
    """Make what a generated tree says."""
    for name, what in tree.items():
        path = where + b"/" + name
        if isinstance(what, dict):
            os.mkdir(path)
            plant(path, what)
            continue
        assert isinstance(what, tuple)
        kind, size, mode, modified, target = what
        if kind == "link":
            os.symlink(target, path)
            continue
        if kind == "fifo":
            os.mkfifo(path)
        else:
            with open(path, "wb") as file:
                if kind == "sparse":
                    file.truncate(size * 1_000)
                else:
                    file.write(b"x" * size)
        os.chmod(path, mode)
        os.utime(path, (modified, modified))


@contextmanager
def planted(tree: dict[bytes, object]) -> Iterator[str]:
    """A directory with a tree in it; links to what is above it lead to an empty place of its own."""
    where = tempfile.mkdtemp(prefix="rshell-tree-")
    try:
        inner = f"{where}/above/tree"
        os.makedirs(inner)
        plant(os.fsencode(inner), tree)
        yield inner
    finally:
        shutil.rmtree(where)
