"""The tree of a jq program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Node:
    """Any expression."""


@dataclass(frozen=True, slots=True)
class Identity(Node):
    """`.`"""


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """A number, a string without interpolation, null, true, false, or a folded container."""

    value: Any


@dataclass(frozen=True, slots=True)
class Text(Node):
    """A string with interpolations: parts are str or Node; format is applied to the latter."""

    format: str
    parts: tuple[str | Node, ...]


@dataclass(frozen=True, slots=True)
class Format(Node):
    """`@name` alone."""

    name: str


@dataclass(frozen=True, slots=True)
class Index(Node):
    """`target[key]`, `target.name`"""

    target: Node
    key: Node


@dataclass(frozen=True, slots=True)
class Slice(Node):
    """`target[low:high]`"""

    target: Node
    low: Node | None
    high: Node | None


@dataclass(frozen=True, slots=True)
class Iterate(Node):
    """`target[]`"""

    target: Node


@dataclass(frozen=True, slots=True)
class Array(Node):
    """`[body]`"""

    body: Node | None


@dataclass(frozen=True, slots=True)
class Object(Node):
    """`{key: value, …}`"""

    entries: tuple[tuple[Node, Node], ...]


@dataclass(frozen=True, slots=True)
class Negate(Node):
    """`-operand`"""

    operand: Node


@dataclass(frozen=True, slots=True)
class Pipe(Node):
    """`left | right`"""

    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Comma(Node):
    """`left, right`"""

    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """Arithmetic and comparisons."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Logical(Node):
    """`and`, `or`"""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Alternative(Node):
    """`left // right`"""

    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Assign(Node):
    """`=`, `|=`, `+=`, `//=` …"""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class If(Node):
    """`if condition then yes else no end`; without else the input goes through."""

    condition: Node
    yes: Node
    no: Node | None


@dataclass(frozen=True, slots=True)
class Try(Node):
    """`try body catch handler`, `body?`"""

    body: Node
    handler: Node | None


@dataclass(frozen=True, slots=True)
class Pattern:
    """A destructuring pattern: a variable, the patterns of an array, or (variable, key, pattern) of an object."""

    variable: str | None = None
    elements: tuple[Pattern, ...] | None = None
    entries: tuple[tuple[str | None, Node, Pattern | None], ...] | None = None


@dataclass(frozen=True, slots=True)
class Bind(Node):
    """`source as pattern ?// pattern | body`"""

    source: Node
    patterns: tuple[Pattern, ...]
    body: Node


@dataclass(frozen=True, slots=True)
class Reduce(Node):
    """`reduce source as pattern (start; update)`"""

    source: Node
    pattern: Pattern
    start: Node
    update: Node


@dataclass(frozen=True, slots=True)
class Foreach(Node):
    """`foreach source as pattern (start; update; extract)`"""

    source: Node
    pattern: Pattern
    start: Node
    update: Node
    extract: Node | None


@dataclass(frozen=True, slots=True)
class Label(Node):
    """`label $name | body`"""

    name: str
    body: Node


@dataclass(frozen=True, slots=True)
class Break(Node):
    """`break $name`"""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Variable(Node):
    """`$name`"""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Call(Node):
    """`name(argument; …)`"""

    name: str
    arguments: tuple[Node, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Function:
    """`def name(parameter; …): body;` Parameters with $ are values."""

    name: str
    parameters: tuple[str, ...]
    body: Node


@dataclass(frozen=True, slots=True)
class Define(Node):
    """A definition and what it holds for."""

    function: Function
    rest: Node
