"""test and [: check files, strings and numbers (bash, POSIX)."""

from __future__ import annotations

import re
import stat
from typing import TYPE_CHECKING

from rshell.builtins.command import Command, Failure, Invocation, encode

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

_DESCRIPTION = """\
Files: -e -a exists, -f regular, -d directory, -h -L symbolic link, -s not empty, -r -w -x permitted,
-b -c -p -S block device, character device, FIFO, socket, -u -g -k set-user-ID, set-group-ID, sticky,
-O -G owned by this process's user, group, -N modified since it was read, -t FD a terminal (never);
F1 -nt F2 newer, F1 -ot F2 older, F1 -ef F2 the same file.
Strings: -n not empty, -z empty, = == equal, != different, < > order by bytes, -v NAME is set.
Integers: -eq -ne -lt -le -gt -ge.
Joined: ! EXPR, EXPR -a EXPR, EXPR -o EXPR, ( EXPR )."""

TEST = Command(
    "test", "check files, strings and integers", "test EXPRESSION", description=_DESCRIPTION, usage_status=2, raw=True
)
BRACKET = Command(
    "[", "check files, strings and integers", "[ EXPRESSION ]", description=_DESCRIPTION, usage_status=2, raw=True
)

_PARENTHESES = 40  # each takes three frames of Python's stack
_FALSE, _TRUE, _WRONG = 1, 0, 2
_INTEGER = re.compile(r"[ \t\n\v\f\r]*([+-]?)0*([0-9]+)[ \t]*", re.ASCII)
_SHORT = re.compile(r"-?[0-9]{1,15}", re.ASCII)
_SMALL = {str(n): n for n in range(1000)}

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}
_STRING: dict[str, Callable[[str, str], bool]] = {
    "=": lambda a, b: a == b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: encode(a) < encode(b),
    ">": lambda a, b: encode(a) > encode(b),
}
_BINARY = {*_COMPARE, *_STRING, "-nt", "-ot", "-ef"}
_UNARY = {f"-{letter}" for letter in "abcdefghknoprstuvwxzGLNORS"}
_PERMISSIONS = {"-r": 4, "-w": 2, "-x": 1}  # R_OK, W_OK, X_OK

_MODES: dict[str, Callable[[int], bool | int]] = {
    "-b": stat.S_ISBLK,
    "-c": stat.S_ISCHR,
    "-d": stat.S_ISDIR,
    "-f": stat.S_ISREG,
    "-p": stat.S_ISFIFO,
    "-S": stat.S_ISSOCK,
    "-u": lambda mode: mode & stat.S_ISUID,
    "-g": lambda mode: mode & stat.S_ISGID,
    "-k": lambda mode: mode & stat.S_ISVTX,
}


class _Expression:
    """The arguments of one call, evaluated the way POSIX counts them, and as an expression when there are more.

    Every method returns the truth of what it has consumed; Failure (status 2) is a syntax error. Both
    sides of -a and -o are always evaluated, as bash does: an error on either shows.
    """

    def __init__(self, call: Invocation, args: list[str]) -> None:
        self.call = call
        self.args = args
        self.at = 0
        self.depth = 0  # of parentheses

    def result(self) -> bool:
        args = self.args
        count = len(args)
        if count <= 3:
            return self.counted(args)
        if count == 4 and args[0] == "!":
            return not self.counted(args[1:])
        if count == 4 and args[0] == "(" and args[3] == ")":
            return self.counted(args[1:3])
        value = self.disjunction()
        if self.at < count:
            if args[self.at][:1] == "-":
                raise _error(f"syntax error: `{args[self.at]}' unexpected")
            raise _error("too many arguments")
        return value

    def counted(self, args: list[str]) -> bool:
        """POSIX's rules for none to three arguments."""
        if not args:
            return False
        if len(args) == 1:
            return args[0] != ""
        if len(args) == 2:
            if args[0] == "!":
                return args[1] == ""
            if args[0] in _UNARY:
                return self.unary(args[0], args[1])
            raise _error(f"{args[0]}: unary operator expected")
        first, operator, last = args
        if operator in _BINARY:
            return self.binary(first, operator, last)
        if operator == "-a":
            return first != "" and last != ""
        if operator == "-o":
            return first != "" or last != ""
        if first == "!":
            return not self.counted(args[1:])
        if first == "(" and last == ")":
            return operator != ""
        raise _error(f"{operator}: binary operator expected")

    # More arguments: or, and, not

    def disjunction(self) -> bool:
        value = self.conjunction()
        while self.at < len(self.args) and self.args[self.at] == "-o":
            self.at += 1
            value = self.conjunction() or value
        return value

    def conjunction(self) -> bool:
        value = self.term()
        while self.at < len(self.args) and self.args[self.at] == "-a":
            self.at += 1
            value = self.term() and value
        return value

    def term(self) -> bool:
        args = self.args
        negated = False
        while self.at < len(args) and args[self.at] == "!":
            negated = not negated
            self.at += 1
        left = len(args) - self.at
        if not left:
            raise _error("argument expected")
        first = args[self.at]
        if first == "(":
            self.at += 1
            self.depth += 1
            if self.depth > _PARENTHESES:
                raise _error("parentheses nested too deep")
            value = self.disjunction()
            if self.at == len(args):
                # bash still sees the ] that ends its arguments
                raise _error("`)' expected" + (", found ]" if self.call.name == "[" else ""))
            if args[self.at] != ")":
                raise _error(f"`)' expected, found {args[self.at]}")
            self.at += 1
            self.depth -= 1
        elif left >= 3 and args[self.at + 1] in _BINARY:
            value = self.binary(*args[self.at : self.at + 3])
            self.at += 3
        elif left >= 2 and first in _UNARY:
            value = self.unary(first, args[self.at + 1])
            self.at += 2
        else:
            value = first != ""
            self.at += 1
        return value is not negated

    # Operators

    def binary(self, first: str, operator: str, last: str) -> bool:
        if operator in _STRING:
            return _STRING[operator](first, last)
        if operator in _COMPARE:
            return _COMPARE[operator](_integer(first), _integer(last))
        one, two = self.stat(first), self.stat(last)
        if operator == "-ef":
            return one is not None and two is not None and (one.st_dev, one.st_ino) == (two.st_dev, two.st_ino)
        if operator == "-ot":
            one, two = two, one
        return one is not None and (two is None or one.st_mtime_ns > two.st_mtime_ns)

    def unary(self, operator: str, operand: str) -> bool:
        if operator == "-n":
            return operand != ""
        if operator == "-z":
            return operand == ""
        if operator == "-v":
            return self.call.context.get(operand) is not None
        if operator in ("-o", "-R", "-t"):
            return False  # no shell options, no name references, and no stream of a script is a terminal
        if operator in _PERMISSIONS:
            return operand != "" and self.call.run.sandbox.access(self.call.absolute(operand), _PERMISSIONS[operator])
        found = self.stat(operand, follow=operator not in ("-h", "-L"))
        if found is None:
            return False
        if operator in _MODES:
            return bool(_MODES[operator](found.st_mode))
        if operator in ("-h", "-L"):
            return stat.S_ISLNK(found.st_mode)
        if operator == "-s":
            return found.st_size > 0
        if operator == "-N":
            return found.st_mtime_ns > found.st_atime_ns
        if operator == "-O":
            return found.st_uid == self.call.run.uid
        if operator == "-G":
            return found.st_gid == self.call.run.gid
        return True  # -e, -a

    def stat(self, path: str, *, follow: bool = True) -> os.stat_result | None:
        try:
            return self.call.stat(path, follow=follow)
        except OSError:
            return None


def _error(message: str) -> Failure:
    return Failure(message, _WRONG)


def _integer(text: str) -> int:
    """text as a 64-bit integer, blanks around it allowed."""
    match = _INTEGER.fullmatch(text)
    if match and len(match[2]) <= 19:
        value = int(match[1] + match[2])  # text: ours (matched above)
        if -(2**63) <= value < 2**63:
            return value
    raise _error(f"{text}: integer expression expected")


@TEST.main
def test(call: Invocation) -> int:
    return _TRUE if _Expression(call, call.args).result() else _FALSE


@BRACKET.main
def bracket(call: Invocation) -> int:
    if not call.args or call.args[-1] != "]":
        raise _error("missing `]'")
    return _TRUE if _Expression(call, call.args[:-1]).result() else _FALSE


def _quick(first: str, operator: str, last: str) -> int | None:
    if operator in ("=", "=="):
        return _TRUE if first == last else _FALSE
    if operator == "!=":
        return _TRUE if first != last else _FALSE
    compare = _COMPARE.get(operator)
    if compare is None:
        return None
    a, b = _SMALL.get(first), _SMALL.get(last)
    if a is None:
        if not _SHORT.fullmatch(first):
            return None
        a = int(first)  # text: ours (matched above)
    if b is None:
        if not _SHORT.fullmatch(last):
            return None
        b = int(last)  # text: ours (matched above)
    return _TRUE if compare(a, b) else _FALSE


def _quick_short(args: list[str], count: int) -> int | None:
    """One or two arguments."""
    if count == 1:
        return _TRUE if args[0] else _FALSE
    operator = args[0]
    if operator == "-n":
        return _TRUE if args[1] else _FALSE
    if operator in ("-z", "!"):
        return _FALSE if args[1] else _TRUE
    return None


@TEST.fast
def quick_test(args: list[str], write: Callable[[bytes], None]) -> int | None:
    count = len(args)
    if count == 3:
        return _quick(args[0], args[1], args[2])
    if 0 < count < 3 and args != ["--help"]:
        return _quick_short(args, count)
    return None


@BRACKET.fast
def quick_bracket(args: list[str], write: Callable[[bytes], None]) -> int | None:
    count = len(args)
    if count < 2 or args[-1] != "]":
        return None
    if count == 4:
        return _quick(args[0], args[1], args[2])
    return _quick_short(args, count - 1) if count < 4 else None


COMMANDS = {"test": TEST, "[": BRACKET}
