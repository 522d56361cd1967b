"""The command grammar: a script, and its tree."""

from __future__ import annotations

import pytest

from tests.syntax.shape import shape

COMMANDS = [
    ('a 2>&1>b 2>&1 <&3<c', '{a 2>&1 >b 2>&1 <&3 <c}'),
    ('a > b x[ >c y[', '{a x[ y[ >b >c}'),
    ('>x[ a', '{a >x[}'),
    ('', ''),
    ('\n\n', ''),
    ('# a', ''),
    ('a # b\nc', '{a}; {c}'),
    ('a; b', '{a}; {b}'),
    ('a;b;', '{a}; {b}'),
    ('a\nb', '{a}; {b}'),
    ('a & b &', '{a} &; {b} &'),
    ('a && b || c', '{a} && {b} || {c}'),
    ('a &&\n\n b', '{a} && {b}'),
    ('a | b |& c', '{a} | {b} |& {c}'),
    ('a |\nb', '{a} | {b}'),
    ('! a', '! {a}'),
    ('! ! a', '{a}'),
    ('! a | b', '! {a} | {b}'),
    ('!', '! {}'),
    ('time a', 'time {a}'),
    ('time -p ! a', 'time ! {a}'),
    ('(a; b)', 'sub({a}; {b})'),
    ('{ a; b; }', 'group({a}; {b})'),
    ('( (a) )', 'sub(sub({a}))'),
    ('{ { a; }; }', 'group(group({a}))'),
    ('{ { a; } }', 'group(group({a}))'),
    ('echo { } ! if then', '{echo { } ! if then}'),
    ('if a; then b; fi', 'if([{a} ? {b}])'),
    ('if a; then b; elif c; then d; else e; fi', 'if([{a} ? {b}] [{c} ? {d}] else {e})'),
    ('if a\nthen b\nfi > f', 'if([{a} ? {b}]) >f'),
    ('if (a) then b; fi', 'if([sub({a}) ? {b}])'),
    ('while a; do b; done', 'while({a}: {b})'),
    ('until a; do b; done < f | c', 'until({a}: {b}) <f | {c}'),
    ('for x in a b; do c; done', 'for(x in a b: {c})'),
    ('for x in; do c; done', 'for(x in: {c})'),
    ('for x; do c; done', 'for(x: {c})'),
    ('for x do c; done', 'for(x: {c})'),
    ('for x\nin a\ndo c\ndone', 'for(x in a: {c})'),
    ('for x in a; { b; }', 'for(x in a: {b})'),
    ('for in in in; do a; done', 'for(in in in: {a})'),
    ('for ((i=0; i<3; i++)); do a; done', 'for((i=0; i<3; i++): {a})'),
    ('select x in a; do b; done', 'select(x in a: {b})'),
    ('case $x in a|b) c;; (d) e;& *) f;;& esac', 'case($x: a|b) {c} ;; d) {e} ;& *) {f} ;;&)'),
    ('case a in\n# x\nb)\n;;\nc) d\nesac', 'case(a: b)  ;; c) {d} ;;)'),
    ('case esac in (esac) a;; esac', 'case(esac: esac) {a} ;;)'),
    ('f() { a; }', 'function f: group({a})'),
    ('f ()\n(a)', 'function f: sub({a})'),
    ('function f { a; } > g', 'function f: group({a}) >g'),
    ('function f() { a; }', 'function f: group({a})'),
    ('coproc a b', 'coproc None: {a b}'),
    ('coproc N { a; }', 'coproc N: group({a})'),
    ('[[ -f a && (b == c*) || ! $d =~ ^e ]]', '[[-f a && ( b == c* ) || ! $d =~ ^e]]'),
    ('((x > 1))', '((x > 1))'),
    ('((a); b)', 'sub(sub({a}); {b})'),
    ('declare -a x=(1 2)', 'declaration declare'),
    ('export x=1 y', 'declaration export'),
    ("let 'x=1'", 'declaration let'),
    ('x=1', '{x=1}'),
    ('x=1 y=2 a', '{x=1 y=2 a}'),
    ('x= a', '{x= a}'),
    ('x=1 y+=2 z[0]=3 w[a b]+=4', '{x=1 y+=2 z[0]=3 w[a b]+=4}'),
    ("x=(a 'b c' $d)", "{x=(a 'b c' $d)}"),
    ('x+=(a\n b # c\n)', '{x+=(a b)}'),
    ('x=() a', '{x=() a}'),
    ('a x=1', '{a x=1}'),
    ("'x'=1", "{'x'+=1}"),
    ('=a', '{=a}'),
    ('1x=a', '{1x=a}'),
    ('x\\=1', "{x+'='+1}"),
    ('a >b 2>>c <d >|e <>f &>g &>>h <&3 >&2 2>&- <<<i', '{a >b 2>>c <d >|e <>f &>g &>>h <&3 >&2 2>&- <<<i}'),
    ('>b a <c', '{a >b <c}'),
    ('3<a {v}>b a2>c', '{a2 3<a {v}>b >c}'),
    ('a>b>c', '{a >b >c}'),
    ('2 >a', '{2 >a}'),
    ('> a', '{ >a}'),
    ('a 2>&1|b', '{a 2>&1} | {b}'),
    ('i\\\nf a; th\\\nen b; f\\\ni', 'if([{a} ? {b}])'),
    ('a &\\\n& b >\\\n> c', '{a} && {b >>c}'),
    ('$\\\nx ${x\\\n} $\\\n(a)', '{$x $x $({a})}'),
    ('fo\\\no\\\n=\\\nb', '{foo=b}'),
    ('in=1', '{in=1}'),
    ('a\t\tb', '{a b}'),
]


@pytest.mark.parametrize(("script", "expected"), COMMANDS)
def test_commands(script: str, expected: str) -> None:
    assert shape(script) == expected


def test_lines_count_from_one() -> None:
    from rshell.syntax import parse

    program = parse("a\n\nb 'x\ny' c\n$(d\ne)\n\\\nf")
    assert [item.line for item in program.body.items] == [1, 3, 5, 8]
    words = program.body.items[1].first.stages[0].words  # type: ignore[union-attr]
    assert [word.line for word in words] == [3, 3, 4]


def test_the_program_keeps_its_source() -> None:
    from rshell.syntax import parse

    assert parse(b"echo \xff").source == "echo \udcff"
