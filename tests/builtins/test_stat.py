"""stat beside GNU stat on a tree with one of everything."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.builtins import sample_tree
from tests.builtins.oracle import same

if TYPE_CHECKING:
    from tests.builtins.oracle import Ours, Theirs

CALLS = r"""
stat *
stat -L ld la dangling a
stat -t *
stat -c '%a %A %b %B %d %D %f %F %g %G %h %i %n %N %o %r %R %s %t %T %u %U %w %W %x %X %y %Y %z %Z' *
stat -c '%Hd %Ld %Hr %Lr %H %L %Hx %Q' a
stat -c '%13.9X|%25.9X|%15.3X|%-15.3X|%2.3X|%02.3X|%020.3X|%+.3X|%+020.3X|%-+25.12X|%.12X|%15.12X|%12.9X' a old older
stat -c '%X|%.X|%.3X|%.0X|%.1X|%20.1X|%5.9X' old older epoch
stat -c '%-10n|%.1n|%10.2n|%+d|%#f|%#D|%010.5s|%-010s|%+i|%8.5i|% s|%I5s|%#a|%#5a|%05a|%-#7ax' a
stat -c '%20N|%N' la 'b b' dangling
stat -c '%20N' la 'b b'
stat -c '%%|%' a
stat -c '%n %5' a
stat -c '%5%' a
stat --printf 'a\n\x41\101\q\"\e%n' a
stat --printf 'a\' a
stat -c 'a\n%n' a
stat -f .
stat -ft . a
stat -f -c '%a %b %c %d %f %i %l %n %s %S %t %T %Q %H %N' .
stat -f --printf '%T|%n\n' . la
stat nope a
stat -f nope
stat ''
stat
stat -f -
stat - < a
stat --cached=always -c %n a
stat --cached=x a
stat -c %C a
stat -c '%m|%10m|%-10m|' a dir la ld .
stat -Lc %m la ld dir/up
TZ=America/New_York stat -c '%y %z' a old
"""


@pytest.mark.parametrize("call", [line for line in CALLS.split("\n") if line])
def test_as_gnu(call: str, run: Ours, bash: Theirs, tmp_path: Path) -> None:
    sample_tree.build(tmp_path, time.time())
    for name, when in (("old", -750_000_000), ("older", -10_050_000_001), ("epoch", 0)):
        sample_tree.write(tmp_path, name.encode())
        os.utime(tmp_path / name, ns=(when, when))
    for path in tmp_path.iterdir():
        if path.is_symlink():
            os.readlink(path)  # the first look at a new link changes its access time
    for attempt in range(40):  # what a file system has free changes at any time
        try:
            same(run, bash, call)
            return
        except AssertionError:
            if attempt == 39 or "f" not in call.split(" ")[1]:
                raise
            time.sleep(0.05)


def test_reasons_are_in_lower_case(run: Ours, tmp_path: Path) -> None:
    result = run("stat nope; stat /etc/passwd; stat -f nope")
    assert result.stderr == (
        b"stat: cannot statx 'nope': no such file or directory\n"
        b"stat: cannot statx '/etc/passwd': permission denied\n"
        b"stat: cannot read file system information for 'nope': no such file or directory\n"
    )


def test_a_pipe_is_no_file(run: Ours) -> None:
    assert run("echo a | stat -").stderr == b"stat: cannot stat standard input: it is not a file\n"


def test_a_field_has_its_bound(run: Ours, tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert len(run("stat -c %10000n a").stdout) == 10_001
    result = run("stat -c %10001n a; stat -c %99999999999999999999999n a")
    assert result.stderr == b"stat: format: field too wide (10000 at most)\n" * 2 and result.exit_code == 1
