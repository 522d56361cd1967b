"""The syntax tree: what the parser makes and the compiler reads.

Nodes are frozen and keep the exact quoting, because expansion needs it (POSIX XCU 2.6). Constructs
that the shell refuses have nodes too, so that a refusal can name them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Literal:
    """Unquoted text. Pattern characters in it are live; backslashes have been taken out as Quoted."""

    text: str


@dataclass(frozen=True, slots=True)
class Quoted:
    """Text from '…', $'…' or a backslash: never split, never a pattern."""

    text: str


@dataclass(frozen=True, slots=True)
class DoubleQuoted:
    """"…" or $"…": its parts are expanded and neither split nor matched as patterns."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """$NAME or ${NAME…}.

    name is a variable name, a digit string, or one of the special characters ``@*#?-$!``.
    operation is '' for plain use, else the text behind the name that asks for more: ':-word', '#',
    '##pat', ':1:2', '^^', '[0]', '@Q'; for prefixed forms it is 'length' (${#x}) or
    'indirect' (${!x}).
    """

    name: str
    operation: str = ""


@dataclass(frozen=True, slots=True)
class CommandSub:
    """$(…) or `…`."""

    body: Sequence
    backquoted: bool = False


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """$((…)) or $[…]; refused."""

    text: str


@dataclass(frozen=True, slots=True)
class ProcessSub:
    """<(…) or >(…); refused. op is '<' or '>'."""

    op: str
    body: Sequence


@dataclass(frozen=True, slots=True)
class ExtGlob:
    """?(…) *(…) +(…) @(…) !(…); refused. op is the character before the parenthesis."""

    op: str
    text: str


@dataclass(frozen=True, slots=True)
class Tilde:
    """An unquoted ~ or ~user where bash would expand it; refused. text includes the tilde."""

    text: str


Part: TypeAlias = Literal | Quoted | DoubleQuoted | Parameter | CommandSub | Arithmetic | ProcessSub | ExtGlob | Tilde


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command. Brace expansion has not been done: the braces are in Literal parts."""

    parts: tuple[Part, ...]
    line: int = 0

    def literal(self) -> str | None:
        """The text of an unquoted literal word, None where there is any quoting or expansion."""
        if len(self.parts) == 1 and type(self.parts[0]) is Literal:
            return self.parts[0].text
        return "" if not self.parts else None


@dataclass(frozen=True, slots=True)
class Assignment:
    """NAME=value before a command or alone.

    value is None for the array form (elements then holds its words). append is NAME+=…; index is
    the text between brackets of NAME[…]=….
    """

    name: str
    value: Word | None
    append: bool = False
    index: str | None = None
    elements: tuple[Word, ...] | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class HereDoc:
    """The body of << or <<-. quoted: no expansion is done, and body is one Quoted part or none.

    In an unquoted body, literal text comes as Quoted parts (nothing in it splits or globs).
    """

    delimiter: str
    quoted: bool
    strip_tabs: bool
    body: Word


@dataclass(frozen=True, slots=True)
class Redirect:
    """fd is None where the script gave none; variable is the NAME of {NAME}>file (refused).

    op is one of < > >> >| <> <& >& &> &>> << <<- <<<. For << and <<- target is a HereDoc.
    """

    op: str
    target: Word | HereDoc
    fd: int | None = None
    variable: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    line: int = 0


@dataclass(frozen=True, slots=True)
class Declaration:
    """declare typeset export local readonly let with their words; refused. name is the first word."""

    name: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Subshell:
    body: Sequence
    redirects: tuple[Redirect, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class BraceGroup:
    body: Sequence
    redirects: tuple[Redirect, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class If:
    """arms: (condition, body) of if and each elif; otherwise: the else body or None."""

    arms: tuple[tuple[Sequence, Sequence], ...]
    otherwise: Sequence | None
    redirects: tuple[Redirect, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class For:
    """words is None for `for NAME; do` (over the positional parameters; refused)."""

    name: str
    words: tuple[Word, ...] | None
    body: Sequence
    redirects: tuple[Redirect, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class ArithmeticFor:
    """for ((a; b; c)); refused."""

    header: str
    body: Sequence
    redirects: tuple[Redirect, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class While:
    """while, or until when until is true."""

    condition: Sequence
    body: Sequence
    until: bool = False
    redirects: tuple[Redirect, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class CaseItem:
    """terminator is ;; ;& or ;;&."""

    patterns: tuple[Word, ...]
    body: Sequence
    terminator: str = ";;"


@dataclass(frozen=True, slots=True)
class Case:
    """Refused."""

    subject: Word
    items: tuple[CaseItem, ...]
    redirects: tuple[Redirect, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Select:
    """Refused."""

    name: str
    words: tuple[Word, ...] | None
    body: Sequence
    redirects: tuple[Redirect, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Function:
    """NAME() compound, or function NAME compound; refused."""

    name: str
    body: Command
    line: int = 0


@dataclass(frozen=True, slots=True)
class ArithmeticCommand:
    """(( … )); refused."""

    text: str
    redirects: tuple[Redirect, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class TestCommand:
    """[[ … ]]; refused. words are what stands between the brackets."""

    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Coproc:
    """coproc [NAME] command; refused."""

    name: str | None
    body: Command
    line: int = 0


Command: TypeAlias = (
    SimpleCommand | Declaration | Subshell | BraceGroup | If | For | ArithmeticFor | While | Case | Select
    | Function | ArithmeticCommand | TestCommand | Coproc
)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """One or more commands joined by pipes.

    operators[i] stands between stages i and i+1: '|' or '|&' (refused). timed is a leading
    `time` (refused). negated: an odd number of `!` stood before it.
    """

    stages: tuple[Command, ...]
    operators: tuple[str, ...] = ()
    negated: bool = False
    timed: bool = False
    line: int = 0


@dataclass(frozen=True, slots=True)
class AndOr:
    """first, then (operator, pipeline) for each && or ||; background: it ended with & (refused)."""

    first: Pipeline
    rest: tuple[tuple[str, Pipeline], ...] = ()
    background: bool = False
    line: int = 0


@dataclass(frozen=True, slots=True)
class Sequence:
    """Commands run one after the other."""

    items: tuple[AndOr, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """A parsed script. Immutable and reusable: one Program may be run by many Runners."""

    body: Sequence
    source: str = ""
