"""The functions of mathematics, as C's library has them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rshell.builtins.jq.errors import JqError
from rshell.builtins.jq.registry import function
from rshell.builtins.jq.values import described, is_number, normal, to_double

if TYPE_CHECKING:
    from collections.abc import Callable


def _number(value: Any) -> float:
    if not is_number(value):
        raise JqError(f"{described(value)} number required")
    return to_double(value)


def _guarded(body: Callable[..., float], *given: float) -> int | float:
    """C gives infinities and nan where Python raises."""
    try:
        return normal(body(*given))
    except OverflowError:
        return math.inf
    except ValueError:
        return math.nan


def _rounded(value: float, how: Callable[[float], float]) -> float:
    if math.isinf(value) or math.isnan(value) or abs(value) >= 2**53:
        return value
    return math.copysign(float(how(value)), value)  # text: ours


def _away(value: float) -> float:
    return math.floor(abs(value) + 0.5) * (1 if value > 0 else -1)


def _logarithm(body: Callable[[float], float]) -> Callable[[float], float]:
    return lambda value: -math.inf if value == 0 else body(value)


def _significand(value: float) -> float:
    return value if value == 0 or math.isinf(value) else math.frexp(value)[0] * 2


def _logb(value: float) -> float:
    return -math.inf if value == 0 else math.inf if math.isinf(value) else math.frexp(value)[1] - 1


def _power(value: float, exponent: float) -> float:
    try:
        result = value**exponent
    except ZeroDivisionError:
        return math.inf
    return math.nan if isinstance(result, complex) else result


def _cbrt(value: float) -> float:
    return math.cbrt(value)


def _gamma(value: float) -> float:
    return math.lgamma(value) if not (value <= 0 and value == math.floor(value)) else math.inf


def _tgamma(value: float) -> float:
    return math.inf if value == 0 else math.gamma(value)


_ONE: dict[str, Callable[[float], float]] = {
    "floor": lambda v: _rounded(v, math.floor), "ceil": lambda v: _rounded(v, math.ceil),
    "round": lambda v: _rounded(v, _away), "trunc": lambda v: _rounded(v, math.trunc),
    "rint": lambda v: _rounded(v, round), "nearbyint": lambda v: _rounded(v, round), "sqrt": math.sqrt,
    "fabs": math.fabs, "exp": math.exp, "exp2": lambda v: 2.0**v, "exp10": lambda v: 10.0**v, "expm1": math.expm1,
    "log": _logarithm(math.log), "log2": _logarithm(math.log2), "log10": _logarithm(math.log10), "log1p": math.log1p,
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh, "asinh": math.asinh, "acosh": math.acosh,
    "atanh": math.atanh, "cbrt": _cbrt, "significand": _significand, "logb": _logb, "gamma": _gamma,
    "lgamma": _gamma, "lgamma_r": _gamma, "tgamma": _tgamma, "pow10": lambda v: 10.0**v,
}  # fmt: skip
_TWO: dict[str, Callable[[float, float], float]] = {
    "pow": _power, "atan2": math.atan2, "fmod": math.fmod, "hypot": math.hypot, "copysign": math.copysign,
    "drem": math.remainder, "ldexp": lambda a, b: math.ldexp(a, int(max(-5000, min(b, 5000)))),  # text: ours
    "scalb": lambda a, b: a * 2.0**b, "scalbln": lambda a, b: a * 2.0**b, "nextafter": math.nextafter,
    "nexttoward": math.nextafter, "fmin": lambda a, b: b if a != a else a if b != b else min(a, b),
    "fmax": lambda a, b: b if a != a else a if b != b else max(a, b), "fdim": lambda a, b: max(a - b, 0.0),
}  # fmt: skip


def _declare() -> None:
    for name, body in _ONE.items():
        function(name)(lambda value, body=body: _guarded(body, _number(value)))
    for name, two in _TWO.items():
        function(name, 2)(lambda _, a, b, two=two: _guarded(two, _number(a), _number(b)))


_declare()


@function("fma", 3)
def fma(_: Any, a: Any, b: Any, c: Any) -> Any:
    return _guarded(lambda x, y, z: x * y + z, _number(a), _number(b), _number(c))


@function("frexp")
def frexp(value: Any) -> list[Any]:
    mantissa, exponent = math.frexp(_number(value))
    return [normal(mantissa), exponent]


@function("modf")
def modf(value: Any) -> list[Any]:
    fraction, whole = math.modf(_number(value))
    return [normal(fraction), normal(whole)]


@function("isinfinite")
def isinfinite(value: Any) -> bool:
    return math.isinf(_number(value))


@function("isnan")
def isnan(value: Any) -> bool:
    return math.isnan(_number(value))


@function("isnormal")
def isnormal(value: Any) -> bool:
    number = abs(_number(value))
    return 2.2250738585072014e-308 <= number < math.inf
