"""Refuses, before anything runs, what the language leaves out.

A walk over the tree with a stack of its own, in the order of the source as far as the tree keeps it:
a table says for each type of node what is wrong with it and what lies below it. It must stay quick,
since each script passes here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NoReturn

from rshell.syntax.errors import FeatureError
from rshell.syntax.tree import (
    AndOr,
    Arithmetic,
    ArithmeticCommand,
    ArithmeticFor,
    Assignment,
    BraceGroup,
    Case,
    CommandSub,
    Coproc,
    Declaration,
    DoubleQuoted,
    ExtGlob,
    For,
    Function,
    HereDoc,
    If,
    Literal,
    Parameter,
    Pipeline,
    ProcessSub,
    Program,
    Quoted,
    Redirect,
    Select,
    Sequence,
    SimpleCommand,
    Subshell,
    TestCommand,
    Tilde,
    While,
    Word,
)

_OUTPUT: Final = frozenset({">", ">>", ">|", "&>", "&>>"})
# The operator a message names: without the descriptor, and >| as what it is a form of.
_NAMED: Final = {">|": ">"}
_ALLOWED_COPIES: Final = frozenset({(None, "2"), (1, "2"), (2, "1")})
_REFUSED_NAMES: Final = frozenset("0123456789@*#!")
_OPERATIONS: Final = {"[": "element", "@": "transformation"}


def validate(program: Program, *, mode: str = "read-only") -> None:
    """Raise FeatureError for the first construct that scripts may not use.

    mode is 'read-only', where the only file that output may go to is the literal word /dev/null, or
    'remediation', where where it goes is for the sandbox to judge.
    """
    line = 0
    stack: list[Any] = [program.body]
    pop = stack.pop
    table = _BELOW
    writes = mode == "remediation"
    while stack:
        node = pop()
        kind = type(node)
        if kind is Word:
            line = node.line or line
            for part in reversed(node.parts):
                if type(part) is not Literal and type(part) is not Quoted:
                    stack.append(part)
            continue
        if kind is Parameter:
            _parameter(node, line)
            continue
        if kind is Redirect:
            _redirect(node, writes)
            stack.append(node.target)
            continue
        if kind in _WITH_LINE:
            line = node.line or line
        key = _REFUSED.get(kind)
        if key is not None:
            _refuse(key, line)
        below = table[kind](node)
        stack.extend(reversed(below))


def _refuse(key: str, line: int, subject: str = "") -> NoReturn:
    from rshell.features import refusal  # the table costs time to load, and most scripts need none of it

    raise FeatureError(refusal(key, subject), line)


def _parameter(node: Parameter, line: int) -> None:
    name, operation = node.name, node.operation
    if not name:
        raise FeatureError(f"${{{operation}}}: bad substitution", line)
    if operation:
        if operation.startswith("length"):
            _refuse("length", line)
        if operation.startswith("indirect"):
            _refuse("indirect", line)
        first = operation[0]
        if first == ":" and operation[1:2] not in ("-", "=", "?", "+"):
            _refuse("substring", line)
        _refuse(_OPERATIONS.get(first, "parameter-operation"), line)
    if name[0] in _REFUSED_NAMES:
        _refuse("parameter", line, "$" + name)
    if name == "LINENO":
        _refuse("lineno", line)


def _redirect(node: Redirect, writes: bool) -> None:
    op, fd, line = node.op, node.fd, node.line
    if node.variable is not None:
        _refuse("named-descriptor", line, f"{{{node.variable}}}{op}")
    if op in _OUTPUT:
        if fd is not None and fd != 1 and fd != 2:
            _refuse("output-descriptor", line, f"{fd}{op}")
        target = node.target
        if not writes and (not isinstance(target, Word) or target.literal() != "/dev/null"):
            _refuse("file", line, _NAMED.get(op, op))
    elif op == ">&":
        target = node.target
        if not isinstance(target, Word) or (fd, target.literal()) not in _ALLOWED_COPIES:
            _refuse("output-duplication", line)
    elif op == "<&":
        _refuse("input-duplication", line)
    elif op == "<>":
        _refuse("read-write", line)
    elif op == "<<<":
        _refuse("herestring", line)
    elif fd:
        _refuse("input-descriptor", line, f"{fd}{op}")


def _assignment(node: Assignment) -> Iterable[Any]:
    if node.elements is not None:
        _refuse("array", node.line)
    if node.index is not None:
        _refuse("array-index", node.line)
    if node.append:
        _refuse("append", node.line)
    return () if node.value is None else (node.value,)


def _pipeline(node: Pipeline) -> tuple[Any, ...]:
    if node.timed:
        _refuse("time", node.line)
    if "|&" in node.operators:
        return (*node.stages[: node.operators.index("|&") + 1], _PIPE_ALL)
    return node.stages


def _and_or(node: AndOr) -> tuple[Any, ...]:
    below: tuple[Any, ...] = (node.first, *(pipeline for _, pipeline in node.rest)) if node.rest else (node.first,)
    return (*below, _BACKGROUND) if node.background else below


def _simple(node: SimpleCommand) -> tuple[Any, ...]:
    words = node.words
    if not node.assignments and not node.redirects:
        return words
    return node.assignments + words + node.redirects


def _if(node: If) -> tuple[Any, ...]:
    arms = [sequence for arm in node.arms for sequence in arm]
    return (*arms, *(() if node.otherwise is None else (node.otherwise,)), *node.redirects)


def _for(node: For) -> tuple[Any, ...]:
    if node.words is None:
        _refuse("for-parameters", node.line)
    return (*node.words, node.body, *node.redirects)


class _Mark:
    """Stands on the stack behind the nodes after which something is refused."""

    def __init__(self, key: str) -> None:
        self.key = key

    def below(self) -> NoReturn:
        """Come to: everything before it was fine."""
        _refuse(self.key, 0)


_PIPE_ALL: Final = _Mark("pipe-all")
_BACKGROUND: Final = _Mark("background")

_WITH_LINE: Final = frozenset({
    SimpleCommand, Declaration, Case, Select, ArithmeticFor, Function, ArithmeticCommand, TestCommand, Coproc,
})  # fmt: skip
_REFUSED: Final[dict[type, str]] = {
    Case: "case",
    Select: "select",
    ArithmeticFor: "arithmetic-for",
    Function: "functions",
    ArithmeticCommand: "arithmetic-command",
    TestCommand: "test-command",
    Coproc: "coproc",
    Arithmetic: "arithmetic",
    ProcessSub: "process-substitution",
    ExtGlob: "extended-glob",
    Tilde: "tilde",
}


def _declaration(node: Declaration) -> NoReturn:
    _refuse(node.name, node.line)


_BELOW: Final[dict[type, Callable[[Any], Any]]] = {
    Sequence: lambda node: node.items,
    AndOr: _and_or,
    Pipeline: _pipeline,
    SimpleCommand: _simple,
    Declaration: _declaration,
    Assignment: _assignment,
    Subshell: lambda node: (node.body, *node.redirects),
    BraceGroup: lambda node: (node.body, *node.redirects),
    If: _if,
    For: _for,
    While: lambda node: (node.condition, node.body, *node.redirects),
    DoubleQuoted: lambda node: tuple(part for part in node.parts if type(part) is not Quoted),
    CommandSub: lambda node: (node.body,),
    HereDoc: lambda node: (node.body,),
    _Mark: _Mark.below,
}
