"""Sockets read from made-up trees, whole and broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from rshell import limits
from rshell.host.sockets import Sockets
from rshell.host.source import Unavailable
from tests.host.net_tree import network

EVERY = 0xFFE


def nothing() -> None:
    """A check that never ends a run."""


def test_every_column_is_read(tmp_path: Path) -> None:
    found = list(Sockets(str(network(tmp_path)), nothing).inet("tcp", 4, EVERY))
    assert [(s.state, s.receive, s.send, s.local, s.local_port, s.remote, s.remote_port, s.uid, s.inode) for s in found[:2]] == [
        (10, 3, 0, "127.0.0.1", 80, "0.0.0.0", 0, 0, 1664),
        (1, 7, 36, "10.0.2.15", 22, "10.0.2.2", 0xA1B2, 1000, 2001),
    ]  # fmt: skip
    assert [(s.timer, s.timeout, s.sent) for s in found[1:4]] == [(1, 20, 2), (3, 3840, 0), (2, 0x67AB0, 0)]


def test_ipv6_addresses(tmp_path: Path) -> None:
    found = list(Sockets(str(network(tmp_path)), nothing).inet("tcp", 6, EVERY))
    assert [(s.local, s.remote) for s in found] == [
        ("*", "*"), ("[2001:db8::1]", "[2001:db8::2]"), ("[::ffff:10.0.2.15]", "[::ffff:10.0.2.2]"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    ["", "\0" * 5000, "x" * 3_000_000, "0: 0100007F:0050", "   0: 0100007F:00500 00000000:0000 0A 0:0 0:0 0 0 0 1 1 0",
     "   0: 0100007F:0050 00000000:0000 FF 00000000:00000003 00:00000000 00000000     0        0 1664 1 00 1",
     f"   0: 0100007F:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000 {'9' * 5000} 0 1664 1 00 1"],
)  # fmt: skip
def test_a_broken_line_is_no_socket(tmp_path: Path, line: str) -> None:
    tree = network(tmp_path)
    good = (tree / "net/tcp").read_text()
    (tree / "net/tcp").write_text(good + line + "\n")
    assert len(list(Sockets(str(tree), nothing).inet("tcp", 4, EVERY))) == 5


def test_names_that_are_not_utf_8(tmp_path: Path) -> None:
    tree = network(tmp_path)
    (tree / "net/unix").write_bytes(b"0000000073ac2161: 00000002 00000000 00010000 0001 01  1662 /run/\xff x\n")
    assert [s.local for s in Sockets(str(tree), nothing).unix(EVERY)] == ["/run/\udcff x"]


def test_a_missing_file_means_no_sockets_of_the_kind_and_a_missing_tree_no_such_system(tmp_path: Path) -> None:
    tree = network(tmp_path)
    (tree / "net/tcp6").unlink()
    assert list(Sockets(str(tree), nothing).inet("tcp", 6, EVERY)) == []
    with pytest.raises(Unavailable):
        Sockets(str(tmp_path / "none"), nothing)


def test_the_bound_says_that_it_was_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = str(network(tmp_path))
    for bound, cut in ((5, False), (4, True)):
        monkeypatch.setattr(limits, "SOCKETS", bound)
        sockets = Sockets(tree, nothing)
        assert (len(list(sockets.inet("tcp", 4, EVERY))), sockets.cut) == (bound, cut)
