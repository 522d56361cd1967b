"""Each scenario gives what it says; where it claims parity, bash gives the same in the same run."""

from __future__ import annotations

import os
import shutil
import sys

import pytest

from tests.scenarios import scenario

SCENARIOS = scenario.load()
PARITY = [key for key, value in SCENARIOS.items() if scenario.claims_parity(value)]


@pytest.mark.parametrize("key", SCENARIOS)
def test_scenario(key: str) -> None:
    with scenario.directory(SCENARIOS[key]) as where:
        outcome = scenario.run_ours(SCENARIOS[key], where)
    found = scenario.differences(SCENARIOS[key], outcome)
    assert not found, "\n".join([SCENARIOS[key]["input"]["script"], *found])


@pytest.mark.skipif(not shutil.which("bash") or sys.platform != "linux", reason="bash on Linux is the oracle")
@pytest.mark.parametrize("key", PARITY)
def test_bash_agrees(key: str) -> None:
    with scenario.directory(SCENARIOS[key]) as where:
        outcome = scenario.run_bash(SCENARIOS[key], where)
    # bash's own messages name the program and the line: only output and status are claimed.
    found = scenario.differences(SCENARIOS[key], outcome, with_stderr=False)
    assert not found, "\n".join([SCENARIOS[key]["input"]["script"], *found])


def test_a_scenario_leaves_nothing_behind(tmp_path: object) -> None:
    with scenario.directory({"setup": {"files": [{"path": "d/f", "content": "x", "chmod": 0}]}}) as where:
        assert os.path.isfile(os.path.join(where, "d/f"))
    assert not os.path.exists(where)
