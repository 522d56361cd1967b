"""ip on a made-up machine: exact output, ways to type it, and refusals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rshell import Result, limits
from tests.host.net_tree import network

Run = Callable[..., Result]
ADDRESSES = """\
1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
    inet6 ::1/128 scope host\x20
       valid_lft forever preferred_lft forever
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 state UP group default qlen 1000
    link/ether 02:fc:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    inet 10.0.2.15/24 brd 10.0.2.255 scope global eth0
       valid_lft forever preferred_lft forever
    inet6 fd00::2/64 scope global nodad\x20
       valid_lft forever preferred_lft forever
    inet6 fe80::fc:ff:fe00:1/64 scope link\x20
       valid_lft forever preferred_lft forever
"""
ROUTES = """\
default via 10.0.2.1 dev eth0 metric 100\x20
10.0.2.0/24 dev eth0 scope link\x20
172.16.0.0/16 via 10.0.2.7 dev eth0 mtu 1300\x20
172.16.0.5 via 10.0.2.9 dev eth0\x20
unreachable 192.168.98.0/24 metric 5\x20
"""
COUNTERS = """\
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 state UP mode DEFAULT group default qlen 1000
    link/ether 02:fc:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    RX:   bytes packets errors dropped  missed   mcast           \n\
    12345678901  222222      1       2       0       7\x20
    TX:   bytes packets errors dropped carrier collsns           \n\
         382212    3544      3       4       6       5\x20
"""


@pytest.fixture
def host(tmp_path: Path, run: Run) -> Run:
    tree = network(tmp_path)
    return lambda script: run(script, proc_path=str(tree))


@pytest.mark.parametrize(
    "script",
    [
        "ip a",
        "ip addr",
        "ip address",
        "ip addr show",
        "ip address list",
        "ip addr lst",
        "ip a s",
        "ip -4 -6 addr",
        "ip ad l",
    ],
)
def test_ways_to_ask_for_addresses(host: Run, script: str) -> None:
    result = host(script)
    assert (result.stdout.decode(), result.stderr, result.exit_code) == (ADDRESSES, b"", 0)


@pytest.mark.parametrize("script", ["ip r", "ip route", "ip ro sh", "ip route list", "ip -4 route show table main"])
def test_ways_to_ask_for_routes(host: Run, script: str) -> None:
    assert host(script).stdout.decode() == ROUTES


@pytest.mark.parametrize(
    ("script", "stdout"),
    [
        ("ip -br a", "lo               UNKNOWN        127.0.0.1/8 ::1/128 \n"
                     "eth0             UP             10.0.2.15/24 fd00::2/64 fe80::fc:ff:fe00:1/64 \n"),
        ("ip --brief link show eth0", "eth0             UP             02:fc:00:00:00:01 <BROADCAST,MULTICAST,UP,LOWER_UP> \n"),
        ("ip -o -4 addr show dev eth0", "2: eth0    inet 10.0.2.15/24 brd 10.0.2.255 scope global eth0\\"
                                        "       valid_lft forever preferred_lft forever\n"),
        ("ip -o link show lo", "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 state UNKNOWN mode DEFAULT group default qlen 1000\\"
                               "    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n"),
        ("ip -s link show dev eth0", COUNTERS),
        ("ip -6 route", "fd00::/64 dev eth0 metric 256 pref medium\ndefault via fd00::1 dev eth0 metric 1024 pref medium\n"),
        ("ip route show default", "default via 10.0.2.1 dev eth0 metric 100 \n"),
        ("ip route get 172.16.0.5 | head -n 1 | cut -d ' ' -f 1-5", "172.16.0.5 via 10.0.2.9 dev eth0\n"),
        ("ip -6 route get 2001::1", "2001::1 from :: via fd00::1 dev eth0 src fd00::2 pref medium\n"),
        ("ip neigh", "10.0.2.2 dev eth0 lladdr 52:55:0a:00:02:02 REACHABLE \n10.0.2.3 dev eth0 INCOMPLETE \n"
                     "10.0.2.4 dev eth0 lladdr 52:55:0a:00:02:04 PERMANENT \n"),
    ],
)  # fmt: skip
def test_output(host: Run, script: str, stdout: str) -> None:
    result = host(script)
    assert (result.stdout.decode(), result.stderr, result.exit_code) == (stdout, b"", 0)


@pytest.mark.parametrize(
    ("script", "message", "status"),
    [
        (
            "ip link add x type dummy",
            "ip: 'ip link add' is not supported (write operations are blocked for safety)\n",
            1,
        ),
        (
            "ip addr del 1.2.3.4 dev lo",
            "ip: 'ip addr del' is not supported (write operations are blocked for safety)\n",
            1,
        ),
        ("ip neigh flush all", "ip: 'ip neigh flush' is not supported (write operations are blocked for safety)\n", 1),
        ("ip r add default via 1.1.1.1", "ip: route: add: write operations are not permitted\n", 1),
        ("ip netns list", "ip: 'netns' subcommand is blocked (shell escape vector via 'ip netns exec')\n", 1),
        ("ip -batch x", "ip: option '-batch' is not supported: commands are not read from files\n", 1),
        ("ip -b x", "ip: option '-b' is not supported: commands are not read from files\n", 1),
        ("ip -n x a", "ip: option '-n' is not supported: other network namespaces are out of reach\n", 1),
        ("ip tuntap add", "ip: 'tuntap' is not supported: addr, link, route and neigh are\n", 1),
        ("ip vrf exec x sh", "ip: 'vrf' is not supported: addr, link, route and neigh are\n", 1),
        ("ip nonsense", 'Object "nonsense" is unknown, try "ip help".\n', 1),
        ("ip link nonsense", 'Command "nonsense" is unknown, try "ip link help".\n', 255),
        ("ip -zz a", 'Option "-zz" is unknown, try "ip -help".\n', 255),
        ("ip a show dev none0", 'Device "none0" does not exist.\n', 1),
        ("ip route get 192.168.98.1", "RTNETLINK answers: No route to host\n", 2),
        ("ip route get 1", 'ip: route get: invalid address "1"\n', 1),
        ("ip -4 route get ::1", 'ip: route get: invalid address "::1"\n', 1),
        ("ip route show table all", "ip: route show: only the main table is read\n", 1),
        ("ip route show proto kernel", 'ip: route show: unsupported argument "proto"\n', 1),
    ],
)
def test_messages(host: Run, script: str, message: str, status: int) -> None:
    result = host(script)
    assert (result.stdout, result.stderr.decode(), result.exit_code) == (b"", message, status)


def test_a_cut_table_says_so(host: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ROUTES", 2)
    result = host("ip route")
    assert (result.stdout.count(b"\n"), result.exit_code) == (2, 1)
    assert result.stderr == b"ip: route: more than 2 routes: the table is cut\n"


def test_no_such_system(run: Run, tmp_path: Path) -> None:
    for script in ("ip a", "ip l", "ip r", "ip n", "ip r get 1.1.1.1"):
        result = run(script, proc_path=str(tmp_path))
        assert (result.exit_code, result.stderr) == (1, b"ip: not supported on this platform\n"), script
