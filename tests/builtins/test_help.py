"""help: what it tells of the policy."""

from __future__ import annotations

from pathlib import Path

from rshell.builtins import registry
from tests.builtins.oracle import Ours


def test_it_lists_what_the_policy_allows(run: Ours) -> None:
    result = run("help", allowed_commands=["rshell:help", "rshell:cat"])
    lines = result.stdout.decode().split("\n")
    assert (result.exit_code, result.stderr) == (0, b"")
    assert any(line.startswith("  cat ") for line in lines)
    assert not any(line.startswith("  echo ") for line in lines)
    every = run("help --all", allowed_commands=["rshell:help", "rshell:cat"]).stdout.decode().split("\n")
    assert any(line.startswith("  echo ") for line in every)


def test_every_command_has_help(run: Ours) -> None:
    for name in registry.names():
        result = run(f"help '{name}'")
        assert (result.exit_code, result.stderr) == (0, b""), name
        assert result.stdout.startswith(b"Usage: ")


def test_roots_by_access(run: Ours, tmp_path: Path) -> None:
    for name in ("r", "w"):
        (tmp_path / name).mkdir()
    paths = [f"{tmp_path}/r:ro", f"{tmp_path}/w:rw"]
    text = run("help", allowed_paths=paths, cwd=str(tmp_path), mode="remediation").stdout.decode()
    assert f"Paths, read only:\n  {tmp_path}/r\nPaths, read and write:\n  {tmp_path}/w\n" in text
    text = run("help", allowed_paths=paths, cwd=str(tmp_path)).stdout.decode()
    assert f"Paths, read only:\n  {tmp_path}/r\n  {tmp_path}/w (writing is inactive: needs remediation mode)\n" in text
    assert "Paths: none; no file can be opened.\n" in run("help", allowed_paths=[]).stdout.decode()


def test_grants_that_are_inactive_are_marked(run: Ours) -> None:
    services = {"a.service": ["read", "restart"]}
    text = run("help", allowed_services=services).stdout.decode()
    assert "  a.service: read, restart (inactive in read-only mode)\n" in text
    text = run("help", allowed_services=services, mode="remediation").stdout.decode()
    assert "  a.service: read, restart\n" in text


def test_topics(run: Ours) -> None:
    assert run("help help").stdout.startswith(b"Usage: help")
    assert run("help no-such-topic").stderr == b"help: no help topics match 'no-such-topic'\n"
    assert run("help no-such-topic").exit_code == 1
    result = run("help --help")
    assert (result.exit_code, result.stderr) == (1, b"")
    assert b"Usage: help" in result.stdout
    denied = run("help echo", allowed_commands=["rshell:help"]).stdout
    assert denied.endswith(b"The policy does not allow this command.\n")
