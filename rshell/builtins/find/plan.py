"""What a find command line asks for: the options of the walk, and the compiled expression."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from rshell.builtins.command import Invocation, encode

if TYPE_CHECKING:
    from rshell.builtins.find.visit import Visit

Test: TypeAlias = Callable[["Visit"], object]

_UNLIMITED = 1 << 62
_NANO = 1_000_000_000
_DAY = 86_400 * _NANO


class Plan:
    """The walk's options, its expression, and the output that the expression's actions share.

    clock: the run's time in nanoseconds; end_of_day: what -atime and its like count back from.
    """

    def __init__(self, call: Invocation) -> None:
        self.call = call
        self.starts: list[str] = []
        self.follow = False
        self.follow_starts = False
        self.max_depth = _UNLIMITED
        self.min_depth = 0
        self.depth_first = False
        self.one_device = False
        self.clock = int(call.run.now * _NANO)  # text: ours
        self.origin = self.clock
        self.day_start = False
        self.syntax = "findutils-default"
        self.has_action = False
        self.test: Test = _true
        self.prepared: list[Callable[[], None]] = []  # looked at once the whole expression has been read
        self.on_leave: list[Callable[[], None]] = []
        self.on_end: list[Callable[[], None]] = []
        self.pieces: list[str] = []
        self.invocations = 0

    def flush(self) -> None:
        """Hand on what actions have printed."""
        pieces = self.pieces
        if pieces:
            text = "".join(pieces)
            pieces.clear()
            self.call.write(encode(text))

    def left(self) -> None:
        """The walk goes from one directory to another: what -execdir ... + has gathered is run."""
        for action in self.on_leave:
            action()

    def end(self) -> None:
        """The walk is over: what was gathered is run, what was printed goes out."""
        for action in self.on_end:
            action()
        self.flush()


def _true(visit: Visit) -> bool:
    return True
