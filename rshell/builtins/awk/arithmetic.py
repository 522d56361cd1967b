"""awk's arithmetic on doubles: infinite and not-a-number where C gives them, an error for division by zero."""

from __future__ import annotations

import math
from collections.abc import Callable

from rshell.builtins.awk.errors import AwkError


def power(base: float, exponent: float) -> float:
    """base ^ exponent, as pow(3): infinite or not a number where there is no value."""
    try:
        return math.pow(base, exponent)
    except OverflowError:
        negative = base < 0 and exponent % 2 == 1
        return -math.inf if negative else math.inf
    except ValueError:
        return math.inf if base == 0.0 else -math.nan


def divide(left: float, right: float) -> float:
    """left / right."""
    if right == 0.0:
        raise AwkError("division by zero")
    return left / right


def remainder(left: float, right: float) -> float:
    """left % right, with left's sign."""
    if right == 0.0:
        raise AwkError("division by zero in %")
    if left - left != 0.0:
        return -math.nan
    return math.fmod(left, right)


ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": divide,
    "%": remainder,
    "^": power,
}
