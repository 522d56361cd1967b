"""realpath beside GNU realpath, on links of every kind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.builtins.link_tree import NAMES, build
from tests.builtins.oracle import same

if TYPE_CHECKING:
    from tests.builtins.oracle import Ours, Theirs


@pytest.mark.parametrize(
    "options", ["", "-e", "-m", "-s", "-se", "-sm", "-L", "-Le", "-Lm", "-q", "-z", "-sL", "-Ls", "-sP"]
)
def test_as_gnu(options: str, run: Ours, bash: Theirs, tmp_path: Path) -> None:
    (tmp_path / "top").mkdir()
    build(tmp_path / "top")
    script = "cd top\n" + "".join(f"realpath {options} {name}; echo $?\n" for name in NAMES)
    same(run, bash, script)


@pytest.mark.parametrize("options", ["", "-e", "-m", "-s", "-sm", "-L"])
def test_relative_as_gnu(options: str, run: Ours, bash: Theirs, tmp_path: Path) -> None:
    (tmp_path / "top").mkdir()
    build(tmp_path / "top")
    script = "cd top\n"
    for directory in ("r", "..", "l/s", "missing", "r/f", "dm", "."):
        for relative in ("--relative-to", "--relative-base", "--relative-to=r/s --relative-base"):
            script += f"realpath {options} {relative}={directory} r/f l/s .. . missing; echo $?\n"
    same(run, bash, script)


def test_reasons_are_in_lower_case(run: Ours) -> None:
    result = run("realpath /etc/hostname; realpath x/y; realpath -q x/y; realpath")
    assert result.stderr == (
        b"realpath: /etc/hostname: permission denied\n"
        b"realpath: x/y: no such file or directory\n"
        b"realpath: missing operand\nTry 'realpath --help' for more information.\n"
    )
