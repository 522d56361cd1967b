"""Scripts that look at each line alone, done on whole blocks of lines."""
from __future__ import annotations
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from collections.abc import Callable
    from rshell.builtins.sed.script import Script
def block_plan(script: Script, *, quiet: bool) -> Callable[[bytes], bytes] | None:
    return None
