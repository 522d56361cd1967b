"""Quoting and expansions: a script, and the parts of its words."""

from __future__ import annotations

import pytest

from tests.syntax.shape import shape

WORDS = [
    ('echo a \'b c\' "d $x"', '{echo a \'b c\' "\'d \'+$x"}'),
    ('a\'b\'"c"\\d', '{a+\'b\'+"\'c\'"+\'d\'}'),
    ("''", "{''}"),
    ('""', '{""}'),
    ('a\\ b', "{a+' '+b}"),
    ('a\\\nb', '{ab}'),
    ('\\a', "{'a'}"),
    ('a\\', '{a\\}'),
    ('"a\\$b\\\\c\\"d\\`e\\f"', '{"\'a$b\\\\c"d`e\\\\f\'"}'),
    ('"a\\\nb"', '{"\'ab\'"}'),
    ("'a\\\nb'", "{'a\\\\\\nb'}"),
    ('$x$y', '{$x+$y}'),
    ('${x}y', '{$x+y}'),
    ('$1 $@ $# $? $! $- $$ $* $0', '{$1 $@ $# $? $! $- $$ $* $0}'),
    ('$10', '{$1+0}'),
    ('${10}', '{$10}'),
    ('"$x"', '{"$x"}'),
    ('"a$"', '{"\'a$\'"}'),
    ('$', '{$}'),
    ('$%', '{$%}'),
    ('a$', '{a$}'),
    ('"$\'a\'"', '{""$\'a\'""}'),
    ("$'a\\tb'", "{'a\\tb'}"),
    ("$'\\303\\251'", "{'é'}"),
    ("$'\\xe9'", "{'\\udce9'}"),
    ("$'\\u00e9\\U1F600'", "{'é😀'}"),
    ("$'a\\0b'c", "{'a'+c}"),
    ('$\'\\cA\\e\\\'\\"\\?\'', '{\'\\x01\\x1b\\\'"?\'}'),
    ('$"a $x"', '{"\'a \'+$x"}'),
    ('$(a)', '{$({a})}'),
    ('"$(a "b")"', '{"$({a "\'b\'"})"}'),
    ('`a`', '{`{a}`}'),
    ('`a \\`b\\``', '{`{a `{b}`}`}'),
    ('"`a \\"b\\"`"', '{"`{a "\'b\'"}`"}'),
    ('`echo \\$x \\\\y`', "{`{echo $x 'y'}`}"),
    ('$(a; b)', '{$({a}; {b})}'),
    ('$()', '{$()}'),
    ('$(<f)', '{$({ <f})}'),
    ('$((1 + 2))', '{$((1 + 2))}'),
    ('$((a) | b)', '{$(sub({a}) | {b})}'),
    ('$[1+2]', '{$((1+2))}'),
    ('<(a) >(b)', '{<({a}) >({b})}'),
    ('@(a|b) ?(a) *(b) +(c) x!(d)', '{@(a|b) ?(a) *(b) +(c) x+!(d)}'),
    ('~ ~a/b a~ a:~ x=~ x=a:~:b \'~\' "~" \\~ --x=~', '{tilde:~ tilde:~a+/b a~ a:~ x=+tilde:~ x=a:+tilde:~+:b \'~\' "\'~\'" \'~\' --x=~}'),
    ('x=~', '{x=tilde:~}'),
    ('x=a:~/b', '{x=a:+tilde:~+/b}'),
    ("x='~'", "{x='~'}"),
    ('${x:-y} ${x-} ${x:=y} ${x+y} ${x?y}', '{${x|:-y} ${x|-} ${x|:=y} ${x|+y} ${x|?y}}'),
    ('${#x} ${#} ${##} ${#?} ${#x[@]}', '{${x|length} $# ${#|length} ${?|length} ${x|length[@]}}'),
    ('${!x} ${!x*} ${!x[@]} ${!}', '{${x|indirect} ${x|indirect*} ${x|indirect[@]} $!}'),
    ('${x#a} ${x##a} ${x%a} ${x%%a}', '{${x|#a} ${x|##a} ${x|%a} ${x|%%a}}'),
    ('${x:1:2} ${x:-1} ${x: -1}', '{${x|:1:2} ${x|:-1} ${x|: -1}}'),
    ('${x/a/b} ${x//a/b}', '{${x|/a/b} ${x|//a/b}}'),
    ('${x^} ${x,,} ${x@Q} ${x[0]}', '{${x|^} ${x|,,} ${x|@Q} ${x|[0]}}'),
    ('${a b} ${}', '{${|a b} $}'),
    ('${x:-${y:-}}}', '{${x|:-${y:-}}+}}'),
    ("${x:-'}'}", "{${x|:-'}'}}"),
    ('${x:-"}"}', '{${x|:-"}"}}'),
    ('${x:-$(echo })}', '{${x|:-$(echo })}}'),
    ('a#b', '{a#b}'),
    ('{a,b} {1..3}', '{{a,b} {1..3}}'),
    ('é', '{é}'),
    ('$é', '{$é}'),
    ('a\r', '{a\r}'),
]


@pytest.mark.parametrize(("script", "expected"), WORDS)
def test_words_keep_their_quoting(script: str, expected: str) -> None:
    assert shape(script) == expected


def test_bytes_and_text_give_the_same_tree() -> None:
    assert shape(b"echo \xff \xc3\xa9") == "{echo \udcff \u00e9}"
    assert shape("echo \udcff \udcc3\udca9") == "{echo \udcff \u00e9}"


def test_lone_surrogates_become_their_bytes() -> None:
    assert shape("echo \ud800") == "{echo \udced\udca0\udc80}"


def test_an_empty_quoted_word_differs_from_none() -> None:
    assert shape("a '' \"\"") == "{a '' \"\"}"
    assert shape("a \\\n") == "{a}"
