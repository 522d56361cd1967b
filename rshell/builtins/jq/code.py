"""Compiled expressions, and the scopes and environments that they run in.

An expression that gives exactly one value (ONE), or at most one (OPTIONAL), is a plain function of the
environment and the input; only what can give several (MANY) is a generator. Most filters need no
generator at all. An environment is a chain of pairs, value and rest; where a variable stands in it is known
when the program is compiled.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rshell.builtins.jq import tree as t

ONE, OPTIONAL, MANY = 1, 2, 3
EMPTY: Any = type("Empty", (), {})()  # what a function of kind OPTIONAL returns instead of a value

Env = Any  # None, or (value, Env)
Run = "Callable[[Env, Any], Any]"
Place = tuple[Any, Any]  # a path (a tuple of keys, or None for no path), and the value there


class Code:
    """A compiled expression: its kind and its function."""

    __slots__ = ("constant", "kind", "run")

    def __init__(self, kind: int, run: Callable[[Env, Any], Any], constant: Any = EMPTY) -> None:
        self.kind = kind
        self.run = run
        self.constant = constant  # the value, where it is known beforehand

    @property
    def many(self) -> Callable[[Env, Any], Iterator[Any]]:
        """The expression as a generator function."""
        run = self.run
        if self.kind == MANY:
            return run
        if self.kind == ONE:

            def one(env: Env, value: Any) -> Iterator[Any]:
                yield run(env, value)

            return one

        def optional(env: Env, value: Any) -> Iterator[Any]:
            result = run(env, value)
            if result is not EMPTY:
                yield result

        return optional


class Tail:
    """A call in tail position that its function's caller makes: recursion without depth."""

    __slots__ = ("env", "run", "value")

    def __init__(self, run: Callable[[Env, Any], Iterator[Any]], env: Env, value: Any) -> None:
        self.run = run
        self.env = env
        self.value = value


def trampoline(run: Callable[[Env, Any], Iterator[Any]], env: Env, value: Any) -> Iterator[Any]:
    """Run a function's body and the calls that it ends in."""
    while True:
        for result in run(env, value):
            if result.__class__ is Tail:
                run, env, value = result.run, result.env, result.value
                break
            yield result
        else:
            return


class Function:
    """A function of the program while it is compiled."""

    def __init__(self, node: t.Function, scope: Scope) -> None:
        self.node = node
        self.scope = scope.with_function(node.name, len(node.parameters), self)
        self.code: Code | None = None
        self.compiling = False
        self.recursive = False
        self.tails = False
        self.places: Callable[..., Iterator[Place]] | None = None

    def late(self, env: Env, value: Any) -> Iterator[Any]:
        """The body as a generator, for calls that were compiled before it was."""
        assert self.code is not None
        return self.code.many(env, value)

    def body_scope(self) -> Scope:
        """The scope of the body: the parameters, one slot each."""
        scope = self.scope
        for parameter in self.node.parameters:
            scope = scope.with_value(parameter[1:]) if parameter[0] == "$" else scope.with_closure(parameter)
        return scope


class Argument:
    """An expression that is passed to a function: what a slot of the environment holds, beside its own one."""

    __slots__ = ("_compile_places", "_places", "many")

    def __init__(self, many: Callable[[Env, Any], Iterator[Any]], places: Callable[[], Any]) -> None:
        self.many = many
        self._compile_places = places
        self._places: Any = None

    @property
    def places(self) -> Callable[..., Iterator[Place]]:
        """The expression in path mode, compiled when first wanted."""
        if self._places is None:
            self._places = self._compile_places()
        return self._places  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Scope:
    """What names mean at one place of the program. depth: how long the environment is there."""

    depth: int = 0
    variables: dict[str, int] = field(default_factory=dict)
    functions: dict[tuple[str, int], Any] = field(default_factory=dict)  # Function, or the depth of a slot
    labels: dict[str, int] = field(default_factory=dict)

    def with_variable(self, name: str) -> Scope:
        """One more slot, for a variable."""
        depth = self.depth + 1
        return Scope(depth, {**self.variables, name: depth}, self.functions, self.labels)

    def with_value(self, name: str) -> Scope:
        """Two more slots, for a $parameter: the expression, which can also be called, and its value."""
        return self.with_closure(name).with_variable(name)

    def with_closure(self, name: str) -> Scope:
        """One more slot, for an argument that is an expression."""
        depth, key = self.depth + 1, (name, 0)
        return Scope(depth, self.variables, {**self.functions, key: depth}, self.labels)

    def with_function(self, name: str, arity: int, function: Function) -> Scope:
        """A function; it needs no slot."""
        key = (name, arity)
        return Scope(self.depth, self.variables, {**self.functions, key: function}, self.labels)

    def with_label(self, name: str) -> Scope:
        """One more slot, for the mark of a label."""
        depth = self.depth + 1
        return Scope(depth, self.variables, self.functions, {**self.labels, name: depth})


def slot(hops: int) -> Callable[[Env], Any]:
    """A function that reads the slot so many steps down an environment."""
    if hops == 0:
        return lambda env: env[0]
    if hops == 1:
        return lambda env: env[1][0]
    if hops == 2:
        return lambda env: env[1][1][0]

    def read(env: Env) -> Any:
        for _ in range(hops):
            env = env[1]
        return env[0]

    return read


def outer(hops: int) -> Callable[[Env], Env]:
    """A function that goes so many steps down an environment."""
    if hops == 0:
        return lambda env: env
    if hops == 1:
        return lambda env: env[1]

    def walk(env: Env) -> Env:
        for _ in range(hops):
            env = env[1]
        return env

    return walk
