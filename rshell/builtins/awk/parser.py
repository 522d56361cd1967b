"""Parse an awk program: recursive descent over POSIX's grammar, with gawk's readings where it is open."""

from __future__ import annotations

from rshell.builtins.awk import bounds, tree
from rshell.builtins.awk.errors import Refused, SyntaxFault
from rshell.builtins.awk.lexer import BUILTINS, Token, regex_source, tokens, unescape
from rshell.builtins.awk.values import number_of
from rshell.builtins.command import encode

_SPECIAL = ("BEGIN", "END", "BEGINFILE", "ENDFILE")
_ASSIGN = {"=": "", "+=": "+", "-=": "-", "*=": "*", "/=": "/", "%=": "%", "^=": "^"}
_COMPARE = frozenset({"<", "<=", "==", "!=", ">", ">="})
# How strongly the operators bind; a concatenation has none, it is seen by what can begin its next part.
_LEVELS = {
    "||": 1, "&&": 2, "in": 3, "~": 4, "!~": 4, "<": 5, "<=": 5, "==": 5, "!=": 5, ">": 5, ">=": 5, "|": 5, "|&": 5,
    "+": 7, "-": 7, "*": 8, "/": 8, "%": 8,
}  # fmt: skip
_CONCATENATION = 6
_JOINS = frozenset({"number", "string", "name", "call", "builtin", "$", "!", "(", "++", "--"})
_ENDS = frozenset({";", "newline", "}", "end"})
_STREAMS = {"/dev/stdout": "", "/dev/stderr": "stderr", "/dev/null": "null"}


def parse(text: str, *, writing: bool = False) -> tree.Program:
    """Parse a program; with writing, print may name files.

    Raises SyntaxFault, or Refused for what awk has and this shell does not give.
    """
    return _Parser(tokens(text), writing).program()


class _Parser:
    def __init__(self, found: list[Token], writing: bool) -> None:
        self._tokens = found
        self._writing = writing
        self._at = 0
        self._now = found[0]
        self._depth = 0
        self._loops = 0
        self._in_function = False
        self._special = ""  # the BEGIN or END action that is being parsed
        self._no_greater = False  # in print's list, `>` ends an expression
        self._functions: dict[str, tree.Function] = {}
        self._calls: list[tree.Call] = []

    # Tokens

    def _next(self) -> Token:
        token = self._now
        if self._at < len(self._tokens) - 1:
            self._at += 1
            self._now = self._tokens[self._at]
        return token

    def _take(self, kind: str) -> bool:
        if self._now.kind == kind:
            self._next()
            return True
        return False

    def _expect(self, kind: str) -> Token:
        if self._now.kind != kind:
            raise self._fault()
        return self._next()

    def _fault(self) -> SyntaxFault:
        token = self._now
        text = "end of line" if token.kind == "newline" else token.text
        if token.kind == "string":
            text = f'"{text}"'
        elif token.kind == "regex":
            text = f"/{text}/"
        return SyntaxFault(token.line, f"syntax error near {text}")

    def _newlines(self) -> None:
        while self._now.kind == "newline":
            self._next()

    def _separators(self) -> None:
        while self._now.kind in ("newline", ";"):
            self._next()

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > bounds.NESTING:
            raise SyntaxFault(self._now.line, f"nesting too deep ({bounds.NESTING} levels at most)")

    # Items

    def program(self) -> tree.Program:
        special: dict[str, list[tree.Block]] = {name: [] for name in _SPECIAL}
        rules: list[tree.Rule] = []
        self._separators()
        while self._now.kind != "end":
            kind = self._now.kind
            if kind == "function":
                self._function()
            elif kind in _SPECIAL:
                self._next()
                if self._now.kind != "{":
                    raise SyntaxFault(self._now.line, f"{kind} needs an action")
                self._special = kind
                special[kind].append(self._block())
                self._special = ""
            else:
                rules.append(self._rule())
            if self._tokens[self._at - 1].kind != "}" and self._now.kind not in _ENDS:
                raise self._fault()
            self._separators()
        for call in self._calls:
            function = self._functions.get(call.name)
            if function is None:
                raise SyntaxFault(call.line, f"function {call.name} is not defined")
            if len(call.arguments) > len(function.parameters):
                raise SyntaxFault(call.line, f"function {call.name} called with too many arguments")
        return tree.Program({k: tuple(v) for k, v in special.items()}, tuple(rules), self._functions)

    def _rule(self) -> tree.Rule:
        pattern = until = None
        if self._now.kind != "{":
            pattern = self._expression()
            if self._take(","):
                self._newlines()
                until = self._expression()
        body = self._block() if self._now.kind == "{" else None
        return tree.Rule(pattern, until, body)

    def _function(self) -> None:
        line = self._next().line
        if self._now.kind not in ("name", "call"):
            raise self._fault()
        name = self._next().text
        if name in self._functions:
            raise SyntaxFault(line, f"function {name} is defined twice")
        self._expect("(")
        parameters: list[str] = []
        while self._now.kind != ")":
            token = self._expect("name")
            if token.text in parameters or token.text == name:
                raise SyntaxFault(token.line, f"function {name}: parameter {token.text} is used twice")
            parameters.append(token.text)
            self._newlines()
            if self._now.kind != ")":
                self._expect(",")
                self._newlines()
        self._expect(")")
        self._newlines()
        self._in_function = True
        body = self._block()
        self._in_function = False
        self._functions[name] = tree.Function(name, tuple(parameters), body, line)

    # Statements

    def _block(self) -> tree.Block:
        self._enter()
        self._expect("{")
        statements: list[tree.Statement] = []
        self._separators()
        while self._now.kind != "}":
            statements.append(self._statement())
            self._separators()
        self._next()
        self._depth -= 1
        return tree.Block(tuple(statements))

    def _statement(self) -> tree.Statement:
        kind = self._now.kind
        if kind == "{":
            return self._block()
        compound = _COMPOUND.get(kind)
        if compound is not None:
            self._enter()
            statement = compound(self)
            self._depth -= 1
            return statement
        statement = self._simple()
        self._end_of_statement()
        return statement

    def _end_of_statement(self) -> None:
        if self._now.kind in ("newline", ";"):
            self._next()
        elif self._now.kind not in ("}", "end"):
            raise self._fault()

    def _body(self) -> tree.Statement:
        self._newlines()
        if self._take(";"):
            return tree.Block(())
        return self._statement()

    def _loop_body(self) -> tree.Statement:
        self._loops += 1
        body = self._body()
        self._loops -= 1
        return body

    def _if(self) -> tree.Statement:
        self._next()
        test = self._condition()
        yes = self._body()
        mark = self._at
        self._separators()
        if self._now.kind == "else":
            self._next()
            return tree.If(test, yes, self._body())
        self._at = mark
        self._now = self._tokens[mark]
        return tree.If(test, yes, None)

    def _condition(self) -> tree.Expression:
        self._expect("(")
        test = self._plain_expression()
        self._expect(")")
        return test

    def _while(self) -> tree.Statement:
        self._next()
        test = self._condition()
        return tree.While(test, self._loop_body(), after=False)

    def _do(self) -> tree.Statement:
        self._next()
        body = self._loop_body()
        self._separators()
        self._expect("while")
        test = self._condition()
        self._end_of_statement()
        return tree.While(test, body, after=True)

    def _for(self) -> tree.Statement:
        self._next()
        self._expect("(")
        ahead = [token.kind for token in self._tokens[self._at : self._at + 4]]
        if ahead == ["name", "in", "name", ")"]:
            variable = self._next().text
            self._next()
            array = self._next().text
            self._next()
            return tree.ForIn(tree.Name(variable), array, self._loop_body())
        first = None if self._now.kind == ";" else self._simple()
        self._expect(";")
        self._newlines()
        test = None if self._now.kind == ";" else self._plain_expression()
        self._expect(";")
        self._newlines()
        step = None if self._now.kind == ")" else self._simple()
        self._expect(")")
        return tree.For(first, test, step, self._loop_body())

    def _switch(self) -> tree.Statement:
        raise Refused(f"line {self._now.line}: switch is not supported: use if and else")

    def _simple(self) -> tree.Statement:
        token = self._now
        kind = token.kind
        if kind in ("print", "printf"):
            return self._print()
        if kind in ("next", "nextfile"):
            self._next()
            if self._special in ("BEGIN", "END") or (self._special and kind == "next") or self._special == "ENDFILE":
                raise SyntaxFault(token.line, f"{kind} cannot be used in {self._special}")
            return tree.Jump(kind)
        if kind in ("break", "continue"):
            self._next()
            if not self._loops:
                raise SyntaxFault(token.line, f"{kind} is not in a loop")
            return tree.Jump(kind)
        if kind == "exit":
            self._next()
            return tree.Exit(None if self._now.kind in _ENDS else self._plain_expression())
        if kind == "return":
            self._next()
            if not self._in_function:
                raise SyntaxFault(token.line, "return is not in a function")
            return tree.Return(None if self._now.kind in _ENDS else self._plain_expression())
        if kind == "delete":
            return self._delete()
        return tree.Evaluate(self._plain_expression())

    def _delete(self) -> tree.Statement:
        self._next()
        wrapped = self._take("(")
        name = self._expect("name").text
        subscripts: tuple[tree.Expression, ...] = ()
        if self._take("["):
            subscripts = self._list("]")
        if wrapped:
            self._expect(")")
        return tree.Delete(name, subscripts)

    def _print(self) -> tree.Statement:
        token = self._next()
        arguments: tuple[tree.Expression, ...] = ()
        if self._now.kind == "(" and self._grouped():
            self._next()
            arguments = self._list(")")
        elif self._now.kind not in _ENDS and self._now.kind not in (">", ">>", "|", "|&"):
            held, self._no_greater = self._no_greater, True
            found = [self._expression()]
            while self._take(","):
                self._newlines()
                found.append(self._expression())
            arguments = tuple(found)
            self._no_greater = held
        if token.kind == "printf" and not arguments:
            raise self._fault()
        return tree.Print(arguments, token.kind == "printf", *self._sink())

    def _grouped(self) -> bool:
        """Tell whether the parenthesis here encloses all that print is to print."""
        depth = 0
        for index in range(self._at, len(self._tokens)):
            kind = self._tokens[index].kind
            if kind == "(":
                depth += 1
            elif kind == ")":
                depth -= 1
                if depth == 0:
                    return self._tokens[index + 1].kind in _ENDS | {">", ">>", "|", "|&"}
        return False

    def _sink(self) -> tuple[str, tree.Expression | None]:
        """Read print's redirection: the run's own streams, and files in remediation mode."""
        kind, line = self._now.kind, self._now.line
        if kind in ("|", "|&"):
            raise Refused(f"line {line}: output to a pipe is not supported")
        if kind not in (">", ">>"):
            return "", None
        self._next()
        name = self._now.text if self._now.kind == "string" else None
        target = self._binary(_CONCATENATION)
        if isinstance(target, tree.String) and name in _STREAMS:
            return _STREAMS[name], None
        if self._writing:
            return "write" if kind == ">" else "append", target
        raise Refused(f"line {line}: {kind} file redirection is not supported")

    # Expressions, from the weakest operator to the strongest

    def _plain_expression(self) -> tree.Expression:
        """An expression in which `>` compares."""
        held, self._no_greater = self._no_greater, False
        expression = self._expression()
        self._no_greater = held
        return expression

    def _list(self, end: str) -> tuple[tree.Expression, ...]:
        self._newlines()
        found: list[tree.Expression] = []
        while self._now.kind != end:
            found.append(self._plain_expression())
            self._newlines()
            if self._now.kind != end:
                self._expect(",")
                self._newlines()
                if self._now.kind == end:
                    raise self._fault()
        self._next()
        if end == "]" and not found:
            raise self._fault()
        return tuple(found)

    def _expression(self) -> tree.Expression:
        self._enter()
        expression = self._ternary()
        operator = _ASSIGN.get(self._now.kind)
        if operator is not None:
            split = tree.assignable(expression)
            if split is None:
                raise self._fault()
            self._next()
            self._newlines()
            target, wrap = split
            expression = wrap(tree.Assign(operator, target, self._expression()))
        self._depth -= 1
        return expression

    def _ternary(self) -> tree.Expression:
        test = self._binary(1)
        if not self._take("?"):
            return test
        self._newlines()
        yes = self._expression()
        self._newlines()
        self._expect(":")
        self._newlines()
        return tree.Conditional(test, yes, self._expression())

    def _binary(self, least: int) -> tree.Expression:
        """Read operands joined by operators that bind at least so strongly (precedence climbing)."""
        left = self._unary()
        while True:
            kind = self._now.kind
            level = _CONCATENATION if kind in _JOINS else _LEVELS.get(kind, 0)
            if level < least or (kind == ">" and self._no_greater):
                return left
            if kind in ("|", "|&"):
                if self._tokens[self._at + 1].kind != "getline":
                    return left
                raise Refused(f"line {self._now.line}: reading from a pipe is not supported")
            if level != _CONCATENATION:
                self._next()
            left = self._joined(kind, level, left)

    def _joined(self, kind: str, level: int, left: tree.Expression) -> tree.Expression:
        if kind == "in":
            return tree.Contains((left,), self._expect("name").text)
        if kind in ("||", "&&"):
            self._newlines()
        self._enter()
        right = self._binary(level + 1)
        self._depth -= 1
        if level == _CONCATENATION:
            parts = left.parts if isinstance(left, tree.Concatenation) else (left,)
            return tree.Concatenation((*parts, right))
        if kind in ("||", "&&"):
            return tree.Logical(kind, left, right)
        if kind in ("~", "!~"):
            return tree.Match(kind == "!~", left, right)
        if kind in _COMPARE:
            return tree.Compare(kind, left, right)
        return tree.Arithmetic(kind, left, right)

    def _unary(self) -> tree.Expression:
        kind = self._now.kind
        if kind not in ("!", "+", "-"):
            return self._power()
        self._enter()
        self._next()
        operand = self._unary()
        self._depth -= 1
        return tree.Not(operand) if kind == "!" else tree.Sign(kind, operand)

    def _power(self) -> tree.Expression:
        base = self._postfix()
        if not self._take("^"):
            return base
        self._enter()
        exponent = self._unary_power()
        self._depth -= 1
        return tree.Arithmetic("^", base, exponent)

    def _unary_power(self) -> tree.Expression:
        if self._now.kind in ("-", "+", "!"):
            operator = self._next().kind
            operand = self._unary_power()
            return tree.Not(operand) if operator == "!" else tree.Sign(operator, operand)
        return self._power()

    def _postfix(self) -> tree.Expression:
        operand = self._primary()
        if isinstance(operand, tree.Target) and self._now.kind in ("++", "--"):
            return tree.Increment(operand, 1.0 if self._next().kind == "++" else -1.0, before=False)
        return operand

    def _primary(self) -> tree.Expression:
        token = self._now
        primary = _PRIMARY.get(token.kind)
        if primary is None:
            raise self._fault()
        return primary(self)

    def _number(self) -> tree.Expression:
        text = self._next().text
        if text[:2] in ("0x", "0X"):
            return tree.Number(float(int(text[2:], 16)))  # text: ours
        return tree.Number(number_of(encode(text)))

    def _string(self) -> tree.Expression:
        return tree.String(unescape(encode(self._next().text)))

    def _regex(self) -> tree.Expression:
        return tree.Regex(regex_source(self._next().text))

    def _dollar(self) -> tree.Expression:
        self._next()
        self._enter()
        number: tree.Expression
        if self._now.kind in ("++", "--"):
            number = self._before()
        elif self._now.kind in ("-", "+", "!"):
            operator = self._next().kind
            operand = self._primary()
            number = tree.Not(operand) if operator == "!" else tree.Sign(operator, operand)
        else:
            number = self._primary()
        self._depth -= 1
        if isinstance(number, tree.Grouping):
            number = number.inner
        return tree.Field(number)

    def _before(self) -> tree.Expression:
        step = 1.0 if self._next().kind == "++" else -1.0
        target = self._primary()
        if not isinstance(target, tree.Target):
            raise self._fault()
        return tree.Increment(target, step, before=True)

    def _parenthesis(self) -> tree.Expression:
        self._next()
        found = [self._plain_expression()]
        while self._take(","):
            self._newlines()
            found.append(self._plain_expression())
        self._expect(")")
        if len(found) == 1:
            return tree.Grouping(found[0])
        self._expect("in")
        return tree.Contains(tuple(found), self._expect("name").text)

    def _name(self) -> tree.Expression:
        name = self._next().text
        if self._now.kind == "[":
            self._next()
            self._enter()
            subscripts = self._list("]")
            self._depth -= 1
            if self._now.kind == "[":
                raise Refused(f"line {self._now.line}: arrays of arrays are not supported: use {name}[i, j]")
            return tree.Index(name, subscripts)
        return tree.Name(name)

    def _call(self) -> tree.Expression:
        token = self._next()
        self._next()
        self._enter()
        call = tree.Call(token.text, self._list(")"), token.line)
        self._depth -= 1
        self._calls.append(call)
        return call

    def _builtin(self) -> tree.Expression:
        token = self._next()
        arguments: tuple[tree.Expression, ...] = ()
        if self._now.kind == "(":
            self._next()
            self._enter()
            arguments = self._list(")")
            self._depth -= 1
        elif token.text != "length":
            raise self._fault()
        least, most = BUILTINS[token.text]
        if not least <= len(arguments) <= most:
            raise SyntaxFault(token.line, f"wrong number of arguments for {token.text}")
        return tree.BuiltinCall(token.text, arguments, token.line)

    def _getline(self) -> tree.Expression:
        line = self._next().line
        target: tree.Target | None = None
        if self._now.kind in ("name", "$"):
            found = self._primary()
            if isinstance(found, tree.Target):
                target = found
        if self._now.kind == "<":
            raise Refused(f"line {line}: getline < file is not supported: name the file as an operand")
        return tree.Getline(target)


_COMPOUND = {
    "if": _Parser._if, "while": _Parser._while, "do": _Parser._do, "for": _Parser._for, "switch": _Parser._switch,
}  # fmt: skip
_PRIMARY = {
    "number": _Parser._number, "string": _Parser._string, "regex": _Parser._regex, "$": _Parser._dollar,
    "++": _Parser._before, "--": _Parser._before, "(": _Parser._parenthesis, "name": _Parser._name,
    "call": _Parser._call, "builtin": _Parser._builtin, "getline": _Parser._getline, "!": _Parser._unary,
    "-": _Parser._unary, "+": _Parser._unary,
}  # fmt: skip
