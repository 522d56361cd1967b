"""Destructuring, and what is built on it: `as`, `?//`, reduce and foreach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rshell.builtins.jq import tree as t
from rshell.builtins.jq import values
from rshell.builtins.jq.code import EMPTY, MANY, ONE, OPTIONAL, Code, Env, Scope
from rshell.builtins.jq.errors import JqError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rshell.builtins.jq.compile import Compiler

    Destructure = Callable[[Env, Any], Iterator[Env]]


def variables(pattern: t.Pattern) -> list[str]:
    """The names that a pattern binds, in order."""
    if pattern.variable is not None:
        return [pattern.variable]
    names: list[str] = []
    for element in pattern.elements or ():
        names += variables(element)
    for variable, _, inner in pattern.entries or ():
        if variable is not None:
            names.append(variable)
        if inner is not None:
            names += variables(inner)
    return names


def destructure(compiler: Compiler, pattern: t.Pattern, scope: Scope) -> tuple[Scope, Destructure]:
    """The scope behind a pattern, and a function that gives the environments that a value makes."""
    if pattern.variable is not None:

        def simple(env: Env, value: Any) -> Iterator[Env]:
            yield (value, env)

        return scope.with_variable(pattern.variable), simple
    steps: list[Destructure] = []
    if pattern.elements is not None:
        for place, element in enumerate(pattern.elements):
            scope, inner = destructure(compiler, element, scope)
            steps.append(_element(place, inner))
    for variable, key, below in pattern.entries or ():
        key_code = compiler.many(key, scope)
        if variable is not None:
            scope = scope.with_variable(variable)
        inner_run: Destructure | None = None
        if below is not None:
            scope, inner_run = destructure(compiler, below, scope)
        steps.append(_entry(key_code, variable is not None, inner_run))

    def several(env: Env, value: Any, at: int = 0) -> Iterator[Env]:
        if at == len(steps):
            yield env
            return
        for inside in steps[at](env, value):
            yield from several(inside, value, at + 1)

    return scope, several


def _element(place: int, inner: Destructure) -> Destructure:
    def run(env: Env, value: Any) -> Iterator[Env]:
        if value is not None and value.__class__ is not list:
            raise JqError(f"Cannot index {values.type_name(value)} with number")
        return inner(env, values.index(value, place))

    return run


def _entry(keys: Callable[[Env, Any], Iterator[Any]], bound: bool, inner: Destructure | None) -> Destructure:
    def run(env: Env, value: Any) -> Iterator[Env]:
        for key in keys(env, value):
            if key.__class__ is not str:
                raise JqError(f"Cannot index {values.type_name(value)} with {values.type_name(key)}")
            held = values.index(value, key)
            inside = (held, env) if bound else env
            if inner is None:
                yield inside
            else:
                yield from inner(inside, held)

    return run


def alternatives(compiler: Compiler, patterns: tuple[t.Pattern, ...], scope: Scope) -> tuple[Scope, list[Destructure]]:
    """Of `?//`: every pattern binds the variables of all, those that it lacks to null."""
    if len(patterns) == 1:
        inner, run = destructure(compiler, patterns[0], scope)
        return inner, [run]
    names = list(dict.fromkeys(name for pattern in patterns for name in variables(pattern)))
    outside = scope
    for name in names:
        outside = outside.with_variable(name)
    runs = []
    for pattern in patterns:
        inner, run = destructure(compiler, pattern, scope)
        runs.append(_rebound(run, [inner.depth - inner.variables[n] if n in variables(pattern) else -1 for n in names]))
    return outside, runs


def _rebound(run: Destructure, hops: list[int]) -> Destructure:
    def rebind(env: Env, value: Any) -> Iterator[Env]:
        for inside in run(env, value):
            result = env
            for hop in hops:
                at = inside
                for _ in range(hop):
                    at = at[1]
                result = (None if hop < 0 else at[0], result)
            yield result

    return rebind


def binding(compiler: Compiler, node: t.Bind, scope: Scope) -> Code:
    """`source as patterns | body`"""
    sources = compiler.many(node.source, scope)
    inner, runs = alternatives(compiler, node.patterns, scope)
    body = compiler.many(node.body, inner)

    def several(env: Env, value: Any) -> Iterator[Any]:
        for held in sources(env, value):
            for number, run in enumerate(runs, 1):
                try:
                    for inside in run(env, held):
                        yield from body(inside, value)
                except JqError:
                    if number == len(runs):
                        raise
                    continue
                break

    return Code(MANY, several)


def reduction(compiler: Compiler, node: t.Reduce, scope: Scope) -> Code:
    """reduce: the last value of the update is the next state; none makes it null."""
    sources = compiler.many(node.source, scope)
    start = compiler.code(node.start, scope)
    inner, run = destructure(compiler, node.pattern, scope)
    simple = node.pattern.variable is not None
    update = compiler.code(node.update, inner)
    once, several, step = update.kind == ONE, update.many, update.run
    tick = compiler.machine.tick
    owned = _owned_update(compiler, node.update, inner)

    def reduce(env: Env, value: Any, state: Any) -> Any:
        mine = False  # whether the state is a container that nobody else holds
        for held in sources(env, value):
            tick()
            for inside in ((held, env),) if simple else run(env, held):
                if owned is not None:
                    state = owned(inside, state, mine)
                    mine = True
                elif once:
                    state = step(inside, state)
                else:
                    last = None
                    for last in several(inside, state):  # noqa: B007 - the last is wanted
                        pass
                    state = last
        return state

    first = start.run
    if start.kind == ONE:
        return Code(ONE, lambda env, value: reduce(env, value, first(env, value)))
    starts = start.many

    def each(env: Env, value: Any) -> Iterator[Any]:
        for state in starts(env, value):
            yield reduce(env, value, state)

    return Code(MANY, each)


def _independent(node: t.Node) -> bool:
    """Whether an expression does not look at its input (so that it cannot keep it either)."""
    if isinstance(node, t.Literal | t.Variable):
        return True
    if isinstance(node, t.Index):
        return _independent(node.target) and _independent(node.key)
    if isinstance(node, t.Pipe):
        return _independent(node.left)
    if isinstance(node, t.Text):
        return all(isinstance(part, str) or _independent(part) for part in node.parts)
    if isinstance(node, t.Array):
        return node.body is None or _independent(node.body)
    if isinstance(node, t.Object):
        return all(_independent(key) and _independent(value) for key, value in node.entries)
    if isinstance(node, t.Binary | t.Alternative):
        return _independent(node.left) and _independent(node.right)
    return False


def _owned_update(compiler: Compiler, node: t.Node, scope: Scope) -> Callable[[Env, Any, bool], Any] | None:
    """The common updates of a reduce, done in place once the state is its own: `. + e`, `.[k] = e`, `.[k] += e`."""
    if isinstance(node, t.Binary) and node.operator == "+" and isinstance(node.left, t.Identity):
        right = compiler.code(node.right, scope)
        if right.kind != ONE or not _independent(node.right):
            return None
        added = right.run

        def append(env: Env, state: Any, mine: bool) -> Any:
            more = added(env, None)
            if mine and state.__class__ is list and more.__class__ is list:
                state += more
                return state
            if mine and state.__class__ is dict and more.__class__ is dict:
                state.update(more)
                return state
            total = values.add(state, more)
            return total.copy() if total is more and total.__class__ in (list, dict) else total

        return _copying(append)
    if not isinstance(node, t.Assign) or not isinstance(node.left, t.Index):
        return None
    if not isinstance(node.left.target, t.Identity) or not (_independent(node.left.key) and _independent(node.right)):
        return None
    key, right = compiler.code(node.left.key, scope), compiler.code(node.right, scope)
    operator = node.operator[:-1]
    if key.kind != ONE or right.kind != ONE or (operator and operator not in "+-*/%"):
        return None
    key_of, value_of = key.run, right.run
    combine = values.OPERATORS[operator] if operator else None

    def put(env: Env, state: Any, mine: bool) -> Any:
        new = value_of(env, None)
        name = key_of(env, None)
        if combine is not None:
            new = combine(values.index(state, name), new)
        if mine and state.__class__ is dict and name.__class__ is str:
            state[name] = new
            return state
        if mine and state.__class__ is list and name.__class__ is int and 0 <= name < len(state):
            state[name] = new
            return state
        return values.set_index(state, name, new)

    return put


def _copying(append: Callable[[Env, Any, bool], Any]) -> Callable[[Env, Any, bool], Any]:
    def run(env: Env, state: Any, mine: bool) -> Any:
        result = append(env, state, mine)
        return result.copy() if not mine and result is state and result.__class__ in (list, dict) else result

    return run


def iteration(compiler: Compiler, node: t.Foreach, scope: Scope) -> Code:
    """foreach: every value of the update is a state, and goes through extract."""
    sources = compiler.many(node.source, scope)
    starts = compiler.many(node.start, scope)
    inner, run = destructure(compiler, node.pattern, scope)
    updates = compiler.many(node.update, inner)
    extract = compiler.code(node.extract, inner) if node.extract is not None else None
    extracts = extract.many if extract is not None else None
    tick = compiler.machine.tick

    def several(env: Env, value: Any) -> Iterator[Any]:
        for state in starts(env, value):
            for held in sources(env, value):
                tick()
                for inside in run(env, held):
                    for state in updates(inside, state):  # noqa: B020 - each is the next one's start
                        if extracts is None:
                            yield state
                        else:
                            yield from extracts(inside, state)

    return Code(MANY, several)


__all__ = ["EMPTY", "OPTIONAL", "alternatives", "binding", "destructure", "iteration", "reduction", "variables"]
