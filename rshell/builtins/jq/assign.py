"""Assignment: `=`, `|=`, and the operators with arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rshell.builtins.jq import tree as t
from rshell.builtins.jq import values
from rshell.builtins.jq.code import EMPTY, MANY, ONE, OPTIONAL, Code, Env, Scope
from rshell.builtins.jq.paths import Places, checked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rshell.builtins.jq.compile import Compiler

    Change = Callable[[Any], Any]  # the new value, or EMPTY to delete it
    Updater = Callable[[Env, Any, Change], Any]


def assignment(compiler: Compiler, node: t.Assign, scope: Scope) -> Code:
    """Compile an assignment. With several values on the right it gives several results."""
    update = updater(compiler, node.left, scope)
    right = compiler.code(node.right, scope)
    if node.operator == "|=":
        return Code(ONE, _modified(update, right))
    operator = node.operator[:-1]
    if operator == "":

        def changed(old: Any, new: Any) -> Any:
            return new
    elif operator == "//":

        def changed(old: Any, new: Any) -> Any:
            return old if values.truthy(old) else new
    else:
        changed = values.OPERATORS[operator]  # type: ignore[assignment]
    run = right.run
    if right.kind == ONE:

        def one(env: Env, value: Any) -> Any:
            new = run(env, value)
            return update(env, value, lambda old: changed(old, new))

        return Code(ONE, one)
    many = right.many

    def several(env: Env, value: Any) -> Iterator[Any]:
        for new in many(env, value):
            yield update(env, value, lambda old, new=new: changed(old, new))  # type: ignore[misc]

    return Code(MANY, several)


def _modified(update: Updater, right: Code) -> Callable[[Env, Any], Any]:
    run, many = right.run, right.many
    if right.kind <= OPTIONAL:
        return lambda env, value: _whole(update(env, value, lambda old: run(env, old)))
    return lambda env, value: _whole(update(env, value, lambda old: next(many(env, old), EMPTY)))


def _whole(value: Any) -> Any:
    return None if value is EMPTY else value


def updater(compiler: Compiler, node: t.Node, scope: Scope) -> Updater:
    """A function that changes every place which an expression names.

    Simple expressions are followed down and rebuilt on the way up; of others the paths are listed first.
    """
    direct = _direct(compiler, node, scope)
    if direct is not None:
        return direct
    run = Places(compiler).of(node, scope)
    tick = compiler.machine.tick

    def by_paths(env: Env, value: Any, change: Change) -> Any:
        result = value
        gone = []
        for path, held in run(env, (), value):
            tick()
            checked(path, held)
            new = change(values.get_path(result, path))
            if new is EMPTY:
                gone.append(list(path))
            else:
                result = values.set_path(result, path, new)
        return values.delete_paths(result, gone) if gone else result

    return by_paths


def _direct(compiler: Compiler, node: t.Node, scope: Scope) -> Updater | None:
    if isinstance(node, t.Identity):
        return lambda env, value, change: change(value)
    if isinstance(node, t.Index):
        return _direct_index(compiler, node, scope)
    if isinstance(node, t.Iterate):
        target = _direct(compiler, node.target, scope)
        tick = compiler.machine.tick
        if target is None:
            return None
        return lambda env, value, change: target(env, value, lambda held: _each(held, change, tick))
    if isinstance(node, t.Pipe):
        left, right = _direct(compiler, node.left, scope), _direct(compiler, node.right, scope)
        if left is None or right is None:
            return None
        return lambda env, value, change: left(env, value, lambda held: right(env, held, change))
    if isinstance(node, t.Call) and node.name == "select" and len(node.arguments) == 1:
        if compiler.find(node, scope) is not None:
            return None
        condition = compiler.code(node.arguments[0], scope)
        if condition.kind != ONE:
            return None
        test = condition.run
        return lambda env, value, change: change(value) if values.truthy(test(env, value)) else value
    return None


def _direct_index(compiler: Compiler, node: t.Index, scope: Scope) -> Updater | None:
    target, key = _direct(compiler, node.target, scope), compiler.code(node.key, scope)
    if target is None or key.kind != ONE:
        return None
    key_of = key.run

    def update(env: Env, value: Any, change: Change) -> Any:
        name = key_of(env, value)

        def inside(held: Any) -> Any:
            new = change(values.index(held, name))
            if new is EMPTY:
                return values.delete_paths(held, [[name]])
            return values.set_index(held, name, new)

        return target(env, value, inside)

    return update


def _each(held: Any, change: Change, tick: Callable[[int], None]) -> Any:
    tick(len(values.elements(held)) + 1)
    if held.__class__ is list:
        return [new for item in held if (new := change(item)) is not EMPTY]
    return {name: new for name, item in held.items() if (new := change(item)) is not EMPTY}
