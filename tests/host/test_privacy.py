"""No command opens a process's arguments or environment, or asks who is logged in."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(args[0]) if event in ("open", "os.listdir", "os.scandir") else None)
from rshell import Policy, Runner
runner = Runner(Policy(allowed_commands=["rshell:*"], allowed_paths=["/usr:ro"]), cwd="/usr", warnings=None)
for script in (
    "ps", "ps -ef", "ps aux", "ps -eF", "ps -eo args,cmd,command,comm,wchan", "free -h", "uptime", "vmstat -s", "uname -a",
    "hostname", "nproc", "id", "whoami", "date", "pmap -x %d" % __import__("os").getpid(), "lsof", "lsof -p 1",
    "ss -a", "ss -s", "ip a", "ip l", "ip r", "ip -6 r", "ip n", "ip r get 127.0.0.1", "df -a", "ping -c 1 -W 0.1 localhost",
):
    runner.run(script)
names = [name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else str(name) for name in opened]
assert any(name.endswith("/stat") for name in names), names
for name in names:
    last = name.rpartition("/")[2]
    assert last not in ("cmdline", "environ", "utmp", "wtmp", "auxv", "mem") and "/sessions" not in name, name
"""


def test_arguments_environments_and_sessions_are_never_opened() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, timeout=100)
    assert done.returncode == 0, done.stderr.decode()
