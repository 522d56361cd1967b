"""What awk refuses, its bounds, its messages, and where it goes its own way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.builtins.oracle import quoted

if TYPE_CHECKING:
    from rshell import Result

Run = Callable[..., "Result"]


def awk(run: Run, *arguments: str, stdin: bytes = b"", **given: object) -> tuple[bytes, bytes, int]:
    result = run(quoted("awk", *arguments), stdin=stdin, **given)
    return result.stdout, result.stderr, result.exit_code


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ('BEGIN { print "x"; system("ls") }', "line 1: system() is not supported: awk runs no programs"),
        ('BEGIN { print "x" }\n{ print | "sort" }', "line 2: output to a pipe is not supported"),
        ('{ print |& "sort" }', "line 1: output to a pipe is not supported"),
        ('BEGIN { "date" | getline }', "line 1: reading from a pipe is not supported"),
        ('BEGIN { while (("date" | getline x) > 0) print x }', "line 1: reading from a pipe is not supported"),
        ('{ getline x < "f" }', "line 1: getline < file is not supported: name the file as an operand"),
        ('{ print > "f" }', "line 1: > file redirection is not supported"),
        ('{ printf "x" >> "f" }', "line 1: >> file redirection is not supported"),
        ('{ print > "/dev/stderr" ".txt" }', "line 1: > file redirection is not supported"),
        ('END { close("f") }', "line 1: close() is not supported: awk opens no files or pipes of its own"),
        ('@include "x"', "line 1: @include, @load and indirect calls are not supported"),
        ("BEGIN { switch (1) { case 1: print } }", "line 1: switch is not supported: use if and else"),
        ("BEGIN { a[1][2] = 3 }", "line 1: arrays of arrays are not supported: use a[i, j]"),
    ],
)
def test_what_would_leave_is_refused_before_anything_runs(run: Run, program: str, message: str) -> None:
    assert awk(run, program, stdin=b"a\n") == (b"", f"awk: {message}\n".encode(), 2)


def test_field_widths_are_refused_however_they_are_set(run: Run) -> None:
    message = b"awk: FIELDWIDTHS is not supported: take the parts of $0 with substr()\n"
    for arguments in (['BEGIN { FIELDWIDTHS = "1 2" }'], ["-v", "FIELDWIDTHS=2", "1"], ["1", "FIELDWIDTHS=2"]):
        assert awk(run, *arguments, stdin=b"ab\n") == (b"", message, 2)


def test_a_wrong_regular_expression_is_an_error(run: Run) -> None:
    assert awk(run, "/a(/", stdin=b"a\n") == (b"", b"awk: invalid regular expression: Unmatched ( or \\(\n", 2)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("BEGIN { print 1", "line 1: syntax error near end of program"),
        ("BEGIN { print 1 }\n}", "line 2: syntax error near }"),
        ("BEGIN { print 1 +* 2 }", "line 1: syntax error near *"),
        ("{ print (1 }", "line 1: syntax error near }"),
        ('{ print "abc }', "line 1: unterminated string"),
        ("{ print }\n/abc", "line 2: unterminated regular expression"),
        ("BEGIN { f(1) }", "line 1: function f is not defined"),
        ("function f(a) { }\nBEGIN { f(1, 2) }", "line 2: function f called with too many arguments"),
        ("function f(a, a) { }", "line 1: function f: parameter a is used twice"),
        ("function f(a) { }\nfunction f(b) { }", "line 2: function f is defined twice"),
        ("BEGIN { next }", "line 1: next cannot be used in BEGIN"),
        ("BEGIN { break }", "line 1: break is not in a loop"),
        ("BEGIN { return }", "line 1: return is not in a function"),
        ('BEGIN { print substr("a") }', "line 1: wrong number of arguments for substr"),
        ("BEGIN { a[1] = 1; a = 2 }", "array a is used as a scalar"),
        ("BEGIN { split(1, 2) }", "line 1: split: argument 2 must be an array"),
        ("BEGIN", "line 1: BEGIN needs an action"),
    ],
)
def test_a_wrong_program_says_where(run: Run, program: str, message: str) -> None:
    assert awk(run, program) == (b"", f"awk: {message}\n".encode(), 2)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("BEGIN { print 1 / 0 }", "division by zero"),
        ("BEGIN { print 1 % 0 }", "division by zero in %"),
        ("BEGIN { print $(-1) }", "attempt to access field number that is negative or no number"),
        ('BEGIN { printf "%d" }', "printf: not enough arguments for the format"),
        ("BEGIN { $1000001 = 1 }", "field number too large (1000000 at most)"),
        ('BEGIN { printf "%10001d", 1 }', "printf: width or precision too large (10000 at most)"),
        ('BEGIN { printf "%*d", 1e30, 1 }', "printf: width or precision too large (10000 at most)"),
        ("function f() { f() } BEGIN { f() }", "function calls nested too deep (200 at most)"),
        ('BEGIN { x = "x"; for (;;) x = x x }', "strings too large (67108864 bytes in all at most)"),
        ("BEGIN { for (;;) a[n++] }", "too many array elements (1000000 at most)"),
        (
            'BEGIN { s = sprintf("%10000s", ""); gsub(" ", s, s); gsub(" ", s, s) }',
            "string too long (67108864 bytes at most)",
        ),
        (
            'BEGIN { s = sprintf("%10000s", ""); gsub(" ", "a ", s); for (;;) { s = s s; split(s, a) } }',
            "too many fields or elements (1000000 at most)",
        ),
    ],
)
def test_a_running_program_ends_with_a_message(run: Run, program: str, message: str) -> None:
    assert awk(run, program) == (b"", f"awk: {message}\n".encode(), 2)


def test_the_bounds_themselves_are_reached(run: Run) -> None:
    assert awk(run, "function f(n) { return n ? f(n - 1) : 7 } BEGIN { print f(199) }")[0] == b"7\n"
    assert awk(run, 'BEGIN { printf "%10000d", 1 }')[0] == b" " * 9999 + b"1"
    assert awk(run, "{ print length($0) }", stdin=b"x" * 2**20 + b"\n")[0] == b"1048576\n"
    too_long = b"awk: record too long (1048576 bytes at most)\n"
    assert awk(run, "{ print length($0) }", stdin=b"x" * (2**20 + 1) + b"\n") == (b"", too_long, 2)
    nested = "BEGIN { print " + "(" * 95 + "1" + ")" * 95 + " }"
    assert awk(run, nested)[0] == b"1\n"
    deeper = nested.replace("(1)", "((((((1))))))")
    assert awk(run, deeper)[1] == b"awk: line 1: nesting too deep (100 levels at most)\n"


def test_a_program_has_at_most_64_kib(run: Run) -> None:
    fits = "#" * (64 * 1024 - len("BEGIN{print 1}\n")) + "\nBEGIN{print 1}"
    assert awk(run, fits)[0] == b"1\n"
    assert awk(run, fits + " ") == (b"", b"awk: program too long (65536 bytes at most)\n", 2)


def test_an_endless_loop_ends_at_the_deadline(run: Run) -> None:
    for program in (
        "BEGIN { for (;;) ; }",
        "BEGIN { while (1) x++ }",
        "function f() { return 1 } BEGIN { do f(); while (1) }",
    ):
        assert run(quoted("awk", program), max_execution_time=0.2).timed_out


def test_what_was_printed_before_an_error_is_kept(run: Run) -> None:
    assert awk(run, "BEGIN { print 1; print 1 / 0 }") == (b"1\n", b"awk: division by zero\n", 2)


def test_a_missing_file_is_reported_and_the_next_one_read(run: Run, tmp_path: Path) -> None:
    Path(tmp_path, "f").write_bytes(b"x\n")
    assert awk(run, "{ print FILENAME, $0 }", "nope", "f") == (b"f x\n", b"awk: nope: no such file or directory\n", 2)


def test_operands_assign_where_they_stand(run: Run, tmp_path: Path) -> None:
    Path(tmp_path, "f").write_bytes(b"x\n")
    assert awk(run, "{ print v $0 } END { print v }", "v=1", "f", "v=2", "f", "v=3")[0] == b"1x\n2x\n3\n"


def test_the_program_can_come_from_files(run: Run, tmp_path: Path) -> None:
    Path(tmp_path, "p").write_bytes(b"BEGIN { print f(2) }\n")
    Path(tmp_path, "q").write_bytes(b"function f(x) { return x * 2 }\n")
    assert awk(run, "-f", "p", "-f", "q") == (b"4\n", b"", 0)
    assert awk(run, "-f", "nope") == (b"", b"awk: nope: no such file or directory\n", 2)


def test_elements_come_in_the_order_in_which_they_were_made(run: Run) -> None:
    program = 'BEGIN { a["z"]; a["b"]; a[10]; a[9]; delete a["b"]; a["b"]; for (k in a) print k }'
    assert awk(run, program)[0] == b"z\n10\n9\nb\n"


def test_messages_go_to_stderr_by_name(run: Run) -> None:
    assert awk(run, 'BEGIN { print "a"; print "b" > "/dev/stderr"; print "c" > "/dev/stdout" }') == (
        b"a\nc\n",
        b"b\n",
        0,
    )


def test_the_environment_is_the_policys(run: Run) -> None:
    assert awk(run, 'BEGIN { print ENVIRON["A"] ENVIRON["PATH"] }', env={"A": "1"})[0] == b"1\n"


def test_random_numbers_repeat_and_differ_by_seed(run: Run) -> None:
    program = (
        "BEGIN { srand(%d); for (i = 0; i < 5; i++) { x = rand(); if (x < 0 || x >= 1) print x; print int(x * 1e6) } }"
    )
    first, again, other = (awk(run, program % seed)[0] for seed in (1, 1, 2))
    assert first == again != other
    assert len(set(first.split(b"\n"))) == 6


def test_times_are_shown_in_the_scripts_zone(run: Run) -> None:
    program = 'BEGIN { print strftime("%F %T %z", 0); print strftime("%H", 0, 1) }'
    assert run("TZ=EST5 " + quoted("awk", program)).stdout == b"1969-12-31 19:00:00 -0500\n00\n"
