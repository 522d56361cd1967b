"""One option parser for every command, with GNU's conventions and messages (getopt_long(3))."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class UsageError(Exception):
    """Wrong use: the framework prints the message and the pointer to --help, and gives the usage status."""


class Option:
    """One option of a command.

    Option("-n", "--lines", value="NUM", help="print the first NUM lines")

    names: one or more spellings, short (-x) and long (--word). value: the placeholder of its
    argument, None for a flag. optional: the argument may be missing and must be attached
    (--color[=WHEN], -i[SUFFIX]). refused: the option is known and not supported; the text says
    why or what to use instead. key: how the command asks for it, by default the first long name
    without dashes, else the letter. A help of "" keeps the option out of --help (compatibility spellings).
    """

    __slots__ = ("help", "key", "names", "optional", "refused", "value")

    def __init__(
        self,
        *names: str,
        help: str = "",
        value: str | None = None,
        optional: bool = False,
        refused: str = "",
        key: str = "",
    ) -> None:
        self.names = names
        self.help = help
        self.value = value
        self.optional = optional
        self.refused = refused
        self.key = key or next((n[2:] for n in names if n.startswith("--")), names[0].lstrip("-"))


class Options:
    """What a command line gave: every option in order, and the operands.

    given: (key, argument) in the order of the command line; argument is None for flags.
    """

    __slots__ = ("given", "operands")

    def __init__(self, given: list[tuple[str, str | None]], operands: list[str]) -> None:
        self.given = given
        self.operands = operands

    def __contains__(self, key: str) -> bool:
        return any(k == key for k, _ in self.given)

    def get(self, key: str) -> str | None:
        """The last argument given for key; None when it was not given (or has none)."""
        for k, argument in reversed(self.given):
            if k == key:
                return argument
        return None

    def all(self, key: str) -> list[str]:
        """Every argument given for key, in order."""
        return [a for k, a in self.given if k == key and a is not None]

    def last(self, *keys: str) -> str | None:
        """Which of keys was given last; None when none was."""
        for k, _ in reversed(self.given):
            if k in keys:
                return k
        return None

    def count(self, key: str) -> int:
        """How often key was given."""
        return sum(k == key for k, _ in self.given)


class OptionTable:
    """The options of one command, ready for parsing."""

    def __init__(self, options: Sequence[Option], *, ordered: bool = False) -> None:
        self.ordered = ordered  # operands end the options
        self.short: dict[str, Option] = {}
        self.long: dict[str, Option] = {}
        for option in options:
            for name in option.names:
                if name.startswith("--"):
                    self.long[name[2:]] = option
                else:
                    self.short[name[1:]] = option

    def parse(self, args: Sequence[str]) -> Options:
        """Split args into options and operands. Raises UsageError with GNU's wording."""
        given: list[tuple[str, str | None]] = []
        operands: list[str] = []
        rest = iter(args)
        for arg in rest:
            if arg == "--":
                operands.extend(rest)
            elif arg.startswith("--"):
                given.append(self._long(arg, rest))
            elif len(arg) > 1 and arg[0] == "-":
                self._bundle(arg, rest, given)
            else:
                operands.append(arg)
                if self.ordered:
                    operands.extend(rest)
        return Options(given, operands)

    def _bundle(self, arg: str, rest: Iterator[str], given: list[tuple[str, str | None]]) -> None:
        at = 1
        while at < len(arg):
            letter = arg[at]
            at += 1
            option = self.short.get(letter)
            if option is None:
                raise UsageError(f"invalid option -- '{letter}'")
            if option.refused:
                raise UsageError(f"option '-{letter}' is not supported: {option.refused}")
            if option.value is None:
                given.append((option.key, None))
                continue
            argument: str | None = arg[at:]
            if not argument:
                argument = None if option.optional else next(rest, None)
                if argument is None and not option.optional:
                    raise UsageError(f"option requires an argument -- '{letter}'")
            given.append((option.key, argument))
            return

    def _long(self, arg: str, rest: Iterator[str]) -> tuple[str, str | None]:
        name, equals, text = arg[2:].partition("=")
        option = self.long.get(name)
        if option is None:
            name, option = self._prefix(name, arg)
        if option.refused:
            raise UsageError(f"option '--{name}' is not supported: {option.refused}")
        if option.value is None:
            if equals:
                raise UsageError(f"option '--{name}' doesn't allow an argument")
            return option.key, None
        if equals:
            return option.key, text
        if option.optional:
            return option.key, None
        argument = next(rest, None)
        if argument is None:
            raise UsageError(f"option '--{name}' requires an argument")
        return option.key, argument

    def _prefix(self, name: str, arg: str) -> tuple[str, Option]:
        found = [long for long in self.long if long.startswith(name)]
        if not found:
            raise UsageError(f"unrecognized option '{arg.partition('=')[0]}'")
        if len({id(self.long[long]) for long in found}) > 1:
            raise UsageError(
                f"option '{arg.partition('=')[0]}' is ambiguous; possibilities: " + " ".join(f"'--{f}'" for f in found)
            )
        return found[0], self.long[found[0]]
