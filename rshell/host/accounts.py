"""The host's user and group names, from passwd(5) and group(5), read once; never NSS."""

from __future__ import annotations

import re

from rshell import limits

_PASSWD = "/etc/passwd"
_GROUP = "/etc/group"
_SIZE = 1 * limits.MIB  # of each file; what is beyond is not read
_ID = re.compile(rb"[0-9]{1,10}")


class Accounts:
    """Names for numbers, and numbers for names. The first line for a name or a number counts."""

    def __init__(self, passwd: str = _PASSWD, group: str = _GROUP) -> None:
        self._users = _read(passwd)
        self._groups = _read(group)
        self._files = (passwd, group)

    def user_name(self, uid: int) -> str | None:
        """The user's name, None when the host knows none."""
        return self._users[0].get(uid)

    def group_name(self, gid: int) -> str | None:
        """The group's name, None when the host knows none."""
        return self._groups[0].get(gid)

    def user_id(self, name: str) -> int | None:
        """The user's number, None when there is no such user."""
        return self._users[1].get(name)

    def group_id(self, name: str) -> int | None:
        """The group's number, None when there is no such group."""
        return self._groups[1].get(name)

    def primary_group(self, name: str) -> int:
        """The number of a known user's own group."""
        for fields in _lines(self._files[0]):
            if len(fields) > 3 and fields[0] == name.encode("utf-8", "surrogateescape") and _ID.fullmatch(fields[3]):
                return int(fields[3])  # text: ours
        return 0

    def groups_of(self, name: str) -> list[int]:
        """The numbers of the groups that list a user as a member, in the file's order."""
        user = name.encode("utf-8", "surrogateescape")
        return [
            int(fields[2])  # text: ours
            for fields in _lines(self._files[1])
            if len(fields) > 3 and _ID.fullmatch(fields[2]) and user in fields[3].split(b",")
        ]


def _lines(path: str) -> list[list[bytes]]:
    try:
        with open(path, "rb") as file:
            return [line.split(b":") for line in file.read(_SIZE).split(b"\n")]
    except OSError:
        return []


def _read(path: str) -> tuple[dict[int, str], dict[str, int]]:
    names: dict[int, str] = {}
    numbers: dict[str, int] = {}
    try:
        with open(path, "rb") as file:
            content = file.read(_SIZE)
    except OSError:
        return names, numbers
    for line in content.split(b"\n"):
        fields = line.split(b":")
        if len(fields) < 3 or not fields[0] or line[:1] == b"#" or not _ID.fullmatch(fields[2]):
            continue
        name = fields[0].decode("utf-8", "surrogateescape")
        number = int(fields[2])  # text: ours
        names.setdefault(number, name)
        numbers.setdefault(name, number)
    return names, numbers
