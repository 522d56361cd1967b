"""What is refused, in which words, and where it is found."""

from __future__ import annotations

import pytest

from rshell.features import FEATURES, refusal
from rshell.syntax import FeatureError, ShellSyntaxError, parse, validate

OPERATIONS = "${var} operations (defaults, pattern removal, case conversion) are not supported"

REFUSED = [
    ("case a in a) b;; esac", "case statements are not supported"),
    ("select x in a; do b; done", "select statements are not supported"),
    ("for ((;;)); do a; done", "C-style for loops are not supported"),
    ("for x; do a; done", "for without in is not supported"),
    ("f() { a; }", "function declarations are not supported"),
    ("function f { a; }", "function declarations are not supported"),
    ("((1))", "arithmetic commands are not supported"),
    ("[[ a ]]", "test expressions are not supported"),
    ("a &", "background execution is not supported"),
    ("coproc a", "coprocesses are not supported"),
    ("a |& b", "|& is not supported"),
    ("time a", "time is not supported"),
    ("declare x", "declare is not supported"),
    ("typeset x", "typeset is not supported"),
    ("export x=1", "export is not supported"),
    ("local x", "local is not supported"),
    ("readonly x", "readonly is not supported"),
    ("let x=1", "let is not supported"),
    ("x=(a)", "array assignment is not supported"),
    ("x+=(a)", "array assignment is not supported"),
    ("x[0]=a", "array index assignment is not supported"),
    ("x+=a", "+= is not supported"),
    ("a ~", "tilde expansion is not supported"),
    ("x=~/a", "tilde expansion is not supported"),
    ("a $((1))", "arithmetic expansion is not supported"),
    ("a $[1]", "arithmetic expansion is not supported"),
    ("a <(b)", "process substitution is not supported"),
    ("a >(b)", "process substitution is not supported"),
    ("a @(b|c)", "extended globbing is not supported"),
    ("a !(b)", "extended globbing is not supported"),
    ("a $1", "$1 is not supported"),
    ("a ${10}", "$10 is not supported"),
    ("a $0", "$0 is not supported"),
    ("a $@", "$@ is not supported"),
    ("a $*", "$* is not supported"),
    ("a $#", "$# is not supported"),
    ("a ${#}", "$# is not supported"),
    ("a $!", "$! is not supported"),
    ("a $LINENO", "$LINENO is not supported"),
    ("a ${x:-b}", OPERATIONS),
    ("a ${x-b}", OPERATIONS),
    ("a ${x:=b}", OPERATIONS),
    ("a ${x:?b}", OPERATIONS),
    ("a ${x:+b}", OPERATIONS),
    ("a ${x#b}", OPERATIONS),
    ("a ${x%%b}", OPERATIONS),
    ("a ${x^^}", OPERATIONS),
    ("a ${x,}", OPERATIONS),
    ("a ${x:1}", "${var:offset} is not supported"),
    ("a ${x: -1:2}", "${var:offset} is not supported"),
    ("a ${x/b/c}", OPERATIONS),
    ("a ${x[0]}", "${var[index]} is not supported"),
    ("a ${x@Q}", "${var@operator} is not supported"),
    ("a ${#x}", "${#var} is not supported"),
    ("a ${!x}", "${!var} is not supported"),
    ("a ${!x*}", "${!var} is not supported"),
    ("a ${b c}", "${b c}: bad substitution"),
    ("a ${}", "${}: bad substitution"),
    ("a <<< b", "<<< (herestring) is not supported"),
    ("a <> b", "<> file redirection is not supported"),
    ("a 3< b", "3< input fd redirection is not supported"),
    ("a 3<<E\nE\n", "3<< input fd redirection is not supported"),
    ("a 3> /dev/null", "3> output fd redirection is not supported"),
    ("a {x}> b", "{x}> redirection is not supported"),
    ("a <&3", "<&N fd duplication is not supported"),
    ("a 3>&1", ">&N fd duplication is not supported"),
    ("a >&-", ">&N fd duplication is not supported"),
    ("a >&b", ">&N fd duplication is not supported"),
    ("a 2>&$x", ">&N fd duplication is not supported"),
]

WRITES = [
    ("a > b", "> file redirection is not supported"),
    ("a 2> b", "> file redirection is not supported"),
    ("a >| b", "> file redirection is not supported"),
    ("a >> b", ">> file redirection is not supported"),
    ("a &> b", "&> file redirection is not supported"),
    ("a &>> b", "&>> file redirection is not supported"),
    ("a > /dev/null/../b", "> file redirection is not supported"),
    ("a > '/dev/null'", "> file redirection is not supported"),
    ("x=/dev/null; a > $x", "> file redirection is not supported"),
    ("if a; then b; fi > c", "> file redirection is not supported"),
]

ALLOWED = [
    "a 'b' \"c $d\" ${e} $? $$ $- $(f) `g` | h && ! i || { j; } ; (k)",
    "if a; then b; elif c; then d; else e; fi",
    "for x in a b; do c; done < d; for x in; do c; done",
    "while a; do b; done; until a; do b; done",
    "x=1 y=$(a) b > /dev/null 2>&1 >> /dev/null >| /dev/null &> /dev/null &>> /dev/null 1>&2 >&2 0< c",
    "cat <<E <<-'F'\n$x $(y)\nE\n$1 $((2))\n\tF\n",
    "a '~' '$1' \\~ x~ {a,b} *.[ch] a:~ # $1",
    "",
]

PLACES = [
    "{}", "a | {}", "a && {}", "! {}", "( {} )", "{{ {}; }}", "if {}; then b; fi", "if a; then {}; fi", "if a; then b; elif {}; then c; fi",
    "if a; then b; else {}; fi", "while {}; do b; done", "until a; do {}; done", "for x in a; do {}; done", "for x in $({}); do a; done",
    "a $({})", "a `{}`", 'a "b $({})"', "x=$({})", "x=$({}) a", "a < $({})", "cat <<E\n$({})\nE\n", "cat <<E\n`{}`\nE\n",
    "(a) < $({})", "a <<E; {}\nb\nE\n",
]  # fmt: skip


def message(script: str, mode: str = "read-only") -> str:
    with pytest.raises(FeatureError) as caught:
        validate(parse(script), mode=mode)
    return str(caught.value)


@pytest.mark.parametrize(("script", "expected"), REFUSED)
def test_refused_in_both_modes(script: str, expected: str) -> None:
    assert message(script) == message(script, "remediation") == expected


@pytest.mark.parametrize(("script", "expected"), WRITES)
def test_output_to_files_needs_remediation_mode(script: str, expected: str) -> None:
    assert message(script) == expected
    validate(parse(script), mode="remediation")


@pytest.mark.parametrize("script", ALLOWED)
def test_allowed(script: str) -> None:
    validate(parse(script))


@pytest.mark.parametrize("place", PLACES)
def test_found_wherever_it_stands(place: str) -> None:
    for inner, expected in (("case x in y) ;; esac", "case statements are not supported"), ("z > f", "> file redirection is not supported")):
        assert message(place.format(inner)) == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("a $1; b $2", "$1 is not supported"),
        ("a $(b $1) $2", "$1 is not supported"),
        ("a $1 |& b", "$1 is not supported"),
        ("a |& b $1", "|& is not supported"),
        ("a $1 &", "$1 is not supported"),
        ("if a $1; then ((2)); fi > b", "$1 is not supported"),
        ("x=$1 a $2 < $3", "$1 is not supported"),
    ],
)
def test_the_first_one_is_named(script: str, expected: str) -> None:
    assert message(script) == expected


def test_the_line_is_kept() -> None:
    with pytest.raises(ShellSyntaxError) as caught:
        validate(parse("a\nb\n\nc $1"))
    assert caught.value.line == 4


def test_every_refused_feature_fails_with_its_message_and_every_other_one_runs() -> None:
    for feature in FEATURES:
        program = parse(feature.example)
        if feature.supported:
            assert feature.message == ""
            validate(program, mode="remediation")
        else:
            assert feature.message.endswith("not supported")
            assert message(feature.example) == feature.message


def test_keys_are_unique_and_texts_one_line() -> None:
    assert len({feature.key for feature in FEATURES}) == len(FEATURES)
    for feature in FEATURES:
        assert feature.name and feature.help and "\n" not in feature.help + feature.message


def test_refusal_names_its_subject() -> None:
    assert refusal("parameter", "$7") == "$7 is not supported"
    assert refusal("file", "&>") == "&> file redirection is not supported"
