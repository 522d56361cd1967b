"""Under a policy that grants writing, host commands import nothing while a script runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
from rshell import Policy, Runner
policy = Policy(allowed_commands=["rshell:*"], allowed_paths=[sys.argv[1] + ":rw"], mode="remediation")
runner = Runner(policy, cwd=sys.argv[1], warnings=None)
before = set(sys.modules)
for script in (
    "ps -ef", "free", "uptime", "vmstat", "uname -a", "nproc", "id", "date", "TZ=Europe/Madrid; date", "lsof -p 1", "pmap 1",
    "ss -a", "ss -s", "ip a", "ip l", "ip r", "ip -6 r", "ip n", "ip r get 127.0.0.1", "df -a", "ping -c 1 -W 0.1 localhost",
):
    runner.run(script)
print(sorted(set(sys.modules) - before))
"""


def test_nothing_is_imported_while_a_script_runs(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path)], capture_output=True, timeout=60)
    assert (done.stdout, done.stderr) == (b"[]\n", b"")
