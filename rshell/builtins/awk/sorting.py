"""Orders of array elements: PROCINFO["sorted_in"], asort and asorti."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rshell.builtins.awk.errors import AwkError
from rshell.builtins.awk.values import UNINIT, Array, StrNum, Value, number_of, to_number

if TYPE_CHECKING:
    from rshell.builtins.awk.runtime import Runtime

Item = tuple[bytes, Value]


def _by_type(value: Value) -> tuple[int, Any]:
    """Numbers before texts."""
    if isinstance(value, float):
        return 0, value
    if isinstance(value, StrNum) and value is not UNINIT:
        return 0, value.number
    return (0, 0.0) if value is UNINIT else (1, value)


def _keys(runtime: Runtime) -> dict[str, Callable[[Item], Any]]:
    return {
        "@ind_str": lambda item: item[0],
        "@ind_num": lambda item: (number_of(item[0]), item[0]),
        "@val_str": lambda item: (runtime.text(item[1]), item[0]),
        "@val_num": lambda item: (to_number(item[1]), item[0]),
        "@val_type": lambda item: (*_by_type(item[1]), item[0]),
    }


def order(runtime: Runtime, elements: Array, how: bytes) -> list[bytes]:
    """The subscripts in an order: @ind_str_asc and its kin; @unsorted is the order in which they were made."""
    return [key for key, _ in ordered(runtime, list(elements.items()), how)]


def ordered(runtime: Runtime, items: list[Item], how: bytes) -> list[Item]:
    """Items in an order."""
    name = how.decode("latin-1")
    if name in ("@unsorted", ""):
        return items
    by, _, direction = name.rpartition("_")
    key = _keys(runtime).get(by)
    if key is None or direction not in ("asc", "desc"):
        raise AwkError(f"order {name} is not supported: use @ind_str_asc, @ind_num_asc, @val_str_asc, @val_num_asc, …")
    runtime.check()
    items.sort(key=key, reverse=direction == "desc")
    runtime.check()
    return items
