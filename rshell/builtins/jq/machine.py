"""What a running program shares: its bounds, its inputs, and where its messages go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rshell.builtins.jq import bounds
from rshell.builtins.jq.errors import TooMuch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import tzinfo

    from rshell.builtins.jq.reader import Reader
    from rshell.builtins.regex import Guard


class Machine:
    """The state of one call of jq.

    inputs: None until the command line is read. say: writes bytes to stderr, in order with the output.
    """

    def __init__(
        self,
        guard: Guard,
        say: Callable[[bytes], None],
        environment: Mapping[str, str],
        now: Callable[[], float],
        zone: Callable[[], tzinfo],
    ) -> None:
        self.guard = guard
        self.check = guard.check
        self.say = say
        self.environment = dict(environment)
        self.now = now
        self.zone = zone
        self.reader: Reader | None = None
        self.next_input: Callable[[], Any] = lambda: None
        self.left = 0
        self.look_at = 0
        self.start()

    def start(self) -> None:
        """A new input, a new budget."""
        self.left = bounds.STEPS
        self.look_at = bounds.STEPS - bounds.STEPS_PER_CLOCK

    def tick(self, steps: int = 1) -> None:
        """Count steps; the clock is read now and then."""
        self.left -= steps
        if self.left < self.look_at:
            if self.left < 0:
                raise TooMuch(f"too many steps ({bounds.STEPS} at most for one input)")
            self.look_at = self.left - bounds.STEPS_PER_CLOCK
            self.check()
