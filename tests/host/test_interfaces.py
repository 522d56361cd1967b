"""Interfaces, addresses and neighbours read from made-up trees."""

from __future__ import annotations

from pathlib import Path

import pytest

from rshell.host.interfaces import Interfaces
from rshell.host.source import Unavailable
from tests.host.net_tree import interface, network
from tests.host.test_sockets import nothing


def test_links_and_addresses(tmp_path: Path) -> None:
    interfaces = Interfaces(str(network(tmp_path)), nothing)
    lo, eth0 = interfaces.links()
    assert (lo.index, lo.name, lo.kind, lo.mtu, lo.state) == (1, "lo", 772, 65536, "unknown")
    assert (eth0.address.hex(), eth0.broadcast.hex(), eth0.flags) == ("02fc00000001", "ffffffffffff", 0x11043)
    assert eth0.counters == (12345678901, 222222, 1, 2, 0, 7, 382212, 3544, 3, 4, 6, 5)
    shown = [(one.interface, one.local, one.prefix, one.broadcast, one.scope) for one in interfaces.addresses()]
    assert shown == [
        (1, "127.0.0.1", 8, "", 254), (2, "10.0.2.15", 24, "10.0.2.255", 0), (1, "::1", 128, "", 254),
        (2, "fd00::2", 64, "", 0), (2, "fe80::fc:ff:fe00:1", 64, "", 253),
    ]  # fmt: skip


def test_hostile_values(tmp_path: Path) -> None:
    tree = network(tmp_path)
    interface(tmp_path, "bad", 9, flags="0x" + "f" * 5000, kind=1, mtu=10**30, state="\x1b[2J", address="zz")
    (tree / "net/dev").write_bytes(
        (tree / "net/dev").read_bytes() + b"bad: 1 2 3\n../../etc: 1\n..: 2\n\xff\xfe: 9\n" + b"y" * 100_000 + b": 1\n"
    )
    links = {one.name: one for one in Interfaces(str(tree), nothing).links()}
    assert set(links) == {"lo", "eth0", "bad", "\udcff\udcfe"}
    bad = links["bad"]
    assert (bad.flags & 0xFFFF & ~0x40, bad.mtu, bad.state, bad.address, bad.counters) == (0, 0, "unknown", b"", None)


def test_without_sysfs_there_are_still_names(tmp_path: Path) -> None:
    tree = network(tmp_path)
    (tmp_path / "sys").rename(tmp_path / "gone")
    assert [one.name for one in Interfaces(str(tree), nothing).links()] == ["lo", "eth0"]


def test_neighbours(tmp_path: Path) -> None:
    found = Interfaces(str(network(tmp_path)), nothing).neighbours()
    assert [(one.address, one.device, one.link, one.state) for one in found] == [
        ("10.0.2.2", "eth0", "52:55:0a:00:02:02", 2),
        ("10.0.2.3", "eth0", "", 1),
        ("10.0.2.4", "eth0", "52:55:0a:00:02:04", 0x80),
    ]


def test_no_tree(tmp_path: Path) -> None:
    with pytest.raises(Unavailable):
        Interfaces(str(tmp_path), nothing).links()
