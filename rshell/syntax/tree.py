"""The syntax tree: what the parser makes and the compiler reads.

Nodes are frozen and keep the exact quoting, because expansion needs it (POSIX XCU 2.6). Constructs
that the shell refuses have nodes too, so that a refusal can name them.
"""

from __future__ import annotations

from typing import TypeAlias

from rshell.syntax.node import Node


class Literal(Node):
    """Unquoted text. Pattern characters in it are live; backslashes have been taken out as Quoted."""

    text: str


class Quoted(Node):
    """Text from '…', $'…' or a backslash: never split, never a pattern."""

    text: str


class DoubleQuoted(Node):
    """"…" or $"…": its parts are expanded and neither split nor matched as patterns."""

    parts: tuple[Part, ...]


class Parameter(Node):
    """$NAME or ${NAME…}.

    name is a variable name, a digit string, or one of the special characters ``@*#?-$!``.
    operation is '' for plain use, else the text behind the name that asks for more: ':-word', '#',
    '##pat', ':1:2', '^^', '[0]', '@Q'; for prefixed forms it is 'length' (${#x}) or
    'indirect' (${!x}). braced is true of plain ${NAME}: no letter behind it can join the name.
    """

    name: str
    operation: str = ""
    braced: bool = False


class CommandSub(Node):
    """$(…) or `…`."""

    body: Sequence
    backquoted: bool = False


class Arithmetic(Node):
    """$((…)) or $[…]; refused."""

    text: str


class ProcessSub(Node):
    """<(…) or >(…); refused. op is '<' or '>'."""

    op: str
    body: Sequence


class ExtGlob(Node):
    """?(…) *(…) +(…) @(…) !(…); refused. op is the character before the parenthesis."""

    op: str
    text: str


class Tilde(Node):
    """An unquoted ~ or ~user where bash would expand it; refused. text includes the tilde."""

    text: str


Part: TypeAlias = Literal | Quoted | DoubleQuoted | Parameter | CommandSub | Arithmetic | ProcessSub | ExtGlob | Tilde


class Word(Node):
    """One word of a command. Brace expansion has not been done: the braces are in Literal parts."""

    parts: tuple[Part, ...]
    line: int = 0

    def literal(self) -> str | None:
        """The text of an unquoted literal word, None where there is any quoting or expansion."""
        if len(self.parts) == 1 and type(self.parts[0]) is Literal:
            return self.parts[0].text
        return "" if not self.parts else None


class Assignment(Node):
    """NAME=value before a command or alone.

    value is None for the array form (elements then holds its words). append is NAME+=…; index is
    the text between brackets of NAME[…]=….
    """

    name: str
    value: Word | None
    append: bool = False
    index: str | None = None  # type: ignore[assignment]  # tuple.index is not wanted here
    elements: tuple[Word, ...] | None = None
    line: int = 0


class HereDoc:
    """The body of << or <<-. quoted: no expansion is done, and body is one Quoted part or none.

    In an unquoted body, literal text comes as Quoted parts (nothing in it splits or globs). The one
    node that is filled in after it was made: its lines come after its redirection.
    """

    __slots__ = ("body", "delimiter", "quoted", "strip_tabs")

    def __init__(self, delimiter: str, quoted: bool, strip_tabs: bool, body: Word) -> None:
        self.delimiter = delimiter
        self.quoted = quoted
        self.strip_tabs = strip_tabs
        self.body = body

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HereDoc) and (
            (self.delimiter, self.quoted, self.strip_tabs, self.body)
            == (other.delimiter, other.quoted, other.strip_tabs, other.body)
        )

    def __hash__(self) -> int:
        return hash((self.delimiter, self.quoted, self.strip_tabs, self.body))

    def __repr__(self) -> str:
        return f"HereDoc({self.delimiter!r}, {self.quoted}, {self.strip_tabs}, {self.body!r})"


class Redirect(Node):
    """fd is None where the script gave none; variable is the NAME of {NAME}>file (refused).

    op is one of < > >> >| <> <& >& &> &>> << <<- <<<. For << and <<- target is a HereDoc.
    """

    op: str
    target: Word | HereDoc
    fd: int | None = None
    variable: str | None = None
    line: int = 0


class SimpleCommand(Node):
    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    line: int = 0


class Declaration(Node):
    """declare typeset export local readonly let with their words; refused. name is the first word."""

    name: str
    line: int = 0


class Subshell(Node):
    body: Sequence
    redirects: tuple[Redirect, ...] = ()
    line: int = 0


class BraceGroup(Node):
    body: Sequence
    redirects: tuple[Redirect, ...] = ()
    line: int = 0


class If(Node):
    """arms: (condition, body) of if and each elif; otherwise: the else body or None."""

    arms: tuple[tuple[Sequence, Sequence], ...]
    otherwise: Sequence | None
    redirects: tuple[Redirect, ...] = ()
    line: int = 0


class For(Node):
    """words is None for `for NAME; do` (over the positional parameters; refused)."""

    name: str
    words: tuple[Word, ...] | None
    body: Sequence
    redirects: tuple[Redirect, ...] = ()
    line: int = 0


class ArithmeticFor(Node):
    """for ((a; b; c)); refused."""

    header: str
    body: Sequence
    redirects: tuple[Redirect, ...] = ()
    line: int = 0


class While(Node):
    """while, or until when until is true."""

    condition: Sequence
    body: Sequence
    until: bool = False
    redirects: tuple[Redirect, ...] = ()
    line: int = 0


class CaseItem(Node):
    """terminator is ;; ;& or ;;&."""

    patterns: tuple[Word, ...]
    body: Sequence
    terminator: str = ";;"


class Case(Node):
    """Refused."""

    subject: Word
    items: tuple[CaseItem, ...]
    redirects: tuple[Redirect, ...] = ()
    line: int = 0


class Select(Node):
    """Refused."""

    name: str
    words: tuple[Word, ...] | None
    body: Sequence
    redirects: tuple[Redirect, ...] = ()
    line: int = 0


class Function(Node):
    """NAME() compound, or function NAME compound; refused."""

    name: str
    body: Command
    line: int = 0


class ArithmeticCommand(Node):
    """(( … )); refused."""

    text: str
    redirects: tuple[Redirect, ...] = ()
    line: int = 0


class TestCommand(Node):
    """[[ … ]]; refused. words are what stands between the brackets."""

    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...] = ()
    line: int = 0


class Coproc(Node):
    """coproc [NAME] command; refused."""

    name: str | None
    body: Command
    line: int = 0


Command: TypeAlias = (
    SimpleCommand | Declaration | Subshell | BraceGroup | If | For | ArithmeticFor | While | Case | Select
    | Function | ArithmeticCommand | TestCommand | Coproc
)


class Pipeline(Node):
    """One or more commands joined by pipes.

    operators[i] stands between stages i and i+1: '|' or '|&' (refused). timed is a leading
    `time` (refused). negated: an odd number of `!` stood before it.
    """

    stages: tuple[Command, ...]
    operators: tuple[str, ...] = ()
    negated: bool = False
    timed: bool = False
    line: int = 0


class AndOr(Node):
    """first, then (operator, pipeline) for each && or ||; background: it ended with & (refused)."""

    first: Pipeline
    rest: tuple[tuple[str, Pipeline], ...] = ()
    background: bool = False
    line: int = 0


class Sequence(Node):
    """Commands run one after the other."""

    items: tuple[AndOr, ...]


class Program(Node):
    """A parsed script. Immutable and reusable: one Program may be run by many Runners."""

    body: Sequence
    source: str = ""
