"""The real tools on a made-up procfs: bound over /proc in a mount namespace of their own."""

from __future__ import annotations

import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

import pytest

ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
# ps looks itself up: it gets a copy of process 100 under its own ID, which same_table() takes out again
_BIND = (
    'rm -rf "$0/$(cat "$0/.self" 2>/dev/null || echo .none)"; cp -r "$0/100" "$0/$$" 2>/dev/null; '
    'cp /proc/cpuinfo "$0/cpuinfo"; sed -i "s/^100 /$$ /" "$0/$$/stat" && echo $$ >"$0/.self"; ln -sfn $$ "$0/self"; '
    'mount --bind "$0" /proc && exec "$@"'
)


@lru_cache(maxsize=1)
def possible() -> bool:
    """Whether mount namespaces may be made here."""
    if not shutil.which("unshare"):
        return False
    done = subprocess.run(["unshare", "-m", "mount", "--bind", "/proc", "/proc"], capture_output=True)
    return done.returncode == 0


def real(tree: Path, *argv: str) -> subprocess.CompletedProcess[bytes]:
    """Run a real tool with tree as /proc; skips the test where that cannot be."""
    if not shutil.which(argv[0]):
        pytest.skip(f"no {argv[0]} on this machine")
    if not possible():
        pytest.skip("no mount namespaces here")
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", _BIND, str(tree), *argv], capture_output=True, env=ENVIRONMENT, timeout=60
    )
    shadow = tree / ".self"
    if shadow.exists():
        shutil.rmtree(tree / shadow.read_text().rstrip("\n"), ignore_errors=True)
        shadow.unlink()
    (tree / "self").unlink(missing_ok=True)
    return done
