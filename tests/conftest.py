"""What all tests share: a predictable process, ways to run a script, and the real tools as oracles."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

if TYPE_CHECKING:
    from rshell import Result, Runner


# Generated tests draw the same examples every time, so that a result says something of the change that was made;
# with RSHELL_FUZZ=N they draw N new ones.
hypothesis.settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
if not os.environ.get("RSHELL_FUZZ"):
    hypothesis.settings.load_profile("fixed")

# Comparisons with the real tools and attacks take long: on the newer Pythons the rest is enough.
SLOW = ("differential", "security")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what stands in the folders of long tests, for `-m 'not slow'`."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here) and item.path.relative_to(here).parts[0] in SLOW:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True, scope="session")
def _predictable_process() -> Iterator[None]:
    """File modes that tests compare must not depend on who runs them."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def make_runner(tmp_path: Path) -> Iterator[Callable[..., Runner]]:
    """Build Runners that are closed when the test ends.

    Without other word a Runner may run every command, may read ``tmp_path``, works there, and
    writes no warnings. Keywords are Policy's, but for ``cwd``, ``clock``, ``exec_handler`` and ``warnings``.
    """
    from rshell import Policy, Runner

    made: list[Runner] = []

    def make(**given: Any) -> Runner:
        own = {name: given.pop(name) for name in ("cwd", "clock", "exec_handler", "warnings") if name in given}
        given.setdefault("allowed_commands", ["rshell:*"])
        given.setdefault("allowed_paths", [f"{tmp_path}:ro"])
        runner = Runner(Policy(**given), **{"cwd": str(tmp_path), "warnings": None, **own})
        made.append(runner)
        return runner

    yield make
    for runner in made:
        runner.close()


@pytest.fixture
def run(make_runner: Callable[..., Runner]) -> Callable[..., Result]:
    """Run one script in a Runner of its own; keywords as for ``make_runner``, and ``stdin``."""

    def run_script(script: str | bytes, *, stdin: bytes | None = None, **given: Any) -> Result:
        result = make_runner(**given).run(script, stdin=stdin)
        assert b"internal error" not in (result.stderr or b""), result.stderr
        return result

    return run_script


@pytest.fixture
def bash(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Run a script in the machine's bash, in ``tmp_path``; skip the test where there is none."""
    if not shutil.which("bash"):
        pytest.skip("no bash on this machine")

    def run_script(script: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["bash", "-c", script],
            cwd=tmp_path,
            input=stdin,
            capture_output=True,
            timeout=60,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        )

    return run_script
