"""sed beside GNU sed: every command, address, flag and option, and what is refused."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from rshell import limits
from tests.builtins.oracle import Ours, Theirs, same

INPUTS = [
    b"1\n2\n3\n4\n5\n6\n7\n",
    b"a^b.c*d[e]f$g\\h+i?j{k}l|m(n)o/p&q\tr\n",
    b"axb\nfoo bar\nt1",
    b"",
]
# One call a line, as a shell reads it.
CALLS = r"""
sed 'a hello\nworld'
sed 'a hello\tworld'
sed 'a\  two'
sed '1a\ttab'
sed 'a\text'
sed -e 'a\' -e 'foo'
sed 'a'
sed 'a\'
sed 'i\\tx'
sed 'a\\tx'
sed 'a  \  q'
sed 'a ab\\cd\e'
sed -e 'a x\' -e '  y'
sed -e 'a\' -e '  y'
sed -e 'i\' -e p
sed 's.a\.b.X.'
sed 's|a\|f|X|'
sed 's+o\++X+'
sed 's/a/b/ ;p'
sed 's/a/b/ p'
sed 's/a/b/ }'
sed '{s/a/b/ }'
sed '{:a}'
sed '{b}'
sed ':a;b'
sed '1{ba};:a'
sed '1,p'
sed '+1p'
sed -n '2,+0p'
sed -n '1,~0p'
sed -n '1,~2p'
sed '1~p'
sed -n '0~2p'
sed '0~0p'
sed -n '2~0p'
sed 's/.*/\u\L&/'
sed 's/.*/\L\u&/'
sed 's/[o]/\x26/'
sed 's/[\t]/X/g'
sed 's/[\n]/X/'
sed 'N;s/[\n]/X/'
sed -E 's/[\t]/X/g'
sed 's/[\x61]/X/'
sed 's/\x5e/X/'
sed 's/\x61/X/'
sed 's/\d097/X/;s/\o141/Y/'
sed 's/a\cAb/X/'
sed 'y/abc/\n\t\\/'
sed 'y/a\/b/123/'
sed 'y/a/\q/'
sed 's/a/\q/'
sed 'p;p;p'
sed -n '$='
sed 'sn\nnXn'
sed 's/o\nb/X/'
sed -z 's/\n/,/g'
sed -z '$!d'
sed '!!p'
sed '! p'
sed '}'
sed '{'
sed 'k'
sed 'b foo'
sed ':'
sed '1:a'
sed '1}'
sed '#n'
sed '1#x'
sed '//p'
sed 's//x/'
sed 's/a//x'
sed 's/a'
sed '/a'
sed 'y/a/'
sed 's/a/b/gg'
sed 's/a/b/pp'
sed 's/a/b/1 2'
sed 's/a/b/12g3'
sed 'q5;x'
sed '1,2q'
sed '1,2='
sed 's/\(a/b/'
sed 's/a/\1/'
sed 'l 3'
sed 'l 1'
sed -l 5 -n l
sed l
sed 'v 4.2'
sed v
sed 'd x'
sed 's/a/b/;;;;p'
sed '1,$!d'
sed -n 'N;N;2,5p'
sed -n 'N;N;2,4p'
sed -n '2,4{N;N;p}'
sed '2,4c\X'
sed '2,9c\X'
sed '2,4!c\X'
sed '$!N;D'
sed '2q5'
sed '2Q5'
sed -s N
sed 'n;d'
sed '$!n;d'
sed --posix '2,4c\X'
sed --posix N
sed -n --posix 'N;p'
sed -E '0,/1/d'
sed '0,/1/d'
sed '1,/1/d'
sed '0,5d'
sed '0p'
sed '2,1p'
sed '/3/,+2d'
sed '/3/,~4d'
sed '2,/[0-9]/d'
sed '2~3d'
sed '3!{d}'
sed -n '/2/,/4/{//!p}'
sed '2y/2/3/;3F'
sed 'x;G;H'
sed '2z;3='
sed -f /dev/null
sed -e ''
sed -e 'b;a'
sed ':a b;p'
sed ':a;s/1/2/;ta;p'
sed 'bx;p;:x ;p'
sed 'bx ;p;:x'
sed '2{p};p'
sed '{p'
sed '{p}}'
sed 'p}'
sed 'y/1/2/p'
sed 'y/1/2/;p'
sed 'y/1/2/ p'
sed '/1/I p'
sed '/1/Mp'
sed '/1/x,2p'
sed '1 , 3 d'
sed '1,3 ! d'
sed '1 ~ 3 d'
sed '2,+ 1d'
sed '$ d'
sed '\,1,d'
sed '\1\11d'
sed '$!{$!N;s/\n/-/}'
sed 'c\'
sed '2c'
sed '2i\'
sed '1!G;h;$!d'
sed -n '2{p;q}'
sed '3,1{p}'
sed -s -n '$p' - f
sed p nofile
sed -n '$p' - nofile
sed p .
sed '5,2!d'
sed -n 'N;N;2,2p'
sed -n 'N;N;2p'
sed -n 'N;N;2,/x/p'
sed -n 'N;N;2,$p'
sed -n 'N;N;2,+1p'
sed -n 'N;N;2,+0p'
sed -n 'N;N;2,~2p'
sed -n 'N;N;2,1p'
sed -n 'N;N;1,2p'
sed -n 'N;N;1~3,2p'
sed -n 'N;N;4,5p'
sed -n 'N;N;/4/,4p'
sed -n '/2/,3{p;N;N}'
sed -n '/2/,~4p'
sed -n '$!N;$!N;2,3p'
sed -n '2,3{p;N;N};p'
sed p . f
sed -n p nofile f
sed ':a}'
sed 'ba};:a}'
sed 'b a}'
sed '{1}'
sed '{p;1}'
sed 'a foo' -e p
sed -n -l 1 l
sed '1l 0;d'
sed 's/1/é\x01\d200/;l 3;d'
sed 's/\x5d/X/'
sed 's/\x2b/X/'
sed -E 's/\x7c/X/'
sed 's/\x24/X/'
sed 's/\x0a/X/'
sed 's/[\x5d]/X/g'
sed 's/[a\x5d]/X/g'
sed 's/a\x5e/X/'
sed 's/\d046/X/'
sed 's/\o56/X/'
sed 's/b\x2e*/X/'
sed 's/x/\x5c\x5cn/'
sed 's/a/\x5cn/'
sed 's/a/\x5c/'
sed 's/a/\x0a/'
sed 's/a/\cA\c[/;l'
sed 's/a/\d10\o11/;l'
sed 's/a/\d300\o7\xz/;l'
sed 's/a/\c\\/;l'
sed 's/a/\f\v\a\r\b/;l'
sed 's/\f\v*/x/'
sed 's/[^\n]*/X/'
sed 's/[\.]/X/g'
sed 's/[\]/X/g'
sed 's/[/]/X/'
sed 's/[\/]/X/g'
sed 's|[\|]|X|g'
sed 's/\//X/;s,\,,Y,'
sed -E 's+i\++X+'
sed -E 's|l\||X|'
sed -E 's{k\{{X{'
sed 's{k\{{X{'
sed -E 's(n\)(X('
sed 's)n\))X)'
sed 's*c\**X*'
sed 's^a\^^X^'
sed 's$f\$$X$'
sed 's&p\&&X\&Y&'
sed 's,p,x\,y,'
sed 'snonX\nYn'
sed 'y/a\nb/1\n2/'
sed 'y,a\,b,123,'
sed 'y/\\/X/'
sed 'y/\t/X/'
sed 'y/\x61/X/'
sed 'y/abc/\x41\d066C/'
sed 's/a/\n/;P;D'
sed 's/\(a\)\(\^\)/[\2\1\0]/'
sed 's/.*/\Ux\uyz\lABC\E&\Ufoo/'
sed 's/\(x*\)\(a\)/\u\1\2/'
sed 's/a/\u/;s/b/\uq\u/'
sed 's/a.b/\U&\Lx\UABC/'
sed 's/\n//;s/$/Z/'
sed --sandbox p
sed --follow-symlinks -n p
sed -n --quiet p
sed -s -u -b p
sed --line-length=5 l
sed -l x p
sed -E 's/(a)|b/[\1]/g'
sed '/a/ , /b/ p'
sed '/A/Ip'
sed '/a/IMp;//p'
sed 's/A/X/i;s/B/Y/I;s/C/Z/gI'
sed '//I p'
sed 's//x/g'
sed '/a/!s//X/;s//Y/'
sed 's/a/b/m;s/^b/c/M'
sed 'G;s/$/X/mg'
sed 'G;G;s/^/X/Mg;s/\`/</M'
sed -n '$p' f g
sed p g f
sed -s '1F;$=' g f
sed -s '2,3d' f f
sed '$d' g f
sed -s '$d' g f
sed '2d' g f
sed x g f
sed G g f
sed '$!N;P;D' g f
sed 'n;s/./Q/' g f f
sed -s -n '0,/a/p' f f
sed -n -s '2,$p' f g f
sed -f s f
sed -n -f s f
sed -nf s f g
sed --expression=p --file=s f
sed '1d;2q' f
sed '1!d' f
sed '2,$d' f g
sed -n '2p;4p' f g
sed -n '2,3p;3p' f g
sed '2a x' g
sed '2i x' g
sed '$a x' g
sed 'N;a x' f
sed 's/b*/X/g'
sed 's/b*/X/2'
sed 's/x*/-/3g'
sed 's/[a-z]*/<&>/g'
sed 's/\b/|/g'
sed 's/\</<</g'
sed 's/\>/>>/g'
sed 's/\B/-/g'
sed 's/$/!/g;s/^/!/g'
sed 's/a\|b/X/2g'
sed -E 's/(a|x)+/[&]/g'
sed -E 's/o{2}/\U&/'
sed -E 's/(f)(o)/\2\1/g'
sed 's/o/0/2p'
sed -n 's/o/0/gp'
sed 's/./\&\\/'
sed 'D'
sed 'P'
sed -n 'P'
sed '/foo/{x;p;x}'
sed 'H;$!d;x;s/\n/,/g'
sed ':a;N;$!ba;s/\n/,/g'
sed ':a;N;$!ba;s/\n/,/g' g f
sed ':a;$!{N;ba};s/\n/,/g'
sed -n '$!{h;d};H;x;p'
sed 'c foo'
sed '$c foo'
sed '1,2c foo'
sed '$!c foo'
sed -z 'l;='
sed -z 'i foo'
sed -z 'F;N;P;D'
sed 'y/abc/ABC/;s/A/é/;y/é/è/;s/è/\U&/'
sed 's/a/\L\xc3\x89/'
sed 's/a/É/;s/É/\l&x/'
sed -E 's/(.)(.)/\2\1/'
sed -E 's/(.)(.)/\2\1/g'
sed -E '/^.o+/!s/^(.).(.)/\2-\1/g'
sed -n '/o/='
sed '/o/!d'
sed '/x/d;/o/s/o/0/g'
sed 's/o/0/;s/0/1/;s/1/2/g'
sed -n '/o/p;/f/p'
sed -n 's/^/>/p'
sed '/^$/d'
sed 's/^[ \t]*//;s/[ \t]*$//'
sed -n '/a/{p;q}'
sed -n '/a/,$p'
sed 's/[^a]//g'
sed 's/^\(.\)\(.*\)$/\2\1/'
sed '1~2d'
sed '$!d'
sed -n '$!p'
sed '2q;d'
sed 'q' f g
sed -n '/a/I,/B/Ip'
sed 's/a/b/I;t;s/o/X/'
sed 's/a/b/;T;s/b/c/'
sed 's/a/x/;n;t;s/./Y/'
sed --null-data p
sed --zero-terminated p
sed --regexp-extended 's/(a)/\1\1/'
sed -r 's/a+/X/'
sed --silent p
sed '/a/s//X\1/'
sed 's/\(a\)/\2/'
sed 's/a\{1/b/'
sed 's/\(/b/'
sed -E 's/a{2,1}/x/'
sed -E 's/*a/x/'
sed 's/*a/x/'
sed 's/\n*/x/g'
sed "s/'/x/"
sed 's/a/b'
sed 's/a/b\'
sed 's/a\'
sed 'y/a/b'
sed '1,'
sed '1,2'
sed ',2p'
sed '/a/,p'
sed '$,1p'
sed '$,$p'
sed '1!'
sed 'p!'
sed 'p # comment'
sed 'p;# comment'
sed '{p;p'
sed '{{p}'
sed '}p'
sed '{};p'
sed '{;p;}'
sed '{p};{p}'
sed '{p}p'
sed '1{p}2{p}'
sed '{p} p'
sed 'bend;p;:end'
sed 'b;p'
sed 't;p'
sed 'T;p'
sed 'tx'
sed 's/a/b/;tx;p;:x'
sed '2,0~4p'
sed '+p'
sed 'y/a/b/#x'
sed 'b a#x;:a'
sed -z 'i foo'
sed --posix 's/A/b/I'
sed --posix 's/a\|b/x/;s/o\+/x/'
sed --posix z
sed -n 'p;q' g
sed -n '2{p;q}' g
sed -z 'l 5'
sed 'N;s/a.b/X/M;s/b[^x]f/Y/M;s/[0-9].[0-9]/Z/M'
sed -z 's/^f/X/M'
sed -n '3,~3p'
sed -n '/3/,~1p'
sed -n '4,1~3p;4,2~3p'
sed --posix '1,2='
sed '!#'
sed '/a/,$c baz'
sed '$!F' - f
sed '#no'
sed -s x g g
sed -s 'H;x' g g f
sed 's/[^a]*//' g g
sed --posix 'l 5'
sed --posix 'a\'
sed -n '2,0~4p;4,0~4p'
"""


@pytest.mark.parametrize("text", INPUTS)
def test_as_gnu(run: Ours, bash: Theirs, tmp_path: Path, text: bytes) -> None:
    (tmp_path / "f").write_bytes(b"a\nb\nc\n")
    (tmp_path / "g").write_bytes(b"x\ny")
    (tmp_path / "s").write_bytes(b"#n\np\n/a/d\n")
    (tmp_path / "in").write_bytes(text)
    calls = CALLS.strip().split("\n")
    theirs = bash("\n".join(f"{call} < in; printf '\\001%s\\002' $?" for call in calls)).stdout.split(b"\2")
    for call, expected in zip(calls, theirs, strict=False):
        ours = run(f"{call} < in")
        assert (call, ours.stdout + b"\1%d" % ours.exit_code) == (call, expected)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("d x", "-e expression #1, char 3: extra characters after command"),
        ("{p", "-e expression #1, char 0: unmatched `{'"),
        ("p}", "-e expression #1, char 2: unexpected `}'"),
        ("k", "-e expression #1, char 1: unknown command: `k'"),
        ("s/a", "-e expression #1, char 3: unterminated `s' command"),
        ("s/a/b/0", "-e expression #1, char 7: number option to 's' command may not be zero"),
        ("//Ip", "-e expression #1, char 3: cannot specify modifiers on empty regexp"),
        ("s/a/\\1/", "-e expression #1, char 7: invalid reference \\1 on `s' command's RHS"),
        ("s/[:space:]/x/", "character class syntax is [[:space:]], not [:space:]"),
        ("b foo", "can't find label for jump to `foo'"),
        ("r f", "'r' command is blocked: unsandboxed file reading is not allowed"),
        ("w f", "'w' command is blocked: file writing is not allowed"),
        ("1e", "'e' command is blocked: command execution is not allowed"),
        ("s/a/b/gw f", "'w' flag in 's' command is blocked: file writing is not allowed"),
        ("s/a/b/e", "'e' flag in 's' command is blocked: command execution is not allowed"),
    ],
)
def test_wrong_scripts_say_where(run: Ours, script: str, message: str) -> None:
    result = run(f"sed '{script}'", stdin=b"a\n")
    assert (result.stdout, result.stderr.decode()) == (b"", f"sed: {message}\n")
    assert result.exit_code == (4 if "label" in message else 1)


def test_back_references_are_refused_with_what_to_do(run: Ours) -> None:
    result = run(r"sed 's/\(a\)\1/x/'", stdin=b"aa\n")
    assert b"back-references such as \\1 are not supported" in result.stderr
    assert (result.stdout, result.exit_code) == (b"", 1)


def test_editing_in_place_is_refused(run: Ours) -> None:
    result = run("sed -i s/a/b/ f")
    assert b"option '-i' is not supported: files cannot be changed" in result.stderr
    assert result.exit_code == 1


def test_a_script_that_turns_for_ever_ends(run: Ours) -> None:
    for script in (":a;ba", "s/^/x\\n/;D", ":a;s/^/x/;ta"):
        result = run(f"sed '{script}'", stdin=b"a\n")
        assert result.stderr == b"sed: branch limit exceeded (10000 for one line)\n"
        assert result.exit_code == 1


def test_the_spaces_have_bounds(run: Ours, tmp_path: Path) -> None:
    line = b"x" * (limits.SED_SPACE // 2)
    (tmp_path / "f").write_bytes(line + b"\n" + line[1:] + b"\n")
    assert run("sed N f").stdout == line + b"\n" + line[1:] + b"\n"
    for script, space in (("N;s/^/x/", "pattern"), ("h;G;G", "pattern"), ("H;H;H", "hold"), (":a;N;$!ba;s/$/xx/", "pattern")):
        result = run(f"sed '{script}' f")
        assert result.stderr == f"sed: {space} space limit exceeded ({limits.SED_SPACE} bytes)\n".encode(), script
        assert result.exit_code == 1


def test_a_line_has_its_bound(run: Ours, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * limits.LINE + b"\n")
    (tmp_path / "g").write_bytes(b"x" * limits.LINE + b"x\n")
    for script in ("s/a/b/", "2p", "n"):
        assert run(f"sed '{script}' f | wc -c").stdout == b"%d\n" % (limits.LINE + 1)
        result = run(f"sed '{script}' g")
        assert (result.stdout, result.stderr) == (b"", b"sed: line too long (1048576 bytes at most)\n")
        assert result.exit_code == 1


def test_what_q_leaves_unread_is_there_for_the_next(run: Ours, bash: Theirs, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"a\nb\nc\nd")
    for script in ("sed q; cat", "sed 2q; cat", "sed -u 3q; cat", "sed -n p; cat", "sed '$!N;2q'; cat", "sed -n 2p; cat"):
        same(run, bash, f"({script}) < f")


def test_lines_far_down_are_found_without_looking_at_those_before(run: Ours, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"a line of no interest\n" * 1_000_000 + b"one\ntwo\n")
    start = time.perf_counter()
    assert run("sed -n '1000001,1000002p' f").stdout == b"one\ntwo\n"
    assert run("sed -n '2,3p;1000002p' f").stdout.endswith(b"\ntwo\n")
    assert time.perf_counter() - start < 2


def test_joining_all_lines_takes_no_time(run: Ours, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"".join(b"%d\n" % number for number in range(100_000)))
    expected = b",".join(b"%d" % number for number in range(100_000)) + b"\n"
    assert run("sed ':a;N;$!ba;s/\\n/,/g' f").stdout == expected


def test_help_is_printed_for_h_too(run: Ours) -> None:
    assert run("sed -h").stdout == run("sed --help").stdout
