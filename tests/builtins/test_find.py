"""find beside GNU find on a tree with one of everything."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.builtins import sample_tree

if TYPE_CHECKING:
    from tests.builtins.oracle import Ours, Theirs

CALLS = r"""
.
. -depth
-L .
-H ld
ld
ld/
-L . -type l
. -type f,l
. -xtype l
. -xtype d
-L . -xtype l
. -empty
. -size 0
. -size +1
. -size -2k
. -size 1M
. -size -1M
. -size +100c
. -size 20b
. -links 2
. -links +1
. -perm 644
. -perm -4000
. -perm /6000
. -perm u=rw,g=r,o=r
. -perm /u=x
. -perm -u+s
. -perm -a+r
. -nouser
. -nogroup
. -user root
. -user 12345
. -uid +0
. -gid 0
. -mtime 0
. -mtime +0
. -mtime -1
. -mtime +1000
. -mtime -1000
. -mmin -5
. -mmin +5
. -mmin 1
. -daystart -mtime 0
. -daystart -mtime -1
. -daystart -mtime +0
. -newer a
. -newer file10.txt
. -newermt 2020-01-01
. \! -newermt 2020-01-01
. -newermt yesterday
. -type f -neweram a
. -type f -anewer a
. -cnewer a
. -samefile a
. -L
-L . -samefile a
. -lname 'a*'
. -ilname 'D*'
. -iname 'A*'
. -name '*.txt'
. -name '[a-f]*'
. -name 'b*b'
. -path './dir/*'
. -ipath './DIR/*'
. -maxdepth 1
. -mindepth 2
. -mindepth 1 -maxdepth 1
. -name dir -prune -o -print
. -depth -name dir -prune -o -print
. -quit
. -print -quit
. -name a -o -name z.c
. \( -name a -o -name z.c \) -type f
. \! -type f
. -not -type f -a -not -type d
. -true , -name a
. -name a , -name z.c -print
. -type d -name 'e*' -print0
. -readable
. -executable -type f
. -writable
. -inum 1
. -printf '%p %f %h %H %P %d %y %Y %s %m %M %n %l\n'
. -printf '%b %k %i %D %U %G %u %g %S\n'
. -printf '%t|%c\n'
. -printf '%T@ %T+ %TY-%Tm-%Td %TH:%TM:%TS %TT %Tr %TX %Ta %TA %Tb %TB %Tc %TD %Tj %TZ %Tx\n'
. -printf '%10s|%-10f|%5d|%.3f|%05m|%-5m|\n'
. -printf 'a\tb\101\n\\x\0'
. -printf '%%\n'
. -printf '%q\q\n'
. -name a -printf 'x\cy\n'
a -printf '%h|%f|%P|%H\n'
./ -maxdepth 1 -printf '%h|%f|%P|%H\n'
dir/ -printf '%p|%h|%f|%P|%H\n'
/dev/null -printf '%p %h %f %y\n'
. -ls
/dev/null -ls
. -name nosuch
nosuch
nosuch a
. -bogus
a b
. -type f -exec echo {} \;
. -type f -exec echo {} +
dir -execdir echo {} \;
dir -execdir echo {} +
dir -exec false {} \; -print
. -type f -exec false {} +
a -exec echo x{}y{} z \;
. -maxdepth 0
-L dir -depth
. -follow -type f
. -xdev -type d
. -mount -name f
. -noleaf -name f
. -name
. -maxdepth x
. -size 5q
. -perm 999
. -user nobodyx
. -newer nosuch
. -type q
. \(
. \)
. -o a
. \!
. -name a -o
/dev/null
dir//sub
dir/. -maxdepth 1
. -name .
. -name '.*'
./. -name '.'
dir/ -name dir
. -path './dir/*' -prune -o -type f -print
-O3 . -name a
. -wholename './a'
. -mmin 0.5
. -mtime -0.5
. -size +0 -size -10
. -type d -empty
-L ld self dangling
self
. -regextype posix-extended -name a
. -regex '.*a+.*'
. -regex '.*/\(a\|b\)[^/]*'
. -iregex '.*/A.*'
. -regex 'a'
. -regex './a'
. -regextype posix-basic -regex '.*/a\{1,2\}'
. -regextype posix-extended -regex '.*/(a|d).*'
. -regextype posix-extended -iregex '.*/[A-D]+'
. -regextype egrep -regex '.*/*a{1,2}'
. -regextype awk -regex '.*/(a|b)+'
. -regextype gnu-awk -regex '.*/(a|b){1}'
. -regextype posix-awk -regex '.*[/]a+'
. -regextype posix-minimal-basic -regex '.*/a+'
. -regextype emacs -regex '.*[[:alpha:]]'
. -regextype sed -regex '.*\.txt'
. -false -o -name a
. -a -name a
. -amin -100 -name a
. -cmin -100 -name a
. -atime 0 -name a
. -ctime 0 -name a
-P -L -H ld
a -newerma a
. -links -2 -type f
. -samefile nosuch
-H ld -maxdepth 1 -type l
-H ld -maxdepth 0 -type d
""".strip("\n").split("\n")


@pytest.mark.parametrize("call", CALLS)
def test_find_does_what_gnu_find_does(call: str, run: Ours, bash: Theirs, tmp_path: Path) -> None:
    sample_tree.build(tmp_path, time.time())
    theirs = bash(f"find {call}")
    ours = run(f"find {call}", allowed_paths=[f"{tmp_path}:ro", "/dev:ro"])
    assert (ours.stdout, ours.exit_code) == (theirs.stdout, theirs.returncode), (ours.stderr, theirs.stderr)
    assert bool(ours.stderr) == bool(theirs.stderr), (ours.stderr, theirs.stderr)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (". -delete", "find: -delete: blocked: removing files by a search is not supported; use rm, which removes at "
                      "most 10 files a call and 100 a run, in remediation mode\n"),
        (". -fprint x", "find: -fprint: blocked: writing files is not supported; use -print\n"),
        (". -ok echo {} \\;", "find: -ok: blocked: there is nobody to ask; use -exec\n"),
        (". -bogus", "find: unknown predicate '-bogus'\n"),
        (". -name", "find: missing argument to '-name'\n"),
        (". -size 5q", "find: invalid argument '5q' to -size\n"),
        (". -maxdepth +1", "find: invalid argument '+1' to -maxdepth\n"),
        (". \\( -name x", "find: invalid expression; expected ')'\n"),
        (". -newermt 'no date'", "find: I cannot figure out how to interpret 'no date' as a date or time\n"),
        (". -type f,f", "find: Duplicate file type 'f' in the argument list to -type.\n"),
        (". -exec nothing {} \\;", "find: -exec: 'nothing': command not found\n"),
        (". -regex '[a'", "find: failed to compile regular expression '[a': Unmatched [, [^, [:, [., or [=\n"),
        (". -exec \\;", "find: invalid argument ';' to '-exec'\n"),
        ("nosuch", "find: 'nosuch': no such file or directory\n"),
        ("''", "find: '': No such file or directory\n"),
    ],
)  # fmt: skip
def test_what_is_refused_says_why(call: str, message: str, run: Ours) -> None:
    result = run(f"find {call}")
    assert (result.stdout, result.stderr.decode(), result.exit_code) == (b"", message, 1)


def test_commands_must_be_allowed_before_the_walk_begins(run: Ours) -> None:
    result = run("find . -print -exec cat {} \\;", allowed_commands=["rshell:find"])
    assert (result.stdout, result.stderr) == (b"", b"find: -exec: 'cat': command not allowed\n")


def test_commands_named_by_files_are_checked_when_they_run(run: Ours, tmp_path: Path) -> None:
    (tmp_path / "cat").touch()
    result = run("find cat -exec {} x \\;", allowed_commands=["rshell:find"])
    assert result.stdout == b""
    assert b"cat" in result.stderr


def test_a_loop_is_named_and_not_entered(run: Ours, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d/loop").symlink_to("..")
    result = run("find -L d")
    assert result.exit_code == 1
    assert result.stdout == b"d\nd/loop\n"
    assert (
        result.stderr == b"find: File system loop detected; 'd/loop/d' is part of the same file system loop as 'd'.\n"
    )


def test_links_do_not_lead_outside(run: Ours, tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("/etc")
    result = run("find -L . -name hostname")
    assert (result.stdout, result.stderr, result.exit_code) == (b"", b"find: './out': permission denied\n", 1)


def test_deep_trees_need_few_descriptors_and_end_at_the_bound(run: Ours, tmp_path: Path) -> None:
    (tmp_path / "/".join(["d"] * 100)).mkdir(parents=True)
    result = run("find . -depth | wc -l")
    assert result.stdout == b"101\n"
    (tmp_path / "/".join(["d"] * 300)).mkdir(parents=True)
    result = run("find . | wc -l")
    assert (result.stdout, result.exit_code) == (b"257\n", 0)
    assert b"directory nesting too deep (256 levels at most)" in result.stderr


def test_an_expression_may_have_256_parts(run: Ours) -> None:
    assert run("find . -maxdepth 0" + " -true" * 255).exit_code == 0
    assert run("find . -maxdepth 0" + " -true" * 256).exit_code == 1


def test_times_count_from_the_run_s_one_clock(run: Ours, tmp_path: Path) -> None:
    sample_tree.write(tmp_path, b"f", modified=1_000_000_000)
    assert run("find f -mmin 2", clock=lambda: 1_000_000_090.0).stdout == b"f\n"
    assert run("find f -mmin 1", clock=lambda: 1_000_000_090.0).stdout == b""
    assert run("TZ=Asia/Tokyo find f -printf '%t\\n'").stdout == b"Sun Sep  9 10:46:40.0000000000 2001\n"
