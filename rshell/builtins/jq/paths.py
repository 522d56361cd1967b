"""Path mode: an expression run not for its values but for the places in the input that it names.

A place is a path and the value there. Where an expression gives what is no place (a literal, a sum) the path
is None, and going on from there is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rshell.builtins.jq import tree as t
from rshell.builtins.jq import values
from rshell.builtins.jq.code import Code, Env, Function, Place, Scope, outer, slot
from rshell.builtins.jq.errors import BreakOut, JqError
from rshell.builtins.jq.patterns import alternatives, destructure
from rshell.builtins.jq.registry import PLACES, SPECIALS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rshell.builtins.jq.compile import Compiler

    Run = Callable[[Env, Any, Any], Iterator[Place]]


def checked(path: Any, value: Any, key: Any = None) -> Any:
    """The path, which must be one."""
    if path is None:
        if key is None:
            raise JqError(f"Invalid path expression with result {values.shown(value)}")
        raise JqError(f"Invalid path expression with result {values.shown(value)}")
    return path


class Places:
    """Compiles expressions in path mode, for one Compiler."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self.methods: dict[type, Callable[..., Run]] = {
            t.Identity: self.identity, t.Index: self.index, t.Slice: self.slice, t.Iterate: self.iterate,
            t.Pipe: self.pipe, t.Comma: self.comma, t.If: self.conditional, t.Alternative: self.alternative,
            t.Try: self.attempt, t.Label: self.label, t.Break: self.nowhere, t.Bind: self.bind, t.Define: self.define,
            t.Call: self.call, t.Reduce: self.reduce, t.Foreach: self.foreach,
        }  # fmt: skip

    def of(self, node: t.Node, scope: Scope) -> Run:
        """Compile an expression in path mode."""
        return self.methods.get(node.__class__, self.nowhere)(node, scope)

    def nowhere(self, node: t.Node, scope: Scope) -> Run:
        """What gives values that are no places."""
        many = self.compiler.many(node, scope)

        def run(env: Env, path: Any, value: Any) -> Iterator[Place]:
            for result in many(env, value):
                yield None, result

        return run

    def identity(self, node: t.Identity, scope: Scope) -> Run:
        def run(env: Env, path: Any, value: Any) -> Iterator[Place]:
            yield path, value

        return run

    def index(self, node: t.Index, scope: Scope) -> Run:
        target = self.of(node.target, scope)
        keys = self.compiler.many(node.key, scope)
        index = values.index

        def run(env: Env, path: Any, value: Any) -> Iterator[Place]:
            for key in keys(env, value):
                for at, held in target(env, path, value):
                    yield (*checked(at, held), key), index(held, key)

        return run

    def slice(self, node: t.Slice, scope: Scope) -> Run:
        target = self.of(node.target, scope)
        nothing = t.Literal(None)
        lows, highs = self.compiler.many(node.low or nothing, scope), self.compiler.many(node.high or nothing, scope)

        def run(env: Env, path: Any, value: Any) -> Iterator[Place]:
            for low in lows(env, value):
                for high in highs(env, value):
                    for at, held in target(env, path, value):
                        key = {"start": low, "end": high}
                        yield (*checked(at, held), key), values.sliced(held, low, high)

        return run

    def iterate(self, node: t.Iterate, scope: Scope) -> Run:
        target = self.of(node.target, scope)
        tick = self.compiler.machine.tick

        def run(env: Env, path: Any, value: Any) -> Iterator[Place]:
            for at, held in target(env, path, value):
                checked(at, held)
                items = values.elements(held)
                tick(len(items) + 1)
                for key, item in zip(held, items, strict=True) if held.__class__ is dict else enumerate(items):
                    yield (*at, key), item

        return run

    def pipe(self, node: t.Pipe, scope: Scope) -> Run:
        left, right = self.of(node.left, scope), self.of(node.right, scope)

        def run(env: Env, path: Any, value: Any) -> Iterator[Place]:
            for at, held in left(env, path, value):
                yield from right(env, at, held)

        return run

    def comma(self, node: t.Comma, scope: Scope) -> Run:
        left, right = self.of(node.left, scope), self.of(node.right, scope)

        def run(env: Env, path: Any, value: Any) -> Iterator[Place]:
            yield from left(env, path, value)
            yield from right(env, path, value)

        return run

    def conditional(self, node: t.If, scope: Scope) -> Run:
        tests = self.compiler.many(node.condition, scope)
        yes, no = self.of(node.yes, scope), self.of(node.no or t.Identity(), scope)

        def run(env: Env, path: Any, value: Any) -> Iterator[Place]:
            for held in tests(env, value):
                yield from (yes if values.truthy(held) else no)(env, path, value)

        return run

    def alternative(self, node: t.Alternative, scope: Scope) -> Run:
        left, right = self.of(node.left, scope), self.of(node.right, scope)

        def run(env: Env, path: Any, value: Any) -> Iterator[Place]:
            some = False
            try:
                for at, held in left(env, path, value):
                    if values.truthy(held):
                        some = True
                        yield at, held
            except JqError:
                pass
            if not some:
                yield from right(env, path, value)

        return run

    def attempt(self, node: t.Try, scope: Scope) -> Run:
        body = self.of(node.body, scope)
        handler = self.of(node.handler, scope) if node.handler is not None else None

        def run(env: Env, path: Any, value: Any) -> Iterator[Place]:
            try:
                yield from body(env, path, value)
                return
            except JqError as error:
                caught = error.value
            if handler is not None:
                yield from handler(env, None, caught)

        return run

    def label(self, node: t.Label, scope: Scope) -> Run:
        body = self.of(node.body, scope.with_label(node.name))

        def run(env: Env, path: Any, value: Any) -> Iterator[Place]:
            mark = object()
            try:
                yield from body((mark, env), path, value)
            except BreakOut as leaving:
                if leaving.label is not mark:
                    raise

        return run

    def bind(self, node: t.Bind, scope: Scope) -> Run:
        sources = self.compiler.many(node.source, scope)
        inner, runs = alternatives(self.compiler, node.patterns, scope)
        body = self.of(node.body, inner)

        def run(env: Env, path: Any, value: Any) -> Iterator[Place]:
            for held in sources(env, value):
                for number, pattern in enumerate(runs, 1):
                    try:
                        for inside in pattern(env, held):
                            yield from body(inside, path, value)
                    except JqError:
                        if number == len(runs):
                            raise
                        continue
                    break

        return run

    def reduce(self, node: t.Reduce, scope: Scope) -> Run:
        sources = self.compiler.many(node.source, scope)
        starts = self.of(node.start, scope)
        inner, pattern = destructure(self.compiler, node.pattern, scope)
        update = self.of(node.update, inner)
        tick = self.compiler.machine.tick

        def run(env: Env, path: Any, value: Any) -> Iterator[Place]:
            for state in starts(env, path, value):
                for held in sources(env, value):
                    tick()
                    for inside in pattern(env, held):
                        last: Place = (None, None)
                        for last in update(inside, *state):  # noqa: B007 - the last is wanted
                            pass
                        state = last
                yield state

        return run

    def foreach(self, node: t.Foreach, scope: Scope) -> Run:
        sources = self.compiler.many(node.source, scope)
        starts = self.of(node.start, scope)
        inner, pattern = destructure(self.compiler, node.pattern, scope)
        updates = self.of(node.update, inner)
        extract = self.of(node.extract or t.Identity(), inner)
        tick = self.compiler.machine.tick

        def run(env: Env, path: Any, value: Any) -> Iterator[Place]:
            for state in starts(env, path, value):
                for held in sources(env, value):
                    tick()
                    for inside in pattern(env, held):
                        for state in updates(inside, *state):  # noqa: B020 - each is the next one's start
                            yield from extract(inside, *state)

        return run

    def define(self, node: t.Define, scope: Scope) -> Run:
        return self.of(node.rest, Function(node.function, scope).scope)

    def call(self, node: t.Call, scope: Scope) -> Run:
        found = self.compiler.find(node, scope)
        key = (node.name, len(node.arguments))
        if found is None:
            if key in PLACES:
                return PLACES[key](self, node.arguments, scope)  # type: ignore[no-any-return]
            if key in SPECIALS:
                written = self.compiler.from_library(key)  # for path mode some are also written in jq
                if written is not None:
                    return self.function(written, node, scope)
            return self.nowhere(node, scope)
        if isinstance(found, int):
            read = slot(scope.depth - found)

            def run(env: Env, path: Any, value: Any) -> Iterator[Place]:
                argument, own = read(env)
                return argument.places(own, path, value)  # type: ignore[no-any-return]

            return run
        return self.function(found, node, scope)

    def function(self, function: Function, node: t.Call, scope: Scope) -> Run:
        compiler = self.compiler
        home = outer(scope.depth - function.scope.depth)
        made = [
            compiler.argument(parameter, argument, scope)
            for parameter, argument in zip(function.node.parameters, node.arguments, strict=True)
        ]
        tick = compiler.machine.tick
        if function.places is None:
            function.places = _unfinished
            function.places = self.of(function.node.body, function.body_scope())

        def spread(env: Env, path: Any, value: Any, at: int, inner: Env) -> Iterator[Place]:
            if at == len(made):
                tick()
                assert function.places is not None
                yield from function.places(inner, path, value)
                return
            is_value, code, argument = made[at]
            if not is_value:
                yield from spread(env, path, value, at + 1, ((argument, env), inner))
                return
            for held in code.many(env, value):
                yield from spread(env, path, value, at + 1, (held, ((argument, env), inner)))

        return lambda env, path, value: spread(env, path, value, 0, home(env))


def _unfinished(env: Env, path: Any, value: Any) -> Iterator[Place]:
    raise AssertionError("called while it is compiled")


__all__ = ["Code", "Places", "checked"]
