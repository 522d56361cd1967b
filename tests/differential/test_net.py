"""ss, ip and df against the real tools: on made-up trees, in a network of their own, and on this machine."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rshell import Policy, Result, Runner
from tests.host.net_tree import TCP_HEADING, UDP, network
from tests.host.oracle import ENVIRONMENT

Run = Callable[..., Result]
FUZZ = int(os.environ.get("RSHELL_FUZZ", "50"))

NETWORK = r"""
ip link set lo up
ip link add d0 type veth peer name p0; ip link set p0 up; ip link set d0 up mtu 1450
ip link add v0 type veth peer name v1; ip link set v0 up
ip link add br0 type bridge; ip link set v1 master br0; ip link set br0 up
ip addr add 10.1.2.3/24 brd + dev d0; ip addr add 10.1.2.4/24 dev d0
ip addr add 10.9.9.9 peer 10.9.9.10/32 dev d0 label d0:x
ip addr add 172.16.0.1/16 dev br0 valid_lft 100000 preferred_lft 90000
ip -6 addr add fd12::1/64 dev d0 nodad; ip -6 addr add fd13::1/64 dev br0 valid_lft 100000 preferred_lft 0 noprefixroute
ip route add default via 10.1.2.1 dev d0 metric 100
ip route add blackhole 192.168.99.0/24; ip route add unreachable 192.168.98.0/24 metric 5
ip route add 192.168.77.0/24 nexthop via 10.1.2.7 dev d0 weight 1 nexthop via 10.1.2.8 dev d0 weight 3
ip route add 192.168.78.0/24 via 10.1.2.7 dev d0 mtu 1300 src 10.1.2.4 proto static onlink
ip -6 route add default via fd12::99 dev d0 metric 77
ip -6 route add fd44::/16 nexthop via fd12::2 dev d0 nexthop via fd12::3 dev d0
ip neigh add 10.1.2.50 lladdr 02:00:00:00:00:09 dev d0 nud permanent
ip -6 neigh add fd12::50 lladdr 02:00:00:00:00:0a dev d0 nud permanent router
ip link set d0 group 7; ip link set d0 alias hello
sleep 3 # duplicate address detection
exec "$@"
"""
BOTH = """
import json, subprocess, sys
from rshell import Policy, Runner
runner = Runner(Policy(allowed_commands=["rshell:*"]), cwd="/", warnings=None)
found = []
for script in json.load(sys.stdin):
    theirs = subprocess.run(script.split(" "), capture_output=True)
    ours = runner.run(script)
    sides = [(theirs.stdout, theirs.stderr, theirs.returncode), (ours.stdout, ours.stderr, ours.exit_code)]
    found.append([script, *[[out.decode(), err.decode(), status] for out, err, status in sides]])
json.dump(found, sys.stdout)
"""
SCRIPTS = [
    "ip a", "ip -4 a", "ip -6 a", "ip l", "ip -br a", "ip -br l", "ip -o a", "ip -o l", "ip -br -4 a", "ip r", "ip -6 r", "ip neigh",
    "ip -4 neigh", "ip -6 neigh", "ip -o r", "ip r get 10.1.2.99", "ip r get 8.8.8.8", "ip r get 10.1.2.3", "ip r get 192.168.99.1",
    "ip r get 192.168.98.1", "ip r get fd44::9", "ip r get fd12::1", "ip r get fd12::77", "ip r get 255.255.255.255", "ip r get 224.0.0.1",
    "ip r get 192.168.78.1", "ip r get 10.1.2.255", "ip -o r get 8.8.8.8", "ip -6 a show dev d0", "ip a show d0", "ip l show nope",
    "ip a show up", "ip r show dev d0", "ip r list default", "ip -br neigh", "ip neigh show dev d0", "ip r show 192.168.77.0/24",
    "ip foo", "ip a foo", "ip l foo", "ip r foo", "ip r get 127.0.0.1", "ip r get ::1", "ip r show dev nope", "ip -zz a",
]  # fmt: skip


def test_ip_in_a_network_of_its_own() -> None:
    if not shutil.which("unshare") or not shutil.which("ip"):
        pytest.skip("no unshare or ip on this machine")
    if subprocess.run(["unshare", "-n", "true"], capture_output=True).returncode:
        pytest.skip("no network namespaces here")
    argv = ["unshare", "-n", "sh", "-ec", NETWORK, "sh", sys.executable, "-c", BOTH]
    done = subprocess.run(argv, input=json.dumps(SCRIPTS).encode(), capture_output=True, timeout=100)
    if done.returncode:
        pytest.skip(f"no such network here: {done.stderr.decode()[:200]}")
    for script, theirs, ours in json.loads(done.stdout):
        theirs[0], ours[0] = (re.sub("[0-9]{5}sec", "Nsec", side[0]) for side in (theirs, ours))
        assert ours == theirs, script


@pytest.mark.parametrize(
    "command", ["ip a", "ip -br a", "ip l", "ip r", "ip -6 r", "ip -o a", "ss -xan", "ss -tan", "ss -tuln"]
)
def test_this_machine(run: Run, command: str) -> None:
    for _ in range(3):  # the machine goes on meanwhile
        try:
            theirs = subprocess.run(command.split(" "), capture_output=True, env=ENVIRONMENT, timeout=20)
        except FileNotFoundError:
            pytest.skip("no such tool on this machine")
        ours = run(command)
        if ours.stdout == theirs.stdout:
            break
    assert (ours.stdout, ours.stderr, ours.exit_code) == (theirs.stdout, b"", theirs.returncode)


DF = ["", "-a", "-h", "-hT", "-H", "-i", "-ih", "-iH", "-P", "-Ph", "-T", "--total", "-h --total", "-i --total", "-x tmpfs", "-t tmpfs", "-BM",
      "-BG --total", "-B kB", "-B 3M", "-B 512", "-B 1234", "-B 2000000", "-P -m", "-k", "-aT", "-ai", "-l", "/etc /proc /dev/null", "/",
      "--output", "--output=source,pcent", "--output=file,target,size,avail /etc", "-h --output=size,avail", "-a --total", "-T /proc /sys",
      "--total --output=target,size", "-aP", "-t nothing", "--output=foo", "-i --output"]  # fmt: skip


def blurred(output: bytes) -> list[list[bytes]]:
    """Cells, with numbers that move from one moment to the next taken out."""
    lines = [
        re.findall(rb"[^ ]+", line)
        for line in output.replace("‘".encode(), b"'").replace("’".encode(), b"'").split(b"\n")
    ]
    return [[b"#" if re.fullmatch(rb"[0-9][0-9.]*[A-Za-z]{0,2}%?", cell) else cell for cell in line] for line in lines]


@pytest.mark.parametrize("options", DF)
def test_df_of_this_machine(run: Run, options: str) -> None:
    command = f"df {options}".rstrip(" ")
    theirs = subprocess.run(command.split(" "), capture_output=True, env=ENVIRONMENT, timeout=20)
    ours = run(command, allowed_paths=["/:ro"])
    assert ours.exit_code == theirs.returncode
    assert blurred(ours.stdout) == blurred(theirs.stdout)
    assert blurred(ours.stderr) == blurred(theirs.stderr)
    # where nothing moved, the widths are the same too
    if re.sub(rb"[ -]+", b" ", ours.stdout) == re.sub(rb"[ -]+", b" ", theirs.stdout):
        assert ours.stdout == theirs.stdout


SS = [
    "-tan",
    "-ta",
    "-tl",
    "-tanoe",
    "-tano",
    "-uan",
    "-ua",
    "-u",
    "-wan",
    "-wa",
    "-t",
    "-tuan",
    "-tulnH",
    "-4tan",
    "-6tan",
    "-tuw",
]
PORT = st.sampled_from(["0000", "0016", "0050", "01BB", "8235", "EA60", "FFFF", "1F90"])
SOCKET = st.builds(
    lambda near, port, far, other, state, queue, timer, left, uid: (
        f"   0: {near}:{port} {far}:{other} {state:02X} {queue:08X}:{queue // 3:08X} {timer:02X}:{left:08X} 00000001 "
        f"{uid:5}        3 {queue % 9999} 2 {left + 1:016x} 20 4 30 10 -1\n"
    ),
    st.sampled_from(["0100007F", "00000000", "0F02000A", "FFFFFFFF"]), PORT, st.sampled_from(["00000000", "08080808"]), PORT,
    st.integers(1, 11), st.integers(0, 2**31 - 1), st.integers(0, 6), st.integers(0, 4_000_000), st.integers(0, 70000),
)  # fmt: skip


@settings(max_examples=max(5, FUZZ // 4), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(SOCKET, max_size=8), st.lists(SOCKET, max_size=3))
def test_ss_on_made_up_sockets(tmp_path_factory: pytest.TempPathFactory, tcp: list[str], udp: list[str]) -> None:
    if not shutil.which("ss"):
        pytest.skip("no ss on this machine")
    tree = network(tmp_path_factory.mktemp("net"))
    (tree / "net/tcp").write_text(TCP_HEADING + "".join(tcp))
    (tree / "net/udp").write_text(UDP.split("\n")[0] + "\n" + "".join(udp))
    with Runner(Policy(allowed_commands=["rshell:*"], proc_path=str(tree)), cwd="/", warnings=None) as runner:
        for option in SS:
            theirs = subprocess.run(
                ["ss", option], capture_output=True, env={**ENVIRONMENT, "PROC_ROOT": str(tree)}
            ).stdout
            assert runner.run(f"ss {option}").stdout == theirs, option


@pytest.mark.parametrize("option", SS)
def test_ss_on_a_made_up_machine(tmp_path: Path, run: Run, option: str) -> None:
    if not shutil.which("ss"):
        pytest.skip("no ss on this machine")
    tree = str(network(tmp_path))
    theirs = subprocess.run(["ss", option], capture_output=True, env={**ENVIRONMENT, "PROC_ROOT": tree}).stdout
    assert run(f"ss {option}", proc_path=tree).stdout == theirs
