"""Turn statements into closures.

A statement gives None, or a signal that its surroundings act on: how far to leave. `next`, `nextfile` and
`exit` inside a function unwind as exceptions, because expressions stand between them and the main loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rshell.builtins.awk import bounds, formats, tree
from rshell.builtins.awk.compile import Expressions
from rshell.builtins.awk.formats import number_text
from rshell.builtins.awk.runtime import PROCINFO, ExitProgram, Frame, NextFile, NextRecord
from rshell.builtins.awk.sorting import order
from rshell.builtins.awk.values import Array

Signal = str
Execute = Callable[[Frame], Signal | None]

_HELD = bounds.OUTPUT_HELD
_UNWIND: dict[str, type[BaseException]] = {"next": NextRecord, "nextfile": NextFile}


class Statements(Expressions):
    """Compiles the statements of one program for one run."""

    def statement(self, node: tree.Statement) -> Execute:
        """Compile a statement."""
        return _STATEMENTS[type(node)](self, node)

    def block(self, node: tree.Block) -> Execute:
        return self.sequence([self.statement(part) for part in node.statements])

    def sequence(self, parts: Sequence[Execute]) -> Execute:
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return lambda f: None
        if len(parts) == 2:
            first, second = parts

            def pair(f: Frame) -> Signal | None:
                return first(f) or second(f)

            return pair
        every = tuple(parts)

        def block(f: Frame) -> Signal | None:
            for part in every:
                signal = part(f)
                if signal is not None:
                    return signal
            return None

        return block

    def evaluate(self, node: tree.Evaluate) -> Execute:
        expression = node.expression
        while isinstance(expression, tree.Grouping):
            expression = expression.inner
        if isinstance(expression, tree.Increment) and not expression.before:
            expression = tree.Increment(expression.target, expression.step, before=True)
        kind = self.kind(expression)
        evaluate: Callable[[Frame], object] = self.test(expression) if kind == "b" else self.value(expression)

        def execute(f: Frame) -> None:
            evaluate(f)

        return execute

    # Output

    def print(self, node: tree.Print) -> Execute:
        runtime = self.runtime
        out = runtime.out
        produce = self.formatted(node.arguments) if node.formatted else self.printed(node.arguments)
        if node.target is not None:
            name, append = self.text(node.target), node.sink == "append"

            def print_to_file(f: Frame) -> None:
                data = produce(f)
                runtime.to_file(name(f), data, append)

            return print_to_file
        if node.sink:
            stderr = node.sink == "stderr"

            def print_elsewhere(f: Frame) -> None:
                data = produce(f)
                if stderr:
                    runtime.to_stderr(data)

            return print_elsewhere

        def execute(f: Frame) -> None:
            nonlocal out
            out += produce(f)
            if len(out) > _HELD:
                runtime.flush()

        return execute

    def printed(self, arguments: Sequence[tree.Expression]) -> Callable[[Frame], bytes]:
        runtime = self.runtime
        if not arguments:

            def record(f: Frame) -> bytes:
                text = runtime.record
                return (runtime.line() if text is None else text) + runtime.ors

            return record
        parts = [self.output(argument) for argument in arguments]
        if len(parts) == 1:
            part = parts[0]
            return lambda f: part(f) + runtime.ors
        if len(parts) == 2:
            first, second = parts

            def pair(f: Frame) -> bytes:
                text = first(f)
                return text + runtime.ofs + second(f) + runtime.ors

            return pair
        every = tuple(parts)
        return lambda f: runtime.ofs.join([part(f) for part in every]) + runtime.ors

    def output(self, node: tree.Expression) -> Callable[[Frame], bytes]:
        """Compile an expression that print shows: numbers by OFMT."""
        runtime = self.runtime
        kind = self.kind(node)
        if kind == "s" or isinstance(node, tree.Field):
            return self.text(node)
        if kind in ("n", "b"):
            number = self.number(node)
            return lambda f: number_text(number(f), runtime.ofmt)
        value = self.value(node)
        to_text = runtime.output_text

        def output(f: Frame) -> bytes:
            found = value(f)
            return found if type(found) is bytes else to_text(found)

        return output

    def formatted(self, arguments: Sequence[tree.Expression]) -> Callable[[Frame], bytes]:
        """Compile printf's and sprintf's arguments."""
        runtime = self.runtime
        form = self.text(arguments[0])
        values = tuple(self.value(argument) for argument in arguments[1:])
        sprintf = formats.sprintf

        def formatted(f: Frame) -> bytes:
            return sprintf(form(f), [value(f) for value in values], runtime.convfmt)

        return formatted

    # Control flow

    def condition(self, node: tree.If) -> Execute:
        test, yes = self.test(node.test), self.statement(node.yes)
        if node.no is None:

            def when(f: Frame) -> Signal | None:
                if test(f):
                    return yes(f)
                return None

            return when
        no = self.statement(node.no)

        def choose(f: Frame) -> Signal | None:
            return yes(f) if test(f) else no(f)

        return choose

    def loop(self, node: tree.While) -> Execute:
        runtime = self.runtime
        test, body = self.test(node.test), self.statement(node.body)
        after = node.after

        def loop(f: Frame) -> Signal | None:
            first = after
            while first or test(f):
                first = False
                runtime.ticks -= 1
                if runtime.ticks < 0:
                    runtime.tick()
                signal = body(f)
                if signal is not None and signal != "continue":
                    return None if signal == "break" else signal
            return None

        return loop

    def counting(self, node: tree.For) -> Execute:
        runtime = self.runtime
        nothing = tree.Block(())
        first = self.statement(node.first or nothing)
        step = self.statement(node.step or nothing)
        test = self.test(node.test or tree.Number(1.0))
        body = self.statement(node.body)

        def loop(f: Frame) -> Signal | None:
            first(f)
            while test(f):
                runtime.ticks -= 1
                if runtime.ticks < 0:
                    runtime.tick()
                signal = body(f)
                if signal is not None and signal != "continue":
                    return None if signal == "break" else signal
                step(f)
            return None

        return loop

    def each(self, node: tree.ForIn) -> Execute:
        """for (k in a): over the subscripts there are at the start, in the order in which they were made."""
        runtime = self.runtime
        array, store, body = self.array(node.array), self.store(node.variable), self.statement(node.body)
        procinfo = runtime.globals[PROCINFO]
        assert isinstance(procinfo, Array)

        def loop(f: Frame) -> Signal | None:
            elements = array(f)
            sorted_in = procinfo.get(b"sorted_in")
            keys = list(elements) if sorted_in is None else order(runtime, elements, runtime.text(sorted_in))
            for key in keys:
                runtime.ticks -= 1
                if runtime.ticks < 0:
                    runtime.tick()
                store(f, key)
                signal = body(f)
                if signal is not None and signal != "continue":
                    return None if signal == "break" else signal
            return None

        return loop

    def jump(self, node: tree.Jump) -> Execute:
        kind = node.kind
        unwind = _UNWIND.get(kind)
        if unwind is None or not self.function:
            return lambda f: kind

        def leave(f: Frame) -> Signal | None:
            raise unwind

        return leave

    def exit(self, node: tree.Exit) -> Execute:
        runtime = self.runtime
        status = None if node.status is None else self.number(node.status)

        def leave(f: Frame) -> Signal | None:
            if status is not None:
                number = status(f)
                runtime.status = int(number) & 255 if -1e15 < number < 1e15 else 1  # text: ours
            raise ExitProgram

        return leave

    def give(self, node: tree.Return) -> Execute:
        runtime = self.runtime
        if node.value is None:
            return lambda f: "return"
        value = self.value(node.value)

        def give(f: Frame) -> Signal:
            runtime.result = value(f)
            return "return"

        return give

    def delete(self, node: tree.Delete) -> Execute:
        runtime = self.runtime
        array = self.array(node.name)
        if not node.subscripts:

            def clear(f: Frame) -> None:
                elements = array(f)
                runtime.elements -= len(elements)
                elements.clear()

            return clear
        key = self.subscript(node.subscripts)

        def delete(f: Frame) -> None:
            if array(f).pop(key(f), None) is not None:
                runtime.elements -= 1

        return delete

    # Functions and rules

    def define(self) -> None:
        """Compile the bodies of all functions."""
        for name, function in self.scope.program.functions.items():
            self.function = name
            self.bodies.setdefault(name, []).append(self.statement(function.body))
        self.function = ""

    def rule(self, rule: tree.Rule) -> Execute:
        """Compile a rule: its action when its pattern holds for the record."""
        body = self.block(rule.body) if rule.body is not None else self.print(tree.Print((), False, ""))
        if rule.pattern is None:
            return body
        test = self.test(rule.pattern)
        if rule.until is None:

            def when(f: Frame) -> Signal | None:
                if test(f):
                    return body(f)
                return None

            return when
        until = self.test(rule.until)
        inside = False

        def within(f: Frame) -> Signal | None:
            nonlocal inside
            if not inside:
                if not test(f):
                    return None
                inside = True
            if until(f):
                inside = False
            return body(f)

        return within




_STATEMENTS: dict[type, Callable[[Statements, Any], Execute]] = {
    tree.Block: Statements.block, tree.Evaluate: Statements.evaluate, tree.Print: Statements.print,
    tree.If: Statements.condition, tree.While: Statements.loop, tree.For: Statements.counting,
    tree.ForIn: Statements.each, tree.Jump: Statements.jump, tree.Exit: Statements.exit,
    tree.Return: Statements.give, tree.Delete: Statements.delete,
}  # fmt: skip
