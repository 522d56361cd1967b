"""The functions that are built in, by name and number of arguments.

FUNCTIONS: Python functions of the input and the values of the arguments. SPECIALS: functions that get the
compiler and the arguments' trees. library(): the rest, written in jq.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from rshell.builtins.jq.code import Code
    from rshell.builtins.jq.tree import Function

FUNCTIONS: dict[tuple[str, int], tuple[Callable[..., Any], bool]] = {}
SPECIALS: dict[tuple[str, int], Callable[..., Code]] = {}
PLACES: dict[tuple[str, int], Callable[..., Any]] = {}  # of SPECIALS, those that work in path mode


def function(name: str, arity: int = 0, *, machine: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a function of values; with machine it gets the machine first."""

    def declare(body: Callable[..., Any]) -> Callable[..., Any]:
        FUNCTIONS[name, arity] = (body, machine)
        return body

    return declare


def special(name: str, *arities: int) -> Callable[[Callable[..., Code]], Callable[..., Code]]:
    """Declare a function of the compiler, the arguments' trees and the scope."""

    def declare(body: Callable[..., Code]) -> Callable[..., Code]:
        for arity in arities:
            SPECIALS[name, arity] = body
        return body

    return declare


def places(name: str, *arities: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare how a special function works in path mode."""

    def declare(body: Callable[..., Any]) -> Callable[..., Any]:
        for arity in arities:
            PLACES[name, arity] = body
        return body

    return declare


@lru_cache(1)
def library() -> dict[tuple[str, int], Function]:
    """The functions that are written in jq."""
    from rshell.builtins.jq.library import TEXT
    from rshell.builtins.jq.parser import parse_definitions

    return {(node.name, len(node.parameters)): node for node in parse_definitions(TEXT)}
