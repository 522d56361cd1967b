"""Scenarios: a script, the files it finds, and exactly what must come out.

A file holds a list of scenarios about one topic. A scenario is a mapping:

- ``name``: the rule it shows, unique in its file
- ``setup.files``: ``path`` with ``content``, ``chmod``, ``symlink`` or ``mod_time``
- ``input``: ``script``, ``allowed_paths`` (``$DIR`` is the scenario's directory, which is also the
  working directory), ``allowed_commands`` (absent: all), ``interpreter_env``, ``mode``, ``allowed_services``
- ``expect``: ``stdout`` or ``stdout_contains``, ``stderr`` or ``stderr_contains``, ``exit_code``
- ``skip_assert_against_bash``: true where the shell differs from bash on purpose

All others claim that bash gives the same output and status, and are run with bash too.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

HERE = pathlib.Path(__file__).parent
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Outcome:
    """What a shell gave for a script."""

    stdout: bytes
    stderr: bytes
    exit_code: int


def load(topic: str | None = None) -> dict[str, dict[str, Any]]:
    """Return the scenarios of one topic, or of all, under their ``FILE::NAME``."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(HERE.glob(f"{topic or '*'}.yaml")):
        for scenario in yaml.load(path.read_text(encoding="utf-8"), Loader):
            key = f"{path.stem}::{scenario['name']}"
            if key in found:
                raise ValueError(f"two scenarios are called {key}")
            found[key] = scenario
    return found


def claims_parity(scenario: dict[str, Any]) -> bool:
    """Tell whether bash must give the same output and status."""
    return not scenario.get("skip_assert_against_bash")


def prepare(scenario: dict[str, Any], where: str) -> None:
    """Make the scenario's files below the directory ``where``."""
    for entry in scenario.get("setup", {}).get("files", []):
        path = os.path.join(where, entry["path"])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if "symlink" in entry:
            os.symlink(entry["symlink"], path)
        else:
            content = entry.get("content") or ""
            with open(path, "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))
            os.chmod(path, int(entry.get("chmod", 0o644)))
        if "mod_time" in entry:
            when = datetime.datetime.fromisoformat(str(entry["mod_time"]).replace("Z", "+00:00"))
            if when.tzinfo is None:
                when = when.replace(tzinfo=datetime.UTC)
            os.utime(path, (when.timestamp(), when.timestamp()), follow_symlinks="symlink" not in entry)


@contextlib.contextmanager
def directory(scenario: dict[str, Any]) -> Iterator[str]:
    """Yield a fresh directory with the scenario's files in it."""
    # realpath: a temporary directory behind a link would make $PWD ambiguous.
    where = os.path.realpath(tempfile.mkdtemp(prefix="scenario"))
    try:
        prepare(scenario, where)
        yield where
    finally:
        for parent, names, _ in os.walk(where):
            for name in names:
                path = os.path.join(parent, name)
                if not os.path.islink(path):
                    os.chmod(path, 0o700)
        shutil.rmtree(where, ignore_errors=True)


def run_ours(scenario: dict[str, Any], where: str) -> Outcome:
    """Run the scenario in the shell."""
    from rshell import Policy, Runner

    given = scenario["input"]
    policy = Policy(
        allowed_commands=given.get("allowed_commands", ["rshell:*"]),
        allowed_paths=[path.replace("$DIR", where, 1) for path in given.get("allowed_paths", [])],
        allowed_services=given.get("allowed_services", []),
        mode=given.get("mode", "read-only"),
        env=given.get("interpreter_env", {}),
        max_execution_time=30.0,
    )
    with Runner(policy, cwd=where) as runner:
        result = runner.run(given["script"])
    return Outcome(result.stdout, result.stderr, result.exit_code)


def run_bash(scenario: dict[str, Any], where: str) -> Outcome:
    """Run the scenario in the machine's bash."""
    done = subprocess.run(
        ["bash", "-c", scenario["input"]["script"]],
        cwd=where,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=30,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **scenario["input"].get("interpreter_env", {})},
    )
    return Outcome(done.stdout, done.stderr, done.returncode)


def differences(scenario: dict[str, Any], got: Outcome, with_stderr: bool = True) -> list[str]:
    """List what differs between an outcome and what the scenario expects."""
    expect = scenario["expect"]
    found = []
    if got.exit_code != expect.get("exit_code", 0):
        found.append(f"exit code: got {got.exit_code}, expected {expect.get('exit_code', 0)}")
    for stream, data in (("stdout", got.stdout), ("stderr", got.stderr)):
        if stream == "stderr" and not with_stderr:
            continue
        text = data.decode("utf-8", "surrogateescape")
        if f"{stream}_contains" in expect:
            found += [f"{stream}: {text!r} lacks {part!r}" for part in expect[f"{stream}_contains"] if part not in text]
        elif text != expect.get(stream, ""):
            found.append(f"{stream}: got {text!r}, expected {expect.get(stream, '')!r}")
    if b"internal error" in got.stderr:
        found.append(f"a command failed inside: {got.stderr!r}")
    return found
