"""Commands: recursive descent over the shell grammar (POSIX XCU 2.10, and bash's additions)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from rshell import limits
from rshell.syntax import heredoc, quoting
from rshell.syntax import tokens as t
from rshell.syntax.errors import ShellSyntaxError
from rshell.syntax.quoting import redecoded
from rshell.syntax.tree import (
    AndOr,
    ArithmeticCommand,
    ArithmeticFor,
    Assignment,
    BraceGroup,
    Case,
    CaseItem,
    Command,
    Coproc,
    Declaration,
    For,
    Function,
    If,
    Literal,
    Pipeline,
    Program,
    Redirect,
    Select,
    Sequence,
    SimpleCommand,
    Subshell,
    TestCommand,
    While,
    Word,
)
from rshell.syntax.words import WordReader, too_deep

_NOTHING: Final[frozenset[str]] = frozenset()
_PARENTHESIS: Final = frozenset({")"})
_BRACE: Final = frozenset({"}"})
_THEN: Final = frozenset({"then"})
_ARM: Final = frozenset({"elif", "else", "fi"})
_FI: Final = frozenset({"fi"})
_DO: Final = frozenset({"do"})
_DONE: Final = frozenset({"done"})
_ITEM: Final = frozenset({";;", ";&", ";;&", "esac"})
_TEST_OPERATORS: Final = frozenset({"&&", "||", "(", ")", "|"})


def parse(source: str | bytes, *, limit: int = limits.SCRIPT, check: Callable[[], None] | None = None) -> Program:
    """The tree of a script of at most limit bytes. Bytes are taken as UTF-8, undecodable ones kept.

    check is called now and then, and may raise to end the parsing. Raises ShellSyntaxError, and
    nothing else, whatever the script is.
    """
    if isinstance(source, bytes):
        size = len(source)
        text = source.decode("utf-8", "surrogateescape")
    else:
        size = len(source)
        if size <= limit and not source.isascii():
            source = redecoded(source)
            size = len(source.encode("utf-8", "surrogateescape"))
        text = source
    if size > limit:
        raise ShellSyntaxError(f"script too large ({limit} bytes at most)")
    if "\0" in text:
        line = 1 + text.count("\n", 0, text.index("\0"))
        raise ShellSyntaxError("syntax error: script contains a NUL byte", line)
    if "$" in text or "`" in text or "(" in text or "<<" in text:  # what can nest
        t.prepare()
        heredoc.prepare()
        quoting.prepare()
    reader = Parser(text, check=check)
    try:
        return Program(reader.script(), text)
    except RecursionError:
        raise too_deep(reader.line) from None


class Parser(WordReader):
    """Each method begins with its first token current and leaves the first one behind it current."""

    __slots__ = ()

    def script(self) -> Sequence:
        """The whole source."""
        self.advance()
        body = self.sequence(_NOTHING)
        if self.kind != t.END:
            self.unexpected()
        return body

    def sequence(self, ends: Collection[str]) -> Sequence:  # noqa: C901  one frame for the three levels of the grammar
        """Lists of commands up to a token of ends, or to the end; may be empty."""
        items: list[AndOr] = []
        while True:
            while self.kind == t.NEWLINE:
                self.newline()
            if self.kind == t.END or (self.kind in (t.WORD, t.OPERATOR) and self.text in ends):
                break
            line = self.token_line
            first: Pipeline | None = None
            rest: list[tuple[str, Pipeline]] = []
            operator = ""
            while True:
                begin = self.token_line
                negated = timed = False
                bare = False
                while self.kind == t.WORD and self.text in ("!", "time"):
                    if self.text == "!":
                        negated = not negated
                        self.advance()
                    else:
                        timed = True
                        self.advance()
                        if self.kind == t.WORD and self.text == "-p":
                            self.advance()
                    bare = self.kind in (t.NEWLINE, t.END) or (self.kind == t.OPERATOR and self.text == ";")
                if bare:
                    stages: tuple[Command, ...] = (SimpleCommand((), (), (), begin),)
                    operators: tuple[str, ...] = ()
                else:
                    stages = (self.command(),)
                    operators = ()
                    if self.kind == t.OPERATOR and self.text in ("|", "|&"):
                        more = list(stages)
                        pipes: list[str] = []
                        while self.kind == t.OPERATOR and self.text in ("|", "|&"):
                            pipes.append(self.text)
                            self.advance()
                            while self.kind == t.NEWLINE:
                                self.newline()
                            if self.kind == t.WORD and self.text == "!":
                                self.unexpected()
                            more.append(self.command())
                            if len(more) > limits.PIPELINE_STAGES:
                                raise ShellSyntaxError(
                                    f"pipeline: too many stages ({limits.PIPELINE_STAGES} at most)", begin
                                )
                        stages, operators = tuple(more), tuple(pipes)
                pipeline = Pipeline(stages, operators, negated, timed, begin)
                if first is None:
                    first = pipeline
                else:
                    rest.append((operator, pipeline))
                if self.kind != t.OPERATOR or self.text not in ("&&", "||"):
                    break
                operator = self.text
                self.advance()
                while self.kind == t.NEWLINE:
                    self.newline()
            background = False
            separated = self.kind == t.NEWLINE
            if self.kind == t.OPERATOR and self.text in (";", "&"):
                background = self.text == "&"
                separated = True
                self.advance()
            items.append(AndOr(first, tuple(rest), background, line))
            if separated or self.kind == t.END or (self.kind in (t.WORD, t.OPERATOR) and self.text in ends):
                continue
            self.unexpected()
        return Sequence(tuple(items))

    def newline(self) -> None:
        """Go past a newline token, and past the here-documents that begin behind it."""
        if self.pending:
            heredoc.read_bodies(self)
        self.command_position = True
        self.advance()

    def some(self, ends: Collection[str]) -> Sequence:
        """A sequence that may not be empty; goes past nothing of ends."""
        body = self.sequence(ends)
        if not body.items:
            self.unexpected()
        return body

    def expect(self, text: str, *, newline: bool = False) -> None:
        """Go past a reserved word or operator; newline: see unexpected."""
        if self.kind not in (t.WORD, t.OPERATOR) or self.text != text:
            self.unexpected(newline=newline)
        self.command_position = True
        self.advance()

    def command(self) -> Command:  # noqa: C901  see sequence
        """One command with its redirections."""
        if self.kind == t.WORD:
            compound = _COMPOUND.get(self.text)
            if compound is not None:
                return compound(self)
        elif self.kind == t.OPERATOR:
            if self.text != "(":
                self.unexpected()
            return self._parenthesis()
        begin = self.start
        line = self.token_line
        assignments: list[Assignment] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        declaration = ""
        while True:
            if self.kind == t.WORD or self.kind == t.COMPLEX:
                text = self.text
                word = self.take_word()
                if not words and (assignment := self._assignment(word)) is not None:
                    assignments.append(assignment)
                    self.advance()
                    continue
                if not words:
                    self.command_position = False
                    if text in t.DECLARATIONS:
                        declaration = text
                elif declaration and text[-1:] == "=" and self.source.startswith("(", self.position):
                    self._elements()
                words.append(word)
                self.advance()
            elif self.kind == t.REDIRECT:
                redirects.append(self.redirect())
            elif self.kind == t.OPERATOR and self.text == "(" and len(words) == 1 and not assignments and not redirects:
                if declaration:
                    self.unexpected()
                return self._function_body(self.source[begin : self.start].rstrip(" \t"), line)
            else:
                break
        if not words and not assignments and not redirects:
            self.unexpected()
        self.grow(3)
        if declaration:
            return Declaration(declaration, line)
        return SimpleCommand(tuple(assignments), tuple(words), tuple(redirects), line)

    def _assignment(self, word: Word) -> Assignment | None:
        """The word as an assignment, None when it is none."""
        first = word.parts[0] if word.parts else None
        if type(first) is not Literal or "=" not in first.text:
            return None
        match = t.ASSIGNMENT(first.text)
        if match is None:
            return None
        name, index, append = match.groups()
        rest = first.text[match.end() :]
        parts = (Literal(rest), *word.parts[1:]) if rest else word.parts[1:]
        if not parts and self.source.startswith("(", self.position):
            return Assignment(name, None, append == "+", index, self._elements(), word.line)
        return Assignment(name, Word(parts, word.line), append == "+", index, None, word.line)

    def _elements(self) -> tuple[Word, ...]:
        """(…) of an array assignment, right at the position; the parenthesis becomes the current token."""
        self.enter()
        line = self.line_at(self.position)
        self.advance()
        self.command_position = False
        self.advance()
        elements: list[Word] = []
        while self.kind != t.OPERATOR or self.text != ")":
            if self.kind == t.NEWLINE:
                self.newline()
            elif self.kind == t.END:
                self.unclosed(")", line)
            else:
                elements.append(self.take_word())
                self.advance()
            self.grow(1)
        self.depth -= 1
        return tuple(elements)

    def redirect(self) -> Redirect:
        """One redirection."""
        line = self.token_line
        operator = self.text
        descriptor = self.descriptor
        number: int | None = None
        variable: str | None = None
        if descriptor is not None and descriptor[0] == "{":
            variable = descriptor[1:-1]
        elif descriptor is not None:
            # Descriptors beyond these do not exist; nine digits keep int() cheap.
            number = int(descriptor[:9])  # text: ours
        if operator in ("<<", "<<-"):
            document = heredoc.begin(self, operator)
            self.advance()
            return Redirect(operator, document, number, variable, line)
        assignments_may_follow, self.command_position = self.command_position, False
        copied = t.COPIED_DESCRIPTOR(self.source, self.position) if operator in (">&", "<&") else None
        if copied is not None:  # in 2>&1>file the 1 belongs to what is before it
            target = Word((Literal(copied[1]),), line)
            self.position = copied.end()
        else:
            self.advance()
            target = self.take_word()
        self.grow(1)
        self.command_position = assignments_may_follow
        self.advance()
        return Redirect(operator, target, number, variable, line)

    def _redirects(self) -> tuple[Redirect, ...]:
        """The redirections behind a compound command."""
        redirects: list[Redirect] = []
        while self.kind == t.REDIRECT:
            redirects.append(self.redirect())
        self.grow(3)
        return tuple(redirects)

    # Compound commands.

    def _parenthesis(self) -> Command:
        line = self.token_line
        self.enter()
        inside = self.position
        if self.source.startswith("(", inside) and inside not in self._not_arithmetic:
            close = self.skip(inside + 1, "(", ")")
            if self.source.startswith(")", close):
                self.position = close + 1
                self.depth -= 1
                self.advance()
                return ArithmeticCommand(self.source[inside + 1 : close - 1], self._redirects(), line)
            self._not_arithmetic.add(inside)
            self.position = inside
        self.advance()
        body = self.some(_PARENTHESIS)
        self.depth -= 1
        self.expect(")")
        return Subshell(body, self._redirects(), line)

    def _group(self) -> Command:
        line = self.token_line
        self.enter()
        self.advance()
        body = self.some(_BRACE)
        self.depth -= 1
        self.expect("}")
        return BraceGroup(body, self._redirects(), line)

    def _if(self) -> Command:
        line = self.token_line
        self.enter()
        arms: list[tuple[Sequence, Sequence]] = []
        otherwise: Sequence | None = None
        while True:
            self.advance()
            condition = self.some(_THEN)
            self.expect("then")
            arms.append((condition, self.some(_ARM)))
            if self.text != "elif":
                break
        if self.kind == t.WORD and self.text == "else":
            self.advance()
            otherwise = self.some(_FI)
        self.depth -= 1
        self.expect("fi")
        return If(tuple(arms), otherwise, self._redirects(), line)

    def _while(self) -> Command:
        line = self.token_line
        until = self.text == "until"
        self.enter()
        self.advance()
        condition = self.some(_DO)
        self.expect("do")
        body = self.some(_DONE)
        self.depth -= 1
        self.expect("done")
        return While(condition, body, until, self._redirects(), line)

    def _for(self) -> Command:
        line = self.token_line
        keyword = self.text
        self.enter()
        self.command_position = False
        self.advance()
        if keyword == "for" and self.source.startswith("((", self.start):
            return self._arithmetic_for(line)
        name = self._name()
        if self.kind == t.WORD and self.text == "{":  # needs a newline or ; before it
            self.unexpected()
        if self.kind == t.OPERATOR and self.text == ";":
            words: tuple[Word, ...] | None = None
            self.advance()
        else:
            words = self._for_words()
        while self.kind == t.NEWLINE:
            self.newline()
        body = self._loop_body()
        redirects = self._redirects()
        loop = For if keyword == "for" else Select
        return loop(name, words, body, redirects, line)

    def _name(self) -> str:
        """The variable of a loop."""
        line = self.token_line
        word = self.take_word()
        name = word.literal()
        if name is None or t.IDENTIFIER(name) is None:
            raise ShellSyntaxError(f"`{self.source[self.start : self.position]}': not a valid identifier", line)
        self.advance()
        return name

    def _for_words(self) -> tuple[Word, ...] | None:
        while self.kind == t.NEWLINE:
            self.newline()
        if self.kind != t.WORD or self.text != "in":
            return None
        self.command_position = False
        self.advance()
        words: list[Word] = []
        while self.kind in (t.WORD, t.COMPLEX):
            words.append(self.take_word())
            self.advance()
        if self.kind == t.NEWLINE:
            self.newline()
        else:
            self.expect(";")
        self.grow(1)
        return tuple(words)

    def _arithmetic_for(self, line: int) -> Command:
        start = self.position + 1
        close = self.skip(start, "(", ")")
        if not self.source.startswith(")", close):
            self.position = close
            self.advance()
            self.unexpected()
        self.position = close + 1
        self.advance()
        if self.kind == t.OPERATOR and self.text == ";":
            self.advance()
        while self.kind == t.NEWLINE:
            self.newline()
        body = self._loop_body()
        return ArithmeticFor(self.source[start : close - 1], body, self._redirects(), line)

    def _loop_body(self) -> Sequence:
        """do … done, or bash's { … }."""
        brace = self.kind == t.WORD and self.text == "{"
        self.expect("{" if brace else "do")
        body = self.some(_BRACE if brace else _DONE)
        self.depth -= 1
        self.expect("}" if brace else "done")
        return body

    def _case(self) -> Command:
        line = self.token_line
        self.enter()
        self.command_position = False
        self.advance()
        subject = self.take_word()
        self.advance()
        while self.kind == t.NEWLINE:
            self.newline()
        self.expect("in")
        items: list[CaseItem] = []
        while True:
            while self.kind == t.NEWLINE:
                self.newline()
            if self.kind == t.WORD and self.text == "esac":
                break
            if self.kind == t.END:
                self.unexpected()
            self.command_position = False
            if self.kind == t.OPERATOR and self.text == "(":
                self.advance()
            patterns = [self.take_word()]
            self.advance()
            while self.kind == t.OPERATOR and self.text == "|":
                self.command_position = False
                self.advance()
                patterns.append(self.take_word())
                self.advance()
            self.expect(")", newline=True)
            body = self.sequence(_ITEM)
            terminator = ";;"
            if self.kind == t.OPERATOR:
                terminator = self.text
                self.command_position = False
                self.advance()
            items.append(CaseItem(tuple(patterns), body, terminator))
            self.grow(1)
        self.depth -= 1
        self.expect("esac")
        return Case(subject, tuple(items), self._redirects(), line)

    def _test(self) -> Command:
        """[[ … ]]: what is refused needs no grammar of its own, its words are kept."""
        line = self.token_line
        self.command_position = False
        self.advance()
        words: list[Word] = []
        while self.kind != t.WORD or self.text != "]]":
            if self.kind == t.NEWLINE:
                self.newline()
            elif self.kind in (t.WORD, t.COMPLEX):
                words.append(self.take_word())
                self.advance()
            elif (self.kind == t.REDIRECT and self.text in ("<", ">")) or self.text in _TEST_OPERATORS:
                words.append(Word((Literal(self.text),), self.token_line))
                self.advance()
            else:
                self.unexpected()
            self.command_position = False
            self.grow(2)
        if not words:
            self.unexpected()
        self.advance()
        return TestCommand(tuple(words), self._redirects(), line)

    def _function(self) -> Command:
        """function NAME [()] compound."""
        line = self.token_line
        self.command_position = False
        self.advance()
        word = self.take_word()
        name = word.literal()
        if name is None:
            name = self.source[self.start : self.position]
        self.advance()
        return self._function_body(name, line)

    def _function_body(self, name: str, line: int) -> Command:
        """[()] compound, with a parenthesis current if there is one."""
        self.enter()
        if self.kind == t.OPERATOR and self.text == "(" and t.EMPTY_PARENTHESES(self.source, self.start):
            self.advance()
            self.expect(")")
        elif self.kind == t.OPERATOR and self.text == "(" and self.source[self.start - 1 : self.start] != " ":
            self.advance()
            self.unexpected()
        while self.kind == t.NEWLINE:
            self.newline()
        compound = _COMPOUND.get(self.text) if self.kind == t.WORD else None
        if compound in _BODIES and compound is not None:
            body = compound(self)
        elif self.kind == t.OPERATOR and self.text == "(":
            body = self._parenthesis()
        else:
            self.unexpected()
        self.depth -= 1
        self.grow(1)
        return Function(name, body, line)

    def _coproc(self) -> Command:
        """coproc [NAME] command: a NAME only where a compound command follows it."""
        line = self.token_line
        self.enter()
        self.advance()
        name: str | None = None
        if self.kind == t.END:
            self.unexpected(newline=True)
        if self.kind == t.WORD and self.text not in _COMPOUND and t.COPROC_BODY(self.source, self.position):
            name = self.text
            self.advance()
        body = self.command()
        self.depth -= 1
        self.grow(1)
        return Coproc(name, body, line)

    def _misplaced(self) -> Command:
        self.unexpected()


_COMPOUND: Final[dict[str, Callable[[Parser], Command]]] = {
    "{": Parser._group,
    "if": Parser._if,
    "while": Parser._while,
    "until": Parser._while,
    "for": Parser._for,
    "select": Parser._for,
    "case": Parser._case,
    "[[": Parser._test,
    "function": Parser._function,
    "coproc": Parser._coproc,
    **dict.fromkeys(("}", "then", "elif", "else", "fi", "do", "done", "esac", "in", "]]"), Parser._misplaced),
}
_BODIES: Final = frozenset({Parser._group, Parser._if, Parser._while, Parser._for, Parser._case, Parser._test})
