"""Routes read from made-up trees, and netlink answers that are cut short."""

from __future__ import annotations

import socket
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rshell import limits
from rshell.host.interfaces import INET, INET6, parse_address, parse_link
from rshell.host.netlink import ROUTE, Netlink, attributes, messages
from rshell.host.routes import Routes, parse_route
from tests.host.net_tree import network
from tests.host.test_sockets import nothing


@pytest.mark.parametrize(
    ("address", "device", "gateway", "source"),
    [
        ("10.0.2.9", "eth0", "", "10.0.2.15"),
        ("172.16.9.9", "eth0", "10.0.2.7", "10.0.2.15"),
        ("172.16.0.5", "eth0", "10.0.2.9", "10.0.2.15"),
        ("8.8.8.8", "eth0", "10.0.2.1", "10.0.2.15"),
        ("10.0.2.15", "lo", "", "10.0.2.15"),
        ("fd00::9", "eth0", "", "fd00::2"),
        ("2001::1", "eth0", "fd00::1", "fd00::2"),
        ("fd00::2", "lo", "", "fd00::2"),
    ],
)
def test_the_longest_prefix_decides(tmp_path: Path, address: str, device: str, gateway: str, source: str) -> None:
    packed = socket.inet_pton(socket.AF_INET6 if ":" in address else socket.AF_INET, address)
    route = Routes(str(network(tmp_path)), nothing).to(packed)
    assert route is not None
    assert (route.device, route.gateway, route.source) == (device, gateway, source)


def test_a_route_that_refuses_and_none_at_all(tmp_path: Path) -> None:
    tree = network(tmp_path)
    with pytest.raises(OSError, match="No route to host"):
        Routes(str(tree), nothing).to(bytes([192, 168, 98, 1]))
    (tree / "net/route").write_text("Iface\n")
    assert Routes(str(tree), nothing).to(bytes([8, 8, 8, 8])) is None


def test_the_bound_says_that_it_was_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    routes = Routes(str(network(tmp_path)), nothing)
    for bound, whole in ((5, True), (4, False)):
        monkeypatch.setattr(limits, "ROUTES", bound)
        found, all_of_them = routes.main(INET)
        assert (len(found), all_of_them) == (bound, whole)


def test_broken_lines_are_no_routes(tmp_path: Path) -> None:
    tree = network(tmp_path)
    (tree / "net/route").write_bytes(b"x" * 100_000 + b"\neth\xff\tZZ\n\neth0\t1\t2\t3\n")
    (tree / "net/ipv6_route").write_bytes(b"fd" * 100_000 + b"\n")
    assert Routes(str(tree), nothing).main(INET) == ([], True)
    assert Routes(str(tree), nothing).main(INET6) == ([], True)


@given(st.binary(max_size=200))
def test_any_bytes_may_come_as_an_answer(content: bytes) -> None:
    for _, body in messages(content):
        assert body is not None
    attributes(content)
    parse_link(content)
    parse_address(content)
    parse_route(content, {})


def test_the_parts_of_an_answer() -> None:
    head = struct.pack("=BBBBBBBBI", 2, 24, 0, 0, 254, 2, 253, 1, 0)
    parts = [
        (1, bytes([10, 0, 2, 0])),
        (4, struct.pack("=I", 2)),
        (7, bytes([10, 0, 2, 15])),
        (6, struct.pack("=I", 9)),
    ]
    body = head + b"".join(struct.pack("=HH", 4 + len(value), kind) + value for kind, value in parts)
    route = parse_route(body, {2: "eth0"})
    assert route is not None
    assert (route.prefix, route.device, route.source, route.metric) == (24, "eth0", "10.0.2.15", 9)


@pytest.mark.skipif(not hasattr(socket, "AF_NETLINK"), reason="no netlink here")
@pytest.mark.parametrize("kind", [16, 17, 19, 20, 21, 24, 25, 28, 29])
def test_nothing_but_questions_is_sent(kind: int) -> None:
    with Netlink(ROUTE, nothing) as kernel, pytest.raises(ValueError, match="not a question"):
        kernel.ask(kind, bytes(16))
