"""true, false and : — the statuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell.builtins.command import Command, Invocation

if TYPE_CHECKING:
    from collections.abc import Callable

TRUE = Command("true", "do nothing, successfully", "true [ARG]...", raw=True, help=False)
COLON = Command(":", "do nothing, successfully", ": [ARG]...", raw=True, help=False)
FALSE = Command("false", "do nothing, unsuccessfully", "false [ARG]...", raw=True, help=False)


@TRUE.main
@COLON.main
def true(call: Invocation) -> int:
    return 0


@FALSE.main
def false(call: Invocation) -> int:
    return 1


@TRUE.fast
@COLON.fast
def quick_true(args: list[str], write: Callable[[bytes], None]) -> int:
    return 0


@FALSE.fast
def quick_false(args: list[str], write: Callable[[bytes], None]) -> int:
    return 1


COMMANDS = {c.name: c for c in (TRUE, COLON, FALSE)}
