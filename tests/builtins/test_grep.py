"""grep against GNU's, option by option, and its messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from rshell import limits
from tests.builtins.oracle import Ours, Theirs, quoted, same

TEXT = (
    b"one error here\ntwo\n\nthree Error\n\tfour (4) error error\nlast_word error_x\n"
    b"caf\xc3\xa9 error\n12 34 a.b*c\nx{2}\n[abc]\n-e\nno end error"
)
OPTIONS = [
    "", "-i", "-v", "-c", "-l", "-L", "-n", "-H", "-h", "-o", "-q", "-s", "-x", "-w", "-a", "-b", "-z", "-I", "-Z", "-T", "-y",
    "-iv", "-ci", "-cv", "-on", "-ob", "-oi", "-ow", "-iw", "-nb", "-nH", "-nT", "-HnbT", "-HT", "-lv", "-lZ", "-cH", "-cZ -H",
    "-m 1", "-m 0", "-m 2 -c", "-m 2 -v", "-m -1", "-m1 -A1", "-A 1", "-B 1", "-C 1", "-1", "-n1", "-1n", "-A1 -n -b", "-B9",
    "-A0", "-C0", "-o -C1", "-v -C1", "-c -C1", "-A1 --no-group-separator", "-A0 --group-separator=XX", "-10", "-vn", "-vo", "-L -v",
    "--count", "--ignore-case", "--line-number", "--only-matching", "--max-count=1", "--context=1", "--color=never", "--colour=auto",
    "--line-buffered", "--text", "-U", "-E", "-F", "-G", "-P", "-xF", "-wF", "-iF", "-Fo", "--label=L -H", "--binary-files=text",
    "--quiet", "--silent", "--no-messages", "--null", "--initial-tab", "--byte-offset", "-D skip", "--no-ignore-case -i",
]  # fmt: skip
PATTERNS = ["error", "[Ee]rror$", "^$", "", "e*", "zzz", "\\(4\\|or\\)", "error\ntwo"]


@pytest.mark.parametrize("options", OPTIONS)
def test_as_gnu(run: Ours, bash: Theirs, tmp_path: Path, options: str) -> None:
    (tmp_path / "f").write_bytes(TEXT)
    (tmp_path / "g").write_bytes(TEXT.replace(b"error", b"fault") + b"\n")
    for pattern in PATTERNS:
        if "-P" in options and ("\n" in pattern or "\\(" in pattern):
            continue
        call = f"grep {options} -e {quoted(pattern)}"
        for rest in ("f", "g f", "< f", "- g < f"):
            same(run, bash, f"{call} {rest}")


@pytest.mark.parametrize(
    "script",
    [
        "grep -r a d", "grep -r a d/", "grep -R a d", "grep -rn a . | sort", "grep -r a | sort", "grep -rl a d", "grep -rc a d | sort",
        "grep -rh a d", "grep -rL zz d | sort", "grep -r --include='*.c' a d", "grep -r --exclude='*.c' a d | sort",
        "grep -r --exclude-dir=sub a d | sort", "grep -r --include=x.c --include='*.h' a d", "grep --exclude=x.c a d/x.c d/y.h",
        "grep --include=x.c a d/x.c d/y.h", "grep --exclude='d/*' a d/x.c", "grep -r --exclude-dir=d a d", "grep -d skip a d d/x.c",
        "grep -d recurse a d | sort", "grep -s a d", "grep -s a nope d/x.c", "grep -q a nope d/x.c", "grep -c a d d/x.c", "grep -l a d",
        "grep -r a d/x.c", "grep -f pats d/x.c d/y.h", "grep -f /dev/null d/x.c", "grep -vf /dev/null d/x.c", "grep -v -f pats d/x.c",
        "echo a | grep -f - d/x.c", "grep -e a -f pats d/x.c", "grep -Ff pats d/x.c", "grep -xf pats d/x.c", "grep -e b -e c d/x.c",
        "(grep -m1 a; cat) < d/x.c", "(grep -m1 -A1 a; cat) < d/x.c", "egrep 'a|b' d/x.c", "fgrep a. d/x.c", "grep -- -e d/x.c",
        "grep a d/x.c -n", "grep -rZl a d/sub", "grep -r --exclude-from=pats a d | sort", "grep -c '' < /dev/null", "grep -L a < /dev/null",
        "grep -z b zero", "grep -zo 'b.*' zero", "grep -zc '^b' zero", "grep -zxv ab zero", "grep -zn b zero",
        "grep a bin", "grep -a a bin", "grep -c a bin", "grep -o a bin", "grep -v zz bin", "grep -l a bin", "grep -q a bin", "grep -I a bin",
        "grep a latin", "grep -v zz latin", "grep -a a latin", "grep -n a latin d/x.c", "grep -o '.a' latin", "grep -ao '.*' latin",
        "grep -m 1 a bin", "grep -A1 a bin d/x.c", "grep -x $'\\xff' latin", "grep -ac $'\\xff' latin", "while :; do echo ab; done | grep -m 3 b",
        "grep -E 'a|*b' d/x.c", "grep 'x\\{2\\}' d/x.c", "grep -E '(a|b){2,3}' d/x.c", "grep -i '\u00e9' latin", "grep -w '\u00e9' latin",
    ],
)  # fmt: skip
def test_files_as_gnu(run: Ours, bash: Theirs, tmp_path: Path, script: str) -> None:
    (tmp_path / "d" / "sub").mkdir(parents=True)
    (tmp_path / "d" / "x.c").write_bytes(b"a1\nb2\nab\naxx\n-e\na.\n")
    (tmp_path / "d" / "y.h").write_bytes(b"no\nA\na end")
    (tmp_path / "d" / "sub" / "z").write_bytes(b"a\n")
    (tmp_path / "d" / "link").symlink_to("y.h")
    (tmp_path / "pats").write_bytes(b"b2\nx.c\n")
    (tmp_path / "zero").write_bytes(b"a\nb\0ab\0bb\nx")
    (tmp_path / "bin").write_bytes(b"a1\nx\0a2\na3\n")
    (tmp_path / "latin").write_bytes(b"a1\na\xe9a\n\xff\n\xc3\xa9\n\xc3\x89\na2\n")
    same(run, bash, script)


@pytest.mark.parametrize(
    ("call", "status", "message"),
    [
        ("x nope", 2, "grep: nope: no such file or directory\n"),
        ("x d", 2, "grep: d: is a directory\n"),
        ("-s x nope", 2, ""),
        ("-E -G x", 2, "grep: conflicting matchers specified\n"),
        ("-m x y", 2, "grep: invalid max count\n"),
        ("-A x y", 2, "grep: x: invalid context length argument\n"),
        ("-C -1 y", 2, "grep: -1: invalid context length argument\n"),
        (
            f"-A {limits.GREP_CONTEXT + 1} y",
            2,
            f"grep: {limits.GREP_CONTEXT + 1}: context length over the limit ({limits.GREP_CONTEXT} lines)\n",
        ),
        ("--binary-files=x y", 2, "grep: unknown binary-files type\n"),
        ("-f nope f", 2, "grep: nope: no such file or directory\n"),
        ("'[a' f", 2, "grep: Unmatched [, [^, [:, [., or [=\n"),
        ("'a\\(b' f", 2, "grep: Unmatched ( or \\(\n"),
        ("[:space:] f", 2, "grep: character class syntax is [[:space:]], not [:space:]\n"),
        ("-E '*a' f", 0, "grep: warning: * at start of expression\n"),
        (
            "-E '(a)\\1' f",
            2,
            "grep: back-references such as \\1 are not supported; spell the alternatives out, or compare the parts with awk\n",
        ),
        (
            "-P 'a(?=b)' f",
            2,
            "grep: look-around such as (?=) is not supported; match the whole and cut it out with grep -o, cut or sed, "
            "or filter with grep -v\n",
        ),
        (
            "--color=always a f",
            2,
            "grep: option '--color=always' is not supported: output has no colours, use --color=never\n"
            "Try 'grep --help' for more information.\n",
        ),
        ("-Q x", 2, "grep: invalid option -- 'Q'\nTry 'grep --help' for more information.\n"),
        ("a bin", 0, "grep: bin: binary file matches\n"),
        ("a < bin", 0, "grep: (standard input): binary file matches\n"),
    ],
)
def test_messages(run: Ours, tmp_path: Path, call: str, status: int, message: str) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "f").write_bytes(b"a\n")
    (tmp_path / "bin").write_bytes(b"a\0\n")
    result = run(f"grep {call}")
    assert (result.exit_code, (result.stderr or b"").decode()) == (status, message)


def test_a_line_over_the_limit_is_an_error(run: Ours, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"a\n" + b"x" * limits.LINE + b"\n")
    assert run("grep -c x f").stdout == b"1\n"
    for text in (b"a\n" + b"x" * (limits.LINE + 1), b"a\n" + b"x" * (limits.LINE + 1) + b"\n"):
        (tmp_path / "f").write_bytes(text)
        result = run("grep -c x f")
        assert (result.exit_code, result.stderr) == (2, b"grep: line too long (1048576 bytes at most)\n")


def test_it_stops_reading_when_it_knows_enough(run: Ours) -> None:
    for search in ("grep -q y", "grep -l y", "grep -m 2 y", "grep y | head -n 2"):
        assert run(f"while :; do echo y; done | {search}", max_execution_time=5.0).exit_code == 0


def test_many_plain_patterns(run: Ours, tmp_path: Path) -> None:
    (tmp_path / "ids").write_bytes(b"".join(b"identifier-%06d\n" % number for number in range(0, 20_000, 2)))
    (tmp_path / "f").write_bytes(b"".join(b"x identifier-%06d y\n" % number for number in range(0, 1000)))
    assert run("grep -cFf ids f").stdout == b"500\n"
    assert run("grep -m1 -oFf ids f").stdout == b"identifier-000000\n"


def test_recursion_stays_in_the_roots_and_sees_loops(run: Ours, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "up").symlink_to("..")
    (tmp_path / "d" / "out").symlink_to("/etc/passwd")
    (tmp_path / "d" / "f").write_bytes(b"root\n")
    assert run("grep -r root d").stdout == b"d/f:root\n"
    result = run("grep -R root d")
    assert b"d/out: permission denied" in result.stderr
    assert b"recursive directory loop" in result.stderr
    assert result.exit_code == 2
