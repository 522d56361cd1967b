"""ss on a made-up machine: exact output, messages and bounds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rshell import Result, limits
from tests.host.net_tree import network

Run = Callable[..., Result]
TCP = """\
State      Recv-Q Send-Q Local Address:Port Peer Address:Port Process
LISTEN 3 0 127.0.0.1:80 0.0.0.0:*
ESTAB 7 36 10.0.2.15:22 10.0.2.2:41394
TIME-WAIT 0 0 10.0.2.15:33333 8.8.8.8:443
ESTAB 0 0 10.0.2.15:33334 8.8.8.8:443
CLOSE-WAIT 1 0 10.0.2.15:33335 8.8.8.8:443
LISTEN 0 0 *:8080 *:*
ESTAB 0 0 [2001:db8::1]:8080 [2001:db8::2]:49152
SYN-SENT 0 0 [::ffff:10.0.2.15]:8080 [::ffff:10.0.2.2]:49153
"""


@pytest.fixture
def host(tmp_path: Path, run: Run) -> Run:
    tree = network(tmp_path)
    return lambda script: run(script, proc_path=str(tree))


def rows(output: bytes) -> list[list[str]]:
    return [[cell for cell in line.split(" ") if cell] for line in output.decode().split("\n") if line]


def test_every_tcp_socket(host: Run) -> None:
    assert rows(host("ss -tan").stdout) == rows(TCP.encode())


def test_columns_are_as_wide_as_their_widest_cell(host: Run) -> None:
    assert host("ss -4tln").stdout.decode() == (
        "State  Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n"
        "LISTEN 3      0          127.0.0.1:80        0.0.0.0:*          \n"
    )


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("ss -tlnH", "LISTEN 3 0 127.0.0.1:80 0.0.0.0:*"),
        ("ss -4uaH", "ESTAB 768 0 10.0.2.15:40000 8.8.8.8:domain"),
        ("ss -tanoH", "ESTAB 7 36 10.0.2.15:22 10.0.2.2:41394 timer:(on,200ms,2)"),
        ("ss -taneH", "ESTAB 7 36 10.0.2.15:22 10.0.2.2:41394 timer:(on,200ms,2) uid:1000 ino:2001 sk:abcd0001"),
        ("ss -tanoH", "ESTAB 0 0 10.0.2.15:33334 8.8.8.8:443 timer:(keepalive,70min,0)"),
        ("ss -tanoH", "TIME-WAIT 0 0 10.0.2.15:33333 8.8.8.8:443 timer:(timewait,38sec,0)"),
        ("ss -waH", "UNCONN 0 0 0.0.0.0:icmp 0.0.0.0:*"),
        ("ss -xlH", "u_str LISTEN 0 0 /run/some.sock 1662 * 0"),
        ("ss -tulnH", "udp UNCONN 0 0 0.0.0.0:68 0.0.0.0:*"),
        ("ss -anH", "tcp LISTEN 0 0 *:8080 *:*"),
    ],
)
def test_a_line(host: Run, script: str, line: str) -> None:
    result = host(script)
    assert (result.exit_code, result.stderr) == (0, b"")
    assert line in [" ".join(row) for row in rows(result.stdout)]


def test_the_summary(host: Run) -> None:
    assert host("ss -s").stdout.decode() == (
        "Total: 170\nTCP:   12 (estab 4, closed 4, orphaned 1, timewait 3)\nUDP:   6\nUnix:  4\n\n"
        "Transport Total     IP        IPv6\nRAW\t  2         1         1        \nUDP\t  6         4         2        \n"
        "TCP\t  8         5         3        \nINET\t  16        10        6        \nFRAG\t  2         2         0        \n\n"
    )


@pytest.mark.parametrize("option", ["-F x", "-p", "-K", "-E", "-N x", "--processes", "-r", "-i", "-m"])
def test_refused_by_name(host: Run, option: str) -> None:
    result = host(f"ss {option}")
    name = option.split(" ")[0]
    assert (result.exit_code, result.stdout) == (1, b"")
    assert result.stderr.startswith(f"ss: option '{name}' is not supported: ".encode())


def test_filters_are_refused(host: Run) -> None:
    result = host("ss -tan state established")
    assert (result.exit_code, result.stdout) == (1, b"")
    assert result.stderr.startswith(b"ss: filter expressions are not supported: 'state'")


def test_a_cut_table_says_so(host: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SOCKETS", 3)
    result = host("ss -tanH")
    assert (len(rows(result.stdout)), result.exit_code) == (3, 1)
    assert result.stderr == b"ss: more than 3 sockets: the table is cut\n"


def test_no_such_system(run: Run, tmp_path: Path) -> None:
    result = run("ss -tan", proc_path=str(tmp_path))
    assert (result.exit_code, result.stderr) == (1, b"ss: not supported on this platform\n")
