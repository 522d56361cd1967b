"""Putting compiled expressions together: functions of several, alternatives, and errors caught."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rshell.builtins.jq.code import EMPTY, MANY, ONE, OPTIONAL, Code, Env
from rshell.builtins.jq.errors import JqError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

NOTHING = Code(OPTIONAL, lambda env, value: EMPTY)  # empty


def constant(value: Any) -> Code:
    """An expression whose value is known."""
    return Code(ONE, lambda env, _: value, value)


def checked_key(name: Any) -> str:
    """An object key, which must be a string."""
    if name.__class__ is not str:
        raise JqError("Object keys must be strings")
    return name


def combine(codes: Sequence[Code], function: Callable[..., Any]) -> Code:  # noqa: C901 - one short way for each case
    """A function of the input and the values of expressions; of several values the last varies slowest."""
    kind = max((code.kind for code in codes), default=ONE)
    count = len(codes)
    if kind == ONE:
        if count == 0:
            return Code(ONE, lambda env, value: function(value))
        first = codes[0].run
        if count == 1:
            return Code(ONE, lambda env, value: function(value, first(env, value)))
        if count == 2:
            second = codes[1].run

            def two(env: Env, value: Any) -> Any:
                last = second(env, value)
                return function(value, first(env, value), last)

            return Code(ONE, two)
        runs = [code.run for code in codes]
        return Code(ONE, lambda env, value: function(value, *[run(env, value) for run in runs]))
    if kind == OPTIONAL:
        runs = [code.run for code in codes]

        def optional(env: Env, value: Any) -> Any:
            held = []
            for run in runs:
                result = run(env, value)
                if result is EMPTY:
                    return EMPTY
                held.append(result)
            return function(value, *held)

        return Code(OPTIONAL, optional)
    manys = [code.many for code in codes]
    if count == 1:
        only = manys[0]

        def each(env: Env, value: Any) -> Iterator[Any]:
            for held in only(env, value):
                yield function(value, held)

        return Code(MANY, each)

    def spread(env: Env, value: Any, at: int, given: tuple[Any, ...]) -> Iterator[Any]:
        for held in manys[at](env, value):
            if at == 0:
                yield function(value, held, *given)
            else:
                yield from spread(env, value, at - 1, (held, *given))

    return Code(MANY, lambda env, value: spread(env, value, count - 1, ()))


def alternative(left: Code, right: Code) -> Code:
    """`left // right`"""
    first, second = left.run, right.run
    if left.kind <= OPTIONAL and right.kind <= OPTIONAL:

        def one(env: Env, value: Any) -> Any:
            try:
                held = first(env, value)
            except JqError:
                held = None
            return second(env, value) if held is None or held is False or held is EMPTY else held

        return Code(right.kind, one)
    lefts, rights = left.many, right.many

    def several(env: Env, value: Any) -> Iterator[Any]:
        some = False
        try:
            for held in lefts(env, value):
                if held is not None and held is not False:
                    some = True
                    yield held
        except JqError:
            pass
        if not some:
            yield from rights(env, value)

    return Code(MANY, several)


def attempt(body: Code, handler: Code) -> Code:
    """`try body catch handler`"""
    run = body.run
    handle = handler.run
    if body.kind <= OPTIONAL and handler.kind <= OPTIONAL:

        def one(env: Env, value: Any) -> Any:
            try:
                return run(env, value)
            except JqError as error:
                caught = error.value
            return handle(env, caught)

        return Code(max(body.kind, handler.kind), one)
    runs, handles = body.many, handler.many

    def several(env: Env, value: Any) -> Iterator[Any]:
        results = None
        while True:
            try:
                if results is None:
                    results = runs(env, value)
                result = next(results, EMPTY)
            except JqError as error:
                caught = error.value
                break
            if result is EMPTY:
                return
            yield result
        yield from handles(env, caught)

    return Code(MANY, several)
