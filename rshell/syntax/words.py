"""Reading words: quoting, expansions and the tokens around them (POSIX XCU 2.2, 2.6).

WordReader holds the position in the source and the current token. The parser of commands is built
on it; `$(…)` and backquotes call back into that parser through `sequence` and `script`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NoReturn

from rshell import limits
from rshell.syntax import tokens as t
from rshell.syntax.errors import ShellSyntaxError
from rshell.syntax.quoting import ansi, unbackquoted
from rshell.syntax.tree import (
    Arithmetic,
    CommandSub,
    DoubleQuoted,
    ExtGlob,
    HereDoc,
    Literal,
    Parameter,
    Part,
    ProcessSub,
    Quoted,
    Sequence,
    Tilde,
    Word,
)

_CLOSERS = frozenset({")"})


class WordReader:
    """The scanner: a source, a position, the current token, and what is open around it.

    After advance(): kind is the token's kind, text its text, start where it begins, token_line the
    line of that, and position the first character behind it. word is the Word of a COMPLEX token.
    """

    __slots__ = (
        "_newline", "_not_arithmetic", "_token", "base_line", "check", "command_position", "depth", "descriptor",
        "kind", "line", "nodes", "pending", "position", "source", "start", "substitutions", "text", "ticks",
        "token_line", "word",
    )  # fmt: skip

    def __init__(
        self, source: str, *, line: int = 1, depth: int = 0, nodes: int = 0, check: Callable[[], None] | None = None
    ) -> None:
        self.source = source
        self.check = check  # called at every 256th token or piece, to raise when the time is up
        self.ticks = 0
        self._token = t.JOINED_TOKEN if t.JOINED in source else t.TOKEN
        self.position = 0
        self.kind = t.END
        self.text = ""
        self.start = 0
        self.descriptor: str | None = None
        self.word: Word | None = None
        self.command_position = True
        self.base_line = line
        self.line = line
        self.token_line = line
        self.depth = depth
        self.nodes = nodes
        self.pending: list[HereDoc] = []
        self.substitutions = 0
        self._newline = source.find("\n") if "\n" in source else len(source)
        self._not_arithmetic: set[int] = set()

    # What the parser of commands gives.

    def sequence(self, ends: Collection[str]) -> Sequence:
        """Commands up to a token in ends, which becomes the current token."""
        raise NotImplementedError

    def script(self) -> Sequence:
        """The whole source as commands."""
        raise NotImplementedError

    def inner(self, source: str, line: int) -> WordReader:
        """A reader of the same kind for a text taken out of this one."""
        return type(self)(source, line=line, depth=self.depth, nodes=self.nodes, check=self.check)

    # Errors and bounds.

    def line_at(self, position: int) -> int:
        """The line of a position that is not before those asked for earlier."""
        while position > self._newline:
            self.line += 1
            following = self.source.find("\n", self._newline + 1)
            self._newline = following if following >= 0 else len(self.source)
        return self.line

    def last_line(self) -> int:
        """The line on which the end of the source stands, as bash counts it."""
        return self.base_line + self.source.count("\n") + (not self.source.endswith("\n"))

    def unclosed(self, character: str, line: int) -> NoReturn:
        """The source ended inside a quote or an expansion."""
        raise ShellSyntaxError(f"unexpected EOF while looking for matching `{character}'", line)

    def unexpected(self, *, newline: bool = False) -> NoReturn:
        """The current token may not stand where it stands; newline: nor may a newline.

        The last line ends with a newline for bash, also where there is none.
        """
        if self.kind == t.END and not (newline and self.source[-1:] != "\n"):
            if self.substitutions:
                self.unclosed(")", self.last_line())
            raise ShellSyntaxError("syntax error: unexpected end of file", self.last_line())
        name = "newline" if self.kind in (t.NEWLINE, t.END) else self.source[self.start : self.position]
        if len(name) > 80:
            name = name[:80] + "…"
        raise ShellSyntaxError(f"syntax error near unexpected token `{name}'", self.token_line)

    def enter(self) -> None:
        """One more construct is open."""
        self.depth += 1
        if self.depth > limits.NESTING:
            raise too_deep(self.line)

    def grow(self, nodes: int) -> None:
        """Count nodes of the tree."""
        self.nodes += nodes
        self.tick()
        if self.nodes > limits.TREE_NODES:
            raise ShellSyntaxError(f"script too large ({limits.TREE_NODES} syntax nodes at most)")

    def tick(self) -> None:
        """Count a piece of work, and look at the clock now and then."""
        self.ticks += 1
        if not self.ticks & 255 and self.check is not None:
            self.check()

    # Tokens.

    def advance(self) -> None:
        """Make the next token the current one."""
        self.ticks += 1
        if not self.ticks & 255 and self.check is not None:
            self.check()
        match = self._token(self.source, self.position)
        if match is None:  # the last alternative is empty
            raise AssertionError
        kind = match.lastindex
        self.position = match.end()
        if kind is None:
            self.start = self.position
            self.read_word()
        elif kind == t.WORD:
            self.kind = kind
            self.start = start = match.start(kind)
            self.token_line = self.line if start <= self._newline else self.line_at(start)
            self.text = match[kind]
            if self.command_position and "[" in self.text and t.INDEXED(self.text) and "]" not in self.text:
                self.position = self.start
                self.read_word()
        else:
            self.kind = kind
            self.start = start = match.start(kind)
            self.token_line = self.line if start <= self._newline else self.line_at(start)
            text = match[kind]
            self.text = text.replace(t.JOINED, "") if "\\" in text else text
            self.descriptor = match[2]
            if kind != t.REDIRECT:
                self.command_position = True

    def take_word(self) -> Word:
        """The current token, which must be a word, as a node. Does not advance."""
        if self.kind == t.WORD:
            self.nodes += 2
            if self.nodes > limits.TREE_NODES:
                self.grow(0)
            return Word((Literal(self.text),), self.token_line)
        if self.kind != t.COMPLEX or self.word is None:
            self.unexpected(newline=True)
        return self.word

    def read_word(self) -> None:  # noqa: C901  the cases of one table
        """Read the word at the position and make it the current token."""
        source = self.source
        start = position = self.position
        line = self.line_at(position)
        parts: list[Part] = []
        run: list[str] = []  # literal text not yet in parts
        counted = 0
        assigning = fresh = sought = False  # in NAME=…; right behind its =; looked for it
        if self.command_position and t.INDEXED(source, position):
            position = self._subscript(position)
            run.append(source[start:position])
        while (match := t.PIECE(source, position)) is not None:
            self.tick()
            piece = match.lastindex or 0
            position = match.end()
            if len(parts) > counted + 1_000:  # a word of any length stops at the bound
                self.grow(len(parts) - counted)
                counted = len(parts)
            if piece == t.TEXT:
                run.append(match[1])
                fresh = False
                if not sought and "=" in match[1]:
                    sought = True
                    if not parts and (name := t.ASSIGNMENT(text := "".join(run))) is not None:
                        assigning = True
                        fresh = name.end() == len(text)
                continue
            if piece == t.JOINT:
                continue
            if piece == t.TILDE:
                # Bash expands it where a word begins, and behind = and : in what looks like an assignment.
                colon = assigning and bool(run) and run[-1].endswith(":")
                begins = fresh or colon or not (parts or run)
                prefix = t.TILDE_PREFIX(source, position - 1) if begins else None
                fresh = False
                if prefix is None:
                    run.append("~")
                    continue
                position = prefix.end()
                self._flush(parts, run)
                parts.append(Tilde(prefix.group()))
                continue
            fresh = False
            if piece == t.BROKEN:
                if match[piece] == "'":
                    self.unclosed("'", self.line_at(match.start()))
                run.append("\\")  # a backslash that ends the script stands for itself
                continue
            if piece == t.EXPANSION:
                part = self.substitution(match.start(), t.UNQUOTED)
                if part is None:
                    run.append("$")
                    continue
                self._flush(parts, run)
                parts.append(part)
                position = self.position
                continue
            self._flush(parts, run)
            if piece == t.ESCAPE or piece == t.SINGLE:
                parts.append(Quoted(match[piece]))
            elif piece == t.DOUBLE:
                text = match[piece]
                parts.append(DoubleQuoted((Quoted(text),) if text else ()))
            elif piece == t.OPEN_DOUBLE:
                parts.append(self.double_quoted(position))
                position = self.position
            elif piece == t.BACKQUOTE:
                parts.append(self.backquoted(match.start(), t.UNQUOTED))
                position = self.position
            else:
                position = self.skip(position, "(", ")")
                parts.append(ExtGlob(match[piece][0], source[match.end() : position - 1]))
        self._flush(parts, run)
        if position == start:
            self.unexpected()
        self.start = start
        self.token_line = line
        self.position = position
        self.descriptor = None
        if len(parts) == 1 and type(parts[0]) is Literal:
            self.kind = t.WORD
            self.text = parts[0].text
        else:
            self.kind = t.COMPLEX
            self.text = ""
            self.word = Word(tuple(parts), line)
            self.grow(1 + len(parts) - counted)

    @staticmethod
    def _flush(parts: list[Part], run: list[str]) -> None:
        if run:
            parts.append(Literal("".join(run)))
            run.clear()

    def _subscript(self, position: int) -> int:
        """Behind NAME[…] where a subscript begins a word: bash reads to the bracket whatever stands inside."""
        opening = self.source.index("[", position)
        end = self.skip(opening + 1, "[", "]")
        inside = self.source[opening + 1 : end - 1]
        if self.source.startswith(("=", "+="), end) or any(c in inside for c in " \t\n;|&()<>"):
            return end
        return position

    # Pieces of words. Each takes the position where it begins and leaves self.position behind it.

    def double_quoted(self, position: int) -> DoubleQuoted:
        """The rest of "…"."""
        self.enter()
        line = self.line_at(position - 1)
        parts = self.quoted_parts(position, t.IN_DOUBLE)
        if self.position < 0:
            self.unclosed('"', line)
        self.depth -= 1
        return DoubleQuoted(parts)

    def quoted_parts(self, position: int, piece_at: t.Matcher) -> tuple[Part, ...]:
        """The parts up to a closing double quote, or to the end of a here-document.

        The position is -1 when the double quote is missing.
        """
        quoted = t.HEREDOC if piece_at is t.IN_HEREDOC else t.DOUBLE_QUOTES
        source = self.source
        parts: list[Part] = []
        run: list[str] = []
        counted = 0
        while (match := piece_at(source, position)) is not None:
            self.tick()
            piece = match.lastindex
            position = match.end()
            if piece == t.QUOTED_TEXT or piece == t.QUOTED_ESCAPE:
                run.append(match[piece])
                continue
            if piece == t.QUOTED_JOINT:
                continue
            if piece == t.QUOTED_END:
                break
            if piece == t.QUOTED_EXPANSION:
                part = self.substitution(match.start(), quoted)
                if part is None:
                    run.append("$")
                    continue
            else:
                part = self.backquoted(match.start(), quoted)
            position = self.position
            if run:
                parts.append(Quoted("".join(run)))
                run.clear()
            parts.append(part)
            if len(parts) > counted + 1_000:
                self.grow(len(parts) - counted)
                counted = len(parts)
        else:
            position = -1
        if run:
            parts.append(Quoted("".join(run)))
        self.position = position
        self.grow(len(parts) - counted)
        return tuple(parts)

    def substitution(self, position: int, quoted: int) -> Part | None:
        """What a dollar sign begins, or `<(` or `>(`; None where the dollar stands for itself.

        One function for all of them: nesting costs as few frames of Python as can be.
        """
        source = self.source
        match = t.SUBSTITUTION(source, position)
        if match is None:
            return None
        kind = match.lastindex or 0
        end = match.end()
        if kind in (t.PLAIN_NAME, t.SPECIAL, t.BRACED_NAME):
            self.position = end
            return Parameter(match[kind].replace(t.JOINED, ""), "", kind == t.BRACED_NAME)
        if kind == t.ANSI:
            if quoted:
                return None
            self.position = end
            return Quoted(ansi(match[kind]))
        if kind == t.LOCALE:
            if quoted:
                return None
            if match[kind] == "'":
                self.unclosed("'", self.line_at(position))
            return self.double_quoted(end)
        if kind == t.BRACE:
            return self._braced(end, quoted)
        if kind == t.BRACKET:
            self.enter()
            self.position = self.skip(end, "[", "]")
            self.depth -= 1
            return Arithmetic(source[end : self.position - 1])
        self.enter()
        if kind == t.ARITHMETIC:
            if end not in self._not_arithmetic:
                close = self.skip(end, "(", ")")
                if source.startswith(")", close):
                    self.position = close + 1
                    self.depth -= 1
                    return Arithmetic(source[end : close - 1])
                self._not_arithmetic.add(end)
            end -= 1
        pending, self.pending = self.pending, []
        self.substitutions += 1
        self.command_position = True
        self.position = end
        self.advance()
        body = self.sequence(_CLOSERS)
        if self.kind != t.OPERATOR or self.text != ")":
            self.unexpected()
        self.substitutions -= 1
        self.depth -= 1
        # A here-document whose lines come after the closing parenthesis is read with those outside.
        self.pending = pending + self.pending
        self.command_position = False
        self.grow(2)
        return ProcessSub(match[kind], body) if kind == t.FILE else CommandSub(body)

    def _braced(self, position: int, quoted: int) -> Parameter:
        """${…}. What bash calls a bad substitution when it runs is a Parameter without a name."""
        self.enter()
        source = self.source
        self.position = self.skip(position, "", "}", quoted)
        self.depth -= 1
        text = source[position : self.position - 1]
        if t.JOINED in text:
            text = text.replace(t.JOINED, "")
        return parameter(text)

    def backquoted(self, position: int, quoted: int) -> CommandSub:
        """`…`: its text is a script of its own, once its backslashes are taken out."""
        line = self.line_at(position)
        match = t.BACKQUOTED(self.source, position)
        if match is None:
            self.unclosed("`", line)
        self.enter()
        reader = self.inner(unbackquoted(match[1], quoted == t.DOUBLE_QUOTES), line)
        body = reader.script()
        self.nodes = reader.nodes
        self.depth -= 1
        self.position = match.end()
        self.grow(2)
        return CommandSub(body, backquoted=True)

    def skip(self, position: int, opener: str, closer: str, quoted: int = t.UNQUOTED) -> int:
        """Behind the closer that matches, past quotes and expansions. Leaves self.position undefined.

        A single quote quotes here even between double quotes, as bash has it: `"${x:-it's}"` is an error.
        """
        source = self.source
        line = self.line_at(position)
        level = 0
        text = _skip(closer)
        while True:
            self.tick()
            match = text(source, position)
            position = match.end() if match else position
            character = source[position : position + 1]
            if character == closer:
                position += 1
                if not level:
                    return position
                level -= 1
            elif character == "":
                self.unclosed(closer, line)
            elif character == opener:
                level += 1
                position += 1
            elif character == "\\":
                position += 2
            elif character == "'":
                position += 1
                if quoted != t.HEREDOC:
                    end = source.find("'", position)
                    if end < 0:
                        self.unclosed("'", self.line_at(position))
                    position = end + 1
            elif character == '"':
                self.double_quoted(position + 1)
                position = self.position
            elif character == "`":
                self.backquoted(position, quoted)
                position = self.position
            else:
                position = position + 1 if self.substitution(position, quoted) is None else self.position


def parameter(text: str) -> Parameter:
    """The node for the text between the braces of ${…}."""
    match = t.PARAMETER(text)
    if match is None:
        return Parameter("", text)
    prefix, name, rest = match.groups()
    if prefix == "#" and not rest:
        return Parameter(name, "length")
    if prefix == "#" and rest[:1] == "[":
        return Parameter(name, "length" + rest)
    if prefix == "!" and name not in ("-", "?", "@", "*", "#"):
        return Parameter(name, "indirect" + rest)
    if prefix:
        name, rest = prefix, name + rest
    if rest and rest[0] not in "[:-=+?#%/^,@~":
        return Parameter("", text)
    return Parameter(name, rest)


def too_deep(line: int) -> ShellSyntaxError:
    """The error for one open construct too many."""
    return ShellSyntaxError(f"nesting too deep ({limits.NESTING} levels at most)", line)


def _skip(closer: str) -> t.Matcher:
    """What goes up to the next character that matters while closer is looked for."""
    return t.SKIP_PARENTHESIS if closer == ")" else t.SKIP_BRACE if closer == "}" else t.SKIP_BRACKET
