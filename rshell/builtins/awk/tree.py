"""The syntax tree of an awk program (POSIX awk, "Grammar")."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


class Node:
    """Any node."""

    __slots__ = ()

    def children(self) -> Sequence[object]:
        """The values of its fields, in order: what a frozen dataclass with slots takes for its state."""
        state = self.__getstate__()
        return state if isinstance(state, list) else ()


class Expression(Node):
    """A node that has a value."""

    __slots__ = ()


class Statement(Node):
    """A node that is carried out."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Number(Expression):
    """A numeric constant."""

    value: float


@dataclass(frozen=True, slots=True)
class String(Expression):
    """A string constant, its escapes already replaced."""

    value: bytes


@dataclass(frozen=True, slots=True)
class Regex(Expression):
    """A regular expression between slashes; by itself it is matched against $0."""

    source: bytes


@dataclass(frozen=True, slots=True)
class Name(Expression):
    """A variable, an array or a function's parameter."""

    name: str


@dataclass(frozen=True, slots=True)
class Index(Expression):
    """An array element: name[subscripts]."""

    name: str
    subscripts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Field(Expression):
    """$number."""

    number: Expression


Target = Name | Index | Field


@dataclass(frozen=True, slots=True)
class Assign(Expression):
    """target = value, or with an arithmetic operator target operator= value."""

    operator: str  # "" for a plain assignment, else one of + - * / % ^
    target: Target
    value: Expression


@dataclass(frozen=True, slots=True)
class Conditional(Expression):
    """test ? yes : no."""

    test: Expression
    yes: Expression
    no: Expression


@dataclass(frozen=True, slots=True)
class Logical(Expression):
    """left && right, left || right."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Not(Expression):
    """! operand."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Contains(Expression):
    """subscripts in name."""

    subscripts: tuple[Expression, ...]
    name: str


@dataclass(frozen=True, slots=True)
class Match(Expression):
    """text ~ pattern; with negated, text !~ pattern."""

    negated: bool
    text: Expression
    pattern: Expression


@dataclass(frozen=True, slots=True)
class Compare(Expression):
    """left operator right, with < <= == != > >=."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Concatenation(Expression):
    """Operands side by side."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Arithmetic(Expression):
    """left operator right, with + - * / % ^."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Sign(Expression):
    """+operand or -operand."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Increment(Expression):
    """++ and --, before or after their target."""

    target: Target
    step: float
    before: bool


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """A call of a function that the program defines."""

    name: str
    arguments: tuple[Expression, ...]
    line: int


@dataclass(frozen=True, slots=True)
class BuiltinCall(Expression):
    """A call of a built-in function; without parentheses there is no argument."""

    name: str
    arguments: tuple[Expression, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Getline(Expression):
    """getline [target], from the main input."""

    target: Target | None


@dataclass(frozen=True, slots=True)
class Grouping(Expression):
    """A parenthesised expression where that makes a difference: an operand that is no bare name."""

    inner: Expression


@dataclass(frozen=True, slots=True)
class Print(Statement):
    """print, and with formatted printf. sink: where to; "" is stdout. target: the file of "write" and "append"."""

    arguments: tuple[Expression, ...]
    formatted: bool
    sink: str  # "", "stderr", "null", "write", "append"
    target: Expression | None = None


@dataclass(frozen=True, slots=True)
class Evaluate(Statement):
    """An expression as a statement."""

    expression: Expression


@dataclass(frozen=True, slots=True)
class Block(Statement):
    """Statements in braces."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class If(Statement):
    """if (test) yes else no."""

    test: Expression
    yes: Statement
    no: Statement | None


@dataclass(frozen=True, slots=True)
class While(Statement):
    """while (test) body; with after, do body while (test)."""

    test: Expression
    body: Statement
    after: bool


@dataclass(frozen=True, slots=True)
class For(Statement):
    """for (first; test; step) body."""

    first: Statement | None
    test: Expression | None
    step: Statement | None
    body: Statement


@dataclass(frozen=True, slots=True)
class ForIn(Statement):
    """for (variable in array) body."""

    variable: Name
    array: str
    body: Statement


@dataclass(frozen=True, slots=True)
class Jump(Statement):
    """next, nextfile, break or continue."""

    kind: str


@dataclass(frozen=True, slots=True)
class Exit(Statement):
    """exit [status]."""

    status: Expression | None


@dataclass(frozen=True, slots=True)
class Return(Statement):
    """return [value]."""

    value: Expression | None


@dataclass(frozen=True, slots=True)
class Delete(Statement):
    """delete name, or delete name[subscripts]."""

    name: str
    subscripts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Rule(Node):
    """pattern { body }. No pattern is every record, no body is print; with until, a range."""

    pattern: Expression | None
    until: Expression | None
    body: Block | None


@dataclass(frozen=True, slots=True)
class Function:
    """A function that the program defines."""

    name: str
    parameters: tuple[str, ...]
    body: Block
    line: int


@dataclass(frozen=True, slots=True)
class Program:
    """A whole program. special: the BEGIN, END, BEGINFILE and ENDFILE actions by that name."""

    special: dict[str, tuple[Block, ...]]
    rules: tuple[Rule, ...]
    functions: dict[str, Function]


Place = Callable[[Expression], Expression]


def assignable(expression: Expression) -> tuple[Target, Place] | None:
    """Find the target at the right end of what stands before `=`: `1 == x = 2` and `!x = y` assign to x.

    Returns it with a function that puts the assignment in its place; None when there is no target.
    """
    if isinstance(expression, Target):
        return expression, lambda assigned: assigned
    rest = None
    if isinstance(expression, Not):
        rest = expression.operand
    elif isinstance(expression, Logical | Compare):
        rest = expression.right
    elif isinstance(expression, Match):
        rest = expression.pattern
    inner = None if rest is None else assignable(rest)
    if inner is None:
        return None
    target, place = inner
    return target, lambda assigned: _with_last(expression, place(assigned))


def _with_last(expression: Expression, last: Expression) -> Expression:
    """expression with another last operand."""
    if isinstance(expression, Not):
        return Not(last)
    if isinstance(expression, Match):
        return Match(expression.negated, expression.text, last)
    if isinstance(expression, Compare):
        return Compare(expression.operator, expression.left, last)
    assert isinstance(expression, Logical)
    return Logical(expression.operator, expression.left, last)
