"""ping: what is refused before anything is sent, and what is sent in a network of the test's own."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from rshell import Result
from tests.host.net_tree import network

Run = Callable[..., Result]
NETWORK = (
    "ip link set lo up; ip link add d0 type veth peer name p0; ip link set p0 up; ip link set d0 up; "
    "ip addr add 10.1.2.3/25 brd + dev d0; echo '{groups}' >/proc/sys/net/ipv4/ping_group_range; exec \"$@\""
)
PING = (
    "import sys; from rshell import Policy, Runner; r = Runner(Policy(allowed_commands=['rshell:*']), cwd='/', warnings=None)"
    ".run(sys.argv[1], timeout=float(sys.argv[2])); sys.stdout.buffer.write(r.stdout); sys.stderr.buffer.write(r.stderr); "
    "sys.exit(99 if r.timed_out else r.exit_code)"
)


def inside(script: str, *, groups: str = "0 2147483647", timeout: float = 20) -> subprocess.CompletedProcess[bytes]:
    """Run a script in a new network namespace; skips the test where there are none."""
    if not shutil.which("unshare") or not shutil.which("ip"):
        pytest.skip("no unshare or ip on this machine")
    argv = [
        "unshare",
        "-n",
        "sh",
        "-ec",
        NETWORK.format(groups=groups),
        "sh",
        sys.executable,
        "-c",
        PING,
        script,
        str(timeout),
    ]
    done = subprocess.run(argv, capture_output=True, timeout=60)
    if b"unshare failed" in done.stderr or b"not permitted" in done.stderr:
        pytest.skip("no network namespaces here")
    return done


@pytest.mark.parametrize(
    ("host", "message"),
    [
        ("224.0.0.1", "multicast destination not allowed: 224.0.0.1"),
        ("ff02::1", "multicast destination not allowed: ff02::1"),
        ("255.255.255.255", "broadcast destination not allowed: 255.255.255.255"),
        ("192.168.7.255", "broadcast destination not allowed: 192.168.7.255"),
        ("::ffff:10.0.0.255", "broadcast destination not allowed: ::ffff:10.0.0.255"),
        ("0.0.0.0", "unspecified destination not allowed: 0.0.0.0"),
        ("0", "unspecified destination not allowed: 0.0.0.0"),
        ("::", "unspecified destination not allowed: ::"),
        ("172.16.3.127", "broadcast destination not allowed: 172.16.3.127"),
        ("''", ": name or service not known"),
        ("a..b", "a..b: name or service not known"),
    ],
)
def test_what_is_not_asked(run: Run, tmp_path: object, host: str, message: str) -> None:
    from pathlib import Path

    tree = network(Path(str(tmp_path)) / "net")
    result = run(f"ping -c 1 {host}", proc_path=str(tree))
    assert (result.stdout, result.stderr.decode(), result.exit_code) == (b"", f"ping: {message}\n", 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("-c 21", "warning: -c 21 out of range [1, 20]: 20 is used"),
        ("-c -999999999999999999999999", "warning: -c -999999999999999999999999 out of range [1, 20]: 1 is used"),
        ("-i 0.1", "warning: -i 100ms out of range [200ms, 1m0s]: 200ms is used"),
        ("-i 1h", "warning: -i 1h0m0s out of range [200ms, 1m0s]: 1m0s is used"),
        ("-W 1m30.5s", "warning: -W 1m30.5s out of range [100ms, 30s]: 30s is used"),
        ("-W 0", "warning: -W 0s out of range [100ms, 30s]: 100ms is used"),
        ("-c 20 -i 10s", "warning: total run time capped at 120s"),
    ],
)
def test_bounds(run: Run, options: str, message: str) -> None:
    result = run(f"ping {options} 224.0.0.1")
    lines = result.stderr.decode().split("\n")
    assert f"ping: {message}" in lines
    assert lines[-2] == "ping: multicast destination not allowed: 224.0.0.1"


@pytest.mark.parametrize("options", ["-c x", "-c 1_0", "-i 1x", "-W ٣", "-c ''", "-i .", "-i 1e3", "-W inf", "-W nan"])
def test_what_is_no_number(run: Run, options: str) -> None:
    result = run(f"ping {options} 224.0.0.1")
    value = options.split(" ")[1].replace("''", "")
    assert (result.exit_code, result.stdout) == (1, b"")
    assert result.stderr.decode().startswith(f"ping: invalid argument: '{value}'\n")


@pytest.mark.parametrize("option", ["-f", "-s 1", "-I lo", "-p ff", "-R", "-b", "-l 3", "-t 1", "-A", "-w 1"])
def test_refused(run: Run, option: str) -> None:
    result = run(f"ping {option} 127.0.0.1")
    assert (result.exit_code, result.stdout) == (1, b"")
    assert result.stderr.startswith(f"ping: option '{option[:2]}' is not supported: ".encode())


def test_where_the_kernel_forbids_such_sockets() -> None:
    done = inside("ping -c 1 127.0.0.1", groups="1 0")
    assert done.returncode == 1
    assert done.stderr == (
        b"ping: the kernel lets this process have no ICMP sockets: its group is not in net.ipv4.ping_group_range\n"
    )


@pytest.mark.parametrize(
    ("host", "shown"), [("127.0.0.1", "127.0.0.1 (127.0.0.1) 56(84) bytes of data."), ("::1", "::1(::1) 56 data bytes")]
)
def test_answers(host: str, shown: str) -> None:
    done = inside(f"ping -c 2 -i 200ms {host}")
    output = re.sub(r"[0-9]+(?:\.[0-9]+)?(?= ms|/)", "T", done.stdout.decode()).replace("time 201ms", "time 200ms")
    assert re.sub("time 2[0-9]{2}ms", "time 200ms", output) == (
        f"PING {shown}\n64 bytes from {host}: icmp_seq=1 ttl=64 time=T ms\n64 bytes from {host}: icmp_seq=2 ttl=64 time=T ms\n\n"
        f"--- {host} ping statistics ---\n2 packets transmitted, 2 received, 0% packet loss, time 200ms\n"
        "rtt min/avg/max/mdev = T/T/T/T ms\n"
    )
    assert (done.stderr, done.returncode) == (b"", 0)


def test_no_answer_is_status_1_and_errors_are_told() -> None:
    done = inside("ping -c 1 -W 5 10.1.2.9")
    assert done.stdout.decode() == (
        "PING 10.1.2.9 (10.1.2.9) 56(84) bytes of data.\nFrom 10.1.2.3 icmp_seq=1 Destination Host Unreachable\n\n"
        "--- 10.1.2.9 ping statistics ---\n1 packets transmitted, 0 received, +1 errors, 100% packet loss, time 0ms\n\n"
    )
    assert (done.stderr, done.returncode) == (b"", 1)


def test_the_broadcast_address_of_an_own_network_is_refused() -> None:
    done = inside("ping -c 1 10.1.2.127")
    assert (done.stderr, done.returncode) == (b"ping: broadcast destination not allowed: 10.1.2.127\n", 1)


def test_the_deadline_ends_it() -> None:
    started = time.monotonic()
    done = inside("ping -c 20 -i 5 127.0.0.1", timeout=0.7)
    assert done.returncode == 99
    assert time.monotonic() - started < 5
    assert b"icmp_seq=1 " in done.stdout
