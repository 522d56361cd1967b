"""Trees in one line, so that a test's expectation can be read.

Parts: text, 'quoted', "double quoted", $NAME, $(…), `…`. Commands: {cmd word word >file}.
"""

from __future__ import annotations

from typing import Any

from rshell.syntax import parse


def shape(source: str | bytes) -> str:
    """The shape of a script's tree."""
    return sequence(parse(source).body)


def sequence(node: Any) -> str:
    return "; ".join(and_or(item) for item in node.items)


def and_or(node: Any) -> str:
    text = pipeline(node.first) + "".join(f" {op} {pipeline(p)}" for op, p in node.rest)
    return text + " &" if node.background else text


def pipeline(node: Any) -> str:
    text = command(node.stages[0])
    for op, stage in zip(node.operators, node.stages[1:], strict=True):
        text += f" {op} {command(stage)}"
    return ("time " if node.timed else "") + ("! " if node.negated else "") + text


def command(node: Any) -> str:
    kind = type(node).__name__
    redirects = "".join(" " + redirect(r) for r in getattr(node, "redirects", ()))
    if kind == "SimpleCommand":
        pieces = [assignment(a) for a in node.assignments] + [word(w) for w in node.words]
        return "{" + " ".join(pieces) + redirects + "}"
    if kind == "Subshell":
        return f"sub({sequence(node.body)})" + redirects
    if kind == "BraceGroup":
        return f"group({sequence(node.body)})" + redirects
    if kind == "If":
        arms = " ".join(f"[{sequence(c)} ? {sequence(b)}]" for c, b in node.arms)
        other = "" if node.otherwise is None else f" else {sequence(node.otherwise)}"
        return f"if({arms}{other})" + redirects
    if kind in ("For", "Select"):
        words = "" if node.words is None else " in" + "".join(" " + word(w) for w in node.words)
        return f"{kind.lower()}({node.name}{words}: {sequence(node.body)})" + redirects
    if kind == "While":
        return f"{'until' if node.until else 'while'}({sequence(node.condition)}: {sequence(node.body)})" + redirects
    if kind == "Case":
        items = " ".join(f"{'|'.join(map(word, i.patterns))}) {sequence(i.body)} {i.terminator}" for i in node.items)
        return f"case({word(node.subject)}: {items})" + redirects
    if kind == "ArithmeticFor":
        return f"for(({node.header}): {sequence(node.body)})" + redirects
    if kind == "ArithmeticCommand":
        return f"(({node.text}))" + redirects
    if kind == "TestCommand":
        return f"[[{' '.join(map(word, node.words))}]]" + redirects
    if kind == "Function":
        return f"function {node.name}: {command(node.body)}"
    if kind == "Coproc":
        return f"coproc {node.name}: {command(node.body)}"
    return f"declaration {node.name}"


def assignment(node: Any) -> str:
    name = node.name + ("" if node.index is None else f"[{node.index}]") + ("+=" if node.append else "=")
    if node.elements is not None:
        return name + "(" + " ".join(map(word, node.elements)) + ")"
    return name + word(node.value)


def redirect(node: Any) -> str:
    descriptor = "" if node.fd is None else str(node.fd)
    if node.variable is not None:
        descriptor = f"{{{node.variable}}}"
    if node.op in ("<<", "<<-"):
        here = node.target
        return f"{descriptor}{node.op}{here.delimiter}{'!' if here.quoted else ''}<{word(here.body)}>"
    return f"{descriptor}{node.op}{word(node.target)}"


def word(node: Any) -> str:
    return "+".join(part(p) for p in node.parts)


def part(node: Any) -> str:
    kind = type(node).__name__
    if kind == "Literal":
        return str(node.text)
    if kind == "Quoted":
        return repr(node.text)
    if kind == "DoubleQuoted":
        return '"' + "+".join(part(p) for p in node.parts) + '"'
    if kind == "Parameter":
        return f"${node.name}" if not node.operation else f"${{{node.name}|{node.operation}}}"
    if kind == "CommandSub":
        return f"`{sequence(node.body)}`" if node.backquoted else f"$({sequence(node.body)})"
    if kind == "ProcessSub":
        return f"{node.op}({sequence(node.body)})"
    if kind == "Arithmetic":
        return f"$(({node.text}))"
    if kind == "ExtGlob":
        return f"{node.op}({node.text})"
    return f"tilde:{node.text}"
