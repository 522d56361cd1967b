"""readlink beside GNU readlink, on links of every kind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.builtins.link_tree import NAMES, build
from tests.builtins.oracle import same

if TYPE_CHECKING:
    from tests.builtins.oracle import Ours, Theirs


@pytest.mark.parametrize("options", ["", "-f", "-e", "-m", "-v", "-fn", "-ez", "-mv", "-fv", "-ev", "-fe", "-em"])
def test_as_gnu(options: str, run: Ours, bash: Theirs, tmp_path: Path) -> None:
    (tmp_path / "top").mkdir()
    build(tmp_path / "top")
    script = "cd top\n" + "".join(f"readlink {options} {name}; echo $?\n" for name in NAMES)
    same(run, bash, script)


@pytest.mark.parametrize(
    "call", ["readlink", "readlink -n l lf", "readlink -n l", "readlink -z l", "readlink -q x l", "readlink -s x", "readlink -x",
             "readlink self", "readlink -f self", "readlink -e self", "readlink -- l"]
)  # fmt: skip
def test_options_as_gnu(call: str, run: Ours, bash: Theirs, tmp_path: Path) -> None:
    (tmp_path / "top").mkdir()
    build(tmp_path / "top")
    same(run, bash, f"cd top; {call}")


def test_outside_is_denied_and_said(run: Ours, tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("/etc/hostname")
    result = run("readlink out; readlink -f out; readlink -f /etc; readlink -qf /etc")
    assert result.stdout == b"/etc/hostname\n" and result.exit_code == 1
    assert result.stderr == b"readlink: out: permission denied\nreadlink: /etc: permission denied\n"
