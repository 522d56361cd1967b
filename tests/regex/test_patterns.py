"""The regular expressions of commands: matches, groups, lines of blocks, and every trap of the engine."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import pytest

from rshell import limits
from rshell.builtins.regex import PatternError, compile_pattern


def found(pattern: str | bytes, data: str | bytes, syntax: str = "ere", **given: Any) -> bytes | None:
    data = data.encode() if isinstance(data, str) else data
    compiled = compile_pattern(pattern.encode() if isinstance(pattern, str) else pattern, syntax=syntax, **given)
    span = compiled.search(data)
    return None if span is None else data[span[0] : span[1]]


@pytest.mark.parametrize(
    ("pattern", "syntax", "data", "match"),
    [
        ("a|ab", "ere", "abc", b"ab"),  # the longest of the leftmost
        ("*a", "bre", "b*a", b"*a"),
        (r"\(*a\)", "bre", "*a", b"*a"),
        (r"a\|*b", "bre", "x*b", b"*b"),
        ("^*", "bre", "*x", b"*"),
        ("a^b$c", "bre", "a^b$c", b"a^b$c"),
        (r"\(^a\)\|b$", "bre", "xb", b"b"),
        (r"a\{2,3\}", "bre", "aaaa", b"aaa"),
        (r"a\+b\?", "bre", "aab", b"aab"),
        ("a{,2}b", "ere", "aaab", b"aab"),
        ("a{x}", "egrep", "a{x}", b"a{x}"),
        ("a|*b", "egrep", "b", b"b"),
        ("()", "ere", "x", b""),
        (r"[a\]", "bre", "\\", b"\\"),
        ("[]abc]+", "ere", "x]a", b"]a"),
        ("[^]abc]", "bre", "]ax", b"x"),
        ("[a-]+", "ere", "x-a", b"-a"),
        ("[[.-.]]", "bre", "a-", b"-"),
        ("[[=a=]]", "bre", "xa", b"a"),
        ("[[:alpha:]]+", "ere", "1éÀz2", "éÀz".encode()),
        (r"\w\+", "bre", "-a_é1-", "a_é1".encode()),
        (r"\s", "bre", "a\tb", b"\t"),
        (r"\<b", "bre", "ab b", b"b"),
        (r"\bcat\b", "bre", "concat cat", b"cat"),
        (r"\`a", "bre", "ba", None),
        (r"a\'", "bre", "ab", None),
        (".", "bre", "\n", b"\n"),
        ("[^a]", "bre", "\n", b"\n"),
        (r"\.\/\n", "awk", "./\n", b"./\n"),
        (r"[\]a]", "awk", "]", b"]"),
        (r"\101\y", "awk", "A", b"A"),
        (r"\1012[\102\7]", "awk", "A2B", b"A2B"),
        (r"\303\251", "awk", "é", "é".encode()),
        ("a+b?", "emacs", "aab", b"aab"),
        (r"\(x\|y\){", "emacs", "y{", b"y{"),
        ("a.b*", "fixed", "xa.b*", b"a.b*"),
    ],
)
def test_dialects(pattern: str, syntax: str, data: str, match: bytes | None) -> None:
    assert found(pattern, data, syntax) == match


@pytest.mark.parametrize(
    ("pattern", "syntax", "message"),
    [
        ("[a", "bre", "Unmatched [, [^, [:, [., or [="),
        ("[[:alpha", "ere", "Unmatched [, [^, [:, [., or [="),
        ("(a", "ere", "Unmatched ( or \\("),
        (r"\(a", "bre", "Unmatched ( or \\("),
        ("a)", "ere", "Unmatched ) or \\)"),
        ("*a", "ere", "Invalid preceding regular expression"),
        ("a|*b", "ere", "Invalid preceding regular expression"),
        (r"\{1\}", "bre", "Invalid preceding regular expression"),
        ("a{2,1}", "ere", "Invalid content of \\{\\}"),
        ("a{1,2,3}", "egrep", "Invalid content of \\{\\}"),
        (r"a\{1", "bre", "Unmatched \\{"),
        ("a\\", "bre", "Trailing backslash"),
        ("[b-a]", "bre", "Invalid range end"),
        ("[z-[:alpha:]]", "bre", "Invalid range end"),
        ("[[:foo:]]", "bre", "Invalid character class name"),
        ("[[.foo.]]", "bre", "Invalid collation character"),
        ("a{40000}", "ere", "Regular expression too big"),
        (r"\2", "ere", "Invalid back reference"),
        ("[:space:]", "grep", "character class syntax is [[:space:]], not [:space:]"),
        ("(((a{1000}){1000}){1000}){1000}", "ere", "Regular expression too big"),
        ("(" * 600 + ")" * 600, "ere", "Regular expression too big"),
    ],
)
def test_refused_as_gnu_does(pattern: str, syntax: str, message: str) -> None:
    with pytest.raises(PatternError) as caught:
        found(pattern, "", syntax)
    assert str(caught.value) == message


def test_back_references_are_refused_by_name() -> None:
    with pytest.raises(PatternError, match=r"back-references such as \\1 are not supported; .*awk"):
        found(r"\(a\)\1", "aa", "bre")


@pytest.mark.parametrize("pattern", ["a(?=b)", "a(?!b)", "(?<=a)b", "(?<!a)b"])
def test_look_around_is_refused_by_name(pattern: str) -> None:
    with pytest.raises(PatternError, match=r"look-around such as .* is not supported; .*grep -o"):
        found(pattern, "", "perl")


@pytest.mark.parametrize("pattern", [r"a\Kb", "a++", "(?>a)", r"(a)\1", "(?|a)", "(*FAIL)", r"\X", "(?R)"])
def test_what_perl_has_and_re2_has_not_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError, match="not supported"):
        found(pattern, "", "perl")


def test_matches_follow_the_rule_for_empty_ones() -> None:
    def spans(pattern: bytes, data: bytes) -> list[tuple[int, int]]:
        return list(compile_pattern(pattern, syntax="ere").spans(data))

    assert spans(b"b*", b"abc") == [(0, 0), (1, 2), (3, 3)]
    assert spans(b"", "é".encode()) == [(0, 0), (2, 2)]
    assert spans(b"", b"\xc3\xff") == [(0, 0), (1, 1), (2, 2)]
    assert spans(b"^a", b"aa") == [(0, 1)]
    assert spans(b"x*$", b"ax") == [(1, 2)]


def test_groups() -> None:
    assert compile_pattern(rb"(a)|(b)", syntax="ere").groups(b"xb") == [(1, 2), (-1, -1), (1, 2)]
    assert compile_pattern(rb"\(a*\)b", syntax="bre").groups(b"xaab") == [(1, 4), (1, 3)]
    assert compile_pattern(rb"(ab){1500}", syntax="ere").groups(b"ab" * 1500) == [(0, 3000), (2998, 3000)]
    assert compile_pattern(rb"(a)(b)", syntax="ere").ngroups == 2


@pytest.mark.parametrize(("count", "matches"), [(1000, True), (1001, True), (2500, True), (2501, False)])
def test_repeats_beyond_the_engines_bound(count: int, matches: bool) -> None:
    assert (found(f"^a{{{count}}}", b"a" * 2500) is not None) is matches
    assert (found(f"^(aa{{1,{count}}})$", b"a" * 2501) is not None) is (count >= 2500)
    assert found(f"a{{{count},}}", b"a" * 2500) == (b"a" * 2500 if matches else None)
    assert found(f"(a{{10}}){{{count // 10}}}", b"a" * 2500) is not None


def test_invalid_utf8_fails_nothing_and_is_no_character() -> None:
    assert found("a.b", b"a\xffb a\xc3\xa9b") == b"a\xc3\xa9b"
    assert found("a[^x]b", b"a\xffb") is None
    assert found(b"\xff.", b"x\xff\xc3\xa9") == b"\xff\xc3\xa9"
    assert found(b"[\xff\xc3\xa9]+", b"a\xc3\xa9\xffb") == b"\xc3\xa9\xff"
    assert found(b"\xff[^a]", b"\xff\xff\xc3\xa9") == b"\xff\xc3\xa9"
    assert found("a.", b"a\xed\xa0\x80") is None  # half a surrogate pair


def test_case_beyond_ascii() -> None:
    assert found("éa", "ÉA", ignore_case=True) == "ÉA".encode()
    assert found("[à-ý]", "É", ignore_case=True) == "É".encode()
    assert found("[^a]", "Aab", ignore_case=True) == b"b"
    assert found("k", "\u212a", ignore_case=True) == "\u212a".encode()
    assert found(b"\xffa", b"\xffA", ignore_case=True) == b"\xffA"


def test_classes_of_many_characters_fit_where_the_data_is_ascii() -> None:
    assert found("[[:alpha:]]{200}", b"a" * 300) == b"a" * 200


@pytest.mark.parametrize("multiline", [False, True])
def test_anchors_of_one_text(multiline: bool) -> None:
    assert (found("^b", "a\nb", multiline=multiline) is not None) is multiline
    assert (found("a$", "a\nb", multiline=multiline) is not None) is multiline
    assert found(r"\`b", "a\nb", multiline=multiline) is None


def lines(pattern: str | bytes, block: bytes, **given: Any) -> list[bytes]:
    source = pattern.encode() if isinstance(pattern, str) else pattern
    compiled = compile_pattern(source, syntax="grep", **given)
    spans = compiled.matching_lines(block)
    assert len(spans) == compiled.count_lines(block)
    assert spans[:1] == compiled.matching_lines(block, limit=1)
    return [block[start:end] for start, end in spans]


def test_a_block_is_searched_line_by_line() -> None:
    block = b"one\ntwo\n\nthree\nno end"
    assert lines("o", block) == [b"one", b"two", b"no end"]
    assert lines("^", block) == lines("", block) == lines("x*", block) == block.split(b"\n")
    assert lines("^$", block) == [b""]
    assert lines("e$", block) == [b"one", b"three"]
    assert lines("e[^x]t", block) == lines("o.t", block) == lines("o[[:space:]]t", block) == []
    assert lines("o\nee", block, newline_list=True) == [b"one", b"two", b"three", b"no end"]
    assert lines("two", block, whole_line=True) == [b"two"]
    assert lines("^$", b"a\n") == []
    assert lines("", b"") == []
    assert lines("", b"\n") == [b""]
    assert lines("w.*o", b"w\no\nwxo\n") == [b"wxo"]
    assert lines("rare.*x", b"a\n" * 1000 + b"rare x\nrare\n") == [b"rare x"]


def test_a_block_beyond_one_slice() -> None:
    block = b"".join(b"line %d\n" % n for n in range(20_000))
    assert lines("[13]5$", block) == [line for line in block.split(b"\n") if line[-2:] in (b"15", b"35")]
    assert len(lines("[l]ine", block)) == 20_000
    long = b"x" * (3 * limits.REGEX_SLICE)
    assert lines("x[y]", long + b"y\nz\n" + long) == [long + b"y"]


def test_a_part_of_a_block() -> None:
    block = b"a1\na2\na3\na4\n"
    for pattern in (b"a", b"[a]"):
        compiled = compile_pattern(pattern, syntax="grep")
        assert compiled.matching_lines(block, 3, 9) == [(3, 5), (6, 8)]
        assert compiled.count_lines(block, 3, 9) == 2
        assert compiled.block_spans(block, 3, 9) == [(3, 4), (6, 7)]


class Abandoning:
    """A run whose deadline has passed: what is asked of its thread is not done."""

    def __init__(self) -> None:
        self.asked = 0

    def check(self) -> None: ...

    def call_in_thread(self, function: Callable[[], Any]) -> Any:
        self.asked += 1
        raise TimeoutError


def test_long_searches_run_in_a_thread_of_the_run() -> None:
    guard = Abandoning()
    compiled = compile_pattern(b"[ab]*a[ab]{900}c", syntax="ere", guard=guard)
    line = b"ab" * (limits.LINE // 2)
    for search in (compiled.search, compiled.matching_lines, compiled.groups):
        with pytest.raises(TimeoutError):
            search(line)
    assert guard.asked == 3
    assert compile_pattern(b"[ab]c", syntax="ere", guard=guard).search(b"bc") == (0, 2)


@pytest.mark.parametrize("command", ["grep -cE '[ab]*a[ab]{900}[cd]' f", "grep -oE '[ab]*a[ab]{900}[cd]' f"])
def test_a_search_that_overflows_the_engines_cache_ends_at_the_deadline(
    run: Callable[..., Any], tmp_path: Any, command: str
) -> None:
    letters = random.Random(1)
    (tmp_path / "f").write_bytes(bytes(letters.choices(b"ab", k=limits.LINE)) + b"\n")
    start = time.monotonic()
    result = run(command, max_execution_time=0.2)
    assert result.timed_out
    assert time.monotonic() - start < 2


@pytest.mark.parametrize(
    ("pattern", "data", "starts"),
    [
        (r"\<", "ab cd", [0, 3]),
        (r"\>", "ab cd", [2, 5]),
        (r"x*\<", "-ab cd-", [1, 4]),
        (r"\(\>\)", " ab ", [3]),
        (r"\<", " - ", []),
    ],
)
def test_an_empty_match_stands_at_the_right_edge_of_a_word(pattern: str, data: str, starts: list[int]) -> None:
    assert [start for start, _ in compile_pattern(pattern.encode(), syntax="bre").spans(data.encode())] == starts
