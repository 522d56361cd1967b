"""The rotation call, against a Varlink server of our own and a real journald."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rshell.journal import JournalError
from rshell.journal.rotate import rotate
from tests.journal.varlink_server import say, serving

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc/self/fd")

ROOT = Path(__file__).parents[2]


def wait(descriptor: int, seconds: float) -> bool:
    import select

    return bool(select.select([descriptor], [], [], seconds)[0])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "io.systemd.journal"


@pytest.mark.parametrize("reply", [b'{"parameters":{}}\0', b"{}\0", b'{"parameters":{}}\0{"parameters":{}}\0'])
@pytest.mark.parametrize("piece", [0, 1, 5])
def test_one_call_of_the_method_is_made(path: Path, reply: bytes, piece: int) -> None:
    with serving(path, say(reply, piece=piece)) as server:
        rotate(str(path), wait)
    assert [json.loads(call) for call in server.calls] == [{"method": "io.systemd.Journal.Rotate", "parameters": {}}]


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (b'{"error":"io.systemd.Journal.NotSupportedByNamespaces","parameters":{}}\0',
         "journald refused to rotate: io.systemd.Journal.NotSupportedByNamespaces"),
        (b'{"error":"a\\nb"}\0', "journald refused to rotate: no reason given"),
        (b'{"error":7}\0', "journald refused to rotate: no reason given"),
        (b"", "connection closed without an answer"),
        (b"{}", "connection closed without an answer"),
        (b"\0", "not a Varlink answer"),
        (b"[]\0", "not a Varlink answer"),
        (b"\xff\0", "not a Varlink answer"),
        (b'{"parameters":7}\0', "not a Varlink answer"),
        (b'{"continues":true,"parameters":{}}\0', "not a Varlink answer"),
        (b"[" * 60_000 + b"\0", "not a Varlink answer"),
    ],
)  # fmt: skip
def test_other_answers_are_errors(path: Path, reply: bytes, message: str) -> None:
    with serving(path, say(reply)), pytest.raises(JournalError, match=message):
        rotate(str(path), wait)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "no such file or directory"),
        (lambda path: path.write_bytes(b""), "not a socket"),
        (lambda path: path.mkdir(), "not a socket"),
        (lambda path: os.mkfifo(path), "not a socket"),
    ],
)  # fmt: skip
def test_what_is_no_socket_is_refused(path: Path, make: object, message: str) -> None:
    make(path)  # type: ignore[operator]
    with pytest.raises(JournalError, match=message):
        rotate(str(path), wait)


def test_a_socket_where_nobody_listens(path: Path) -> None:
    with serving(path):
        pass
    with pytest.raises(JournalError, match="connection refused"):
        rotate(str(path), wait)


LIVE = r"""
import os, pathlib, subprocess, sys, time
from rshell import Policy, Runner
directory = pathlib.Path("/var/log/journal") / pathlib.Path("/etc/machine-id").read_text().strip()
def names():
    return sorted(path.name for path in directory.iterdir())
def say(count):
    for number in range(count):
        subprocess.run(["systemd-cat", "-t", "probe", "echo", f"line {number}"], check=True)
    subprocess.run(["journalctl", "--sync"], check=True)
say(3)
before = names()
policy = Policy(allowed_commands=["rshell:*"], mode="remediation", allowed_services=["systemd-journald.service:clean+read"])
with Runner(policy, cwd="/") as runner:
    def run(script):
        result = runner.run(script)
        print(script, result.exit_code, result.stdout, result.stderr, names(), file=sys.stderr)
        return result
    assert run("journalctl --rotate").exit_code == 0
    time.sleep(0.5)
    assert len([name for name in names() if "@" in name]) == len(before), names()
    say(2)
    assert run("journalctl --rotate --vacuum-time 1us").exit_code == 0
    time.sleep(0.5)
    # what the first rotation archived is gone, what the second archived is there
    assert len([name for name in names() if "@" in name]) == len(before), names()
    usage = run("journalctl --disk-usage").stdout.decode()
    assert usage == subprocess.run(["journalctl", "--disk-usage"], capture_output=True, text=True).stdout, usage
print("fine")
"""


def test_a_real_journald_rotates(tmp_path: Path) -> None:
    journald = Path("/lib/systemd/systemd-journald")
    if not journald.exists() or not shutil.which("unshare") or os.geteuid() != 0:
        pytest.skip("needs systemd-journald, unshare and root")
    script = r"""
set -e
mount --make-rprivate /
mount -t tmpfs tmpfs /run
mount -t tmpfs -o size=300m tmpfs /var/log
[ -s /etc/machine-id ] || exit 77
mkdir -p /run/systemd/journal /run/log/journal "/var/log/journal/$(cat /etc/machine-id)"
/lib/systemd/systemd-journald >/dev/null 2>&1 &
daemon=$!
trap 'kill "$daemon"; wait "$daemon" 2>/dev/null || true' EXIT
for turn in $(seq 50); do [ -S /run/systemd/journal/io.systemd.journal ] && break; sleep 0.1; done
[ -S /run/systemd/journal/io.systemd.journal ] || exit 77
touch /run/systemd/journal/flushed
"$@"
"""
    probe = tmp_path / "probe.py"
    probe.write_text(LIVE)
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        pytest.skip("mount namespaces are not allowed here")
    done = subprocess.run(
        ["unshare", "-m", "bash", "-c", script, "bash", sys.executable, str(probe)], capture_output=True, text=True, timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    if done.returncode == 77 or "mount:" in done.stderr:
        pytest.skip(f"journald does not start here: {done.stderr[-200:]}")
    assert done.stdout == "fine\n", done.stderr
