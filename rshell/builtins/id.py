"""id and whoami: user and group names and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError
from rshell.builtins.quoting import quote
from rshell.builtins.text import clamped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ID = Command(
    "id",
    "print user and group names and numbers",
    "id [OPTION]... [USER]...",
    options=(
        Option("-a"),
        Option("-u", "--user", help="only the effective user ID"),
        Option("-g", "--group", help="only the effective group ID"),
        Option("-G", "--groups", help="all group IDs"),
        Option("-n", "--name", help="names instead of numbers, for -ugG"),
        Option("-r", "--real", help="real IDs instead of effective ones, for -ugG"),
        Option("-z", "--zero", help="end entries with a zero byte, for -ugG"),
        Option("-Z", "--context", refused="security contexts are not shown"),
    ),
)
WHOAMI = Command("whoami", "print the effective user's name", "whoami")


class _Who:
    """Whose identity: real and effective numbers, all groups."""

    def __init__(self, uid: int, euid: int, gid: int, egid: int, groups: Sequence[int]) -> None:
        self.uid, self.euid, self.gid, self.egid = uid, euid, gid, egid
        self.groups = list(dict.fromkeys([egid, *groups]))


def _of_user(call: Invocation, name: str) -> _Who | None:
    accounts = call.run.accounts
    uid = accounts.user_id(name)
    if uid is None:
        uid = clamped(name.removeprefix("+"), 0, 2**32) if name else None
        known = accounts.user_name(uid) if uid is not None else None
        if uid is None or known is None:
            call.error(f"{quote(name)}: no such user")
            return None
        name = known
    gid = accounts.primary_group(name)
    return _Who(uid, uid, gid, gid, accounts.groups_of(name))


def _named(number: int, find: Callable[[int], str | None]) -> str:
    name = find(number)
    return f"{number}({name})" if name else f"{number}"


def _in_full(call: Invocation, who: _Who) -> str:
    user, group = call.run.accounts.user_name, call.run.accounts.group_name
    parts = [f"uid={_named(who.uid, user)}", f"gid={_named(who.gid, group)}"]
    if who.euid != who.uid:
        parts.append(f"euid={_named(who.euid, user)}")
    if who.egid != who.gid:
        parts.append(f"egid={_named(who.egid, group)}")
    if who.groups:
        parts.append("groups=" + ",".join(_named(number, group) for number in who.groups))
    return " ".join(parts)


def _only(call: Invocation, who: _Who, kind: str) -> list[str]:
    real = "real" in call.options
    if kind == "user":
        numbers = [who.uid if real else who.euid]
    elif kind == "group":
        numbers = [who.gid if real else who.egid]
    else:
        numbers = list(dict.fromkeys([who.gid, who.egid, *who.groups]))
    if "name" not in call.options:
        return [str(number) for number in numbers]
    accounts = call.run.accounts
    shown = []
    for number in numbers:
        name = accounts.user_name(number) if kind == "user" else accounts.group_name(number)
        if name is None:
            call.error(f"cannot find name for {'user' if kind == 'user' else 'group'} ID {number}")
        shown.append(name if name is not None else str(number))
    return shown


@ID.main
def id_(call: Invocation) -> int:
    options = call.options
    kinds = {key for key, _ in options.given if key in ("user", "group", "groups")}
    if len(kinds) > 1:
        raise Failure('cannot print "only" of more than one choice')
    kind = kinds.pop() if kinds else ""
    if not kind and ("name" in options or "real" in options):
        raise Failure("cannot print only names or real IDs in default format")
    if not kind and "zero" in options:
        raise Failure("option --zero not permitted in default format")
    people: list[_Who | None] = []
    if call.operands:
        people = [_of_user(call, name) for name in call.operands]
    else:
        own = call.run.host.identity()
        people = [_Who(own.uid, own.euid, own.gid, own.egid, own.groups)]
    zero = "zero" in options
    for who in people:
        if who is None:
            continue
        if not kind:
            call.print(_in_full(call, who))
            continue
        words = _only(call, who, kind)
        if zero:
            text = "\0".join(words) + "\0"
            call.write(
                (text + ("\0" if kind == "groups" and len(people) > 1 else "")).encode("utf-8", "surrogateescape")
            )
        else:
            call.print(" ".join(words))
    return call.status


@WHOAMI.main
def whoami(call: Invocation) -> int:
    if call.operands:
        raise UsageError(f"extra operand {quote(call.operands[0])}")
    number = call.run.host.identity().euid
    name = call.run.accounts.user_name(number)
    if name is None:
        raise Failure(f"cannot find name for user ID {number}")
    call.print(name)
    return 0


COMMANDS = {c.name: c for c in (ID, WHOAMI)}
