"""The tests of find: each becomes a closure over one Visit (find(1), TESTS)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rshell.builtins.command import Failure, reason
from rshell.builtins.dates import parse_date
from rshell.builtins.filemode import kind_of, parse_mode
from rshell.builtins.find.visit import Vanished
from rshell.builtins.pattern import compile_shell_pattern
from rshell.builtins.quoting import quote_text
from rshell.builtins.zone import zone_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from rshell.builtins.find.plan import Plan, Test
    from rshell.builtins.find.visit import Visit

    Compare = Callable[[float], bool]

_NANO = 1_000_000_000
_DAY = 86_400
_ENOENT = 2
_DIGITS = 20
_NUMBER = re.compile(r"([-+]?)([0-9]+)")
_DECIMAL = re.compile(r"([-+]?)([0-9]*)(?:\.([0-9]*))?")
_SIZE = re.compile(r"([-+]?)([0-9]+)([cwbkMG]?)")
_UNITS = {"c": 1, "w": 2, "b": 512, "": 512, "k": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_TYPES = "bcdpflsD"
_OPEN_RANGE = re.compile(r"(?:.*[^\\])?\[[!^]?[^]]+-", re.DOTALL)
_NEWER = re.compile(r"-newer([aBcm])([aBcmt])")


# Numbers


def whole(digits: str) -> float:
    """A count without sign; one with more digits than any count can have is infinite."""
    digits = digits.lstrip("0")
    return int(digits or "0") if len(digits) <= _DIGITS else float("inf")  # text: ours


def comparison(sign: str, limit: float) -> Compare:
    """`+N` is more than, `-N` less than, `N` exactly."""
    if sign == "+":
        return lambda value: value > limit
    if sign == "-":
        return lambda value: value < limit
    return lambda value: value == limit


def numeric(name: str, text: str) -> Compare:
    """The comparison that `[+-]N` asks for."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise Failure(f"invalid argument {quote_text(text)} to '{name}'")
    return comparison(match[1], whole(match[2]))


# Names


def _pattern(text: str, *, ignore_case: bool = False) -> Callable[[str], bool]:
    if _OPEN_RANGE.fullmatch(text):
        return lambda name: False  # as fnmatch(3): a range without end matches nothing, not itself
    return compile_shell_pattern(text, ignore_case=ignore_case)


def name(plan: Plan, option: str, text: str) -> Test:
    match = _pattern(text, ignore_case=option == "-iname")

    def test(visit: Visit) -> bool:
        return match(visit.name if visit.handle is not None else visit.base)

    return test


def path(plan: Plan, option: str, text: str) -> Test:
    match = _pattern(text, ignore_case=option[1] == "i")
    return lambda visit: match(visit.path)


def link_name(plan: Plan, option: str, text: str) -> Test:
    match = _pattern(text, ignore_case=option == "-ilname")

    def test(visit: Visit) -> bool:
        if visit.kind != "l":
            return False
        try:
            return match(visit.readlink())
        except OSError as failure:
            raise Vanished(failure) from None

    return test


def regex(plan: Plan, option: str, text: str) -> Test:
    from rshell.builtins.find.regex import compile_path_regex  # only this test needs the engine

    match = compile_path_regex(text, plan.syntax, ignore_case=option == "-iregex")
    return lambda visit: match(visit.path)


# Types


def _types(option: str, text: str) -> frozenset[str]:
    letters = text.split(",")
    if any(len(letter) != 1 or letter not in _TYPES for letter in letters):
        raise Failure(f"Unknown argument to {option}: {text}")
    if len(set(letters)) != len(letters):
        twice = next(letter for at, letter in enumerate(letters) if letter in letters[:at])
        raise Failure(f"Duplicate file type '{twice}' in the argument list to {option}.")
    return frozenset(letters)


def file_type(plan: Plan, option: str, text: str) -> Test:
    kinds = _types(option, text)
    if len(kinds) == 1:
        (only,) = kinds
        return lambda visit: visit.kind == only
    return lambda visit: visit.kind in kinds


def other_type(plan: Plan, option: str, text: str) -> Test:
    """-xtype: the type on the other side of the -L and -P question."""
    kinds = _types(option, text)

    def test(visit: Visit) -> bool:
        follow = not (visit.follow or (visit.handle is None and visit.follow_starts))
        kind = visit.kind
        if follow and kind != "l":
            return kind in kinds
        try:
            kind = kind_of(visit.ask(follow=follow).st_mode)
        except OSError as failure:
            if not follow or failure.errno != _ENOENT:
                raise Vanished(failure) from None
            kind = "l"
        return kind in kinds

    return test


# Numbers of the inode


def size(plan: Plan, option: str, text: str) -> Test:
    match = _SIZE.fullmatch(text)
    if match is None:
        raise Failure(f"invalid argument {quote_text(text)} to -size")
    unit = _UNITS[match[3]]
    compare = comparison(match[1], whole(match[2]))
    return lambda visit: compare(-(-visit.stat().st_size // unit))


def empty(plan: Plan, option: str) -> Test:
    def test(visit: Visit) -> bool:
        if visit.kind == "f":
            return visit.stat().st_size == 0
        if visit.kind != "d":
            return False
        try:
            directory = visit.directory()
        except OSError as failure:
            raise Vanished(failure) from None
        try:
            return next(directory.entries(), None) is None
        except OSError as failure:
            raise Vanished(failure) from None
        finally:
            plan.call.close(directory)
            directory.close()

    return test


def links(plan: Plan, option: str, text: str) -> Test:
    compare = numeric(option, text)
    return lambda visit: compare(visit.stat().st_nlink)


def inode(plan: Plan, option: str, text: str) -> Test:
    compare = numeric(option, text)
    return lambda visit: compare(visit.stat().st_ino)


def uid(plan: Plan, option: str, text: str) -> Test:
    compare = numeric(option, text)
    return lambda visit: compare(visit.stat().st_uid)


def gid(plan: Plan, option: str, text: str) -> Test:
    compare = numeric(option, text)
    return lambda visit: compare(visit.stat().st_gid)


def user(plan: Plan, option: str, text: str) -> Test:
    if not text:
        raise Failure("The argument to -user should not be empty")
    wanted = plan.call.run.accounts.user_id(text)
    if wanted is None:
        if not _NUMBER.fullmatch(text) or text[0] in "+-":
            raise Failure(f"{quote_text(text)} is not the name of a known user")
        return uid(plan, option, text)
    return lambda visit: visit.stat().st_uid == wanted


def group(plan: Plan, option: str, text: str) -> Test:
    if not text:
        raise Failure("argument to -group is empty, but should be a group name")
    wanted = plan.call.run.accounts.group_id(text)
    if wanted is None:
        if not _NUMBER.fullmatch(text) or text[0] in "+-":
            raise Failure(f"{quote_text(text)} is not the name of an existing group")
        return gid(plan, option, text)
    return lambda visit: visit.stat().st_gid == wanted


def no_user(plan: Plan, option: str) -> Test:
    name_of = plan.call.run.accounts.user_name
    return lambda visit: name_of(visit.stat().st_uid) is None


def no_group(plan: Plan, option: str) -> Test:
    name_of = plan.call.run.accounts.group_name
    return lambda visit: name_of(visit.stat().st_gid) is None


def permission(plan: Plan, option: str, text: str) -> Test:
    how = text[:1] if text[:1] in ("-", "/") else ""
    modes = parse_mode(text[len(how) :])
    if modes is None:
        raise Failure(f"invalid mode {quote_text(text)}")

    def test(visit: Visit) -> bool:
        mode = visit.stat().st_mode & 0o7777
        wanted = modes[visit.kind == "d"]
        if how == "-":
            return mode & wanted == wanted
        if how == "/":
            return not wanted or mode & wanted != 0
        return mode == wanted

    return test


def access(plan: Plan, option: str) -> Test:
    mode = {"-readable": 4, "-writable": 2, "-executable": 1}[option]
    return lambda visit: visit.access(mode)


def constant(plan: Plan, option: str) -> Test:
    answer = option == "-true"
    return lambda visit: answer


# Times


def _time_of(letter: str) -> Callable[[os.stat_result], int]:
    if letter == "a":
        return lambda found: found.st_atime_ns
    if letter == "c":
        return lambda found: found.st_ctime_ns
    if letter == "m":
        return lambda found: found.st_mtime_ns
    raise Failure("birth times are not supported: use the times of access (a), change (c) or modification (m)")


def age(plan: Plan, option: str, text: str) -> Test:
    """-amin, -cmin, -mmin, -atime, -ctime, -mtime: GNU counts back from now, or with -daystart from midnight."""
    match = _DECIMAL.fullmatch(text)
    if match is None or not (match[2] or match[3]):
        raise Failure(f"invalid argument {quote_text(text)} to '{option}'")
    sign = match[1]
    days = option.endswith("time")
    unit = (_DAY if days else 60) * _NANO
    count = whole(match[2])
    if count == float("inf"):
        return lambda visit: sign == "-"
    fraction = (match[3] or "")[:9]
    span = int(count) * unit + (int(fraction) * unit // 10 ** len(fraction) if fraction else 0)  # text: ours
    origin = plan.origin
    if days:
        origin += (-_DAY + (_DAY - 1 if sign == "-" else 0)) * _NANO
    limit = origin - span
    time_of = _time_of(option[1])
    if sign == "+":
        return lambda visit: time_of(visit.stat()) < limit
    if sign == "-":
        return lambda visit: time_of(visit.stat()) > limit
    return lambda visit: 0 < time_of(visit.stat()) - limit <= unit


def _reference(plan: Plan, text: str, use: Callable[[os.stat_result], None]) -> None:
    """Look at the file that a test compares with, once the expression has been read."""
    follow = plan.follow or plan.follow_starts

    def look() -> None:
        try:
            try:
                use(plan.call.stat(text, follow=follow))
            except FileNotFoundError:
                if not follow:
                    raise
                use(plan.call.stat(text, follow=False))
        except OSError as failure:
            raise Failure(f"{quote_text(text)}: {reason(failure)}") from None

    plan.prepared.append(look)


def newer(plan: Plan, option: str, text: str) -> Test:
    """-newer, -anewer, -cnewer and -newerXY."""
    if option in ("-newer", "-anewer", "-cnewer"):
        mine, other = {"-newer": ("m", "m"), "-anewer": ("a", "m"), "-cnewer": ("c", "m")}[option]
    else:
        match = _NEWER.fullmatch(option)
        if match is None:
            raise Failure(f"invalid predicate '{option}'")
        mine, other = match[1], match[2]
    time_of = _time_of(mine)
    limit = 0
    if other == "t":
        when = parse_date(text, plan.clock, zone_of(plan.call))
        if when is None:
            raise Failure(f"I cannot figure out how to interpret {quote_text(text)} as a date or time")
        limit = when
    else:
        other_time = _time_of(other)

        def use(found: os.stat_result) -> None:
            nonlocal limit
            limit = other_time(found)

        _reference(plan, text, use)
    return lambda visit: time_of(visit.stat()) > limit


def same_file(plan: Plan, option: str, text: str) -> Test:
    wanted = (0, 0)

    def use(found: os.stat_result) -> None:
        nonlocal wanted
        wanted = (found.st_dev, found.st_ino)

    _reference(plan, text, use)

    def test(visit: Visit) -> bool:
        found = visit.stat()
        return (found.st_dev, found.st_ino) == wanted

    return test


# test name -> what compiles it; those of the second table take an argument
PLAIN: dict[str, Callable[[Plan, str], Test]] = {
    "-empty": empty,
    "-nouser": no_user,
    "-nogroup": no_group,
    "-readable": access,
    "-writable": access,
    "-executable": access,
    "-true": constant,
    "-false": constant,
}
WITH_ARGUMENT: dict[str, Callable[[Plan, str, str], Test]] = {
    "-name": name,
    "-iname": name,
    "-path": path,
    "-wholename": path,
    "-ipath": path,
    "-iwholename": path,
    "-lname": link_name,
    "-ilname": link_name,
    "-regex": regex,
    "-iregex": regex,
    "-type": file_type,
    "-xtype": other_type,
    "-size": size,
    "-links": links,
    "-inum": inode,
    "-uid": uid,
    "-gid": gid,
    "-user": user,
    "-group": group,
    "-perm": permission,
    "-amin": age,
    "-cmin": age,
    "-mmin": age,
    "-atime": age,
    "-ctime": age,
    "-mtime": age,
    "-newer": newer,
    "-anewer": newer,
    "-cnewer": newer,
    "-samefile": same_file,
}
