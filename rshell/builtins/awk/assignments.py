"""Assignments: what stores into a variable, an element or a field, and the operators that change one in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rshell.builtins.awk import bounds, tree
from rshell.builtins.awk.arithmetic import ARITHMETIC
from rshell.builtins.awk.runtime import SPECIAL, Frame
from rshell.builtins.awk.values import Value, to_number

if TYPE_CHECKING:
    from rshell.builtins.awk.compile import Expressions

ToNumber = Callable[[Frame], float]

_LONG = bounds.STRING_UNCOUNTED


def store(compiler: Expressions, target: tree.Target) -> Callable[[Frame, Value], None]:
    """Compile what assigns a value to a target."""
    runtime = compiler.runtime
    if isinstance(target, tree.Field):
        number = compiler.number(target.number)
        return lambda f, value: runtime.set_field(number(f), value)
    if isinstance(target, tree.Index):
        array, key = compiler.array(target.name), compiler.subscript(target.subscripts)

        def store_element(f: Frame, value: Value) -> None:
            elements, subscript = array(f), key(f)
            if subscript not in elements:
                runtime.grow()
                if len(subscript) > _LONG:
                    runtime.weigh(len(subscript))
            elements[subscript] = value
            if type(value) is bytes and len(value) > _LONG:
                runtime.weigh(len(value))

        return store_element
    compiler.scalar(target.name)
    local, index = compiler.place(target.name)
    setter = None if local else runtime.setters.get(target.name)
    space = runtime.globals

    def store(f: Frame, value: Value) -> None:
        if local:
            f[index] = value
        else:
            space[index] = value
            if setter is not None:
                setter(value)
        if type(value) is bytes and len(value) > _LONG:
            runtime.weigh(len(value))

    return store


def assign(compiler: Expressions, node: tree.Assign) -> Callable[[Frame], Value]:
    target, runtime = node.target, compiler.runtime
    if node.operator:
        return _modified(compiler, node)
    value = compiler.value(node.value)
    if _simple(compiler, target) and isinstance(target, tree.Name):
        local, index = compiler.place(target.name)
        space = runtime.globals

        def assign(f: Frame) -> Value:
            found = value(f)
            (f if local else space)[index] = found
            if type(found) is bytes and len(found) > _LONG:
                runtime.weigh(len(found))
            return found

        return assign
    put = store(compiler, target)

    def assign_target(f: Frame) -> Value:
        found = value(f)
        put(f, found)
        return found

    return assign_target


def _simple(compiler: Expressions, target: tree.Target) -> bool:
    """Tell whether a target is a variable without any side effect."""
    if not isinstance(target, tree.Name):
        return False
    compiler.scalar(target.name)
    return compiler.place(target.name)[0] or target.name not in SPECIAL


def _modified(compiler: Expressions, node: tree.Assign) -> ToNumber:
    operand = compiler.number(node.value)
    apply = ARITHMETIC[node.operator]
    return _change(compiler, node.target, operand, apply, before=True)


def increment(compiler: Expressions, node: tree.Increment) -> ToNumber:
    step = node.step
    return _change(compiler, node.target, lambda f: step, ARITHMETIC["+"], before=node.before)


def _change(
    compiler: Expressions,
    target: tree.Target,
    operand: ToNumber,
    apply: Callable[[float, float], float],
    *,
    before: bool,
) -> ToNumber:
    """Compile target = target apply operand; gives the new number, or the old one without before."""
    runtime = compiler.runtime
    if isinstance(target, tree.Index):
        array, key = compiler.array(target.name), compiler.subscript(target.subscripts)

        def change_element(f: Frame) -> float:
            change = operand(f)
            elements, subscript = array(f), key(f)
            old = elements.get(subscript)
            if old is None:
                runtime.grow()
                if len(subscript) > _LONG:
                    runtime.weigh(len(subscript))
                number = 0.0
            else:
                number = old if type(old) is float else to_number(old)
            new = elements[subscript] = apply(number, change)
            return new if before else number

        return change_element
    if _simple(compiler, target) and isinstance(target, tree.Name):
        local, index = compiler.place(target.name)
        space = runtime.globals

        def change_variable(f: Frame) -> float:
            change = operand(f)
            place = f if local else space
            old = place[index]
            number = old if type(old) is float else to_number(old)  # type: ignore[arg-type]
            new = place[index] = apply(number, change)
            return new if before else number

        return change_variable
    if isinstance(target, tree.Field):
        position = compiler.number(target.number)

        def change_field(f: Frame) -> float:
            at = position(f)
            change = operand(f)
            number = to_number(runtime.field(at))
            new = apply(number, change)
            runtime.set_field(at, new)
            return new if before else number

        return change_field
    current, put = compiler.number(target), store(compiler, target)

    def change_target(f: Frame) -> float:
        change = operand(f)
        number = current(f)
        new = apply(number, change)
        put(f, new)
        return new if before else number

    return change_target
