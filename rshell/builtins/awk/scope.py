"""What the names of a program stand for, found before it is compiled: arrays, scalars, and which fields it wants."""

from __future__ import annotations

from collections.abc import Iterator

from rshell.builtins.awk import tree
from rshell.builtins.awk.errors import SyntaxFault
from rshell.builtins.awk.runtime import ARRAYS, SPECIAL

# Built-in functions that take arrays: the positions of these arguments.
ARRAY_ARGUMENTS = {"split": (1, 3), "match": (2,), "asort": (0, 1), "asorti": (0, 1), "patsplit": (1, 3), "isarray": ()}
_EITHER = {"length", "isarray", "typeof"}  # take a scalar or an array

Owner = tuple[str, str]  # function ("" for globals) and name


class Scope:
    """The names of a program.

    globals: every global's name, its index being its place. arrays: the names, with their function
    ("" for globals), that are arrays. used: the names of all globals and functions that occur.
    """

    def __init__(self, program: tree.Program) -> None:
        self.program = program
        self.globals = list(SPECIAL)
        self.arrays: set[Owner] = {("", name) for name in ARRAYS}
        self._scalars: set[Owner] = set()
        self._passed: list[tuple[Owner, Owner]] = []  # a bare name given for a parameter
        self.used: set[str] = set()
        self.most_field = 0  # the highest constant field number
        self.whole_record = False  # all fields are wanted
        self.reads_on = False  # a record can be taken by getline
        for owner, node in _nodes(program):
            self._see(owner, node)
        self._spread()
        known = set(self.globals)
        for name in sorted(self.used - known):
            if name not in program.functions:
                self.globals.append(name)
        self._check()

    def owner(self, function: str, name: str) -> Owner:
        """Whose a name is inside a function."""
        if function and name in self.program.functions[function].parameters:
            return function, name
        return "", name

    def is_array(self, function: str, name: str) -> bool:
        """Tell whether a name is an array inside a function."""
        return self.owner(function, name) in self.arrays

    def _see(self, function: str, node: object) -> None:
        if isinstance(node, tree.Name):
            self._use(function, node.name)
            if node.name == "NF":
                self.whole_record = True
        elif isinstance(node, tree.Index | tree.Contains | tree.Delete):
            self._array(function, node.name)
        elif isinstance(node, tree.ForIn):
            self._array(function, node.array)
        elif isinstance(node, tree.Field):
            number = node.number
            if isinstance(number, tree.Number):
                self.most_field = max(self.most_field, int(min(number.value, 1e6)))  # text: ours
            else:
                self.whole_record = True
        elif isinstance(node, tree.Assign | tree.Increment | tree.Getline):
            self.reads_on = self.reads_on or isinstance(node, tree.Getline)
            if isinstance(node.target, tree.Field):
                self.whole_record = True
        elif isinstance(node, tree.BuiltinCall):
            for position in ARRAY_ARGUMENTS.get(node.name, ()):
                if position < len(node.arguments):
                    argument = node.arguments[position]
                    if not isinstance(argument, tree.Name):
                        raise SyntaxFault(node.line, f"{node.name}: argument {position + 1} must be an array")
                    self._array(function, argument.name)
            if node.name in ("sub", "gsub"):
                self.whole_record = True
        elif isinstance(node, tree.Call):
            self._see_call(function, node)

    def _see_call(self, function: str, node: tree.Call) -> None:
        parameters = self.program.functions[node.name].parameters
        for argument, parameter in zip(node.arguments, parameters, strict=False):
            if isinstance(argument, tree.Name):
                self._passed.append((self.owner(function, argument.name), (node.name, parameter)))

    def _use(self, function: str, name: str) -> None:
        owner = self.owner(function, name)
        if not owner[0]:
            self.used.add(name)

    def _array(self, function: str, name: str) -> None:
        self._use(function, name)
        self.arrays.add(self.owner(function, name))

    def _spread(self) -> None:
        """A name given for an array parameter is an array."""
        changed = True
        while changed:
            changed = False
            for given, parameter in self._passed:
                if parameter in self.arrays and given not in self.arrays:
                    self.arrays.add(given)
                    changed = True

    def _check(self) -> None:
        for function in self.program.functions.values():
            for name in (function.name, *function.parameters):
                if name in SPECIAL:
                    raise SyntaxFault(function.line, f"{name} cannot be the name of a function or parameter")
            if function.name in self.used:
                raise SyntaxFault(function.line, f"function {function.name} is used as a variable")
        for name in SPECIAL:
            if name not in ARRAYS and ("", name) in self.arrays:
                raise SyntaxFault(1, f"{name} is not an array")


def _nodes(program: tree.Program) -> Iterator[tuple[str, object]]:
    """Every node, with the function it stands in."""
    todo: list[tuple[str, object]] = [("", program.special), ("", program.rules)]
    todo += [(name, function.body) for name, function in program.functions.items()]
    while todo:
        owner, node = todo.pop()
        if isinstance(node, tuple):
            todo += [(owner, part) for part in node]
        elif isinstance(node, dict):
            todo += [(owner, part) for part in node.values()]
        elif isinstance(node, tree.Node):
            yield owner, node
            todo += [(owner, part) for part in node.children()]
