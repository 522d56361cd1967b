"""Reads sed scripts: the grammar of GNU sed 4.9, its messages and its way of counting characters in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell.builtins.regex import PatternError
from rshell.builtins.sed.escapes import plain_text, regex_source, replacement
from rshell.builtins.sed.script import Address, Command, Regex, Script, ScriptError, Substitution
from rshell.builtins.text import clamped

if TYPE_CHECKING:
    from collections.abc import Callable

    from rshell.builtins.regex import Pattern

_END = ""
_DIGITS = "0123456789"
_SPACES = " \t\v\f\r\n"
_NUMBER_MAX = (1 << 64) - 1
_READING = "unsandboxed file reading is not allowed"
_WRITING = "file writing is not allowed"
_BLOCKED = {
    "e": "command execution is not allowed",
    "r": _READING,
    "R": _READING,
    "w": _WRITING,
    "W": _WRITING,
}
_PLAIN = frozenset("=dDFgGhHnNpPxz")
_GNU = frozenset("eFLQRTvWz")  # commands that --posix does not know
_VERSION = [4, 9, 0]


class Parser:
    """Reads the pieces of a script (-e, -f) one after the other; a block or text may go on in the next.

    pattern: makes a Pattern of a source, whether to ignore case, and whether lines inside count (M).
    """

    def __init__(self, pattern: Callable[[bytes, bool, bool], Pattern], *, posix: bool) -> None:
        self.script = Script()
        self._pattern = pattern
        self._posix = posix
        self._blocks: list[tuple[int, str]] = []
        self._text: list[str] | None = None  # of an a, i or c command that goes on in the next piece
        self._expressions = 0
        self._source = ""
        self._at = 0
        self._place = ""
        self._first = True

    def expression(self, text: bytes) -> None:
        """Read the text of one -e."""
        self._expressions += 1
        self._place = ""
        self._read(text.decode("latin-1"))

    def file(self, name: str, text: bytes) -> None:
        """Read a file of commands."""
        self._place = name
        self._read(text.decode("latin-1"))

    def finish(self) -> Script:
        """The whole script."""
        self._end_text()
        if self._blocks:
            raise ScriptError(f"{self._blocks[-1][1]}: unmatched `{{'")
        for command in self.script.commands:
            if command.name in "btT" and command.label and command.label not in self.script.labels:
                label = command.label.decode("utf-8", "surrogateescape")
                raise ScriptError(f"can't find label for jump to `{label}'", 4)
        return self.script

    # Characters

    def _next(self) -> str:
        at = self._at
        if at < len(self._source):
            self._at = at + 1
            return self._source[at]
        return _END

    def _back(self, character: str) -> None:
        if character != _END:
            self._at -= 1

    def _nonblank(self) -> str:
        while True:
            character = self._next()
            if character not in (" ", "\t"):
                return character

    def _integer(self, character: str) -> int:
        value = 0
        while character != _END and character in _DIGITS:
            value = min(value * 10 + ord(character) - 0x30, _NUMBER_MAX)
            character = self._next()
        self._back(character)
        return value

    def _error(self, message: str, at: int | None = None) -> ScriptError:
        if self._place:
            line = self._source.count("\n", 0, self._at) + 1
            if self._source[self._at - 1 : self._at] == "\n":
                line -= 1
            return ScriptError(f"file {self._place} line {max(line, 1)}: {message}")
        return ScriptError(f"-e expression #{self._expressions}, char {self._at if at is None else at}: {message}")

    # Commands

    def _read(self, source: str) -> None:
        self._source, self._at = source, 0
        first, self._first = self._first, False
        if first and source.startswith("#n"):
            self.script.quiet = True
        if self._text is not None:
            self._read_text()
        while True:
            character = self._next()
            while character != _END and (character == ";" or character in _SPACES):
                character = self._next()
            if character == _END:
                return
            if character == "#":
                self._comment()
            else:
                self._command(character)

    def _comment(self) -> None:
        end = self._source.find("\n", self._at)
        self._at = len(self._source) if end < 0 else end + 1

    def _command(self, character: str) -> None:
        command = Command("")
        command.first = self._address(character)
        if command.first is not None:
            if command.first.kind in ("plus", "multiple"):
                if command.first.number:
                    raise self._error("invalid usage of +N or ~N as first address")
                command.first = None
                character = self._nonblank()
        if command.first is not None:
            character = self._nonblank()
            if character == ",":
                command.second = self._address(self._nonblank())
                if command.second is None:
                    raise self._error("unexpected `,'")
                character = self._nonblank()
            if command.first.kind == "line" and command.first.number == 0:
                if command.second is None or command.second.kind != "regex" or self._posix:
                    raise self._error("invalid usage of line address 0")
                command.zero = True
        if character == "!":
            command.negated = True
            character = self._nonblank()
            if character == "!":
                raise self._error("multiple `!'s")
        if character == _END:
            raise self._error("missing command")
        command.name = character
        self._body(command)

    def _body(self, command: Command) -> None:
        name = command.name
        if name == "#":
            if command.first is None:
                self._comment()
                return
            raise self._error("comments don't accept any addresses")
        if self._posix and name in _GNU:
            raise self._error(f"unknown command: `{name}'")
        if command.second is not None and name in ("=ailqQ" if self._posix else "qQ"):
            raise self._error("command only uses one address")
        if name in _BLOCKED:
            raise ScriptError(f"'{name}' command is blocked: {_BLOCKED[name]}")
        if name in _PLAIN:
            self._end_of_command()
        else:
            readers = {
                "{": self._open_block,
                "}": self._close_block,
                ":": self._label,
                "s": self._substitution,
                "y": self._transliteration,
                "v": self._version,
                **dict.fromkeys("aic", self._start_text),
                **dict.fromkeys("btT", self._branch),
                **dict.fromkeys("lqQ", self._numbered),
            }
            if name not in readers:
                raise self._error(f"unknown command: `{name}'")
            readers[name](command)
        if name not in "v:":
            self.script.commands.append(command)

    def _open_block(self, command: Command) -> None:
        place = f"-e expression #{self._expressions}, char 0"
        if self._place:
            place = f"file {self._place} line {self._source.count(chr(10), 0, self._at) + 1}"
        self._blocks.append((len(self.script.commands), place))

    def _close_block(self, command: Command) -> None:
        if not self._blocks:
            raise self._error("unexpected `}'")
        if command.first is not None:
            raise self._error("`}' doesn't want any addresses")
        commands = self.script.commands
        commands[self._blocks.pop()[0]].block_end = len(commands)
        self._end_of_command()

    def _branch(self, command: Command) -> None:
        command.label = self._word().encode("latin-1")

    def _numbered(self, command: Command) -> None:
        character = self._nonblank()
        if character != _END and character in _DIGITS and not self._posix:
            command.number = self._integer(character)
        else:
            self._back(character)
        self._end_of_command()

    def _end_of_command(self) -> None:
        character = self._nonblank()
        if character in ("}", "#"):
            self._back(character)
        elif character == "\r" and self._source[self._at : self._at + 1] in ("", "\n"):
            self._next()
        elif character not in (_END, "\n", ";"):
            raise self._error("extra characters after command")

    def _word(self) -> str:
        """A label: up to white space, ; } or a comment."""
        character = self._nonblank()
        start = self._at - (character != _END)
        while character != _END and character not in _SPACES and character not in ";}#":
            character = self._next()
        self._back(character)
        return self._source[start : self._at]

    def _label(self, command: Command) -> None:
        if command.first is not None:
            raise self._error(": doesn't want any addresses")
        label = self._word()
        if not label:
            raise self._error('":" lacks a label')
        self.script.labels.setdefault(label.encode("latin-1"), len(self.script.commands))

    def _version(self, command: Command) -> None:
        text = self._word()
        numbers = [clamped(part, 0, _NUMBER_MAX) for part in text.split(".")] if text else []
        if None in numbers:
            raise self._error("not a valid version number")
        if [number or 0 for number in numbers] > _VERSION:
            raise self._error("expected newer version of sed")
        self._end_of_command()

    # Addresses

    def _address(self, character: str) -> Address | None:
        if character == "/" or character == "\\":
            if character == "\\":
                character = self._next()
            text = self._delimited(character, True)
            if text is None:
                raise self._error("unterminated address regex")
            return Address("regex", regex=self._address_regex(text))
        if character != _END and character in _DIGITS:
            number = self._integer(character)
            character = self._nonblank()
            if character != "~" or self._posix:
                self._back(character)
                return Address("line", number)
            step = self._integer(self._nonblank())
            return Address("step", number, step) if step else Address("line", number)
        if character in ("+", "~") and character != _END and not self._posix:
            number = self._integer(self._nonblank())
            return Address("plus" if character == "+" or not number else "multiple", number)
        return Address("last") if character == "$" else None

    def _address_regex(self, text: str) -> Regex:
        fold = multiline = False
        while not self._posix:
            character = self._nonblank()
            if character == "I":
                fold = True
            elif character == "M":
                multiline = True
            else:
                self._back(character)
                break
        return self._regex(text, fold, multiline)

    def _regex(self, text: str, fold: bool, multiline: bool) -> Regex:
        if not text:
            if fold or multiline:
                raise self._error("cannot specify modifiers on empty regexp")
            return Regex(None)
        try:
            return Regex(self._pattern(regex_source(text), fold, multiline), multiline)
        except PatternError as failure:
            raise self._error(str(failure)) from None

    def _delimited(self, delimiter: str, regex: bool) -> str | None:
        """What stands before the next delimiter; None without one.

        An escaped delimiter loses its backslash. In a regular expression brackets hide delimiters.
        """
        if delimiter in (_END, "\n", "\\"):
            return None
        if delimiter >= "\x80":
            raise self._error("delimiter character is not a single-byte character")
        out: list[str] = []
        while True:
            character = self._next()
            if character == delimiter:
                return "".join(out)
            if character == "\n":
                self._back(character)
                return None
            if character == "[" and regex:
                if not self._bracket(out):
                    return None
                continue
            if character == "\\":
                character = self._next()
                out.append(self._escaped(character, delimiter, regex))
            elif character != _END:
                out.append(character)
            if character == _END:
                return None

    def _escaped(self, character: str, delimiter: str, regex: bool) -> str:
        """What is left of a backslash and the character behind it."""
        if character == delimiter:
            return character if regex or character != "&" else "\\&"
        if character == "n" and regex:
            return "\n"
        return character if character == "\n" else "\\" + character

    def _bracket(self, out: list[str]) -> bool:
        """Take over a bracket expression, behind its [; False when it does not end in this line."""
        source = self._source
        start = at = self._at
        if source.startswith("^", at):
            at += 1
        if source.startswith("]", at):
            at += 1
        while True:
            if at >= len(source) or source[at] == "\n":
                self._at = at
                return False
            if source[at] == "]":
                break
            if source[at] == "[" and source[at + 1 : at + 2] in (".", ":", "="):
                end = source.find(source[at + 1] + "]", at + 2)
                if end >= 0 and "\n" not in source[at:end]:
                    at = end + 2
                    continue
            at += 1
        inside = source[start:at]
        if len(inside) > 2 and inside[0] == ":" == inside[-1]:
            raise ScriptError("character class syntax is [[:space:]], not [:space:]")
        out.append("[" + source[start : at + 1])
        self._at = at + 1
        return True

    # Text of a, i and c

    def _start_text(self, command: Command) -> None:
        character = self._nonblank()
        if character == _END:
            raise self._error("expected \\ after `a', `c' or `i'")
        self._end_text()
        if character == "\\":
            following = self._source[self._at : self._at + 1]
            if following == "\n":
                self._next()
        elif self._posix:
            raise self._error("expected \\ after `a', `c' or `i'")
        else:
            self._back(character)
        self._text = []
        self._target = command
        if self._posix and self._at == len(self._source):
            raise self._error("incomplete command")
        if self._at < len(self._source):
            self._read_text()

    def _read_text(self) -> None:
        """Read on to a newline without a backslash; at the end of a piece the text may go on in the next."""
        text = self._text
        assert text is not None
        while True:
            character = self._next()
            if character == "\\":
                following = self._next()
                if following == _END:
                    text.append("\n")
                    return
                text.append(following if following == "\n" else "\\" + following)
                continue
            if character == _END or character == "\n":
                break
            text.append(character)
        text.append("\n")
        self._end_text()

    def _end_text(self) -> None:
        if self._text is not None:
            self._target.text = plain_text("".join(self._text))
            self._text = None

    # s and y

    def _substitution(self, command: Command) -> None:
        delimiter = self._next()
        text = self._delimited(delimiter, True)
        right = None if text is None else self._delimited(delimiter, False)
        if text is None or right is None:
            raise self._error("unterminated `s' command")
        substitution = Substitution(Regex(None), replacement(right, posix=self._posix))
        fold, multiline = self._flags(substitution)
        substitution.regex = self._regex(text, fold, multiline)
        pattern = substitution.regex.pattern
        if pattern is not None and substitution.groups > pattern.ngroups:
            raise self._error(f"invalid reference \\{substitution.groups} on `s' command's RHS")
        command.substitution = substitution

    def _flags(self, substitution: Substitution) -> tuple[bool, bool]:
        fold = multiline = numbered = False
        while True:
            character = self._next()
            if character in ("}", "#"):
                self._back(character)
                break
            if character in (_END, "\n", ";"):
                break
            if character == "\r" and self._source[self._at : self._at + 1] in ("", "\n"):
                self._next()
                break
            if character in ("e", "w"):
                raise ScriptError(f"'{character}' flag in 's' command is blocked: {_BLOCKED[character]}")
            if character in _DIGITS:
                if numbered:
                    raise self._error("multiple number options to `s' command")
                numbered = True
                substitution.number = self._integer(character)
                if substitution.number == 0:
                    raise self._error("number option to 's' command may not be zero")
            elif character in ("i", "I", "m", "M") and not self._posix:
                fold = fold or character in ("i", "I")
                multiline = multiline or character in ("m", "M")
            elif character in ("p", "g"):
                self._letter_flag(substitution, character)
            elif character not in (" ", "\t"):
                raise self._error("unknown option to `s'")
        return fold, multiline

    def _letter_flag(self, substitution: Substitution, character: str) -> None:
        if substitution.prints if character == "p" else substitution.every:
            raise self._error(f"multiple `{character}' options to `s' command")
        if character == "p":
            substitution.prints = True
        else:
            substitution.every = True

    def _transliteration(self, command: Command) -> None:
        delimiter = self._next()
        left = self._delimited(delimiter, False)
        right = None if left is None else self._delimited(delimiter, False)
        if left is None or right is None:
            raise self._error("unterminated `y' command")
        source, target = (plain_text(side).decode("utf-8", "surrogateescape") for side in (left, right))
        if len(source) != len(target):
            raise self._error(
                "strings for `y' command are different lengths (source and destination must have the same length)"
            )
        for before, after in zip(source, target, strict=True):
            command.table.setdefault(before, after)
        self._end_of_command()
