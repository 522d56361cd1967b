"""Turn expressions into closures over their prepared children.

A node can be wanted as a value, a number, a text or a condition; each is compiled for what its place wants,
so that `$3 == "x"` never asks whether the field looks like a number. A closure gets the frame of the user
function it runs in. What each kind of node gives by itself: n number, s text, b condition, v any value.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from rshell.builtins.awk import assignments, bounds, tree
from rshell.builtins.awk.arithmetic import ARITHMETIC
from rshell.builtins.awk.errors import AwkError, SyntaxFault
from rshell.builtins.awk.formats import number_text
from rshell.builtins.awk.patterns import Pattern
from rshell.builtins.awk.runtime import Frame, Runtime
from rshell.builtins.awk.scope import Scope
from rshell.builtins.awk.values import UNINIT, Array, Value, number_of, strnum, to_bool, to_number

ToValue = Callable[[Frame], Value]
ToNumber = Callable[[Frame], float]
ToText = Callable[[Frame], bytes]
ToBool = Callable[[Frame], bool]
ToArray = Callable[[Frame], Array]
ToPattern = Callable[[Frame], Pattern]
Store = Callable[[Frame, Value], None]

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, "==": eq, "!=": ne, ">": gt, ">=": ge}
_LONG = bounds.STRING_UNCOUNTED
_DYNAMIC = frozenset({"NF", "NR", "FNR"})


class Expressions:
    """Compiles the expressions of one program for one run."""

    def __init__(self, scope: Scope, runtime: Runtime) -> None:
        self.scope = scope
        self.runtime = runtime
        self.function = ""  # the function that is being compiled
        self.bodies: dict[str, list[Callable[[Frame], object]]] = {}  # filled once all functions are compiled
        self.any_case = "IGNORECASE" in scope.used

    # What a place wants

    def value(self, node: tree.Expression) -> ToValue:
        """Compile a node whose value is wanted as it is."""
        kind = self.kind(node)
        if kind == "b":
            test = self.test(node)
            return lambda f: 1.0 if test(f) else 0.0
        return _NATURAL[type(node)](self, node)  # type: ignore[no-any-return]

    def number(self, node: tree.Expression) -> ToNumber:
        """Compile a node that is wanted as a number."""
        kind = self.kind(node)
        if kind == "n":
            return _NATURAL[type(node)](self, node)  # type: ignore[no-any-return]
        if kind == "b":
            test = self.test(node)
            return lambda f: 1.0 if test(f) else 0.0
        if kind == "s":
            text = _NATURAL[type(node)](self, node)
            return lambda f: number_of(text(f))
        special = _AS_NUMBER.get(type(node))
        if special is not None:
            return special(self, node)
        value = self.value(node)

        def number(f: Frame) -> float:
            found = value(f)
            return found if type(found) is float else to_number(found)

        return number

    def text(self, node: tree.Expression) -> ToText:
        """Compile a node that is wanted as text."""
        runtime = self.runtime
        kind = self.kind(node)
        if kind == "s":
            return _NATURAL[type(node)](self, node)  # type: ignore[no-any-return]
        if isinstance(node, tree.Number):
            if node.value == node.value // 1:
                constant = number_text(node.value, b"")
                return lambda f: constant
        if kind in ("n", "b"):
            number = self.number(node)
            return lambda f: number_text(number(f), runtime.convfmt)
        special = _AS_TEXT.get(type(node))
        if special is not None:
            return special(self, node)
        value = self.value(node)
        to_text = runtime.text

        def text(f: Frame) -> bytes:
            found = value(f)
            return found if type(found) is bytes else to_text(found)

        return text

    def test(self, node: tree.Expression) -> ToBool:
        """Compile a node that is wanted as a condition."""
        kind = self.kind(node)
        if kind == "b":
            return _NATURAL[type(node)](self, node)  # type: ignore[no-any-return]
        if kind == "n":
            number = self.number(node)
            return lambda f: number(f) != 0.0
        if kind == "s":
            text = self.text(node)
            return lambda f: text(f) != b""
        value = self.value(node)
        return lambda f: to_bool(value(f))

    def kind(self, node: tree.Expression) -> str:
        """What a node gives by itself."""
        if isinstance(node, tree.Grouping):
            return self.kind(node.inner)
        if isinstance(node, tree.BuiltinCall):
            from rshell.builtins.awk.functions import BUILTINS

            return BUILTINS[node.name].kind
        if isinstance(node, tree.Name) and node.name in _DYNAMIC and not self.scope.owner(self.function, node.name)[0]:
            return "n"
        if isinstance(node, tree.Assign):
            return "n" if node.operator else "v"
        return _KINDS[type(node)]

    # Names and places

    def place(self, name: str) -> tuple[bool, int]:
        """Whether a name is local, and its index in the frame or among the globals."""
        owner, _ = self.scope.owner(self.function, name)
        if owner:
            return True, self.scope.program.functions[owner].parameters.index(name)
        if name in self.scope.program.functions:
            raise SyntaxFault(1, f"function {name} is used as a variable")
        return False, self.scope.globals.index(name)

    def array(self, name: str) -> ToArray:
        """Compile the array that a name stands for."""
        local, index = self.place(name)
        if local:

            def array(f: Frame) -> Array:
                found = f[index]
                if type(found) is Array:
                    return found
                if found is UNINIT:
                    made = f[index] = Array()
                    return made
                raise AwkError(f"{name} is used as an array and as a scalar")

            return array
        space = self.runtime.globals
        if not isinstance(space[index], Array):
            space[index] = Array()
        constant = space[index]
        return lambda f: constant  # type: ignore[return-value]

    def subscript(self, subscripts: tuple[tree.Expression, ...]) -> ToText:
        """Compile the key of an element; several subscripts are joined by SUBSEP."""
        if len(subscripts) == 1:
            return self.text(subscripts[0])
        parts = [self.text(part) for part in subscripts]
        runtime = self.runtime
        return lambda f: runtime.subsep.join([part(f) for part in parts])

    def scalar(self, name: str) -> None:
        """Refuse an array where a scalar must be."""
        if self.scope.is_array(self.function, name):
            raise AwkError(f"array {name} is used as a scalar")

    def pattern(self, node: tree.Expression) -> ToPattern:
        """Compile a node in a regular expression's place."""
        patterns = self.runtime.patterns
        while isinstance(node, tree.Grouping):
            node = node.inner
        if isinstance(node, tree.Regex | tree.String):
            source = node.source if isinstance(node, tree.Regex) else node.value
            constant = patterns.get(source)
            if not self.any_case:
                return lambda f: constant
            return lambda f: patterns.get(source)
        text = self.text(node)
        get = patterns.get
        return lambda f: get(text(f))

    # Constants, variables, fields

    def n_number(self, node: tree.Number) -> ToNumber:
        constant = node.value
        return lambda f: constant

    def s_string(self, node: tree.String) -> ToText:
        constant = node.value
        return lambda f: constant

    def b_regex(self, node: tree.Regex) -> ToBool:
        runtime = self.runtime
        if self.any_case:
            pattern = self.pattern(node)
            return lambda f: pattern(f).test(runtime.line())
        test = runtime.patterns.get(node.source).test

        def matches(f: Frame) -> bool:
            record = runtime.record
            return test(runtime.line() if record is None else record)

        return matches

    def v_name(self, node: tree.Name) -> ToValue:
        runtime = self.runtime
        name = node.name
        self.scalar(name)
        local, index = self.place(name)
        if local:

            def local_value(f: Frame) -> Value:
                value = f[index]
                if type(value) is Array:
                    raise AwkError(f"array {name} is used as a scalar")
                return value  # type: ignore[return-value]

            return local_value
        if name == "NF":
            return lambda f: runtime.nf()
        if name == "NR":
            return lambda f: float(runtime.nr)
        if name == "FNR":
            return lambda f: float(runtime.fnr)
        space = runtime.globals
        return lambda f: space[index]  # type: ignore[return-value]

    def v_index(self, node: tree.Index) -> ToValue:
        runtime = self.runtime
        array, key = self.array(node.name), self.subscript(node.subscripts)

        def element(f: Frame) -> Value:
            elements, subscript = array(f), key(f)
            value = elements.get(subscript)
            if value is None:
                runtime.grow()
                if len(subscript) > _LONG:
                    runtime.weigh(len(subscript))
                value = elements[subscript] = UNINIT
            return value

        return element

    def v_field(self, node: tree.Field) -> ToValue:
        runtime = self.runtime
        if not isinstance(node.number, tree.Number):
            number = self.number(node.number)
            field = runtime.field
            return lambda f: field(number(f))
        index = runtime.index(node.number.value) - 1
        if index < 0:
            return lambda f: strnum(runtime.line())

        def value(f: Frame) -> Value:
            fields = runtime.fields
            if fields is None:
                fields = runtime.divide()
            if index >= len(fields):
                return b""
            if runtime.typed and index + 1 in runtime.typed:
                return runtime.typed[index + 1]
            return strnum(fields[index])

        return value

    def text_field(self, node: tree.Field) -> ToText:
        runtime = self.runtime
        if not isinstance(node.number, tree.Number):
            number = self.number(node.number)
            return lambda f: runtime.text(runtime.field(number(f)))
        index = runtime.index(node.number.value) - 1
        if index < 0:
            return lambda f: runtime.line()

        def text(f: Frame) -> bytes:
            fields = runtime.fields
            if fields is None:
                fields = runtime.divide()
            return fields[index] if index < len(fields) else b""

        return text

    def number_field(self, node: tree.Field) -> ToNumber:
        text = self.text_field(node)
        return lambda f: number_of(text(f))

    # Operators

    def n_arithmetic(self, node: tree.Arithmetic) -> ToNumber:
        left, right = self.number(node.left), self.number(node.right)
        operator = node.operator
        if operator == "+":
            return lambda f: left(f) + right(f)
        if operator == "-":
            return lambda f: left(f) - right(f)
        if operator == "*":
            return lambda f: left(f) * right(f)
        apply = ARITHMETIC[operator]
        return lambda f: apply(left(f), right(f))

    def n_sign(self, node: tree.Sign) -> ToNumber:
        operand = self.number(node.operand)
        if node.operator == "+":
            return operand
        return lambda f: -operand(f)

    def s_concatenation(self, node: tree.Concatenation) -> ToText:
        parts = [self.text(part) for part in node.parts]
        most = bounds.STRINGS
        if len(parts) == 2:
            first, second = parts

            def pair(f: Frame) -> bytes:
                joined = first(f) + second(f)
                if len(joined) > most:
                    raise _too_long()
                return joined

            return pair

        def concatenation(f: Frame) -> bytes:
            texts = [part(f) for part in parts]
            if sum(map(len, texts)) > most:
                raise _too_long()
            return b"".join(texts)

        return concatenation

    def b_compare(self, node: tree.Compare) -> ToBool:
        apply = _OPERATORS[node.operator]
        kinds = self.kind(node.left), self.kind(node.right)
        if "s" in kinds:
            left_text, right_text = self.text(node.left), self.text(node.right)
            if self.any_case:
                fold = self.folded
                return lambda f: apply(fold(left_text(f)), fold(right_text(f)))
            if isinstance(node.right, tree.String):
                constant = node.right.value
                if node.operator == "==":
                    return lambda f: left_text(f) == constant
            return lambda f: apply(left_text(f), right_text(f))
        if set(kinds) <= {"n", "b"}:
            left_number, right_number = self.number(node.left), self.number(node.right)
            return lambda f: apply(left_number(f), right_number(f))
        left, right = self.value(node.left), self.value(node.right)
        to_text = self.runtime.text
        fold = self.folded

        def compare(f: Frame) -> bool:
            a, b = left(f), right(f)
            if type(a) is bytes or type(b) is bytes:
                return apply(fold(to_text(a)), fold(to_text(b)))
            return apply(a if type(a) is float else to_number(a), b if type(b) is float else to_number(b))

        return compare

    def folded(self, text: bytes) -> bytes:
        """Text as comparisons see it: in lower case under IGNORECASE."""
        return text.lower() if self.runtime.patterns.ignore_case else text

    def b_match(self, node: tree.Match) -> ToBool:
        text, pattern = self.text(node.text), self.pattern(node.pattern)
        constant = node.pattern
        if isinstance(constant, tree.Regex) and not self.any_case:
            test = self.runtime.patterns.get(constant.source).test
            if node.negated:
                return lambda f: not test(text(f))
            return lambda f: test(text(f))
        if node.negated:
            return lambda f: not _matches(text, pattern, f)
        return lambda f: _matches(text, pattern, f)

    def b_logical(self, node: tree.Logical) -> ToBool:
        left, right = self.test(node.left), self.test(node.right)
        if node.operator == "&&":
            return lambda f: left(f) and right(f)
        return lambda f: left(f) or right(f)

    def b_not(self, node: tree.Not) -> ToBool:
        operand = self.test(node.operand)
        return lambda f: not operand(f)

    def b_contains(self, node: tree.Contains) -> ToBool:
        array, key = self.array(node.name), self.subscript(node.subscripts)
        return lambda f: key(f) in array(f)

    def v_conditional(self, node: tree.Conditional) -> ToValue:
        test, yes, no = self.test(node.test), self.value(node.yes), self.value(node.no)
        return lambda f: yes(f) if test(f) else no(f)

    def v_grouping(self, node: tree.Grouping) -> Any:
        return _NATURAL[type(node.inner)](self, node.inner)

    # Assignments

    def store(self, target: tree.Target) -> Store:
        """Compile what assigns a value to a target."""
        return assignments.store(self, target)

    def v_assign(self, node: tree.Assign) -> ToValue:
        return assignments.assign(self, node)

    def n_increment(self, node: tree.Increment) -> ToNumber:
        return assignments.increment(self, node)

    # Input and calls

    def n_getline(self, node: tree.Getline) -> ToNumber:
        runtime = self.runtime
        records = runtime.records
        store = None if node.target is None else self.store(node.target)

        def getline(f: Frame) -> float:
            runtime.ticks -= 1
            if runtime.ticks < 0:
                runtime.tick()
            record = records.next()
            if record is None:
                return 0.0
            runtime.nr += 1
            runtime.fnr += 1
            if store is None:
                runtime.take_record(record)
            else:
                store(f, strnum(record))
            return 1.0

        return getline

    def v_call(self, node: tree.Call) -> ToValue:
        from rshell.builtins.awk.calls import user_call

        return user_call(self, node)

    def builtin(self, node: tree.BuiltinCall) -> Any:
        from rshell.builtins.awk.functions import BUILTINS

        return BUILTINS[node.name].build(self, node)


def _matches(text: ToText, pattern: ToPattern, f: Frame) -> bool:
    subject = text(f)
    return pattern(f).test(subject)


def _too_long() -> AwkError:
    return AwkError(f"string too long ({bounds.STRINGS} bytes at most)")


_KINDS: dict[type, str] = {
    tree.Number: "n", tree.String: "s", tree.Regex: "b", tree.Name: "v", tree.Index: "v", tree.Field: "v",
    tree.Conditional: "v", tree.Logical: "b", tree.Not: "b", tree.Contains: "b", tree.Match: "b", tree.Compare: "b",
    tree.Concatenation: "s", tree.Arithmetic: "n", tree.Sign: "n", tree.Increment: "n", tree.Call: "v",
    tree.Getline: "n",
}  # fmt: skip
_NATURAL: dict[type, Callable[[Expressions, Any], Any]] = {
    tree.Number: Expressions.n_number, tree.String: Expressions.s_string, tree.Regex: Expressions.b_regex,
    tree.Name: Expressions.v_name, tree.Index: Expressions.v_index, tree.Field: Expressions.v_field,
    tree.Conditional: Expressions.v_conditional, tree.Logical: Expressions.b_logical, tree.Not: Expressions.b_not,
    tree.Contains: Expressions.b_contains, tree.Match: Expressions.b_match, tree.Compare: Expressions.b_compare,
    tree.Concatenation: Expressions.s_concatenation, tree.Arithmetic: Expressions.n_arithmetic,
    tree.Sign: Expressions.n_sign, tree.Increment: Expressions.n_increment, tree.Call: Expressions.v_call,
    tree.Getline: Expressions.n_getline, tree.Assign: Expressions.v_assign, tree.Grouping: Expressions.v_grouping,
    tree.BuiltinCall: Expressions.builtin,
}  # fmt: skip
_AS_TEXT: dict[type, Callable[[Expressions, Any], ToText]] = {tree.Field: Expressions.text_field}
_AS_NUMBER: dict[type, Callable[[Expressions, Any], ToNumber]] = {tree.Field: Expressions.number_field}
