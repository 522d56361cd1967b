"""Values of jq: their types, order, equality, arithmetic, and how errors show them.

A value is None, bool, int, float, str, list or dict, as the json module has them. Values are never changed
once built. Integers are exact while they are literals or stay within 2^53; beyond that arithmetic is that of
doubles.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rshell.builtins.jq import bounds
from rshell.builtins.jq.errors import JqError, TooMuch
from rshell.builtins.jq.output import compact

if TYPE_CHECKING:
    from collections.abc import Callable

EXACT = 2**53
MAX_DOUBLE = 1.7976931348623157e308
_NAMES = {
    type(None): "null", bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object",
}  # fmt: skip
_RANKS = {type(None): 0, int: 3, float: 3, str: 4, list: 5, dict: 6}
_SHOWN = 14  # bytes of a value in an error message


def type_name(value: Any) -> str:
    """What `type` gives."""
    return _NAMES[value.__class__]


def is_number(value: Any) -> bool:
    """True for int and float, not for booleans."""
    return value.__class__ is int or value.__class__ is float


def shown(value: Any) -> str:
    """A value in an error message: its text, cut to a few bytes as jq does."""
    data = compact(value).encode("utf-8", "replace")
    if len(data) <= _SHOWN:
        return data.decode("utf-8", "replace")
    return data[: _SHOWN - 3].decode("utf-8", "ignore") + "..."


def described(value: Any) -> str:
    """`type (value)`"""
    return f"{type_name(value)} ({shown(value)})"


def to_double(value: int | float) -> float:
    """The double of a number."""
    try:
        return float(value)  # text: ours
    except OverflowError:
        return MAX_DOUBLE if value > 0 else -MAX_DOUBLE


def normal(value: float) -> int | float:
    """A double as a number: an int where it is a whole one within 2^53 (but for -0)."""
    if -EXACT <= value <= EXACT:
        whole = int(value)  # text: ours
        if value == whole and (whole or math.copysign(1.0, value) > 0):
            return whole
    return value


def truthy(value: Any) -> bool:
    """All but null and false."""
    return value is not None and value is not False


# Order


def order_key(value: Any) -> Any:
    """A key that sorts values as jq orders them."""
    return _key(value, [2_000_000])


def _key(value: Any, left: list[int]) -> Any:
    kind = value.__class__
    if kind is str:
        return (4, value)
    if kind is int:
        return (3, value)
    if kind is float:
        return (3, value) if value == value else (2,)
    if kind is bool:
        return (1, value)
    if value is None:
        return (0,)
    left[0] -= len(value)
    if left[0] < 0:
        raise TooMuch("value too large to compare")
    if kind is list:
        return (5, [_key(item, left) for item in value])
    names = sorted(value)
    return (6, names, [_key(value[name], left) for name in names])


def sort_keys(values: list[Any]) -> list[Any]:
    """order_key of each; of strings alone, or whole numbers alone, they are their own."""
    kinds = {value.__class__ for value in values}
    if kinds in ({str}, {int}):
        return values
    return [order_key(value) for value in values]


def equal(left: Any, right: Any) -> bool:
    """jq's ==."""
    kind = left.__class__
    if kind is not right.__class__:
        return {kind, right.__class__} == {int, float} and left == right
    if kind is list or kind is dict:
        return _same(left, right, [2_000_000])
    return bool(left == right)


def _same(left: Any, right: Any, remaining: list[int]) -> bool:
    if len(left) != len(right):
        return False
    remaining[0] -= len(left) + 1
    if remaining[0] < 0:
        raise TooMuch("value too large to compare")
    if left.__class__ is list:
        pairs = zip(left, right, strict=True)
    else:
        if left.keys() != right.keys():
            return False
        pairs = zip(left.values(), [right[name] for name in left], strict=True)
    for one, other in pairs:
        kind = one.__class__
        if kind is not other.__class__:
            if {kind, other.__class__} != {int, float} or one != other:
                return False
        elif kind is list or kind is dict:
            if not _same(one, other, remaining):
                return False
        elif one != other:
            return False
    return True


def less(left: Any, right: Any) -> bool:
    """jq's <."""
    kind, other = left.__class__, right.__class__
    if (kind is str and other is str) or (kind is int and other is int):
        return bool(left < right)
    if left != left and is_number(right):
        return True  # nan is below every number, itself too
    return bool(order_key(left) < order_key(right))


def not_equal(left: Any, right: Any) -> bool:
    """jq's !=."""
    return not equal(left, right)


def less_equal(left: Any, right: Any) -> bool:
    """jq's <=."""
    return not greater(left, right)


def greater(left: Any, right: Any) -> bool:
    """jq's >."""
    return less(right, left) if left == left or not is_number(right) else False


def greater_equal(left: Any, right: Any) -> bool:
    """jq's >=."""
    return not less(left, right)


# Arithmetic


def _grown(size: int) -> None:
    if size > bounds.RETAINED:
        raise TooMuch(f"values too large ({bounds.RETAINED} bytes at most)")


def add(left: Any, right: Any) -> Any:
    """jq's +."""
    kind, other = left.__class__, right.__class__
    if kind is int and other is int:
        result = left + right
        return result if -EXACT <= result <= EXACT else to_double(left) + to_double(right)
    if left is None:
        return right
    if right is None:
        return left
    if (kind is int or kind is float) and (other is int or other is float):
        return normal(to_double(left) + to_double(right))
    if kind is other:
        if kind is str:
            _grown(len(left) + len(right))
            return left + right
        if kind is list:
            _grown((len(left) + len(right)) * bounds.CELL)
            return left + right
        if kind is dict:
            return {**left, **right}
    raise JqError(f"{described(left)} and {described(right)} cannot be added")


def subtract(left: Any, right: Any) -> Any:
    """jq's -."""
    kind, other = left.__class__, right.__class__
    if kind is int and other is int:
        result = left - right
        return result if -EXACT <= result <= EXACT else to_double(left) - to_double(right)
    if (kind is int or kind is float) and (other is int or other is float):
        return normal(to_double(left) - to_double(right))
    if kind is list and other is list:
        if len(right) > 8 and {item.__class__ for item in right} == {str}:
            names = set(right)
            return [item for item in left if item.__class__ is not str or item not in names]
        return [item for item in left if not any(equal(item, gone) for gone in right)]
    raise JqError(f"{described(left)} and {described(right)} cannot be subtracted")


def multiply(left: Any, right: Any) -> Any:
    """jq's *."""
    kind, other = left.__class__, right.__class__
    if kind is int and other is int:
        result = left * right
        return result if -EXACT <= result <= EXACT else _product(left, right)
    if (kind is int or kind is float) and (other is int or other is float):
        return normal(_product(left, right))
    if kind is str and is_number(right):
        return _repeat(left, right)
    if other is str and is_number(left):
        return _repeat(right, left)
    if kind is dict and other is dict:
        return _merge(left, right, [1_000_000])
    raise JqError(f"{described(left)} and {described(right)} cannot be multiplied")


def _product(left: int | float, right: int | float) -> float:
    return to_double(left) * to_double(right)


def _repeat(text: str, count: int | float) -> str | None:
    if not count > 0:
        return None
    if text and count * len(text) > bounds.RETAINED:
        raise TooMuch(f"values too large ({bounds.RETAINED} bytes at most)")
    return text * max(1, int(count)) if text else text  # text: ours


def _merge(left: dict[str, Any], right: dict[str, Any], remaining: list[int]) -> dict[str, Any]:
    remaining[0] -= len(left) + len(right) + 1
    if remaining[0] < 0:
        raise TooMuch("value too large to merge")
    merged = dict(left)
    for name, value in right.items():
        before = merged.get(name)
        if value.__class__ is dict and before.__class__ is dict:
            value = _merge(before, value, remaining)
        merged[name] = value
    return merged


def divide(left: Any, right: Any) -> Any:
    """jq's /."""
    if is_number(left) and is_number(right):
        if right == 0:
            raise JqError(f"{described(left)} and {described(right)} cannot be divided because the divisor is zero")
        try:
            return normal(to_double(left) / to_double(right))
        except OverflowError:
            return math.inf
    if left.__class__ is str and right.__class__ is str:
        return split(left, right)
    raise JqError(f"{described(left)} and {described(right)} cannot be divided")


def split(text: str, separator: str) -> list[str]:
    """Cut a string at a separator; an empty one gives its characters."""
    if not text:
        return []
    return text.split(separator) if separator else list(text)


def remainder(left: Any, right: Any) -> Any:
    """jq's %: of the whole parts, with the sign of the dividend."""
    if is_number(left) and is_number(right):
        if left != left or right != right:
            return math.nan
        whole, by = _truncated(left), abs(_truncated(right))
        if by == 0:
            raise JqError(
                f"{described(left)} and {described(right)} cannot be divided (remainder) because the divisor is zero"
            )
        result = abs(whole) % by
        return -result if whole < 0 and result else result
    raise JqError(f"{described(left)} and {described(right)} cannot be divided (remainder)")


def _truncated(value: int | float) -> int:
    if abs(value) >= 2**63:
        return 2**63 - 1 if value > 0 else -(2**63)
    return int(value)  # text: ours


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": add, "-": subtract, "*": multiply, "/": divide, "%": remainder,
    "==": equal, "!=": not_equal, "<": less, "<=": less_equal, ">": greater, ">=": greater_equal,
}  # fmt: skip


# Access


def field(value: Any, name: str) -> Any:
    """`.name`"""
    if value.__class__ is dict:
        return value.get(name)
    if value is None:
        return None
    raise JqError(f'Cannot index {type_name(value)} with string "{name}"')


def index(value: Any, key: Any) -> Any:
    """`.[key]`"""
    kind, key_kind = value.__class__, key.__class__
    if kind is dict and key_kind is str:
        return value.get(key)
    if kind is list:
        if key_kind is int or key_kind is float:
            if key != key:
                return None
            at = math.floor(key) if abs(key) < EXACT else -EXACT
            at += len(value) if at < 0 else 0
            return value[at] if 0 <= at < len(value) else None
        if key_kind is list:
            return indices(value, key)
        if key_kind is dict:
            return sliced(value, key.get("start"), key.get("end"))
    elif value is None:
        if key_kind in (str, int, float, dict) or key is None:
            return None
    elif kind is str and key_kind is dict:
        return sliced(value, key.get("start"), key.get("end"))
    if key_kind is str:
        raise JqError(f'Cannot index {type_name(value)} with string "{key}"')
    raise JqError(f"Cannot index {type_name(value)} with {type_name(key)}")


def sliced(value: Any, low: Any, high: Any) -> Any:
    """`.[low:high]`"""
    if value is None:
        return None
    if value.__class__ is not list and value.__class__ is not str:
        raise JqError(f"Cannot index {type_name(value)} with object")
    start, stop = slice_bounds(len(value), low, high)
    return value[start:stop]


def slice_bounds(length: int, low: Any, high: Any) -> tuple[int, int]:
    """Where a slice of something that long starts and ends."""
    if not (low is None or is_number(low)) or not (high is None or is_number(high)):
        raise JqError("Start and end indices of an array slice must be numbers")
    start = 0 if low is None or low != low else low
    stop = length if high is None or high != high else high
    start = start + length if start < 0 else start
    stop = stop + length if stop < 0 else stop
    start = min(max(start, 0), length)
    stop = min(max(stop, start), length)
    return math.floor(start), math.ceil(stop)


def elements(value: Any) -> list[Any]:
    """What `.[]` gives."""
    if value.__class__ is list:
        return value
    if value.__class__ is dict:
        return list(value.values())
    raise JqError(f"Cannot iterate over {described(value)}")


def indices(value: list[Any], wanted: list[Any]) -> list[int] | None:
    """Where a list stands in another."""
    if not wanted:
        return None
    first, length = wanted[0], len(wanted)
    return [
        at
        for at in range(len(value) - length + 1)
        if equal(value[at], first) and all(equal(value[at + i], wanted[i]) for i in range(1, length))
    ]


def set_index(value: Any, key: Any, new: Any) -> Any:
    """value with another value at key: a copy."""
    kind, key_kind = value.__class__, key.__class__
    if key_kind is str and (kind is dict or value is None):
        return {**value, key: new} if value else {key: new}
    if (key_kind is int or key_kind is float) and (kind is list or value is None):
        items = list(value or ())
        at = 0 if key != key else math.floor(key) if abs(key) < EXACT else EXACT
        if at < 0:
            at += len(items)
            if at < 0:
                raise JqError("Out of bounds negative array index")
        if at >= len(items):
            if (at + 1) * bounds.CELL > bounds.RETAINED:
                raise JqError("Array index too large")
            items.extend([None] * (at + 1 - len(items)))
        items[at] = new
        return items
    if key_kind is dict and (kind is list or value is None):
        if new.__class__ is not list:
            raise JqError("A slice of an array can only be assigned another array")
        items = list(value or ())
        start, stop = slice_bounds(len(items), key.get("start"), key.get("end"))
        items[start:stop] = new
        return items
    if key_kind is dict and kind is not dict:
        raise JqError(f"Cannot update field at object index of {type_name(value)}")
    if key_kind is list and kind is list:
        raise JqError("Cannot update field at array index of array")
    if key_kind is str:
        raise JqError(f'Cannot index {type_name(value)} with string "{key}"')
    raise JqError(f"Cannot index {type_name(value)} with {type_name(key)}")


def get_path(value: Any, path: list[Any] | tuple[Any, ...]) -> Any:
    """getpath: null where nothing is."""
    for key in path:
        if value is None:
            return None
        value = index(value, key)
    return value


def set_path(value: Any, path: list[Any] | tuple[Any, ...], new: Any) -> Any:
    """setpath."""
    trail = []
    for key in path:
        trail.append(value)
        value = index(value, key)
    for key in reversed(path):
        new = set_index(trail.pop(), key, new)
    return new


def delete_paths(value: Any, paths: list[Any]) -> Any:
    """delpaths: the last first, so that positions hold."""
    for path in sorted(paths, key=order_key, reverse=True):
        if not path:
            return None
        value = _delete(value, path, 0)
    return value


def _delete(value: Any, path: list[Any], at: int) -> Any:
    if value is None:
        return None
    key = path[at]
    if at + 1 < len(path):
        inner = index(value, key)
        return value if inner is None else set_index(value, key, _delete(inner, path, at + 1))
    kind, key_kind = value.__class__, key.__class__
    if kind is dict and key_kind is str:
        return {name: item for name, item in value.items() if name != key} if key in value else value
    if kind is list and key_kind in (int, float):
        place = math.floor(key) if abs(key) < EXACT else EXACT
        place += len(value) if place < 0 else 0
        return value[:place] + value[place + 1 :] if 0 <= place < len(value) else value
    if kind is list and key_kind is dict:
        start, stop = slice_bounds(len(value), key.get("start"), key.get("end"))
        return value[:start] + value[stop:]
    if kind is dict:
        raise JqError(f"Cannot delete {type_name(key)} field of object")
    if kind is list:
        raise JqError(f"Cannot delete {type_name(key)} element of array")
    raise JqError(f"Cannot delete fields from {type_name(value)}")
