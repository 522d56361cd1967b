"""Import beforehand what scripts can need: under a policy that grants writing nothing is imported while one runs.

A script that can write `zstandard.py` where Python looks for modules would run it at the next late import.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING

from rshell.builtins import registry
from rshell.host import load_all

if TYPE_CHECKING:
    from collections.abc import Iterable

# what the interpreter and many commands import late, to start sooner
_SHARED = ("rshell.features", "rshell.interp", "rshell.sandbox", "rshell.syntax")


def preload(commands: Iterable[str]) -> None:
    """Import the named commands, all that stands beside them, and what their declarations ask for."""
    load_all()
    commands = list(commands)
    if "journalctl" in commands:
        _whole("rshell.journal")
        from rshell.journal.compression import preload as load_decompressors

        load_decompressors()
    for package in _SHARED:
        _whole(package)
    own = set(registry.MODULES.values())
    import rshell.builtins as builtins

    for info in pkgutil.iter_modules(builtins.__path__):
        if info.name not in own:  # a module that commands share
            import_module(f"rshell.builtins.{info.name}")
    for name in commands:
        command = registry.find(name)
        _whole(f"rshell.builtins.{registry.MODULES[name]}")
        if command is not None and command.preload is not None:
            command.preload()


def _whole(name: str) -> None:
    """Import a module, and if it is a package everything in it."""
    module = import_module(name)
    for info in pkgutil.iter_modules(getattr(module, "__path__", ())):
        _whole(f"{name}.{info.name}")
