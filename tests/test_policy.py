"""Policies: what they take, what they refuse, and what two of them have in common."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rshell.policy import Mode, Policy, PolicyError, Root, SystemdTarget


def test_a_policy_grants_nothing_by_itself() -> None:
    policy = Policy()
    assert not policy.allows("cat")
    assert policy.allowed_paths == ()
    assert not policy.allows_service("a.service", "read")
    assert policy.mode == "read-only"
    assert repr(policy) == "Policy()"
    assert policy.to_dict() == {}


def test_commands_are_granted_by_name() -> None:
    policy = Policy(allowed_commands=["rshell:cat", "rshell:["])
    assert policy.allows("cat") and policy.allows("[")
    assert not policy.allows("ca") and not policy.allows("rshell:cat") and not policy.allows("*")


def test_every_command_can_be_granted() -> None:
    assert Policy(allowed_commands=["rshell:*"]).allows("anything")


@pytest.mark.parametrize(
    "fields",
    [
        {"allowed_commands": "rshell:cat"},
        {"allowed_commands": ["cat"]},
        {"allowed_commands": ["rshell:"]},
        {"allowed_commands": ["rshell:a b"]},
        {"allowed_commands": ["rshell:c*"]},
        {"allowed_commands": ["rshell:rshell:é"]},
        {"allowed_commands": [1]},
        {"allowed_commands": None},
        {"allowed_commands": {"rshell:cat": True}},
        {"allowed_paths": "/tmp"},
        {"allowed_paths": ["tmp"]},
        {"allowed_paths": [""]},
        {"allowed_paths": [":rw"]},
        {"allowed_paths": ["/a\0b"]},
        {"allowed_paths": ["/a/../b"]},
        {"allowed_paths": ["/a\udfff\ud800"]},
        {"allowed_paths": [b"/a"]},
        {"allowed_paths": [Path("/a")]},
        {"allowed_paths": ["/a:rw", "/a/:ro"]},
        {"allowed_paths": 3},
        {"allowed_services": "a.service:read"},
        {"allowed_services": [1]},
        {"allowed_services": {1: ["read"]}},
        {"allowed_services": {"a.service": "read"}},
        {"mode": "rw"},
        {"mode": None},
        {"env": ["A=b"]},
        {"env": {"1A": "b"}},
        {"env": {"": "b"}},
        {"env": {"A-B": "b"}},
        {"env": {"É": "b"}},
        {"env": {"A": 1}},
        {"env": {"A": "b\0"}},
        {"env": {"A": "\ud800"}},
        {"env": {"A": "x" * (1 << 20)}},
        {"max_execution_time": 0},
        {"max_execution_time": -1.0},
        {"max_execution_time": True},
        {"max_execution_time": "5"},
        {"max_execution_time": float("nan")},
        {"max_execution_time": float("inf")},
        {"proc_path": "proc"},
        {"proc_path": None},
        {"host_prefix": "host"},
        {"host_prefix": 1},
        {"max_write_bytes": -1},
        {"max_write_bytes": True},
        {"max_write_bytes": 1.5},
        {"systemd_target": {"machine_id_path": "/etc/machine-id"}},
    ],
)
def test_a_wrong_value_is_refused_by_the_name_of_its_field(fields: dict[str, Any]) -> None:
    with pytest.raises(PolicyError, match=next(iter(fields))):
        Policy(**fields)


def test_paths_are_read_only_without_a_suffix() -> None:
    policy = Policy(allowed_paths=["/b//c/./", "/a:rw", "/d:ro", "/e:f", "/"])
    assert [str(root) for root in policy.allowed_paths] == ["/:ro", "/a:rw", "/b/c:ro", "/d:ro", "/e:f:ro"]
    assert Policy(allowed_paths=[Root("/a", True)]) == Policy(allowed_paths=["/a:rw"])


def test_services_are_granted_by_exact_name_and_action() -> None:
    policy = Policy(allowed_services=["b.service:read+restart", "a.service:*", "b.service:stop"])
    assert policy.allows_service("a.service", "enable")
    assert policy.allows_service("b.service", "restart") and policy.allows_service("b.service", "stop")
    assert not policy.allows_service("b.service", "start")
    assert not policy.allows_service("B.service", "read")
    assert not policy.allows_service("a.service", "*") and not policy.allows_service("a.service", "mask")
    assert policy.warnings == ()
    assert policy == Policy(allowed_services={"a.service": ["*"], "b.service": ["stop", "read", "restart"]})


@pytest.mark.parametrize(
    ("grant", "fault"),
    [
        (":read", "empty name"),
        ("a:b:read", "':' in name"),
        ("a b:read", "whitespace or control characters in name"),
        ("a\n:read", "whitespace or control characters in name"),
        ("/etc/a:read", "a path is not a name"),
        ("a*:read", "patterns are not supported"),
        ("a[b]:read", "patterns are not supported"),
        ("a", "no actions"),
        ("a:", "no actions"),
        ("a:mask", "unknown action"),
        ("a:READ", "unknown action"),
    ],
)
def test_a_service_grant_that_cannot_be_is_skipped_with_a_warning(grant: str, fault: str) -> None:
    policy = Policy(allowed_services=[grant, "ok.service:read"])
    assert dict(policy.allowed_services) == {"ok.service": frozenset({"read"})}
    assert len(policy.warnings) == 1
    assert policy.warnings[0].startswith("AllowedServices: skipping ") and policy.warnings[0].endswith(fault)


def test_the_good_actions_of_a_grant_stay() -> None:
    policy = Policy(allowed_services=["a.service:read+mask"])
    assert policy.allows_service("a.service", "read")
    assert policy.warnings == ("AllowedServices: skipping action 'mask' of 'a.service': unknown action",)


def test_a_target_needs_a_machine_id() -> None:
    with pytest.raises(PolicyError, match="machine_id_path is required"):
        SystemdTarget(journal_dirs=["/j"])
    with pytest.raises(PolicyError, match="journal_dirs"):
        SystemdTarget(journal_dirs="/j", machine_id_path="/m")
    with pytest.raises(PolicyError, match="absolute"):
        SystemdTarget(machine_id_path="m")
    target = SystemdTarget(["/j/"], "/m", "/s")
    assert (target.journal_dirs, target.machine_id_path, target.journal_control_socket) == (("/j",), "/m", "/s")


FULL: dict[str, Any] = {
    "allowed_commands": ["rshell:cat", "rshell:grep"],
    "allowed_paths": ["/srv/app:rw", "/var/log:ro"],
    "allowed_services": {"mysql.service": ["read", "restart"]},
    "mode": "remediation",
    "env": {"LANG": "C.UTF-8"},
    "max_execution_time": 5.0,
    "proc_path": "/host/proc",
    "host_prefix": "/host",
    "max_write_bytes": 1000,
    "systemd_target": {"journal_dirs": ["/host/j"], "machine_id_path": "/host/m"},
}


def test_a_policy_survives_a_dict_a_copy_and_a_pickle() -> None:
    policy = Policy.from_dict(FULL)
    assert policy.to_dict() == FULL
    assert copy.deepcopy(policy) == policy == pickle.loads(pickle.dumps(policy))
    assert len({policy, copy.copy(policy), Policy()}) == 2
    assert eval(repr(policy), {"Policy": Policy, "SystemdTarget": SystemdTarget}) == policy  # noqa: S307


def test_a_policy_cannot_be_changed() -> None:
    policy = Policy.from_dict(FULL)
    for name in ("mode", "allowed_paths", "other"):
        with pytest.raises(AttributeError):
            setattr(policy, name, None)
    with pytest.raises(AttributeError):
        del policy.mode
    with pytest.raises(TypeError):
        policy.env["A"] = "b"  # type: ignore[index]
    with pytest.raises(AttributeError):
        policy.allowed_paths[0].writable = True


def test_unknown_keys_are_refused() -> None:
    with pytest.raises(PolicyError, match="unknown key 'allowed_path'"):
        Policy.from_dict({"allowed_path": []})
    with pytest.raises(PolicyError, match="systemd_target: unknown key 'dirs'"):
        Policy.from_dict({"systemd_target": {"dirs": []}})
    with pytest.raises(PolicyError, match="mapping"):
        Policy.from_dict([])  # type: ignore[arg-type]


def test_a_policy_is_read_from_toml(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(
        'allowed_commands = ["rshell:cat", "rshell:grep"]\n'
        'allowed_paths = ["/srv/app:rw", "/var/log"]\n'
        'mode = "remediation"\nmax_execution_time = 5\nproc_path = "/host/proc"\nhost_prefix = "/host"\n'
        'max_write_bytes = 1000\n[allowed_services]\n"mysql.service" = ["read", "restart"]\n'
        '[env]\nLANG = "C.UTF-8"\n[systemd_target]\njournal_dirs = ["/host/j"]\nmachine_id_path = "/host/m"\n'
    )
    assert Policy.from_file(file) == Policy.from_dict(FULL)


@pytest.mark.parametrize("text", [b"a b", b"\xff", b"colour = 1", b"mode = 1"])
def test_a_bad_file_is_named(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "bad.toml"
    file.write_bytes(text)
    with pytest.raises(PolicyError, match=r"bad\.toml: "):
        Policy.from_file(file)
    with pytest.raises(PolicyError, match=r"none\.toml: "):
        Policy.from_file(tmp_path / "none.toml")


def paths(one: list[str], other: list[str]) -> list[str]:
    both = Policy(allowed_paths=one).narrow(Policy(allowed_paths=other))
    assert both == Policy(allowed_paths=other).narrow(Policy(allowed_paths=one))
    return [str(root) for root in both.allowed_paths]


def test_narrow_keeps_the_more_specific_path_and_rw_where_both_give_it() -> None:
    assert paths(["/a:rw"], ["/a/b:rw"]) == ["/a/b:rw"]
    assert paths(["/a:rw"], ["/a/b:ro"]) == ["/a/b:ro"]
    assert paths(["/a:ro"], ["/a/b:rw"]) == ["/a/b:ro"]
    assert paths(["/a"], ["/ab"]) == []
    assert paths(["/"], ["/a:rw"]) == ["/a:ro"]
    # A read-only place inside a writable one stays, also when only one side names it.
    assert paths(["/a:rw", "/a/s:ro"], ["/a:rw"]) == ["/a:rw", "/a/s:ro"]
    assert paths(["/a:rw", "/a/s:ro"], ["/a/s/t:rw"]) == ["/a/s/t:ro"]


def test_narrow_takes_the_smaller_of_everything() -> None:
    one = Policy(
        allowed_commands=["rshell:*"],
        allowed_services={"a": ["*"], "b": ["read", "stop"], "c": ["read"]},
        mode="remediation",
        env={"A": "1", "B": "2"},
        max_write_bytes=5,
    )
    other = Policy(
        allowed_commands=["rshell:cat"],
        allowed_services={"a": ["read"], "b": ["stop", "start"], "d": ["read"]},
        mode=Mode.REMEDIATION,
        env={"A": "1", "B": "3"},
        max_execution_time=2,
    )
    assert one.narrow(other) == Policy(
        allowed_commands=["rshell:cat"],
        allowed_services={"a": ["read"], "b": ["stop"]},
        mode="remediation",
        env={"A": "1"},
        max_execution_time=2,
        max_write_bytes=5,
    )
    assert one.narrow(Policy()) == Policy(max_write_bytes=5)
    assert one.narrow(one) == one


@pytest.mark.parametrize(
    "other", [{"proc_path": "/p"}, {"host_prefix": "/h"}, {"systemd_target": SystemdTarget([], "/m")}]
)
def test_policies_of_different_systems_have_nothing_in_common(other: dict[str, Any]) -> None:
    with pytest.raises(PolicyError, match=next(iter(other))):
        Policy().narrow(Policy(**other))


def test_describe_says_what_may_be_done() -> None:
    text = Policy.from_dict(FULL).describe()
    assert "Commands: cat, grep." in text
    assert "Directories you may read: /var/log." in text
    assert "Directories you may read and write: /srv/app." in text
    assert "Service mysql.service: read, restart." in text
    assert "5 seconds" in text and "1000 bytes" in text
    quiet = Policy(allowed_paths=["/a:rw"], allowed_services={"m": ["read", "stop"]}).describe()
    assert "Directories you may read: /a." in quiet and "write:" not in quiet
    assert "Service m: read." in quiet
    assert "\nEvil" not in Policy(allowed_paths=["/a\nEvil"]).describe()


def test_importing_the_policy_imports_nothing_heavy() -> None:
    code = "import sys, rshell.policy; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"tomllib", "dataclasses", "inspect", "json", "pathlib", "ast"} & set(loaded)
