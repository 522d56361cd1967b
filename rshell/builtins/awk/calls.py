"""Calls of the functions that a program defines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rshell.builtins.awk import bounds, tree
from rshell.builtins.awk.errors import AwkError, SyntaxFault
from rshell.builtins.awk.runtime import Frame
from rshell.builtins.awk.values import UNINIT, Array, Value

if TYPE_CHECKING:
    from rshell.builtins.awk.compile import Expressions


def user_call(compiler: Expressions, node: tree.Call) -> Callable[[Frame], Value]:
    """Compile a call: arrays go by reference, all else by value; missing arguments are fresh locals."""
    runtime = compiler.runtime
    name = node.name
    function = compiler.scope.program.functions[name]
    arguments = [_argument(compiler, node, i) for i in range(len(node.arguments))]
    rest = function.parameters[len(arguments) :]
    fresh = [(name, parameter) in compiler.scope.arrays for parameter in rest]
    own_arrays = [len(arguments) + i for i, is_array in enumerate(fresh) if is_array]
    padding: list[Value] = [UNINIT] * len(rest)
    frames = runtime.frames
    body_cell = compiler.bodies.setdefault(name, [])

    def call(f: Frame) -> Value:
        runtime.ticks -= 1
        if runtime.ticks < 0:
            runtime.tick()
        frame: Frame = [argument(f) for argument in arguments]
        frame += padding
        for index in own_arrays:
            frame[index] = Array()
        if len(frames) >= bounds.CALL_DEPTH:
            raise AwkError(f"function calls nested too deep ({bounds.CALL_DEPTH} at most)")
        frames.append(frame)
        runtime.result = UNINIT
        body_cell[0](frame)
        frames.pop()
        for index in own_arrays:
            runtime.elements -= len(frame[index])  # type: ignore[arg-type]
        result = runtime.result
        runtime.result = UNINIT
        return result

    return call


def _argument(compiler: Expressions, node: tree.Call, position: int) -> Callable[[Frame], Value | Array]:
    argument = node.arguments[position]
    function = compiler.scope.program.functions[node.name]
    parameter = (node.name, function.parameters[position])
    if isinstance(argument, tree.Name):
        if compiler.scope.is_array(compiler.function, argument.name):
            return compiler.array(argument.name)
        local, index = compiler.place(argument.name)
        if local:  # it may hold an array that was handed on
            return lambda f: f[index]
    if parameter in compiler.scope.arrays:
        raise SyntaxFault(node.line, f"function {node.name}: argument {position + 1} must be an array")
    return compiler.value(argument)
