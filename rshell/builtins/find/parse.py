"""From the arguments of find to a Plan: starting points, options, and the expression as one closure.

Precedence, from the tightest: parentheses and `!`, then `-a` (also unwritten), `-o`, and the comma.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Failure, Invocation
from rshell.builtins.find import actions, tests
from rshell.builtins.find.plan import Plan
from rshell.builtins.zone import start_of_day

if TYPE_CHECKING:
    from collections.abc import Callable

    from rshell.builtins.find.plan import Test
    from rshell.builtins.find.visit import Visit

_NANO = 1_000_000_000
_DAY = 86_400 * _NANO
_AND = ("-a", "-and")
_OR = ("-o", "-or")
_NOT = ("!", "-not")
_LEVEL = re.compile(r"-O[0-3]")
_DEPTH = re.compile(r"[0-9]+")
_SYNTAXES = (
    "findutils-default", "ed", "emacs", "gnu-awk", "grep", "posix-awk", "awk", "posix-basic", "posix-egrep", "egrep",
    "posix-extended", "posix-minimal-basic", "sed",
)  # fmt: skip
_RM = f"use rm, which removes at most {limits.RM_CALL} files a call and {limits.RM_RUN} a run, in remediation mode"
REFUSED = {
    "-delete": f"removing files by a search is not supported; {_RM}",
    "-fprint": "writing files is not supported; use -print",
    "-fprint0": "writing files is not supported; use -print0",
    "-fprintf": "writing files is not supported; use -printf",
    "-fls": "writing files is not supported; use -ls",
    "-ok": "there is nobody to ask; use -exec",
    "-okdir": "there is nobody to ask; use -execdir",
}


def parse(call: Invocation) -> Plan:
    """Read a whole command line. Raises Failure."""
    plan = Plan(call)
    args = call.args
    at = 0
    while at < len(args):
        arg = args[at]
        if arg in ("-H", "-L", "-P"):
            plan.follow, plan.follow_starts = arg == "-L", arg == "-H"
        elif arg == "--":
            at += 1
            break
        elif not _LEVEL.fullmatch(arg):
            break
        at += 1
    while at < len(args) and not _begins_expression(args[at]):
        plan.starts.append(args[at])
        at += 1
    if not plan.starts:
        plan.starts.append(".")
    _Parser(plan, args, at).run()
    for look in plan.prepared:
        look()
    return plan


def _begins_expression(arg: str) -> bool:
    return (arg[:1] == "-" and len(arg) > 1) or arg in ("(", "!")


class _Parser:
    def __init__(self, plan: Plan, args: list[str], at: int) -> None:
        self.plan = plan
        self.args = args
        self.at = at
        self.nodes = 0
        self.nesting = 0

    def run(self) -> None:
        plan = self.plan
        if self.at == len(self.args):
            plan.test = actions.print_path(plan, "-print")
            return
        test = self.comma()
        if self.at < len(self.args):
            if self.args[self.at] == ")":
                raise Failure("you have too many ')'")
            raise Failure(f"unknown predicate '{self.args[self.at]}'")
        plan.test = test if plan.has_action else conjunction([test, actions.print_path(plan, "-print")])

    def peek(self) -> str | None:
        return self.args[self.at] if self.at < len(self.args) else None

    def comma(self) -> Test:
        parts = [self.either()]
        while self.peek() == ",":
            self.at += 1
            self.expected(",")
            parts.append(self.either())
        if len(parts) == 1:
            return parts[0]

        def each(visit: Visit) -> object:
            answer: object = False
            for part in parts:
                answer = part(visit)
                if visit.stop:
                    break
            return answer

        return each

    def either(self) -> Test:
        parts = [self.both()]
        while (operator := self.peek()) in _OR:
            self.at += 1
            self.expected(operator or "")
            parts.append(self.both())
        if len(parts) == 1:
            return parts[0]
        if len(parts) == 2:
            first, second = parts
            return lambda visit: first(visit) or (not visit.stop and second(visit))

        def any_of(visit: Visit) -> object:
            for part in parts:
                if part(visit):
                    return True
                if visit.stop:
                    return False
            return False

        return any_of

    def both(self) -> Test:
        parts = [self.negated()]
        while (token := self.peek()) is not None and token not in (",", ")", *_OR):
            if token in _AND:
                self.at += 1
                self.expected(token)
            parts.append(self.negated())
        return conjunction([part for part in parts if part is not always] or [always])

    def expected(self, operator: str) -> None:
        if self.peek() is None:
            raise Failure(f"expected an expression after '{operator}'")

    def negated(self) -> Test:
        inverted = False
        while (token := self.peek()) in _NOT:
            self.count()
            self.at += 1
            self.expected(token or "")
            inverted = not inverted
        test = self.primary()
        return (lambda visit: not test(visit)) if inverted else test

    def count(self) -> None:
        self.nodes += 1
        if self.nodes > limits.FIND_NODES:
            raise Failure(f"expression too long ({limits.FIND_NODES} parts at most)")

    def primary(self) -> Test:
        self.count()
        token = self.args[self.at]
        self.at += 1
        if token == "(":
            self.nesting += 1
            if self.nesting > limits.NESTING:
                raise Failure("expression nested too deep")
            if self.peek() == ")":
                raise Failure("invalid expression; empty parentheses are not allowed.")
            if self.peek() is None:
                raise Failure("invalid expression; expected ')'")
            test = self.comma()
            if self.peek() != ")":
                raise Failure("invalid expression; expected ')'")
            self.at += 1
            self.nesting -= 1
            return test
        if token in (*_AND, *_OR, ","):
            raise Failure(f"invalid expression; you have used a binary operator '{token}' with nothing before it.")
        if token == ")":
            raise Failure("invalid expression; you have too many ')'")
        if token in REFUSED:
            raise Failure(f"{token}: blocked: {REFUSED[token]}")
        if (option := _OPTIONS.get(token)) is not None:
            option(self, token)
            return always
        if (plain := tests.PLAIN.get(token) or actions.PLAIN.get(token)) is not None:
            return plain(self.plan, token)
        if (compiled := tests.WITH_ARGUMENT.get(token) or actions.WITH_ARGUMENT.get(token)) is not None:
            return compiled(self.plan, token, self.argument(token))
        if token.startswith("-newer") and len(token) == 8:
            return tests.newer(self.plan, token, self.argument(token))
        if token in ("-exec", "-execdir"):
            test, self.at = actions.execute(self.plan, token, self.args, self.at)
            return test
        raise Failure(f"unknown predicate '{token}'")

    def argument(self, option: str) -> str:
        if self.at >= len(self.args):
            if option == "-size":
                raise Failure("missing argument for -size")
            raise Failure(f"missing argument to '{option}'")
        self.at += 1
        return self.args[self.at - 1]

    # Options: always true, and most of them for the whole expression

    def depth_option(self, option: str) -> None:
        text = self.argument(option)
        if not _DEPTH.fullmatch(text):
            raise Failure(f"invalid argument '{text}' to {option}")
        depth = min(tests.whole(text), float(1 << 40))
        if option == "-maxdepth":
            self.plan.max_depth = int(depth)  # text: ours
        else:
            self.plan.min_depth = int(depth)  # text: ours

    def switch(self, option: str) -> None:
        plan = self.plan
        if option in ("-depth", "-d"):
            plan.depth_first = True
        elif option in ("-xdev", "-mount"):
            plan.one_device = True
        elif option == "-follow":
            plan.follow = True
        elif option == "-daystart" and not plan.day_start:
            plan.day_start = True
            plan.origin = start_of_day(plan.clock, plan.call) + _DAY

    def syntax(self, option: str) -> None:
        text = self.argument(option)
        if text not in _SYNTAXES:
            known = ", ".join(f"'{name}'" for name in _SYNTAXES)
            raise Failure(f"Unknown regular expression type '{text}'; valid types are {known}.")
        self.plan.syntax = text


_OPTIONS: dict[str, Callable[[_Parser, str], None]] = {
    "-maxdepth": _Parser.depth_option,
    "-mindepth": _Parser.depth_option,
    "-regextype": _Parser.syntax,
    **dict.fromkeys(
        (
            "-depth", "-d", "-xdev", "-mount", "-follow", "-daystart", "-noleaf", "-warn", "-nowarn",
            "-ignore_readdir_race", "-noignore_readdir_race",
        ),
        _Parser.switch,
    ),
}  # fmt: skip


def always(visit: Visit) -> bool:
    """The answer of an option."""
    return True


def conjunction(parts: list[Test]) -> Test:
    """All of parts, from left to right, until one is false or the walk is to stop."""
    if len(parts) == 1:
        return parts[0]
    if len(parts) == 2:
        first, second = parts
        return lambda visit: first(visit) and not visit.stop and second(visit)

    def all_of(visit: Visit) -> bool:
        return all(part(visit) and not visit.stop for part in parts)

    return all_of
