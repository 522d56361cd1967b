"""echo: print its arguments (bash)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell.builtins.command import Command, Invocation, Option, encode
from rshell.builtins.escapes import Stop, expand_echo

if TYPE_CHECKING:
    from collections.abc import Callable

ECHO = Command(
    "echo",
    "print the arguments, separated by blanks",
    "echo [-neE] [ARG]...",
    options=(
        Option("-n", help="print no newline at the end"),
        Option("-e", help="interpret \\a \\b \\c \\e \\f \\n \\r \\t \\v \\\\ \\0NNN \\xHH \\uHHHH \\UHHHHHHHH"),
        Option("-E", help="interpret no escapes (the default)"),
    ),
    raw=True,
    help=False,
)


@ECHO.main
def echo(call: Invocation) -> int:
    newline, escapes = b"\n", False
    args = call.args
    at = 0
    # An argument is a group of options only when all its letters are options.
    while at < len(args) and len(args[at]) > 1 and args[at][0] == "-" and not args[at][1:].strip("neE"):
        for letter in args[at][1:]:
            if letter == "n":
                newline = b""
            else:
                escapes = letter == "e"
        at += 1
    text = encode(" ".join(args[at:]))
    if escapes and b"\\" in text:
        try:
            text = expand_echo(text)
        except Stop as stop:
            text, newline = stop.so_far, b""
    call.write(text + newline)
    return 0


@ECHO.fast
def quick_echo(args: list[str], write: Callable[[bytes], None]) -> int | None:
    if not args:
        write(b"\n")
        return 0
    if args[0][:1] == "-":
        return None
    write((" ".join(args) + "\n").encode("utf-8", "surrogateescape"))
    return 0


COMMANDS = {"echo": ECHO}
