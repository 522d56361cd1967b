"""find -printf: the format, compiled once to a list of literal pieces and closures (find(1), -printf)."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Failure, decode, encode
from rshell.builtins.filemode import kind_of, mode_text
from rshell.builtins.timeformat import DAYS, MONTHS, time_field
from rshell.builtins.zone import zone_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from datetime import tzinfo

    from rshell.builtins.find.plan import Plan, Test
    from rshell.builtins.find.visit import Visit

    Value = Callable[[Visit], str]

_ESCAPES = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\",
}  # fmt: skip
_DIRECTIVE = re.compile(r"%([-+ #0]*)([0-9]*)(?:\.([0-9]*))?(.?)", re.DOTALL)
_OCTAL = re.compile(r"[0-7]{1,3}")
_NUMERIC = "mdiknsUGSD b"
_NANO = 1_000_000_000
_TIME_LETTERS = "aAbBcdDFhHIjklmMprsSTUVwWxXyYzZ@+uegGnt"


def compile_format(plan: Plan, text: str) -> Test:
    """Compile -printf FORMAT."""
    compiler = _Compiler(plan)
    pieces, ends = compiler.compile(text)
    append = plan.pieces.append

    def test(visit: Visit) -> bool:
        append("".join([piece if isinstance(piece, str) else piece(visit) for piece in pieces]))
        if ends:
            plan.flush()
            plan.call.flush()
        return True

    return test


class _Compiler:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.pieces: list[str | Value] = []
        self.literal: list[bytes] = []

    def compile(self, text: str) -> tuple[list[str | Value], bool]:
        """The pieces, and whether output is to be flushed after them (\\c)."""
        at = 0
        ends = False
        while at < len(text):
            letter = text[at]
            if letter == "\\":
                at, ends = self.escape(text, at)
                if ends:
                    break
            elif letter == "%":
                at = self.directive(text, at)
            else:
                following = at + 1
                while following < len(text) and text[following] not in "\\%":
                    following += 1
                self.literal.append(encode(text[at:following]))
                at = following
        self.close()
        return self.pieces, ends

    def close(self) -> None:
        if self.literal:
            self.pieces.append(decode(b"".join(self.literal)))
            self.literal.clear()

    def warn(self, message: str) -> None:
        self.plan.call.warn(f"warning: {message}")

    def escape(self, text: str, at: int) -> tuple[int, bool]:
        letter = text[at + 1 : at + 2]
        if not letter:
            self.warn("escape '\\' followed by nothing at all")
            self.literal.append(b"\\")
            return at + 1, False
        octal = _OCTAL.match(text, at + 1)
        if octal is not None:
            self.literal.append(bytes((int(octal[0], 8) & 255,)))  # text: ours
            return octal.end(), False
        if letter == "c":
            return at + 2, True
        if letter in _ESCAPES:
            self.literal.append(encode(_ESCAPES[letter]))
        else:
            self.warn(f"unrecognized escape '\\{letter}'")
            self.literal.append(b"\\" + encode(letter))
        return at + 2, False

    def directive(self, text: str, at: int) -> int:
        match = _DIRECTIVE.match(text, at)
        assert match is not None  # the flags may be empty, so a percent sign always matches
        flags, width, precision, letter = match.groups()
        if not letter:
            if match.end() == at + 1:
                raise Failure("error: % at end of format string")
            self.literal.append(encode(match[0]))
            return match.end()
        if letter == "%":
            self.literal.append(b"%")
            return match.end()
        end = match.end()
        value: Value | None
        if letter in "ACBT":
            what = text[end : end + 1]
            if letter == "B":
                raise Failure("-printf: birth times (%B) are not supported: use %A, %C or %T")
            value = self.time(letter, what) if what and what in _TIME_LETTERS else None
            if value is None:
                self.warn(f"unrecognized format directive '%{letter}{what}'")
                self.literal.append(encode(match[0] + what))
                return end + len(what)
            end += 1
        else:
            value = _VALUES.get(letter) or self.owned(letter)
            if value is None:
                self.warn(f"unrecognized format directive '%{letter}'")
                self.literal.append(encode(match[0]))
                return end
        self.close()
        self.pieces.append(_formatted(value, flags, width, precision, letter))
        return end

    def owned(self, letter: str) -> Value | None:
        accounts = self.plan.call.run.accounts
        if letter == "u":
            return lambda visit: accounts.user_name(visit.stat().st_uid) or str(visit.stat().st_uid)
        if letter == "g":
            return lambda visit: accounts.group_name(visit.stat().st_gid) or str(visit.stat().st_gid)
        if letter in "act":
            return self.time({"a": "A", "c": "C", "t": "T"}[letter], "")
        if letter == "F":
            types = self.plan.call.run.caches
            return lambda visit: str(types.get("find.filesystems", {}).get(visit.stat().st_dev, "unknown"))
        if letter == "Z":
            return lambda visit: ""
        return None

    def time(self, which: str, letter: str) -> Value:
        zone = zone_of(self.plan.call)
        time_of: Callable[[os.stat_result], int]
        if which == "A":
            time_of = _accessed
        elif which == "C":
            time_of = _changed
        else:
            time_of = _modified
        return lambda visit: _time_text(time_of(visit.stat()), letter, zone)


def _accessed(found: os.stat_result) -> int:
    return found.st_atime_ns


def _changed(found: os.stat_result) -> int:
    return found.st_ctime_ns


def _modified(found: os.stat_result) -> int:
    return found.st_mtime_ns


def _formatted(value: Value, flags: str, width: str, precision: str | None, letter: str) -> Value:
    """Apply printf's flags, width and precision."""
    if not flags and not width and precision is None:
        return value
    columns = _bounded(width)
    places = None if precision is None else _bounded(precision)
    left = "-" in flags

    def formatted(visit: Visit) -> str:
        text = value(visit)
        if letter == "d" and "+" in flags:
            text = "+" + text
        elif letter == "d" and " " in flags:
            text = " " + text
        if letter == "m" and "#" in flags:
            text = "0" + text
        if places is not None:
            text = text.rjust(places, "0") if letter in "md" else decode(encode(text)[:places])
        padding = columns - len(encode(text))  # C counts bytes
        if left:
            return text + " " * padding
        return ("0" if "0" in flags and letter in "md" and places is None else " ") * padding + text

    return formatted


def _bounded(digits: str) -> int:
    digits = digits.lstrip("0")
    count = int(digits or "0") if len(digits) <= limits.NUMBER_DIGITS else limits.PRINTF_WIDTH + 1  # text: ours
    if count > limits.PRINTF_WIDTH:
        raise Failure(f"-printf: field too wide ({limits.PRINTF_WIDTH} at most)")
    return count


def _time_text(nanoseconds: int, letter: str, zone: tzinfo) -> str:
    seconds, part = divmod(nanoseconds, _NANO)
    fraction = f"{part:09}0"
    if letter == "@":
        return f"{seconds}.{fraction}"
    try:
        when = datetime.fromtimestamp(seconds, zone)
    except (OverflowError, ValueError, OSError):
        return f"{seconds}.{fraction}"
    if letter == "":
        return f"{DAYS[when.weekday()]} {MONTHS[when.month - 1]} {when.day:2} {when:%H:%M:%S}.{fraction} {when.year:04}"
    if letter == "+":
        return f"{when.year:04}-{when:%m-%d+%H:%M:%S}.{fraction}"
    if letter == "S":
        return f"{when.second:02}.{fraction}"
    if letter in "TX":
        return f"{when:%H:%M:%S}.{fraction}"
    if letter == "r":
        return f"{when:%I:%M:%S} {'AM' if when.hour < 12 else 'PM'}"
    if letter == "s":
        return f"{seconds}.{fraction}"
    return time_field(when, letter)


# Directives that need nothing but the file


def _head(visit: Visit) -> str:
    path = visit.path
    bare = path.rstrip("/")
    if not bare:
        return "" if path else "."
    head, slash, _ = bare.rpartition("/")
    return head if slash else "."


def _target(visit: Visit) -> str:
    if visit.kind != "l":
        return ""
    try:
        return visit.readlink()
    except OSError:
        return ""


def _below_start(visit: Visit) -> str:
    return visit.path[len(visit.start) :].lstrip("/") if visit.handle is not None else ""


def _other_type(visit: Visit) -> str:
    if visit.kind != "l":
        return visit.kind
    try:
        return kind_of(visit.ask(follow=True).st_mode)
    except OSError as failure:
        return {2: "N", 20: "N", 40: "L"}.get(failure.errno or 0, "?")


def _sparseness(visit: Visit) -> str:
    found = visit.stat()
    if not found.st_size:
        return "1" if not found.st_blocks else "0"
    return f"{found.st_blocks * 512 / found.st_size:g}"


def _start(visit: Visit) -> str:
    return visit.start


def _name(visit: Visit) -> str:
    if visit.handle is not None:
        return visit.name
    return visit.base + ("/" if visit.start.endswith("/") and visit.base != "/" else "")


_VALUES: dict[str, Value] = {
    "p": lambda visit: visit.path,
    "P": _below_start,
    "H": _start,
    "f": _name,
    "h": _head,
    "d": lambda visit: str(visit.depth),
    "l": _target,
    "y": lambda visit: visit.kind if visit.kind != "?" else "U",
    "Y": _other_type,
    "s": lambda visit: str(visit.stat().st_size),
    "b": lambda visit: str(visit.stat().st_blocks),
    "k": lambda visit: str(-(-visit.stat().st_blocks // 2)),
    "m": lambda visit: f"{visit.stat().st_mode & 0o7777:o}",
    "M": lambda visit: mode_text(visit.stat().st_mode),
    "n": lambda visit: str(visit.stat().st_nlink),
    "i": lambda visit: str(visit.stat().st_ino),
    "D": lambda visit: str(visit.stat().st_dev),
    "U": lambda visit: str(visit.stat().st_uid),
    "G": lambda visit: str(visit.stat().st_gid),
    "S": _sparseness,
}
