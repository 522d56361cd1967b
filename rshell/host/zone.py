"""The host's own time zone, from /etc/localtime (tzfile(5)), read once."""

from __future__ import annotations

from datetime import UTC, tzinfo
from functools import lru_cache

_LOCALTIME = "/etc/localtime"


@lru_cache(maxsize=1)
def local_zone() -> tzinfo:
    """The zone that /etc/localtime describes; UTC where there is none that can be read."""
    from zoneinfo import ZoneInfo  # most scripts show no time

    try:
        with open(_LOCALTIME, "rb") as file:
            return ZoneInfo.from_file(file, key="localtime")
    except (OSError, ValueError):
        return UTC
