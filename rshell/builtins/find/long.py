"""find -ls: one line a file, as ls -dils shows it, with columns that grow as they must."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from rshell.builtins.filemode import device_numbers, mode_text
from rshell.builtins.zone import zone_of

if TYPE_CHECKING:
    from rshell.builtins.find.plan import Plan, Test
    from rshell.builtins.find.visit import Visit

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_HALF_YEAR = 6 * 30 * 86_400
_SLOP = 3_600  # a clock may be that far behind the file's server
_SPECIAL = {
    "\\": "\\\\", "\n": "\\n", "\b": "\\b", "\r": "\\r", "\t": "\\t", "\f": "\\f", " ": "\\ ", '"': '\\"',
}  # fmt: skip
_WIDTHS = [9, 6, 3, 8, 8, 8]  # inode, blocks, links, user, group, size


def long_line(plan: Plan) -> Test:
    """Compile -ls."""
    accounts = plan.call.run.accounts
    zone = zone_of(plan.call)
    now = plan.call.run.now
    widths = list(_WIDTHS)
    append = plan.pieces.append

    def column(at: int, text: str, left: bool = False) -> str:
        widths[at] = max(widths[at], len(text))
        return text.ljust(widths[at]) if left else text.rjust(widths[at])

    def test(visit: Visit) -> bool:
        found = visit.stat()
        named = accounts.user_name(found.st_uid)
        owner = named or str(found.st_uid)
        group = accounts.group_name(found.st_gid) or str(found.st_gid)
        if visit.kind in "bc":
            major, minor = device_numbers(found.st_rdev)
            size = f"{major:3}, {minor:3}"
        else:
            size = str(found.st_size)
        when = datetime.fromtimestamp(found.st_mtime_ns // 1_000_000_000, zone)
        recent = now - _HALF_YEAR <= found.st_mtime <= now + _SLOP
        moment = f"{when.hour:02}:{when.minute:02}" if recent else f" {when.year}"
        line = " ".join(
            (
                column(0, str(found.st_ino)),
                column(1, str(-(-found.st_blocks // 2))),
                mode_text(found.st_mode),
                column(2, str(found.st_nlink)),
                column(3, owner, left=True) if named else f"{owner:8}",
                column(4, group, left=True),
                column(5, size),
                f"{_MONTHS[when.month - 1]} {when.day:2} {moment}",
                _escaped(visit.path),
            )
        )
        if visit.kind == "l":
            try:
                line += " -> " + _escaped(visit.readlink())
            except OSError:
                pass
        if not named:  # GNU counts the blank after a number as a part of it
            widths[3] = max(widths[3], len(owner) + 1, 9)
        append(line + "\n")
        return True

    return test


def _escaped(path: str) -> str:
    pieces = []
    for letter in path:
        if letter in _SPECIAL:
            pieces.append(_SPECIAL[letter])
        elif " " < letter < "\x7f":
            pieces.append(letter)
        else:
            pieces += [f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape")]
    return "".join(pieces)
