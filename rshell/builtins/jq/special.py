"""Functions that the compiler makes code for: those that take expressions and must be fast, or steer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rshell.builtins.jq import bounds, values
from rshell.builtins.jq.code import EMPTY, MANY, ONE, OPTIONAL, Code, Env, Scope
from rshell.builtins.jq.errors import CompileError, JqError, TooMuch
from rshell.builtins.jq.registry import places, special

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rshell.builtins.jq import tree as t
    from rshell.builtins.jq.code import Place
    from rshell.builtins.jq.compile import Compiler
    from rshell.builtins.jq.paths import Places

    Nodes = Sequence[t.Node]


@special("empty", 0)
def empty(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    return Code(OPTIONAL, lambda env, value: EMPTY)


@places("empty", 0)
def empty_places(compiler: Places, arguments: Nodes, scope: Scope) -> Any:
    return lambda env, path, value: iter(())


@special("not", 0)
def negation(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    return Code(ONE, lambda env, value: value is None or value is False)


@special("select", 1)
def select(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    condition = compiler.code(arguments[0], scope)
    test = condition.run
    if condition.kind == ONE:

        def optional(env: Env, value: Any) -> Any:
            held = test(env, value)
            return EMPTY if held is False or held is None else value

        return Code(OPTIONAL, optional)
    tests = condition.many

    def several(env: Env, value: Any) -> Iterator[Any]:
        for held in tests(env, value):
            if held is not None and held is not False:
                yield value

    return Code(MANY, several)


@special("map", 1)
def map_function(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    code = compiler.code(arguments[0], scope)
    run, many, tick, collect = code.run, code.many, compiler.machine.tick, compiler.collector()

    def one(env: Env, value: Any) -> Any:
        items = values.elements(value)
        tick(len(items) + 1)
        return [run(env, item) for item in items]

    def optional(env: Env, value: Any) -> Any:
        items = values.elements(value)
        tick(len(items) + 1)
        return [held for item in items if (held := run(env, item)) is not EMPTY]

    def several(env: Env, value: Any) -> Any:
        items = values.elements(value)
        tick(len(items) + 1)
        return collect(held for item in items for held in many(env, item))

    return Code(ONE, {ONE: one, OPTIONAL: optional, MANY: several}[code.kind])


@special("recurse", 0, 1)
def recurse(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    tick = compiler.machine.tick
    if not arguments:
        return Code(MANY, lambda env, value: _descended(value, lambda held: _children(env, held), tick))
    code = compiler.code(arguments[0], scope)
    run = code.run
    if code.kind == MANY:
        return Code(MANY, lambda env, value: _descended(value, lambda held: run(env, held), tick))

    def chain(env: Env, value: Any) -> Iterator[Any]:
        while value is not EMPTY:
            tick()
            yield value
            value = run(env, value)

    return Code(MANY, chain)


def _descended(value: Any, step: Callable[[Any], Iterator[Any]], tick: Callable[..., None]) -> Iterator[Any]:
    """A value, what a step makes of it, and so on, depth first and without recursion."""
    yield value
    stack = [step(value)]
    while stack:
        held = next(stack[-1], EMPTY)
        if held is EMPTY:
            stack.pop()
            continue
        tick()
        yield held
        stack.append(step(held))
        _shallow(stack)


def _shallow(stack: list[Any]) -> None:
    if len(stack) > bounds.DESCENT:
        raise TooMuch(bounds.CALL_DEPTH)


@special("repeat", 1)
def repeat(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    return recurse(compiler, arguments, scope)


@special("recurse", 2)
def recurse_while(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    return _walked(compiler, arguments[0], arguments[1], scope, first=False)


@special("while", 2)
def while_function(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    return _walked(compiler, arguments[1], arguments[0], scope, first=True)


def _walked(compiler: Compiler, step: t.Node, condition: t.Node, scope: Scope, *, first: bool) -> Code:
    """The input and what the step makes of it again and again, as long as the condition holds."""
    code, test = compiler.code(step, scope), compiler.code(condition, scope)
    steps, conditions, run, check = code.many, test.many, code.run, test.run
    tick = compiler.machine.tick
    if code.kind <= OPTIONAL and test.kind == ONE:

        def chain(env: Env, value: Any) -> Iterator[Any]:
            sure = not first
            while value is not EMPTY and (sure or values.truthy(check(env, value))):
                sure = False
                tick()
                yield value
                value = run(env, value)

        return Code(MANY, chain)

    def held(env: Env, candidates: Iterator[Any]) -> Iterator[Any]:
        for value in candidates:
            for result in conditions(env, value):
                if values.truthy(result):
                    yield value

    def several(env: Env, value: Any) -> Iterator[Any]:
        stack = [held(env, iter((value,))) if first else iter((value,))]
        while stack:
            item = next(stack[-1], EMPTY)
            if item is EMPTY:
                stack.pop()
                continue
            tick()
            yield item
            stack.append(held(env, steps(env, item)))
            _shallow(stack)

    return Code(MANY, several)


@special("until", 2)
def until(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    test, code = compiler.code(arguments[0], scope), compiler.code(arguments[1], scope)
    conditions, steps, check, run = test.many, code.many, test.run, code.run
    tick = compiler.machine.tick
    if code.kind <= OPTIONAL and test.kind == ONE:

        def chain(env: Env, value: Any) -> Any:
            while value is not EMPTY and not values.truthy(check(env, value)):
                tick()
                value = run(env, value)
            return value

        return Code(code.kind, chain)

    def several(env: Env, value: Any) -> Iterator[Any]:
        stack: list[Iterator[Any]] = [iter((value,))]
        while stack:
            item = next(stack[-1], EMPTY)
            if item is EMPTY:
                stack.pop()
                continue
            tick()
            for result in conditions(env, item):
                if values.truthy(result):
                    yield item
                else:
                    stack.append(steps(env, item))
                    _shallow(stack)

    return Code(MANY, several)


def _children(env: Env, value: Any) -> Iterator[Any]:
    if value.__class__ is list:
        return iter(value)
    return iter(value.values()) if value.__class__ is dict else iter(())


def _child_places(env: Env, path: Any, value: Any) -> Iterator[Place]:
    if value.__class__ is list:
        return (((*path, at), item) for at, item in enumerate(value))
    return (((*path, name), item) for name, item in value.items()) if value.__class__ is dict else iter(())


@places("recurse", 0, 1)
def recurse_places(compiler: Places, arguments: Nodes, scope: Scope) -> Any:
    run = compiler.of(arguments[0], scope) if arguments else _child_places
    tick = compiler.compiler.machine.tick

    def several(env: Env, path: Any, value: Any) -> Iterator[Place]:
        yield path, value
        stack = [run(env, path, value)]
        while stack:
            place = next(stack[-1], None)
            if place is None:
                stack.pop()
                continue
            tick()
            yield place
            stack.append(run(env, *place))

    return several


@special("range", 1, 2, 3)
def range_function(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    codes = [compiler.many(argument, scope) for argument in arguments]
    tick = compiler.machine.tick

    def several(env: Env, value: Any) -> Iterator[Any]:
        if len(codes) == 1:
            for end in codes[0](env, value):
                yield from _range(0, end, 1, tick)
            return
        for start in codes[0](env, value):
            for end in codes[1](env, value):
                if len(codes) == 2:
                    yield from _range(start, end, 1, tick)
                else:
                    for by in codes[2](env, value):
                        yield from _range(start, end, by, tick)

    return Code(MANY, several)


def _range(start: Any, end: Any, by: Any, tick: Callable[..., None]) -> Iterator[Any]:
    if not (values.is_number(start) and values.is_number(end) and values.is_number(by)):
        raise JqError("Range bounds must be numeric")
    at = start
    if by == 0:
        while start < end:  # for ever, as jq 1.7 does; the bounds end it
            tick()
            yield at
        return
    while (at < end) if by > 0 else (at > end):
        tick()
        yield at
        at = values.add(at, by)


@special("first", 1)
def first(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    code = compiler.code(arguments[0], scope)
    if code.kind <= OPTIONAL:
        return code
    run = code.run
    return Code(OPTIONAL, lambda env, value: next(run(env, value), EMPTY))


@places("first", 1)
def first_places(compiler: Places, arguments: Nodes, scope: Scope) -> Any:
    run = compiler.of(arguments[0], scope)

    def several(env: Env, path: Any, value: Any) -> Iterator[Place]:
        for place in run(env, path, value):
            yield place
            return

    return several


@special("last", 1)
def last(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    many = compiler.many(arguments[0], scope)

    def optional(env: Env, value: Any) -> Any:
        held = None
        for held in many(env, value):  # noqa: B007 - the last is wanted
            pass
        return held

    return Code(ONE, optional)


@places("last", 1)
def last_places(compiler: Places, arguments: Nodes, scope: Scope) -> Any:
    run = compiler.of(arguments[0], scope)

    def several(env: Env, path: Any, value: Any) -> Iterator[Place]:
        place = None
        for place in run(env, path, value):  # noqa: B007 - the last is wanted
            pass
        if place is not None:
            yield place

    return several


@special("limit", 2)
def limit(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    counts, many = compiler.many(arguments[0], scope), compiler.many(arguments[1], scope)

    def several(env: Env, value: Any) -> Iterator[Any]:
        for count in counts(env, value):
            left = _count(count)
            if left < 0:
                yield from many(env, value)
            elif left > 0:
                for held in many(env, value):
                    yield held
                    left -= 1
                    if left <= 0:
                        break

    return Code(MANY, several)


@places("limit", 2)
def limit_places(compiler: Places, arguments: Nodes, scope: Scope) -> Any:
    counts, run = compiler.compiler.many(arguments[0], scope), compiler.of(arguments[1], scope)

    def several(env: Env, path: Any, value: Any) -> Iterator[Place]:
        for count in counts(env, value):
            left = _count(count)
            if left < 0:
                yield from run(env, path, value)
            elif left > 0:
                for place in run(env, path, value):
                    yield place
                    left -= 1
                    if left <= 0:
                        break

    return several


def _count(value: Any) -> Any:
    if not values.is_number(value):
        raise JqError("Invalid arguments to limit")
    return value


@special("isempty", 1)
def isempty(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    many = compiler.many(arguments[0], scope)
    return Code(ONE, lambda env, value: next(many(env, value), EMPTY) is EMPTY)


def _quantified(compiler: Compiler, arguments: Nodes, scope: Scope, decided: bool) -> Code:
    sources, tests = compiler.many(arguments[0], scope), compiler.many(arguments[1], scope)

    def one(env: Env, value: Any) -> bool:
        for held in sources(env, value):
            for result in tests(env, held):
                if values.truthy(result) is decided:
                    return decided
        return not decided

    return Code(ONE, one)


@special("any", 2)
def any_function(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    return _quantified(compiler, arguments, scope, True)


@special("all", 2)
def all_function(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    return _quantified(compiler, arguments, scope, False)


@special("path", 1)
def path(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    from rshell.builtins.jq.paths import Places, checked

    run = Places(compiler).of(arguments[0], scope)

    def several(env: Env, value: Any) -> Iterator[Any]:
        for at, held in run(env, (), value):
            yield list(checked(at, held))

    return Code(MANY, several)


@special("getpath", 1)
def getpath(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    from rshell.builtins.jq.combine import combine

    return combine([compiler.code(arguments[0], scope)], lambda value, at: values.get_path(value, _path(at)))


def _path(at: Any) -> list[Any]:
    if at.__class__ is not list:
        raise JqError("Path must be specified as an array")
    return at


@places("getpath", 1)
def getpath_places(compiler: Places, arguments: Nodes, scope: Scope) -> Any:
    from rshell.builtins.jq.paths import checked

    many = compiler.compiler.many(arguments[0], scope)

    def several(env: Env, path: Any, value: Any) -> Iterator[Place]:
        for at in many(env, value):
            try:
                held = values.get_path(value, _path(at))
            except JqError:
                held = None
            yield (*checked(path, value), *at), held

    return several


@special("error", 0, 1)
def error(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    many = compiler.many(arguments[0], scope) if arguments else None

    def fail(env: Env, value: Any) -> Any:
        if many is None:
            raise JqError(value)
        for held in many(env, value):
            raise JqError(held)
        return EMPTY

    return Code(OPTIONAL, fail)


@places("error", 0, 1)
def error_places(compiler: Places, arguments: Nodes, scope: Scope) -> Any:
    many = error(compiler.compiler, arguments, scope).many

    def several(env: Env, path: Any, value: Any) -> Iterator[Place]:
        for held in many(env, value):
            yield None, held

    return several


def _keyed(
    name: str, choose: Callable[[list[Any], list[Any]], Any], what: str = "sorted, as they are not both arrays"
) -> None:
    """A function that orders an array by the values of an expression."""

    @special(name, 1)
    def keyed(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
        code = compiler.code(arguments[0], scope)
        run, many, tick, check = code.run, code.many, compiler.machine.tick, compiler.machine.check

        def one(env: Env, value: Any) -> Any:
            items = values.elements(value)
            tick(len(items) + 1)
            if code.kind == ONE:
                found = [run(env, item) for item in items]
            else:
                found = [list(many(env, item)) for item in items]
            if value.__class__ is not list:
                shown = values.described([[key] for key in found])
                raise JqError(f"{values.described(value)} and {shown} cannot be {what}")
            keys = values.sort_keys(found)
            check()
            return choose(value, keys)

        return Code(ONE, one)


def _order(items: list[Any], keys: list[Any]) -> list[int]:
    return sorted(range(len(items)), key=keys.__getitem__)


def sort_by(items: list[Any], keys: list[Any]) -> list[Any]:
    """Items in the order of their keys."""
    return [items[at] for at in _order(items, keys)]


def group_by(items: list[Any], keys: list[Any]) -> list[list[Any]]:
    """Items of equal keys together."""
    if keys and keys[0].__class__ is str:  # strings alone: order only the different ones
        by_name: dict[str, list[Any]] = {}
        for key, item in zip(keys, items, strict=True):
            group = by_name.get(key)
            if group is None:
                by_name[key] = [item]
            else:
                group.append(item)
        return [by_name[name] for name in sorted(by_name)]
    groups: list[list[Any]] = []
    last: Any = EMPTY
    for at in _order(items, keys):
        if last is not EMPTY and keys[at] == last:
            groups[-1].append(items[at])
        else:
            groups.append([items[at]])
            last = keys[at]
    return groups


def unique_by(items: list[Any], keys: list[Any]) -> list[Any]:
    """The first of each group."""
    return [group[0] for group in group_by(items, keys)]


def min_by(items: list[Any], keys: list[Any]) -> Any:
    """The item of the least key, the first of several."""
    return items[min(range(len(items)), key=keys.__getitem__)] if items else None


def max_by(items: list[Any], keys: list[Any]) -> Any:
    """The item of the greatest key, the last of several."""
    return items[max(reversed(range(len(items))), key=keys.__getitem__)] if items else None


_keyed("sort_by", sort_by)
_keyed("group_by", group_by)
_keyed("unique_by", unique_by)
_keyed("min_by", min_by, "iterated over")
_keyed("max_by", max_by, "iterated over")


@special("input", 0)
def input_function(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    machine = compiler.machine

    def one(env: Env, value: Any) -> Any:
        held = machine.next_input()
        if held is EMPTY:
            raise JqError("No more inputs")
        return held

    return Code(ONE, one)


@special("inputs", 0)
def inputs(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    machine = compiler.machine

    def several(env: Env, value: Any) -> Iterator[Any]:
        while (held := machine.next_input()) is not EMPTY:
            machine.start()
            yield held

    return Code(MANY, several)


@special("modulemeta", 0)
def modulemeta(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    raise CompileError("modulemeta is not supported: there are no modules", 1)


@special("builtins", 0)
def builtins(compiler: Compiler, arguments: Nodes, scope: Scope) -> Code:
    from rshell.builtins.jq.registry import FUNCTIONS, SPECIALS, library

    names = sorted({*FUNCTIONS, *SPECIALS, *library()})
    listed = [f"{name}/{arity}" for name, arity in names]
    return Code(ONE, lambda env, value: listed)
