"""Time zones of the host: its own, from /etc/localtime (tzfile(5)), and those it knows by name."""

from __future__ import annotations

import re
from datetime import UTC, tzinfo
from functools import lru_cache

_LOCALTIME = "/etc/localtime"
_DATABASE = "/usr/share/zoneinfo"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{0,30}(?:/[A-Za-z][A-Za-z0-9_+-]{0,30}){0,2}")


@lru_cache(maxsize=1)
def local_zone() -> tzinfo:
    """The zone that /etc/localtime describes; UTC where there is none that can be read."""
    from zoneinfo import ZoneInfo  # most scripts show no time

    try:
        with open(_LOCALTIME, "rb") as file:
            return ZoneInfo.from_file(file, key="localtime")
    except (OSError, ValueError):
        return UTC


@lru_cache(maxsize=32)
def named_zone(name: str) -> tzinfo:
    """The zone of a name like Europe/Madrid; UTC when the host has no such zone, or it is no such name.

    Read by us and not looked up by zoneinfo, which would import a package where the host has no file.
    """
    from zoneinfo import ZoneInfo

    if not _NAME.fullmatch(name):
        return UTC
    try:
        with open(f"{_DATABASE}/{name}", "rb") as file:
            return ZoneInfo.from_file(file, key=name)
    except (OSError, ValueError):
        return UTC
