"""ls beside GNU ls on a tree with one of everything."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.builtins import sample_tree

if TYPE_CHECKING:
    from tests.builtins.oracle import Ours, Theirs

CALLS = r"""
-l
-la
-lA
-lh
-l --si
-li
-ls
-lsh
-ln
-lg
-lo
-lG
-g
-o
-C
-x
-m
-Cw40
-xw40
-mw40
-C -w0
-x -w 100
-CF
-xi
-Cs
-ms
-mi
-F
-p
--file-type
-Q
-b
-q
-N
-d
-d .
-ld dir
-R
-lR
-RF
-aR
-t
-tr
-S
-Sr
-X
-Xr
-v
-vr
-c
-u
-lu
-ltu a file10.txt
-ltc
-U
-B
-I '*.txt'
--hide='*.txt'
-a --hide='*.txt'
-A -I '.h*'
--group-directories-first
-r --group-directories-first
-l --time-style=full-iso
--full-time
-l --time-style=long-iso
-l --time-style=iso
-l --time-style=+%Y
--sort=size
--sort=none
--sort=time
--sort=version
--sort=extension
--sort=width
--format=long
--format=across
--format=commas
-1
-l1
-1l
-C1
-k
-sk
-s
-sh
-i
-is
-H ld
-l ld
-L ld
ld
-L
-lL
-lH ld
-F ld
-dF ld la
-d ld/
ld/
la dir nosuch a
nosuch
dir empty
-l a dir
-l /dev/null /dev/zero a
-l --author
--block-size=1K -l
--block-size=K -s
--quoting-style=shell
--quoting-style=shell-escape
--quoting-style=c
--quoting-style=escape
--quoting-style=shell-always
--quoting-style=shell-escape-always
--quoting-style=locale
--color=never
--color=auto
-T4 -C
-T 0 -C
-RL dir
--zz
-y
-w x
-Qm
-qC
-lQ
-lb
-lF
-lp
-l --file-type
-LF
-aF
-lah
-lart
dir/../dir
./dir
-lR dir
-dl dir/
-CR
"" a
-l -I dir
--time=atime -t
--time=ctime -l
-ltr
-lS
-hS
-1s
-lsi
-x -T0
""".strip("\n").split("\n")


@pytest.mark.parametrize("call", CALLS)
def test_ls_does_what_gnu_ls_does(call: str, run: Ours, bash: Theirs, tmp_path: Path) -> None:
    sample_tree.build(tmp_path, time.time())
    theirs = bash(f"LC_ALL= LC_CTYPE=C.UTF-8 ls {call}")
    ours = run(f"ls {call}", allowed_paths=[f"{tmp_path.parent}:ro", "/dev:ro"])
    assert (ours.stdout, ours.exit_code) == (theirs.stdout, theirs.returncode), (ours.stderr, theirs.stderr)
    assert bool(ours.stderr) == bool(theirs.stderr), (ours.stderr, theirs.stderr)


def test_unsorted_means_the_order_of_the_directory(run: Ours, bash: Theirs, tmp_path: Path) -> None:
    sample_tree.build(tmp_path, time.time())
    theirs = bash("ls -f").stdout.split(b"\n")
    assert run("ls -f").stdout.split(b"\n") == [b".", b"..", *(n for n in theirs if n not in (b".", b".."))]


@pytest.mark.parametrize(
    ("call", "message", "status"),
    [
        ("nosuch", "ls: cannot access 'nosuch': no such file or directory\n", 2),
        ("/etc", "ls: cannot access '/etc': permission denied\n", 2),
        ("-y", "ls: invalid option -- 'y'\nTry 'ls --help' for more information.\n", 2),
        ("-w x", "ls: invalid line width: 'x'\n", 2),
    ],
)
def test_what_cannot_be_listed(call: str, message: str, status: int, run: Ours) -> None:
    result = run(f"ls {call}")
    assert (result.stdout, result.stderr.decode(), result.exit_code) == (b"", message, status)


def test_the_parent_outside_the_roots_is_shown_without_its_status(run: Ours) -> None:
    result = run("ls -la")
    assert result.stdout.split(b"\n")[2].startswith(b"d?????????")
    assert result.exit_code == 0


def test_a_page_of_a_directory(run: Ours, tmp_path: Path) -> None:
    for number in range(1_200):
        (tmp_path / f"f{number:04}").touch()
    assert run("ls --offset 3 --limit 2").stdout == b"f0003\nf0004\n"
    assert run("ls --limit 5000 | wc -l").stdout == b"1000\n"
    assert run("ls -U --limit 7 | wc -l").stdout == b"7\n"
    assert run("ls -R --limit 7 | wc -l").stdout == b"1201\n"


def test_columns_follow_the_variable(run: Ours, tmp_path: Path) -> None:
    for name in "abcd":
        (tmp_path / name).touch()
    assert run("COLUMNS=6 ls -C").stdout == b"a\nb\nc\nd\n"
    assert run("COLUMNS=7 ls -C").stdout == b"a  c\nb  d\n"


def test_a_loop_below_followed_links_is_told(run: Ours, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d/loop").symlink_to("..")
    result = run("ls -RL d")
    assert (result.exit_code, result.stderr) == (2, b"ls: d/loop/d: not listing already-listed directory\n")
