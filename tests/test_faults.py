"""What goes wrong outside of the shell: a full disk, a read-only file system, files that vanish, rights that go.

Each time: a clear message, the right status, and nothing lost that was written before.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")

ROOT = Path(__file__).parent.parent
needs_root = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="mounting and becoming another user need root"
)

_PRELUDE = """
import json, os, sys
from rshell import Policy, Runner

def run(script, where, **given):
    policy = Policy(allowed_commands=["rshell:*"], allowed_paths=[f"{where}:rw", "/dev:ro"], mode="remediation", **given)
    with Runner(policy, cwd=where, warnings=None) as runner:
        result = runner.run(script)
    return {
        "exit": result.exit_code, "out": result.stdout.decode(), "err": result.stderr.decode(),
        "changes": [[c.action, os.path.basename(c.path), c.size] for c in result.changes],
    }
where = sys.argv[1]
"""


def child(body: str, where: Path, *, mounts: bool = False) -> dict[str, object]:
    """Run Python code in a process of its own, with mounts in a mount namespace of its own; what it prints as JSON."""
    code = _PRELUDE + textwrap.dedent(body)
    argv = [sys.executable, "-c", code, str(where)]
    if mounts:
        argv = ["unshare", "--mount", "--propagation", "private", *argv]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    if mounts and ("unshare" in done.stderr or "mount" in done.stderr):
        pytest.skip(f"no mounts here: {done.stderr.strip()}")  # text: ours
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


_MOUNT = """
import subprocess
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=755", "tmpfs", where], check=True)
"""


@needs_root
@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("head -c 200000 /dev/zero | tee f > /dev/null; echo $?", "tee: f: no space left on device"),
        ("head -c 200000 /dev/zero | tee f g > /dev/null; echo $?", "tee: g: no space left on device"),
        ("head -c 200000 /dev/zero > f; echo $?", "write error: no space left on device"),
        ("cat /dev/zero > f; echo $?", "write error: no space left on device"),
        (
            "for i in 1 2 3 4 5 6 7 8 9; do head -c 20000 /dev/zero; done > f; echo $?",
            "write error: no space left on device",
        ),
    ],
)
def test_a_full_disk(script: str, message: str, tmp_path: Path) -> None:
    found = child(
        _MOUNT + f"print(json.dumps({{**run({script!r}, where), 'left': os.path.getsize(where + '/f')}}))",
        tmp_path,
        mounts=True,
    )
    assert message in str(found["err"]) and found["out"] == "1\n", found
    changes = found["changes"]
    assert isinstance(changes, list)
    assert isinstance(found["left"], int) and found["left"] > 30_000
    assert ["write", "f", found["left"]] in changes, "what was written stays, and is told"


@needs_root
def test_a_full_disk_spares_what_was_there(tmp_path: Path) -> None:
    body = (
        _MOUNT
        + """
    open(where + "/kept", "w").write("kept")
    found = run("head -c 200000 /dev/zero | tee -a kept > /dev/null; echo more | tee new; cat kept | head -c 4; rm kept; echo ok > new", where)
    found["new"] = open(where + "/new").read()
    print(json.dumps(found))
    """.replace("\n    ", "\n")
    )
    found = child(body, tmp_path, mounts=True)
    assert str(found["out"]).endswith("kept") and found["exit"] == 0 and found["new"] == "ok\n", found


@needs_root
@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo x | tee f > /dev/null", "tee: f: read-only file system"),
        ("echo x | tee new > /dev/null", "tee: new: read-only file system"),
        ("truncate -s 1 f", "truncate: cannot open 'f' for writing: read-only file system"),
        ("logrotate -f f", "logrotate: cannot truncate 'f': read-only file system"),
        ("rm f", "rm: cannot remove 'f': read-only file system"),
        ("echo x > f", "f: read-only file system"),
        ("echo x >> new", "new: read-only file system"),
    ],
)
def test_a_read_only_file_system(script: str, message: str, tmp_path: Path) -> None:
    body = (
        _MOUNT
        + f"""
open(where + "/f", "w").write("kept")
subprocess.run(["mount", "-o", "remount,ro", where], check=True)
print(json.dumps({{**run({script!r}, where), "left": sorted(os.listdir(where)), "kept": open(where + "/f").read()}}))
"""
    )
    found = child(body, tmp_path, mounts=True)
    assert message in str(found["err"]) and found["exit"] == 1, found
    assert (found["left"], found["kept"], found["changes"]) == (["f"], "kept", [])


def test_the_largest_file_the_process_may_write(tmp_path: Path) -> None:
    body = """
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
    print(json.dumps(run(
        "head -c 90000 /dev/zero | tee f > /dev/null; echo $?; head -c 90000 /dev/zero > g; echo $?;"
        "truncate -s 90000 new; echo $?; echo x > small; cat small", where)))
    """
    found = child(body, tmp_path)
    assert found["out"] == "1\n1\n1\nx\n", found
    lines = str(found["err"]).rstrip("\n").split("\n")
    assert [line.split(":")[0] for line in lines] == ["tee", "head", "truncate"], found
    assert all(line.endswith("file too large") for line in lines), found
    assert found["changes"] == [["write", "f", 50_000], ["write", "g", 50_000], ["write", "small", 2]]
    assert not (tmp_path / "new").exists() and (tmp_path / "f").stat().st_size == 50_000


def test_a_file_that_is_removed_while_it_is_read(tmp_path: Path) -> None:
    """An open file is read to its end, whatever happens to its name; the next open says what is the case."""
    body = """
    open(where + "/f", "wb").write(b"x" * 500_000)
    print(json.dumps(run("(head -c 10 > /dev/null; rm f; cat) < f | wc -c; cat f; while read x; do rm g; done < g; echo end", where)))
    """
    found = child(body, tmp_path)
    assert str(found["out"]).split("\n")[0] in ("499990", "368928"), found
    assert "cat: f: no such file or directory" in str(found["err"]) and str(found["out"]).endswith("end\n")


def test_a_file_that_shrinks_while_it_is_read(tmp_path: Path) -> None:
    body = """
    open(where + "/f", "wb").write(b"line\\n" * 100_000)
    print(json.dumps(run("cat f | (read x; truncate -s 0 f; cat | wc -c); wc -c f; tail -n 1 f; echo $?", where)))
    """
    found = child(body, tmp_path)
    assert found["err"] == "" and str(found["out"]).endswith("0 f\n0\n"), found


def test_a_directory_that_is_removed_under_cd(tmp_path: Path) -> None:
    body = """
    os.mkdir(where + "/d")
    open(where + "/d/f", "w").write("x")
    from rshell import Policy, Runner
    policy = Policy(allowed_commands=["rshell:*"], allowed_paths=[f"{where}:rw"], mode="remediation")
    with Runner(policy, cwd=where, warnings=None) as runner:
        runner.run("cd d")
        os.unlink(where + "/d/f")
        os.rmdir(where + "/d")
        result = runner.run(
            "cat f; echo $?; ls; echo $?; echo x > new; echo $?; echo x | tee new; echo $?; du; echo $?; stat .; echo $?;"
            "rm f; echo $?; truncate -s 1 new; echo $?; pwd; cd " + where + "; echo ok > back; cat back"
        )
    print(json.dumps({"out": result.stdout.decode(), "err": result.stderr.decode()}))
    """
    found = child(body, tmp_path)
    assert found["out"] == f"1\n2\n1\nx\n1\n1\n1\n1\n1\n{tmp_path}/d\nok\n", found
    lines = str(found["err"]).rstrip("\n").split("\n")
    assert len(lines) == 8 and all("no such file or directory" in line for line in lines), lines


@needs_root
def test_rights_that_are_lost(tmp_path: Path) -> None:
    """As another user, with a handle on what was allowed before: reading and writing fail as for anyone."""
    body = """
    for name, mode in (("secret", 0o600), ("open", 0o644), ("mine", 0o666)):
        with open(f"{where}/{name}", "w") as file:
            file.write(name)
        os.chmod(f"{where}/{name}", mode)
    os.mkdir(where + "/closed", 0o700)
    open(where + "/closed/f", "w").close()
    policy = Policy(allowed_commands=["rshell:*"], allowed_paths=[f"{where}:rw"], mode="remediation")
    with Runner(policy, cwd=where, warnings=None) as runner:
        runner.run("cat secret")
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        result = runner.run(
            "cat secret; echo x | tee open; echo x > open; rm open; truncate -s 0 open; logrotate -f open;"
            "du -s closed; tree closed; file secret; echo y > mine; cat mine; stat -c %n secret; echo x > new"
        )
    print(json.dumps({"out": result.stdout.decode(), "err": result.stderr.decode(),
        "changes": [[c.action, os.path.basename(c.path), c.size] for c in result.changes]}))
    """
    tmp_path.chmod(0o755)
    found = child(body, tmp_path)
    assert found["err"] == (
        "cat: secret: permission denied\n"
        "tee: open: permission denied\n"
        "open: permission denied\n"
        "rm: cannot remove 'open': permission denied\n"
        "truncate: cannot open 'open' for writing: permission denied\n"
        "logrotate: cannot truncate 'open': permission denied\n"
        "du: cannot read directory 'closed': permission denied\n"
        "new: permission denied\n"
    ), found
    assert found["changes"] == [["write", "mine", 2]]
    assert (tmp_path / "open").read_text() == "open" and (tmp_path / "mine").read_text() == "y\n"
    assert "closed  [error opening dir]" in str(found["out"]) and "secret: regular file, no read permission" in str(
        found["out"]
    )
