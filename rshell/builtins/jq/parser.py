"""From tokens to the tree: recursive descent, with precedence climbing for the operators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from rshell.builtins.jq import bounds
from rshell.builtins.jq import tree as t
from rshell.builtins.jq.errors import CompileError
from rshell.builtins.jq.lexer import Lexer, Token

# operator -> (level, associativity); a higher level binds tighter
_OPERATORS = {
    "//": (3, "right"),
    **dict.fromkeys(("=", "|=", "+=", "-=", "*=", "/=", "%=", "//="), (4, "none")),
    "or": (5, "left"),
    "and": (6, "left"),
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), (7, "none")),
    **dict.fromkeys(("+", "-"), (8, "left")),
    **dict.fromkeys(("*", "/", "%"), (9, "left")),
}
_IDENTITY = t.Identity()


def parse(text: str) -> t.Node:
    """The tree of a program. Raises CompileError."""
    parser = Parser(Lexer(text).tokens())
    parser.refuse_modules()
    if parser.peek.kind == "end":
        return _IDENTITY
    node = parser.program()
    parser.end()
    return node


def parse_definitions(text: str) -> list[t.Function]:
    """The functions of a text that holds definitions only."""
    parser = Parser(Lexer(text).tokens())
    found = []
    while parser.accept("keyword", "def"):
        found.append(parser.function())
    parser.end()
    return found


class Parser:
    """Reads one list of tokens."""

    def __init__(self, tokens: list[Token], depth: int = 0) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = depth

    @property
    def peek(self) -> Token:
        return self.tokens[self.at]

    def fail(self) -> NoReturn:
        token = self.peek
        shown = token.value if token.kind in ("op", "keyword", "name", "format", "end") else token.kind
        if token.kind == "field":
            shown = "FIELD"
        elif token.kind == "name":
            shown = "IDENT"
        elif token.kind == "op" and len(shown) == 1:
            shown = f"'{shown}'"
        raise CompileError(f"syntax error, unexpected {shown}", token.line)

    def accept(self, kind: str, value: str | None = None) -> Token | None:
        token = self.tokens[self.at]
        if token.kind == kind and (value is None or token.value == value):
            self.at += 1
            return token
        return None

    def op(self, value: str) -> bool:
        return self.accept("op", value) is not None

    def word(self, value: str) -> bool:
        return self.accept("keyword", value) is not None

    def need(self, kind: str, value: str | None = None) -> Token:
        token = self.accept(kind, value)
        if token is None:
            self.fail()
        return token

    def end(self) -> None:
        if self.peek.kind != "end":
            self.fail()

    def refuse_modules(self) -> None:
        token = self.peek
        if token.value in ("import", "include") and token.kind == "keyword":
            raise CompileError(f"{token.value} is not supported: there are no modules", token.line)
        if token.kind == "name" and token.value == "module":
            raise CompileError("module is not supported: there are no modules", token.line)

    def program(self) -> t.Node:
        """A pipe; a program may also hold nothing behind its definitions."""
        functions = []
        while self.word("def"):
            functions.append(self.function())
        node = _IDENTITY if self.peek.kind == "end" and functions else self.pipe()
        for function in reversed(functions):
            node = t.Define(function, node)
        return node

    def function(self) -> t.Function:
        """A definition, from behind `def`."""
        token = self.accept("name") or self.need("keyword")
        parameters: list[str] = []
        if self.op("("):
            while True:
                variable = self.accept("variable")
                if variable:
                    parameters.append("$" + variable.value)
                else:
                    parameters.append((self.accept("name") or self.need("keyword")).value)
                if not self.op(";"):
                    break
            self.need("op", ")")
        self.need("op", ":")
        body = self.pipe()
        self.need("op", ";")
        return t.Function(token.value, tuple(parameters), body)

    def pipe(self, comma: bool = True) -> t.Node:
        """The loosest level."""
        self.depth += 1
        if self.depth > bounds.NESTING:
            raise CompileError(f"nesting too deep ({bounds.NESTING} levels at most)", self.peek.line)
        parts: list[t.Node] = []
        node: t.Node | None = None
        while node is None:
            if self.word("def"):
                function = self.function()
                node = t.Define(function, self.pipe(comma))
            elif self.word("label"):
                name = self.need("variable").value
                self.need("op", "|")
                node = t.Label(name, self.pipe(comma))
            else:
                left = self.comma() if comma else self.binary(3)
                if isinstance(left, _Binding):
                    self.need("op", "|")
                    node = left.around(self.pipe(comma))
                elif self.op("|"):
                    parts.append(left)
                else:
                    node = left
        for part in reversed(parts):
            node = t.Pipe(part, node)
        self.depth -= 1
        return node

    def comma(self) -> t.Node:
        node = self.binary(3)
        while not isinstance(node, _Binding) and self.op(","):
            right = self.binary(3)
            if isinstance(right, _Binding):
                self.need("op", "|")
                right = right.around(self.pipe())
            node = t.Comma(node, right)
        return node

    def binary(self, level: int) -> t.Node:
        """Operators of a level and above."""
        if self.op("-"):
            left: t.Node = t.Negate(self._operand(9))
        else:
            left = self.postfix()
            if isinstance(left, _Binding):
                return left
        while True:
            token = self.peek
            found = _OPERATORS.get(token.value) if token.kind in ("op", "keyword") else None
            if found is None or found[0] < level:
                return left
            self.at += 1
            strength, side = found
            right = self._operand(strength if side == "right" else strength + 1)
            left = _operation(token.value, left, right)
            if side == "none":
                after = self.peek
                if after.kind == "op" and _OPERATORS.get(after.value, (0,))[0] == strength:
                    self.fail()

    def _operand(self, level: int) -> t.Node:
        self.depth += 1
        if self.depth > bounds.NESTING:
            raise CompileError(f"nesting too deep ({bounds.NESTING} levels at most)", self.peek.line)
        token = self.peek
        if token.kind == "keyword" and token.value in ("def", "label"):
            node = self.pipe()
        else:
            node = self.binary(level)
            if isinstance(node, _Binding):
                self.need("op", "|")
                node = node.around(self.pipe())
        self.depth -= 1
        return node

    def postfix(self) -> t.Node:
        """A term with what follows it."""
        token = self.peek
        if token.kind == "keyword" and token.value == "try":
            self.at += 1
            body = self.post_term()
            handler = self.post_term() if self.word("catch") else None
            return t.Try(body, handler)
        node = self.post_term()
        if self.word("as"):
            patterns = [self.pattern()]
            while self.op("?//"):
                patterns.append(self.pattern())
            return _Binding(node, tuple(patterns))
        return node

    def post_term(self) -> t.Node:
        self.depth += 1
        if self.depth > bounds.NESTING:
            raise CompileError(f"nesting too deep ({bounds.NESTING} levels at most)", self.peek.line)
        token = self.peek
        if token.kind == "op" and token.value == "-":
            self.at += 1
            node: t.Node = t.Negate(self.post_term())
        elif token.kind == "keyword" and token.value == "try":
            node = self.postfix()
        else:
            node = self.term()
        while True:
            field = self.accept("field")
            if field:
                node = t.Index(node, t.Literal(field.value))
            elif self.op("["):
                node = self.bracket(node)
            elif self.op("?"):
                node = _optional(node)
            elif self.peek.value == "?//" and self.peek.kind == "op":
                node = _optional(node)
                self.tokens[self.at] = Token("op", "//", self.peek.line)
            elif self.peek.value == "." and self.peek.kind == "op":
                after = self.tokens[self.at + 1]
                if after.kind == "string":
                    self.at += 2
                    node = t.Index(node, self.text(after, "@text"))
                elif after.kind == "op" and after.value == "[":
                    self.at += 2
                    node = self.bracket(node)
                else:
                    self.at += 1
                    self.fail()
            else:
                self.depth -= 1
                return node

    def bracket(self, target: t.Node) -> t.Node:
        """From behind the [ of an index, slice or iteration."""
        if self.op("]"):
            return t.Iterate(target)
        if self.op(":"):
            high = self.pipe()
            self.need("op", "]")
            return t.Slice(target, None, high)
        low = self.pipe()
        if self.op(":"):
            if self.op("]"):
                return t.Slice(target, low, None)
            high = self.pipe()
            self.need("op", "]")
            return t.Slice(target, low, high)
        self.need("op", "]")
        return t.Index(target, low)

    def term(self) -> t.Node:  # noqa: C901 - one case for each kind of term
        token = self.peek
        self.at += 1
        kind, value, line = token
        if kind == "number":
            return t.Literal(value)
        if kind == "string":
            return self.text(token, "@text")
        if kind == "format":
            string = self.accept("string")
            return self.text(string, value) if string else t.Format(value)
        if kind == "field":
            return t.Index(_IDENTITY, t.Literal(value))
        if kind == "variable":
            if value == "__loc__":
                return t.Literal({"file": "<top-level>", "line": line})
            return t.Variable(value, line)
        if kind == "name":
            return self.call(value, line)
        if kind == "keyword":
            return self.keyword(token)
        if kind == "op":
            if value == ".":
                string = self.accept("string")
                if string:
                    return t.Index(_IDENTITY, self.text(string, "@text"))
                return _IDENTITY
            if value == "..":
                return t.Call("recurse", (), line)
            if value == "(":
                node = self.pipe()
                self.need("op", ")")
                return node
            if value == "[":
                if self.op("]"):
                    return t.Literal([])
                body = self.pipe()
                self.need("op", "]")
                return t.Array(body)
            if value == "{":
                return self.object()
        self.at -= 1
        self.fail()

    def call(self, name: str, line: int) -> t.Node:
        if name == "break":
            variable = self.accept("variable")
            if variable is None:
                raise CompileError("break requires a label to break to", line)
            return t.Break(variable.value, line)
        if self.op("("):
            arguments = [self.pipe()]
            while self.op(";"):
                arguments.append(self.pipe())
            self.need("op", ")")
            return t.Call(name, tuple(arguments), line)
        if name in ("null", "true", "false"):
            return t.Literal({"null": None, "true": True, "false": False}[name])
        return t.Call(name, (), line)

    def keyword(self, token: Token) -> t.Node:
        value = token.value
        if value == "if":
            return self.conditional()
        if value in ("reduce", "foreach"):
            source = self.post_term()
            self.need("keyword", "as")
            pattern = self.pattern()
            self.need("op", "(")
            start = self.pipe()
            self.need("op", ";")
            update = self.pipe()
            extract = self.pipe() if value == "foreach" and self.op(";") else None
            self.need("op", ")")
            if value == "reduce":
                return t.Reduce(source, pattern, start, update)
            return t.Foreach(source, pattern, start, update, extract)
        if value == "def":
            function = self.function()
            return t.Define(function, self.pipe())
        self.at -= 1
        self.fail()

    def conditional(self) -> t.Node:
        """From behind `if` or `elif`, to behind `end`."""
        branches = []
        while True:
            condition = self.pipe()
            self.need("keyword", "then")
            branches.append((condition, self.pipe()))
            if len(branches) > bounds.NESTING:
                raise CompileError("nesting too deep", self.peek.line)
            if not self.word("elif"):
                break
        node = self.pipe() if self.word("else") else None
        self.need("keyword", "end")
        for condition, yes in reversed(branches):
            node = t.If(condition, yes, node)
        assert node is not None
        return node

    def text(self, token: Token, format: str) -> t.Node:
        """A string token as an expression."""
        parts: list[str | t.Node] = []
        for part in token.value:
            if isinstance(part, str):
                parts.append(part)
            else:
                inner = Parser(part, self.depth + 1)
                parts.append(inner.program())
                inner.end()
        if all(isinstance(part, str) for part in parts):
            return t.Literal("".join(part for part in parts if isinstance(part, str)))
        return t.Text(format, tuple(parts))

    def object(self) -> t.Node:
        """From behind the { of an object."""
        entries: list[tuple[t.Node, t.Node]] = []
        if self.op("}"):
            return t.Literal({})
        while True:
            entries.append(self.entry())
            if self.op("}"):
                return t.Object(tuple(entries))
            self.need("op", ",")
            if self.op("}"):  # jq 1.7 takes a last comma
                return t.Object(tuple(entries))

    def entry(self) -> tuple[t.Node, t.Node]:
        token = self.peek
        self.at += 1
        kind, value, line = token
        if kind == "variable":
            if value == "__loc__":
                return t.Literal("__loc__"), t.Literal({"file": "<top-level>", "line": line})
            return t.Literal(value), t.Variable(value, line)
        if kind in ("name", "keyword"):
            key: t.Node = t.Literal(value)
        elif kind == "number":
            key = t.Literal(value)
        elif kind == "string":
            key = self.text(token, "@text")
        elif kind == "format":
            string = self.accept("string")
            key = self.text(string, value) if string else t.Format(value)
        elif kind == "op" and value == "(":
            key = self.pipe()
            self.need("op", ")")
            self.need("op", ":")
            return key, self.pipe(comma=False)
        else:
            self.at -= 1
            self.fail()
        if self.op(":"):
            return key, self.pipe(comma=False)
        if kind == "number":
            self.fail()
        return key, t.Index(_IDENTITY, key)

    def pattern(self) -> t.Pattern:
        """A destructuring pattern."""
        self.depth += 1
        if self.depth > bounds.NESTING:
            raise CompileError("nesting too deep", self.peek.line)
        try:
            variable = self.accept("variable")
            if variable:
                return t.Pattern(variable=variable.value)
            if self.op("["):
                elements = [self.pattern()]
                while self.op(","):
                    elements.append(self.pattern())
                self.need("op", "]")
                return t.Pattern(elements=tuple(elements))
            self.need("op", "{")
            entries = [self.pattern_entry()]
            while self.op(","):
                entries.append(self.pattern_entry())
            self.need("op", "}")
            return t.Pattern(entries=tuple(entries))
        finally:
            self.depth -= 1

    def pattern_entry(self) -> tuple[str | None, t.Node, t.Pattern | None]:
        token = self.peek
        self.at += 1
        kind, value, _ = token
        if kind == "variable":
            key: t.Node = t.Literal(value)
            return value, key, self.pattern() if self.op(":") else None
        if kind in ("name", "keyword"):
            key = t.Literal(value)
        elif kind == "string":
            key = self.text(token, "@text")
        elif kind == "op" and value == "(":
            key = self.pipe()
            self.need("op", ")")
        else:
            self.at -= 1
            self.fail()
        self.need("op", ":")
        return None, key, self.pattern()


@dataclass(frozen=True, slots=True)
class _Binding(t.Node):
    """`source as patterns` before its body is read."""

    source: t.Node
    patterns: tuple[t.Pattern, ...]

    def around(self, body: t.Node) -> t.Node:
        return t.Bind(self.source, self.patterns, body)


def _optional(node: t.Node) -> t.Node:
    """`node?`: where node ends in an access, only that access may fail, and each time anew."""
    key = t.Variable("*key", 0)  # no program can name it
    if isinstance(node, t.Index):
        if isinstance(node.key, t.Literal):
            return t.Pipe(node.target, t.Try(t.Index(_IDENTITY, node.key), None))
        access = t.Pipe(node.target, t.Try(t.Index(_IDENTITY, key), None))
        return t.Bind(node.key, (t.Pattern(variable="*key"),), access)
    if isinstance(node, t.Iterate):
        return t.Pipe(node.target, t.Try(t.Iterate(_IDENTITY), None))
    return t.Try(node, None)


def _operation(operator: str, left: t.Node, right: t.Node) -> t.Node:
    if operator == "//":
        return t.Alternative(left, right)
    if operator in ("and", "or"):
        return t.Logical(operator, left, right)
    if _OPERATORS[operator][0] == 4:
        return t.Assign(operator, left, right)
    return t.Binary(operator, left, right)
