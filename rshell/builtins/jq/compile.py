"""From the tree to closures: the expressions of the language in value mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rshell.builtins.jq import bounds, values
from rshell.builtins.jq import tree as t
from rshell.builtins.jq.code import (
    EMPTY,
    MANY,
    ONE,
    OPTIONAL,
    Argument,
    Code,
    Env,
    Function,
    Scope,
    Tail,
    outer,
    slot,
    trampoline,
)
from rshell.builtins.jq.combine import NOTHING, alternative, attempt, checked_key, combine, constant
from rshell.builtins.jq.errors import BreakOut, CompileError, JqError, TooMuch
from rshell.builtins.jq.formats import FORMATS, formatter
from rshell.builtins.jq.registry import FUNCTIONS, SPECIALS, library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rshell.builtins.jq.machine import Machine


class Compiler:
    """Compiles one program. constants: the variables that the command line gives."""

    def __init__(self, machine: Machine, constants: dict[str, Any]) -> None:
        self.machine = machine
        self.constants = constants
        self.library: dict[tuple[str, int], Function] = {}
        self.inside: list[Function] = []  # functions whose bodies are being compiled
        self.methods: dict[type, Callable[..., Code]] = {
            t.Identity: self.identity, t.Literal: self.literal, t.Text: self.text, t.Format: self.format,
            t.Index: self.index, t.Slice: self.slice, t.Iterate: self.iterate, t.Array: self.array,
            t.Object: self.object, t.Negate: self.negate, t.Binary: self.binary, t.Logical: self.logical,
            t.Assign: self.assign, t.Try: self.attempt, t.Reduce: self.reduce, t.Foreach: self.foreach,
            t.Label: self.label, t.Break: self.break_out, t.Variable: self.variable,
        }  # fmt: skip
        self.tail_methods: dict[type, Callable[..., Code]] = {
            t.Pipe: self.pipe, t.Comma: self.comma, t.If: self.conditional, t.Alternative: self.alternative,
            t.Bind: self.bind, t.Define: self.define, t.Call: self.call,
        }  # fmt: skip

    def code(self, node: t.Node, scope: Scope, tail: bool = False) -> Code:
        """Compile an expression; tail: what it gives is what its function gives, and nothing comes after."""
        method = self.methods.get(node.__class__)
        if method is not None:
            return method(node, scope)
        return self.tail_methods[node.__class__](node, scope, tail)

    def many(self, node: t.Node, scope: Scope) -> Callable[[Env, Any], Iterator[Any]]:
        """Compile an expression to a generator function."""
        return self.code(node, scope).many

    # Simple terms

    def identity(self, node: t.Identity, scope: Scope) -> Code:
        return Code(ONE, lambda env, value: value)

    def literal(self, node: t.Literal, scope: Scope) -> Code:
        return constant(node.value)

    def variable(self, node: t.Variable, scope: Scope) -> Code:
        depth = scope.variables.get(node.name)
        if depth is not None:
            hops = scope.depth - depth
            if hops == 0:
                return Code(ONE, lambda env, value: env[0])
            if hops == 1:
                return Code(ONE, lambda env, value: env[1][0])
            read = slot(hops)
            return Code(ONE, lambda env, value: read(env))
        if node.name in self.constants:
            return constant(self.constants[node.name])
        if node.name == "ENV":
            return constant(self.machine.environment)
        raise CompileError(f"${node.name} is not defined", node.line)

    def text(self, node: t.Text, scope: Scope) -> Code:
        function = formatter(node.format)
        if function is None:
            raise CompileError(f"{node.format[1:]} is not a valid format", 1)
        fixed = [part if isinstance(part, str) else None for part in node.parts]
        codes = [self.code(part, scope) for part in node.parts if not isinstance(part, str)]

        def build(value: Any, *shown: Any) -> str:
            rest = iter(shown)
            text = "".join([part if part is not None else function(next(rest)) for part in fixed])
            if len(text) > bounds.RETAINED:
                raise TooMuch(f"values too large ({bounds.RETAINED} bytes at most)")
            return text

        return combine(codes, build)

    def format(self, node: t.Format, scope: Scope) -> Code:
        function = FORMATS.get(node.name)
        if function is None:
            raise CompileError(f"{node.name[1:]} is not a valid format", 1)
        return Code(ONE, lambda env, value: function(value))

    def negate(self, node: t.Negate, scope: Scope) -> Code:
        operand = self.code(node.operand, scope)
        if operand.constant.__class__ in (int, float):
            return constant(-operand.constant if operand.constant else -0.0)

        def negative(_: Any, value: Any) -> Any:
            if values.is_number(value):
                return -value if value else -0.0 if value.__class__ is int else -value
            raise JqError(f"{values.described(value)} cannot be negated")

        return combine([operand], negative)

    # Access

    def index(self, node: t.Index, scope: Scope) -> Code:
        target = self.code(node.target, scope)
        key = self.code(node.key, scope)
        if key.constant.__class__ is str:
            return self.field(target, key.constant, isinstance(node.target, t.Identity))
        index = values.index
        return combine([target, key], lambda _, held, at: index(held, at))

    def field(self, target: Code, name: str, of_input: bool) -> Code:
        """`.name`, where the name is known."""
        field = values.field
        run = target.run
        if of_input:
            return Code(ONE, lambda env, held: held.get(name) if held.__class__ is dict else field(held, name))
        if target.kind == ONE:

            def one(env: Env, value: Any) -> Any:
                held = run(env, value)
                return held.get(name) if held.__class__ is dict else field(held, name)

            return Code(ONE, one)
        return combine([target], lambda _, held: field(held, name))

    def slice(self, node: t.Slice, scope: Scope) -> Code:
        codes = [
            self.code(node.target, scope),
            self.code(node.high, scope) if node.high else constant(None),
            self.code(node.low, scope) if node.low else constant(None),
        ]
        sliced = values.sliced
        return combine(codes, lambda _, held, high, low: sliced(held, low, high))

    def iterate(self, node: t.Iterate, scope: Scope) -> Code:
        target = self.code(node.target, scope)
        elements, tick = values.elements, self.machine.tick
        run = target.run
        if target.kind == ONE:

            def one(env: Env, value: Any) -> Iterator[Any]:
                held = elements(run(env, value))
                tick(len(held) + 1)
                yield from held

            return Code(MANY, one)
        targets = target.many

        def several(env: Env, value: Any) -> Iterator[Any]:
            for container in targets(env, value):
                held = elements(container)
                tick(len(held) + 1)
                yield from held

        return Code(MANY, several)

    # Construction

    def array(self, node: t.Array, scope: Scope) -> Code:
        assert node.body is not None
        code = self.code(node.body, scope)
        run = code.run
        if code.kind == ONE:
            return Code(ONE, lambda env, value: [run(env, value)])
        many = code.many
        collect = self.collector()
        return Code(ONE, lambda env, value: collect(many(env, value)))

    def collector(self) -> Callable[[Iterator[Any]], list[Any]]:
        """A function that makes a list of what comes, within bounds."""
        tick = self.machine.tick

        def collect(results: Iterator[Any]) -> list[Any]:
            found: list[Any] = []
            append = found.append
            size = 0
            for result in results:
                append(result)
                if result.__class__ is str and len(result) > 64:
                    size += len(result)
                    if size > bounds.RETAINED:
                        break
                if not len(found) & 0xFFF:
                    tick(0x1000)
                    size += 0x1000 * bounds.CELL
                    if size > bounds.RETAINED:
                        break
            else:
                return found
            raise TooMuch(f"values too large ({bounds.RETAINED} bytes at most)")

        return collect

    def object(self, node: t.Object, scope: Scope) -> Code:
        names = [self.code(key, scope) for key, _ in node.entries]
        items = [self.code(value, scope) for _, value in node.entries]
        if all(code.kind == ONE for code in (*names, *items)):
            if all(name.constant.__class__ is str for name in names):
                pairs = [(name.constant, item.run) for name, item in zip(names, items, strict=True)]
                if len(pairs) == 1:
                    only, make = pairs[0]
                    return Code(ONE, lambda env, value: {only: make(env, value)})
                return Code(ONE, lambda env, value: {name: run(env, value) for name, run in pairs})
            both = [(name.run, item.run) for name, item in zip(names, items, strict=True)]
            return Code(ONE, lambda env, value: {checked_key(name(env, value)): run(env, value) for name, run in both})
        entries = [(name.many, item.many) for name, item in zip(names, items, strict=True)]

        def built(env: Env, value: Any, at: int, held: dict[str, Any]) -> Iterator[dict[str, Any]]:
            if at == len(entries):
                yield held
                return
            name_of, item_of = entries[at]
            for name in name_of(env, value):
                for item in item_of(env, value):
                    yield from built(env, value, at + 1, {**held, checked_key(name): item})

        return Code(MANY, lambda env, value: built(env, value, 0, {}))

    # Operators

    def binary(self, node: t.Binary, scope: Scope) -> Code:
        left, right = self.code(node.left, scope), self.code(node.right, scope)
        function = values.OPERATORS[node.operator]
        if left.constant is not EMPTY and right.constant is not EMPTY:
            try:
                return constant(function(left.constant, right.constant))
            except (JqError, TooMuch):
                pass  # it fails when it runs
        first, second = left.run, right.run
        if left.kind == ONE and right.constant.__class__ is str and node.operator in ("==", "!="):
            text = right.constant
            if node.operator == "==":
                return Code(ONE, lambda env, value: first(env, value) == text)
            return Code(ONE, lambda env, value: first(env, value) != text)
        if left.kind == ONE and right.kind == ONE:

            def one(env: Env, value: Any) -> Any:
                by = second(env, value)
                return function(first(env, value), by)

            return Code(ONE, one)
        return combine([left, right], lambda _, one, other: function(one, other))

    def logical(self, node: t.Logical, scope: Scope) -> Code:
        left, right = self.code(node.left, scope), self.code(node.right, scope)
        first, second = left.run, right.run
        decided = node.operator == "or"  # a left side of this truth decides
        if left.kind == ONE and right.kind == ONE:

            def one(env: Env, value: Any) -> bool:
                held = first(env, value)
                if (held is not None and held is not False) is decided:
                    return decided
                held = second(env, value)
                return held is not None and held is not False

            return Code(ONE, one)
        lefts, rights = left.many, right.many

        def several(env: Env, value: Any) -> Iterator[bool]:
            for held in lefts(env, value):
                if (held is not None and held is not False) is decided:
                    yield decided
                else:
                    for other in rights(env, value):
                        yield other is not None and other is not False

        return Code(MANY, several)

    def assign(self, node: t.Assign, scope: Scope) -> Code:
        from rshell.builtins.jq.assign import assignment

        return assignment(self, node, scope)

    # Control

    def pipe(self, node: t.Pipe, scope: Scope, tail: bool) -> Code:
        left = self.code(node.left, scope)
        right = self.code(node.right, scope, tail and left.kind <= OPTIONAL)
        first, second = left.run, right.run
        if isinstance(node.left, t.Identity):
            return right
        if left.kind == ONE:
            return Code(right.kind, lambda env, value: second(env, first(env, value)))
        if left.kind == OPTIONAL and right.kind <= OPTIONAL:

            def optional(env: Env, value: Any) -> Any:
                held = first(env, value)
                return EMPTY if held is EMPTY else second(env, held)

            return Code(OPTIONAL, optional)
        lefts, rights = left.many, right.many
        if right.kind == ONE:

            def mapped(env: Env, value: Any) -> Iterator[Any]:
                for held in lefts(env, value):
                    yield second(env, held)

            return Code(MANY, mapped)
        if right.kind == OPTIONAL:

            def filtered(env: Env, value: Any) -> Iterator[Any]:
                for held in lefts(env, value):
                    result = second(env, held)
                    if result is not EMPTY:
                        yield result

            return Code(MANY, filtered)

        def several(env: Env, value: Any) -> Iterator[Any]:
            for held in lefts(env, value):
                yield from rights(env, held)

        return Code(MANY, several)

    def comma(self, node: t.Comma, scope: Scope, tail: bool) -> Code:
        parts = [node.right]
        left = node.left
        while isinstance(left, t.Comma):
            parts.append(left.right)
            left = left.left
        parts.append(left)
        parts.reverse()
        codes = [self.code(part, scope, tail and part is node.right) for part in parts]
        runs = [(code.kind, code.run) for code in codes]

        def several(env: Env, value: Any) -> Iterator[Any]:
            for kind, run in runs:
                if kind == MANY:
                    yield from run(env, value)
                else:
                    result = run(env, value)
                    if result is not EMPTY:
                        yield result

        return Code(MANY, several)

    def conditional(self, node: t.If, scope: Scope, tail: bool) -> Code:
        condition = self.code(node.condition, scope)
        tail = tail and condition.kind == ONE
        yes = self.code(node.yes, scope, tail)
        no = self.code(node.no, scope, tail) if node.no is not None else self.identity(t.Identity(), scope)
        test = condition.run
        kind = max(yes.kind, no.kind)
        if condition.kind == ONE:
            one, other = (yes.run, no.run) if kind <= OPTIONAL else (yes.many, no.many)

            def choose(env: Env, value: Any) -> Any:
                held = test(env, value)
                return (other if held is None or held is False else one)(env, value)

            return Code(kind, choose)
        tests, ones, others = condition.many, yes.many, no.many

        def several(env: Env, value: Any) -> Iterator[Any]:
            for held in tests(env, value):
                yield from (others if held is None or held is False else ones)(env, value)

        return Code(MANY, several)

    def alternative(self, node: t.Alternative, scope: Scope, tail: bool) -> Code:
        return alternative(self.code(node.left, scope), self.code(node.right, scope, tail))

    def attempt(self, node: t.Try, scope: Scope) -> Code:
        body = self.code(node.body, scope)
        if body.kind == ONE and body.constant is not EMPTY:
            return body
        return attempt(body, self.code(node.handler, scope) if node.handler is not None else NOTHING)

    def label(self, node: t.Label, scope: Scope) -> Code:
        body = self.many(node.body, scope.with_label(node.name))

        def several(env: Env, value: Any) -> Iterator[Any]:
            mark = object()
            try:
                yield from body((mark, env), value)
            except BreakOut as leaving:
                if leaving.label is not mark:
                    raise

        return Code(MANY, several)

    def break_out(self, node: t.Break, scope: Scope) -> Code:
        depth = scope.labels.get(node.name)
        if depth is None:
            raise CompileError(f"$*label-{node.name} is not defined", node.line)
        read = slot(scope.depth - depth)

        def leave(env: Env, value: Any) -> Any:
            raise BreakOut(read(env))

        return Code(OPTIONAL, leave)

    # Variables

    def bind(self, node: t.Bind, scope: Scope, tail: bool) -> Code:
        source = self.code(node.source, scope)
        pattern = node.patterns[0]
        if len(node.patterns) == 1 and pattern.variable is not None:
            body = self.code(node.body, scope.with_variable(pattern.variable), tail and source.kind == ONE)
            run, first = body.run, source.run
            if source.kind == ONE:
                return Code(body.kind, lambda env, value: run((first(env, value), env), value))
            sources, bodies = source.many, body.many

            def several(env: Env, value: Any) -> Iterator[Any]:
                for held in sources(env, value):
                    yield from bodies((held, env), value)

            return Code(MANY, several)
        from rshell.builtins.jq.patterns import binding

        return binding(self, node, scope)

    def reduce(self, node: t.Reduce, scope: Scope) -> Code:
        from rshell.builtins.jq.patterns import reduction

        return reduction(self, node, scope)

    def foreach(self, node: t.Foreach, scope: Scope) -> Code:
        from rshell.builtins.jq.patterns import iteration

        return iteration(self, node, scope)

    # Functions

    def define(self, node: t.Define, scope: Scope, tail: bool) -> Code:
        function = Function(node.function, scope)
        return self.code(node.rest, function.scope, tail)

    def body(self, function: Function) -> Code:
        """The compiled body of a function, compiled when first called."""
        if function.code is None:
            function.compiling = True
            self.inside.append(function)
            code = self.code(function.node.body, function.body_scope(), True)
            self.inside.pop()
            function.compiling = False
            function.code = Code(MANY, code.many) if function.recursive else code
        return function.code

    def find(self, node: t.Call, scope: Scope) -> Any:
        """What a name means: a Function, the depth of a slot, or None when it is built in or unknown."""
        key = (node.name, len(node.arguments))
        found = scope.functions.get(key)
        if found is None and key not in SPECIALS and key not in FUNCTIONS:
            found = self.from_library(key)
            if found is None:
                raise CompileError(f"{key[0]}/{key[1]} is not defined", node.line)
        return found

    def from_library(self, key: tuple[str, int]) -> Function | None:
        """A function that is written in jq."""
        function = self.library.get(key)
        if function is None:
            node = library().get(key)
            if node is None:
                return None
            function = self.library[key] = Function(node, Scope())
        return function

    def call(self, node: t.Call, scope: Scope, tail: bool) -> Code:
        found = self.find(node, scope)
        key = (node.name, len(node.arguments))
        if found is None:
            special = SPECIALS.get(key)
            if special is not None:
                return special(self, node.arguments, scope)
            return self.native(key, node.arguments, scope)
        if isinstance(found, int):
            return self.call_slot(found, scope)
        return self.call_function(found, node.arguments, scope, tail)

    def native(self, key: tuple[str, int], arguments: Sequence[t.Node], scope: Scope) -> Code:
        """A function in Python that gives one value."""
        function, bound = FUNCTIONS[key]
        if bound:
            unbound, machine = function, self.machine
            function = lambda *given: unbound(machine, *given)  # noqa: E731
        return combine([self.code(argument, scope) for argument in arguments], function)

    def call_slot(self, depth: int, scope: Scope) -> Code:
        read = slot(scope.depth - depth)

        def several(env: Env, value: Any) -> Iterator[Any]:
            argument, own = read(env)
            return argument.many(own, value)  # type: ignore[no-any-return]

        return Code(MANY, several)

    def call_function(self, function: Function, arguments: Sequence[t.Node], scope: Scope, tail: bool) -> Code:
        run, kind = self.enter(function, tail)
        home = outer(scope.depth - function.scope.depth)
        tick = self.machine.tick
        parameters = function.node.parameters
        made = [self.argument(p, a, scope) for p, a in zip(parameters, arguments, strict=True)]
        if not made:

            def plain(env: Env, value: Any) -> Any:
                tick()
                return run(home(env), value)

            return Code(kind, plain)
        if all(argument.kind == ONE for _, argument, _ in made):

            def single(env: Env, value: Any) -> Any:
                tick()
                inner = home(env)
                for is_value, code, argument in made:
                    inner = ((argument, env), inner)
                    if is_value:
                        inner = (code.run(env, value), inner)
                return run(inner, value)

            return Code(kind, single)
        run = run if kind == MANY else Code(kind, run).many

        def spread(env: Env, value: Any, at: int, inner: Env) -> Iterator[Any]:
            if at == len(made):
                tick()
                yield from run(inner, value)
                return
            is_value, code, argument = made[at]
            if not is_value:
                yield from spread(env, value, at + 1, ((argument, env), inner))
                return
            for held in code.many(env, value):
                yield from spread(env, value, at + 1, (held, ((argument, env), inner)))

        return Code(MANY, lambda env, value: spread(env, value, 0, home(env)))

    def argument(self, parameter: str, node: t.Node, scope: Scope) -> tuple[bool, Code, Argument]:
        """(whether it is a value, its code (of kind ONE when it is none), what a slot holds)"""
        from rshell.builtins.jq.paths import Places

        code = self.code(node, scope)
        held = Argument(code.many, lambda: Places(self).of(node, scope))
        return (True, code, held) if parameter[0] == "$" else (False, constant(None), held)

    def enter(self, function: Function, tail: bool) -> tuple[Callable[[Env, Any], Any], int]:
        """How a function's body is run: the function and its kind."""
        if function.compiling:
            function.recursive = True
            late = function.late
            if tail and self.inside and self.inside[-1] is function:
                function.tails = True

                def later(env: Env, value: Any) -> Iterator[Any]:
                    yield Tail(late, env, value)

                return later, MANY
            return lambda env, value: trampoline(late, env, value), MANY
        code = self.body(function)
        if function.tails:
            run = code.run
            return lambda env, value: trampoline(run, env, value), MANY
        return code.run, code.kind
