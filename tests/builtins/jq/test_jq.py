"""The command line of jq, its statuses and messages, its bounds, and where we follow 1.7 rather than 1.6."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.builtins.oracle import quoted

if TYPE_CHECKING:
    from rshell import Result

Run = Callable[..., "Result"]


def jq(run: Run, *arguments: str, stdin: bytes = b"", **given: object) -> tuple[bytes, bytes, int]:
    result = run(quoted("jq", *arguments), stdin=stdin, **given)
    return result.stdout, result.stderr, result.exit_code


@pytest.mark.parametrize(
    ("program", "output"),
    [
        ("[limit(0; 1, 2)]", b"[]\n"),
        ('try error(null) catch "caught"', b'"caught"\n'),
        ("if false then 1 end", b"null\n"),
        ("[1, 2, 3, 4] | (.[] | select(. > 1)) |= empty", b"[1]\n"),
        ("{a: [1, {b: 2}]} | pick(.a[1].b)", b'{"a":[null,{"b":2}]}\n'),
        ("100000000000000000000000001", b"100000000000000000000000001\n"),
        ("(-5) | abs", b"5\n"),
        ('" x " | trim, ltrim, rtrim', b'"x"\n"x "\n" x"\n'),
        ("[1, [2]] | toarray, (3 | toarray)", b"[1,[2]]\n[3]\n"),
        ("have_literal_numbers", b"true\n"),
        ('{("a", "b"): 1}', b'{"a":1}\n{"b":1}\n'),
        ('"abc" | ascii_downcase | @base32 | @base32d', b'"abc"\n'),
        ("[1, 2] | until(length < 1; .[1:])", b"[]\n"),
        ("0 | [limit(4; repeat(. + 1))]", b"[0,1,2,3]\n"),
        ('1 | debug("x")', b"1\n"),
        ('[splits("a")?]', b"[]\n"),
        ("def f: ., (. + 1 | f); [limit(5; 0 | f)]", b"[0,1,2,3,4]\n"),
        ("def a: if . > 50000 then . else . + 1 | a end; 0 | a", b"50001\n"),
        ('isvalid(1), isvalid(error("x"))', b"true\nfalse\n"),
        ('["a", "b"] | add(.[])', b'"ab"\n'),
    ],
)
def test_as_1_7_has_it(run: Run, program: str, output: bytes) -> None:
    assert jq(run, "-n", "-c", program)[::2] == (output, 0)


@pytest.mark.parametrize(
    ("arguments", "stdin", "expected"),
    [
        (["-e", "."], b"null", (b"null\n", b"", 1)),
        (["-e", "empty"], b"1", (b"", b"", 4)),
        (["-e", "."], b"0", (b"0\n", b"", 0)),
        (["."], b"{", (b"", b"jq: parse error: Unfinished JSON term at EOF at line 1, column 1\n", 2)),
        (["-c", "."], b"1\n[1,]\n", (b"1\n", b"jq: parse error: Expected another array element at line 2, column 4\n", 2)),
        (["foo"], b"", (b"", b"jq: error: foo/0 is not defined at <top-level>, line 1:\nfoo\njq: 1 compile error\n", 3)),
        (["$x"], b"", (b"", b"jq: error: $x is not defined at <top-level>, line 1:\n$x\njq: 1 compile error\n", 3)),
        ([".a"], b'{"a":1}\n3\n{"a":2}\n', (b"1\n2\n", b'jq: error (at <stdin>:2): Cannot index number with string "a"\n', 5)),
        (["error({a:1})"], b"1\n", (b"", b'jq: error (at <stdin>:1) (not a string): {"a":1}\n', 5)),
        (["halt_error"], b'"bye\\n"', (b"", b"bye\n", 5)),
        (["1, halt, 2"], b"1 2", (b"1\n", b"", 0)),
        (["-n", "input"], b"", (b"", b"jq: error (at <unknown>): No more inputs\n", 5)),
        (["-c", "[., input]"], b"1 2 3 4", (b"[1,2]\n[3,4]\n", b"", 0)),
        (["-n", "-c", "[inputs]"], b"1 [2]\"x\"", (b'[1,[2],"x"]\n', b"", 0)),
        (["-s", "-c", "."], b"1 2", (b"[1,2]\n", b"", 0)),
        (["-R", "."], b"a\nb", (b'"a"\n"b"\n', b"", 0)),
        (["-R", "-s", "."], b"a\nb\n", (b'"a\\nb\\n"\n', b"", 0)),
        (["-j", "."], b'"a" 1', (b"a1", b"", 0)),
        (["-a", "-c", "."], '"é😀"'.encode(), (b'"\\u00e9\\ud83d\\ude00"\n', b"", 0)),
        (["-S", "-c", "."], b'{"b":1,"a":{"d":1,"c":2}}', (b'{"a":{"c":2,"d":1},"b":1}\n', b"", 0)),
        (["--tab", "."], b"[1]", (b"[\n\t1\n]\n", b"", 0)),
        (["--indent", "1", "."], b"[1]", (b"[\n 1\n]\n", b"", 0)),
        (["-n", "-c", "--arg", "a", "1", "--argjson", "b", "{\"x\":2}", "[$a, $b, $ARGS.named.a]"], b"", (b'["1",{"x":2},"1"]\n', b"", 0)),
        (["-n", "-c", "$ARGS.positional", "--args", "a", "b"], b"", (b'["a","b"]\n', b"", 0)),
        (["-n", "-c", "$ARGS.positional", "--jsonargs", "1", "[2]"], b"", (b"[1,[2]]\n", b"", 0)),
        (["."], b'"a\xffb"', ('"a\ufffdb"\n'.encode(), b"", 0)),
        (["."], b'"\\ud83d"', ('"\ufffd"\n'.encode(), b"", 0)),
        (["-c", "."], b'{"a":1,"b":2,"a":3}', (b'{"a":3,"b":2}\n', b"", 0)),
    ],
)  # fmt: skip
def test_options_and_statuses(run: Run, arguments: list[str], stdin: bytes, expected: tuple[bytes, bytes, int]) -> None:
    assert jq(run, *arguments, stdin=stdin) == expected


def test_files_come_through_the_sandbox(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"x":1}\n{"x":2}\n')
    (tmp_path / "p.jq").write_text(".x # a comment\n")
    assert jq(run, "-f", "p.jq", "a.json") == (b"1\n2\n", b"", 0)
    assert jq(run, "-nc", "--slurpfile", "a", "a.json", "--rawfile", "b", "p.jq", "$a, $b") == (
        b'[{"x":1},{"x":2}]\n".x # a comment\\n"\n', b"", 0)  # fmt: skip
    assert jq(run, ".x", "none.json", "a.json") == (
        b"1\n2\n",
        b"jq: error: Could not open file none.json: no such file or directory\n",
        2,
    )
    assert jq(run, ".", "/etc/passwd") == (b"", b"jq: error: Could not open file /etc/passwd: permission denied\n", 2)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("[range(1e9)] | length", b"too many steps (10000000 at most for one input)"),
        ("def f: 1 + f; f", b"nesting or function calls too deep"),
        ('reduce range(100) as $i ("x"; . + .)', b"values too large (134217728 bytes at most)"),
        ("reduce range(60) as $i ([]; [., .])", b"values too large (134217728 bytes at most)"),
        (
            "reduce range(60) as $i ([]; [., .]) | . == (reduce range(60) as $i ([]; [., .]))",
            b"value too large to compare",
        ),
        ('"x" * 1e9', b"values too large (134217728 bytes at most)"),
        (".[1e9] = 1", b"Array index too large"),
        ('[range(200000) | tostring] | join("x" * 1000)', b"values too large (134217728 bytes at most)"),
    ],
)
def test_hostile_programs_end_by_a_bound(run: Run, program: str, message: bytes) -> None:
    assert jq(run, "-n", program) == (b"", b"jq: error (at <unknown>): " + message + b"\n", 5)


@pytest.mark.parametrize(
    "program", ["(" * 150 + "1" + ")" * 150, "." + "|." * 3000, "[" * 101 + "]" * 101, "1" + "+1" * 3000]
)
def test_deep_programs_are_refused(run: Run, program: str) -> None:
    assert jq(run, "-n", program)[2] == 3


def test_deep_documents(run: Run) -> None:
    deep = b"[" * 1000 + b"]" * 1000
    assert jq(run, "-c", ".", stdin=deep) == (deep + b"\n", b"", 0)
    assert jq(run, ".", stdin=b"[" + deep + b"]")[2] == 2


def test_a_run_ends_at_its_deadline(run: Run) -> None:
    result = run(quoted("jq", "-n", "[range(10)] | [combinations(9)] | length"), max_execution_time=0.5)
    assert result.timed_out
