"""The tree against bashlex, an independent parser of bash's grammar: structure and command words."""

from __future__ import annotations

from typing import Any

import pytest

from rshell.syntax import parse

bashlex = pytest.importorskip("bashlex", reason="bashlex is not installed")

# Simple words, then each structure, then what people write.
WORDS = ["a", "a b c", "a 'b c'", 'a "b c"', "a b\\ c", "a b'c'd", "a ''", 'a ""', "a b\\\nc", "a $x", 'a "$x"', "a ${x}y", "a 'b'\"c\"d",
         "a *.c", "a {b,c}", "a -x --y=z", "a [b]", "a b#c", "a # b", "a\tb", "a  b ", "a = b", "a 1 2", "a /b/c", "a %d:%s", "a @b", "a b=c"]  # fmt: skip
LISTS = ["a; b", "a; b;", "a\nb", "a\n\nb\n", "a && b", "a || b", "a && b || c && d", "a; b && c; d", "a &&\nb", "a ||\n\nb", "a | b",
         "a | b | c", "a |\nb", "a b | c d && e f | g", "! a", "! a | b", "a; ! b", "a && ! b", "a & b", "a &", "a | b; c | d"]  # fmt: skip
COMPOUND = ["(a)", "(a; b)", "( a\nb )", "((a); b)", "{ a; }", "{ a; b; }", "{ a\nb\n}", "(a) | b", "a | (b; c)", "{ a; } | { b; }", "(a) && b",
            "if a; then b; fi", "if a; then b; else c; fi", "if a; then b; elif c; then d; fi", "if a; then b; elif c; then d; else e; fi",
            "if a\nthen\nb\nfi", "if a && b; then c; fi", "if a | b; then c; fi", "if ! a; then b; fi", "if (a); then b; fi", "if a; then b; c; d; fi",
            "for x in a b c; do d; done", "for x in a; do b; c; done", "for x in $y; do d $x; done", "for x in a\ndo\nb\ndone", "for x in *.c; do a; done",
            "while a; do b; done", "while a; b; do c; done", "while a | b; do c; done", "until a; do b; done", "while a; do b\ndone",
            "if a; then for x in b; do c; done; fi", "for x in a; do if b; then c; fi; done", "while a; do (b); done", "{ if a; then b; fi; }",
            "a; if b; then c; fi; d", "for x in a; do b; done | c", "while a; do b; done && c", "for a in b; do for c in d; do e; done; done"]  # fmt: skip
ASSIGNMENTS = [
    "x=1",
    "x=1 y=2",
    "x=1 a",
    "x=1 y=2 a b",
    "x=",
    "x= a",
    "x='a b' c",
    'x="$y" c',
    "x=$y",
    "a x=1",
    "x=a:b",
    "x=a=b",
    "x=1; y=2",
    "x=1 && a",
]
REDIRECTS = ["a > b", "a >b", "a >> b", "a < b", "a 2> b", "a 2>&1", "a > b 2>&1", "> a", "> a b", "a > b c", "a < b > c", "a &> b", "a >| b",
             "(a) > b", "{ a; } > b", "if a; then b; fi > c", "while a; do b; done < c", "for x in a; do b; done > c", "a > b | c", "a 2>&1 | b",
             "x=1 > a", "a <<E\nb\nE\n", "a <<-E\n\tb\n\tE\n", "a <<E\nE\n", "a <<< b", "a >&2", "a 3<b", "a > '/b c'"]  # fmt: skip
REAL = [
    "grep -c ERROR /var/log/app.log",
    "ps aux | grep nginx | grep -v grep",
    "tail -n 100 app.log | grep -i error | sort | uniq -c | sort -rn | head",
    "find . -name '*.log' -size +1M",
    'for f in *.log; do echo "$f"; wc -l "$f"; done',
    "if [ -f a ]; then cat a; else echo none; fi",
    "[ -d /tmp ] && ls /tmp || echo no",
    "test -e a && rm a",
    'while read -r line; do echo "$line"; done < file',
    "cut -d: -f1 /etc/passwd | sort",
    "awk '{print $1}' access.log | sort -u",
    "sed -n '1,10p' file",
    "sed 's/a/b/g; s/c/d/' file > out",
    "echo \"a b\" | tr ' ' '\\n'",
    "ls -la | head -5; pwd",
    "du -sh * | sort -h",
    "cat /etc/os-release | grep ^NAME",
    "df -h | awk '$5 > 80 {print $6}'",
    "journalctl -u nginx --since '1 hour ago' | tail",
    "echo $?; true; echo $?",
    "(cd /tmp && ls); pwd",
    "{ echo a; echo b; } | sort -r",
    "printf '%s\\n' a b c",
    "i=0; while [ $i -lt 3 ]; do echo $i; done",
    "if ! grep -q x f; then echo missing; fi",
    "sort -t, -k2,2n data.csv | head -1",
    "ls *.txt 2>/dev/null | wc -l",
    "cat a b c > d 2>&1 &",
    "TZ=UTC date +%Y-%m-%d",
    "head -c 10 /dev/zero | od -c",
]
SCRIPTS = WORDS + LISTS + COMPOUND + ASSIGNMENTS + REDIRECTS + REAL


def theirs(source: str) -> list[Any]:
    """What bashlex makes of a script, in the common form."""
    from bashlex import ast

    def of(node: Any) -> Any:
        if node.kind == "list":
            return flat(node.parts)
        if node.kind == "pipeline":
            stages = [of(part) for part in node.parts if part.kind not in ("pipe", "reservedword")]
            negated = any(part.kind == "reservedword" for part in node.parts)
            return ("!", *stages) if negated else ("|", *stages)
        if node.kind == "command":
            words = [part.word for part in node.parts if part.kind in ("word", "assignment")]
            return ("command", words, [redirect(part) for part in node.parts if part.kind == "redirect"])
        if node.kind == "compound":
            first = node.list[0]
            redirects = [redirect(part) for part in node.redirects]
            if first.kind == "reservedword":
                name = "sub" if first.word == "(" else "group"
                return (name, flat(node.list[1:-1]), redirects)
            return (first.kind, *body(first), redirects)
        raise AssertionError(node.dump())

    def redirect(node: Any) -> tuple[Any, ...]:
        if node.heredoc is not None:
            # its value has the delimiter's line
            return (node.input, node.type, node.heredoc.value.rpartition(node.output.word)[0].rstrip("\t"))
        return (node.input, node.type, getattr(node.output, "word", str(node.output)))

    def body(node: Any) -> list[Any]:
        if node.kind == "for":
            words = [part.word for part in node.parts if part.kind == "word"]
            return [words, *[flat([part]) for part in node.parts if part.kind not in ("word", "reservedword")]]
        return [flat([part]) for part in node.parts if part.kind not in ("word", "reservedword")]

    def flat(nodes: list[Any]) -> list[Any]:
        """The commands and operators of a list; a newline is a semicolon, the last one is nothing."""
        out: list[Any] = []
        for node in nodes:
            if node.kind == "operator":
                out.append(";" if node.op == "\n" else node.op)
            elif node.kind == "list":
                out.extend(flat(node.parts))
            else:
                out.append(of(node))
        return out[:-1] if out and out[-1] == ";" else out

    assert ast
    out: list[Any] = []
    for tree in bashlex.parse(source):
        if out and out[-1] not in (";", "&"):
            out.append(";")
        out.extend(flat([tree]))
    return out


def ours(source: str) -> list[Any]:
    """What our parser makes of it, in the common form."""

    def sequence(node: Any) -> list[Any]:
        out: list[Any] = []
        for item in node.items:
            if out and out[-1] != "&":
                out.append(";")
            out.append(pipeline(item.first))
            for operator, following in item.rest:
                out += [operator, pipeline(following)]
            if item.background:
                out.append("&")
        return out

    def pipeline(node: Any) -> Any:
        stages = [command(stage) for stage in node.stages]
        if node.negated:
            inner = stages
            return ("!", *inner)
        return ("|", *stages) if len(stages) > 1 else stages[0]

    def command(node: Any) -> Any:
        kind = type(node).__name__
        redirects = [redirect(r) for r in node.redirects]
        if kind == "SimpleCommand":
            words = [f"{a.name}={text(a.value)}" for a in node.assignments] + [text(w) for w in node.words]
            return ("command", words, redirects)
        if kind == "Subshell":
            return ("sub", sequence(node.body), redirects)
        if kind == "BraceGroup":
            return ("group", sequence(node.body), redirects)
        if kind == "For":
            return ("for", [node.name, *map(text, node.words)], sequence(node.body), redirects)
        if kind == "While":
            return ("until" if node.until else "while", sequence(node.condition), sequence(node.body), redirects)
        assert kind == "If"
        parts = [sequence(part) for arm in node.arms for part in arm]
        return ("if", *parts, *([] if node.otherwise is None else [sequence(node.otherwise)]), redirects)

    def redirect(node: Any) -> tuple[Any, ...]:
        if node.op in ("<<", "<<-"):
            return (node.fd, node.op, text(node.target.body))
        return (node.fd, node.op, text(node.target))

    def text(word: Any) -> str:
        """The word as bashlex gives it: without its quotes, expansions as they were written."""
        return "".join(part_text(part) for part in word.parts)

    def part_text(part: Any) -> str:
        kind = type(part).__name__
        if kind == "DoubleQuoted":
            return "".join(part_text(inner) for inner in part.parts)
        if kind == "Parameter":
            return f"${part.name}" if f"${{{part.name}}}" not in source else f"${{{part.name}}}"
        return str(part.text)

    return sequence(parse(source).body)


@pytest.mark.parametrize("source", SCRIPTS, ids=repr)
def test_same_tree(source: str) -> None:
    assert ours(source) == theirs(source)
