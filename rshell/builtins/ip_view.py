"""What the options of ip ask for, and messages that it writes without its name in front."""

from __future__ import annotations

SCOPES = {0: "global", 200: "site", 253: "link", 254: "host", 255: "nowhere"}


class View:
    """How records are shown. family: 4, 6 or 0 for both. up: only interfaces that are up."""

    __slots__ = ("brief", "family", "help", "oneline", "statistics", "up")

    def __init__(self) -> None:
        self.family = 0
        self.brief = False
        self.oneline = False
        self.statistics = False
        self.help = False
        self.up = False

    @property
    def end(self) -> str:
        """What stands between the lines of one record."""
        return "\\" if self.oneline else "\n"


class Told(Exception):
    """Ends ip with a message of its own form, and the status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status
