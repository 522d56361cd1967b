"""awk's built-in functions, each compiled with its arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rshell.builtins.awk import bounds, tree
from rshell.builtins.awk.errors import AwkError, SyntaxFault
from rshell.builtins.awk.runtime import RLENGTH, RSTART, Frame
from rshell.builtins.awk.sorting import ordered
from rshell.builtins.awk.splitting import Splitter, contents, split_with_separators, splitter
from rshell.builtins.awk.substitution import build_gensub, build_gsub, build_sub
from rshell.builtins.awk.times import build_mktime, build_strftime, build_systime
from rshell.builtins.awk.values import UNINIT, Array, StrNum, Value, characters, strnum, to_number

if TYPE_CHECKING:
    from rshell.builtins.awk.compile import Expressions

Build = Callable[["Expressions", tree.BuiltinCall], Any]


@dataclass(frozen=True, slots=True)
class Builtin:
    """A built-in function. kind: what it gives, n number or s text. build: compiles a call."""

    kind: str
    build: Build


# Arithmetic


def _numeric(function: Callable[[float], float]) -> Build:
    def build(compiler: Expressions, node: tree.BuiltinCall) -> Callable[[Frame], float]:
        argument = compiler.number(node.arguments[0])
        return lambda f: function(argument(f))

    return build


def _sin(x: float) -> float:
    return math.sin(x) if x - x == 0.0 else -math.nan


def _cos(x: float) -> float:
    return math.cos(x) if x - x == 0.0 else -math.nan


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _log(x: float) -> float:
    if x > 0.0:
        return math.log(x)
    return -math.inf if x == 0.0 else -math.nan


def _sqrt(x: float) -> float:
    return math.sqrt(x) if x >= 0.0 else -math.nan


def _int(x: float) -> float:
    return float(math.trunc(x)) if x - x == 0.0 else x


def _atan2(compiler: Expressions, node: tree.BuiltinCall) -> Callable[[Frame], float]:
    y, x = compiler.number(node.arguments[0]), compiler.number(node.arguments[1])
    return lambda f: math.atan2(y(f), x(f))


_MULTIPLIER, _INCREMENT, _MASK = 6364136223846793005, 1442695040888963407, (1 << 64) - 1


def _rand(compiler: Expressions, node: tree.BuiltinCall) -> Callable[[Frame], float]:
    """A linear congruence of 64 bits: the same numbers for the same seed, everywhere."""
    runtime = compiler.runtime

    def rand(f: Frame) -> float:
        state = runtime.random = (runtime.random * _MULTIPLIER + _INCREMENT) & _MASK
        return ((state ^ state >> 29) >> 11 & (1 << 53) - 1) / 2.0**53

    return rand


def _srand(compiler: Expressions, node: tree.BuiltinCall) -> Callable[[Frame], float]:
    runtime = compiler.runtime
    given = compiler.number(node.arguments[0]) if node.arguments else None

    def srand(f: Frame) -> float:
        before = runtime.seed
        runtime.seed = given(f) if given is not None else float(int(runtime.call.run.now))  # text: ours
        state = hash(runtime.seed) & _MASK
        for _ in range(4):
            state = ((state ^ state >> 31) * _MULTIPLIER + _INCREMENT) & _MASK
        runtime.random = state
        return before

    return srand


def _whole(value: float, name: str) -> int:
    if not 0.0 <= value < 2.0**53:
        raise AwkError(f"{name}: argument is negative or too large")
    return int(value)  # text: ours


def _bits(apply: Callable[[int, int], int]) -> Build:
    def build(compiler: Expressions, node: tree.BuiltinCall) -> Callable[[Frame], float]:
        arguments = [compiler.number(argument) for argument in node.arguments]
        name = node.name

        def compute(f: Frame) -> float:
            result = _whole(arguments[0](f), name)
            for argument in arguments[1:]:
                result = apply(result, _whole(argument(f), name))
            return float(result)

        return compute

    return build


def _shift_left(a: int, b: int) -> int:
    return a << min(b, 64) & (1 << 53) - 1


def _compl(x: float) -> float:
    return float(~_whole(x, "compl") & (1 << 53) - 1)


_HEX, _OCTAL = b"0123456789abcdefABCDEF", b"01234567"


def _strtonum(compiler: Expressions, node: tree.BuiltinCall) -> Callable[[Frame], float]:
    value = compiler.value(node.arguments[0])

    def strtonum(f: Frame) -> float:
        found = value(f)
        if isinstance(found, float):
            return found
        text = (found.text if isinstance(found, StrNum) else found).lstrip(b" \t\n")
        sign = -1.0 if text[:1] == b"-" else 1.0
        digits = text[1:] if text[:1] in (b"-", b"+") else text
        if digits[:2] in (b"0x", b"0X"):
            return sign * _based(digits[2:], _HEX, 16)
        if digits[:1] == b"0" and b"." not in digits and digits[1:2] and digits[1] in _OCTAL:
            return sign * _based(digits[1:], _OCTAL, 8)
        return to_number(found)

    return strtonum


def _based(digits: bytes, allowed: bytes, base: int) -> float:
    end = len(digits) - len(digits.lstrip(allowed))
    return float(int(digits[: min(end, 200)], base)) if end else 0.0  # text: ours (matched as digits)


# Text


def _length(compiler: Expressions, node: tree.BuiltinCall) -> Callable[[Frame], float]:
    runtime = compiler.runtime
    if not node.arguments:
        return lambda f: float(characters(runtime.line()))
    argument = node.arguments[0]
    if isinstance(argument, tree.Name):
        if compiler.scope.is_array(compiler.function, argument.name):
            array = compiler.array(argument.name)
            return lambda f: float(len(array(f)))
        local, index = compiler.place(argument.name)
        if local:

            def length(f: Frame) -> float:
                value = f[index]
                return float(len(value) if isinstance(value, Array) else characters(runtime.text(value)))

            return length
    text = compiler.text(argument)
    return lambda f: float(characters(text(f)))


def _index(compiler: Expressions, node: tree.BuiltinCall) -> Callable[[Frame], float]:
    text, part = compiler.text(node.arguments[0]), compiler.text(node.arguments[1])

    def index(f: Frame) -> float:
        subject = text(f)
        wanted = part(f)
        at = compiler.folded(subject).find(compiler.folded(wanted))
        return 0.0 if at < 0 else float(characters(subject[:at]) + 1)

    return index


def _substr(compiler: Expressions, node: tree.BuiltinCall) -> Callable[[Frame], bytes]:
    text, start = compiler.text(node.arguments[0]), compiler.number(node.arguments[1])
    length = compiler.number(node.arguments[2]) if len(node.arguments) == 3 else None
    most = 2.0 * bounds.STRINGS

    def substr(f: Frame) -> bytes:
        subject = text(f)
        first = start(f)
        begin = int(min(max(first, 1.0), most)) - 1 if first == first else 0  # text: ours
        if length is None:
            end = None
        else:
            count = length(f)
            if not count >= 1.0:
                return b""
            end = begin + int(min(count, most))  # text: ours
        if subject.isascii():
            return subject[begin:end]
        return subject.decode("utf-8", "surrogateescape")[begin:end].encode("utf-8", "surrogateescape")

    return substr


def _cased(upper: bool) -> Build:
    def build(compiler: Expressions, node: tree.BuiltinCall) -> Callable[[Frame], bytes]:
        text = compiler.text(node.arguments[0])

        def cased(f: Frame) -> bytes:
            subject = text(f)
            if subject.isascii():
                return subject.upper() if upper else subject.lower()
            wide = subject.decode("utf-8", "surrogateescape")
            # one character for one, as towupper(3): ß stays
            changed = [c.upper() if upper else c.lower() for c in wide]
            joined = "".join([n if len(n) == 1 else c for n, c in zip(changed, wide, strict=True)])
            return joined.encode("utf-8", "surrogateescape")

        return cased

    return build


def _sprintf(compiler: Expressions, node: tree.BuiltinCall) -> Callable[[Frame], bytes]:
    from rshell.builtins.awk.statements import Statements

    assert isinstance(compiler, Statements)
    return compiler.formatted(node.arguments)


def _match(compiler: Expressions, node: tree.BuiltinCall) -> Callable[[Frame], float]:
    runtime = compiler.runtime
    space = runtime.globals
    text, pattern = compiler.text(node.arguments[0]), compiler.pattern(node.arguments[1])
    array = _array(compiler, node, 2)

    def match(f: Frame) -> float:
        subject = text(f)
        expression = pattern(f)
        groups = expression.groups(subject) if array is not None else None
        found = expression.search(subject) if array is None else groups[0] if groups else None
        if array is not None:
            elements = array(f)
            runtime.elements -= len(elements)
            elements.clear()
            for number, (start, end) in enumerate(groups or ()):
                if start >= 0:
                    _put(runtime, elements, b"%d" % number, strnum(subject[start:end]))
                    place = b"%d%s" % (number, runtime.subsep)
                    _put(runtime, elements, place + b"start", float(characters(subject[:start]) + 1))
                    _put(runtime, elements, place + b"length", float(characters(subject[start:end])))
        if found is None:
            space[RSTART], space[RLENGTH] = 0.0, -1.0
            return 0.0
        first = float(characters(subject[: found[0]]) + 1)
        space[RSTART], space[RLENGTH] = first, float(characters(subject[found[0] : found[1]]))
        return first

    return match


def _put(runtime: Any, elements: Array, key: bytes, value: Value) -> None:
    runtime.grow()
    elements[key] = value


def _array(compiler: Expressions, node: tree.BuiltinCall, position: int) -> Callable[[Frame], Array] | None:
    if position >= len(node.arguments):
        return None
    argument = node.arguments[position]
    if not isinstance(argument, tree.Name):
        raise SyntaxFault(node.line, f"{node.name}: argument {position + 1} must be an array")
    return compiler.array(argument.name)


def _fill(runtime: Any, elements: Array, values: list[bytes], first: int = 1) -> None:
    """Make values the elements of an array, numbered from first."""
    runtime.elements += len(values) - len(elements)
    elements.clear()
    if runtime.elements > bounds.ELEMENTS:
        runtime.elements -= len(values)
        raise AwkError(f"too many array elements ({bounds.ELEMENTS} at most)")
    for number, value in enumerate(values, first):
        elements[b"%d" % number] = strnum(value)
    runtime.weigh(sum(map(len, values)))


def _split(compiler: Expressions, node: tree.BuiltinCall) -> Callable[[Frame], float]:
    runtime = compiler.runtime
    text, array, separators = compiler.text(node.arguments[0]), _array(compiler, node, 1), _array(compiler, node, 3)
    assert array is not None
    choose = _separator(compiler, node)

    def split(f: Frame) -> float:
        subject = text(f)
        divide = choose(f)
        fields = divide(subject)
        elements = array(f)
        if separators is not None:
            between: list[bytes] = []
            at = 0
            for field in fields:
                found = subject.find(field, at)
                between.append(subject[at:found])
                at = found + len(field)
            between.append(subject[at:])
            blank = fields and (between[0] or between[-1])
            if blank:
                kept = dict(enumerate(between))
                _fill(runtime, separators(f), [])
                for number, value in kept.items():
                    if 0 < number < len(between) - 1 or value:
                        _put(runtime, separators(f), b"%d" % number, value)
            else:
                _fill(runtime, separators(f), between[1:-1])
        _fill(runtime, elements, fields)
        return float(len(fields))

    return split


def _separator(compiler: Expressions, node: tree.BuiltinCall) -> Callable[[Frame], Splitter]:
    runtime = compiler.runtime
    given = node.arguments[2] if len(node.arguments) > 2 else None
    while isinstance(given, tree.Grouping):
        given = given.inner
    if isinstance(given, tree.Regex):
        pattern = compiler.pattern(given)

        def by_pattern(f: Frame) -> Splitter:
            expression = pattern(f)
            return lambda text: split_with_separators(text, expression)[0]

        return by_pattern
    kept: dict[tuple[bytes, bool], Splitter] = {}
    separator = compiler.text(given or tree.Name("FS"))

    def by_text(f: Frame) -> Splitter:
        text = separator(f)
        key = text, runtime.patterns.ignore_case
        found = kept.get(key)
        if found is None:
            if len(kept) > 20:
                kept.clear()
            found = kept[key] = splitter(text, runtime.patterns)
        return found

    return by_text


def _patsplit(compiler: Expressions, node: tree.BuiltinCall) -> Callable[[Frame], float]:
    runtime = compiler.runtime
    text, array, separators = compiler.text(node.arguments[0]), _array(compiler, node, 1), _array(compiler, node, 3)
    assert array is not None
    pattern = compiler.pattern(node.arguments[2] if len(node.arguments) > 2 else tree.Name("FPAT"))

    def patsplit(f: Frame) -> float:
        fields, around = contents(text(f), pattern(f))
        _fill(runtime, array(f), fields)
        if separators is not None:
            _fill(runtime, separators(f), around, 0)
        return float(len(fields))

    return patsplit


# Arrays


def _sorted(by_value: bool) -> Build:
    def build(compiler: Expressions, node: tree.BuiltinCall) -> Callable[[Frame], float]:
        runtime = compiler.runtime
        source = _array(compiler, node, 0)
        assert source is not None
        target = _array(compiler, node, 1) or source
        how = compiler.text(node.arguments[2]) if len(node.arguments) > 2 else None
        usual = b"@val_type_asc" if by_value else b"@ind_str_asc"

        def arrange(f: Frame) -> float:
            items = ordered(runtime, list(source(f).items()), how(f) if how is not None else usual)
            elements = target(f)
            runtime.elements += len(items) - len(elements)
            if runtime.elements > bounds.ELEMENTS:
                raise AwkError(f"too many array elements ({bounds.ELEMENTS} at most)")
            elements.clear()
            for number, (key, value) in enumerate(items, 1):
                elements[b"%d" % number] = value if by_value else key
            return float(len(items))

        return arrange

    return build


def _type_name(compiler: Expressions, node: tree.BuiltinCall) -> Callable[[Frame], bytes]:
    argument = node.arguments[0]
    if isinstance(argument, tree.Name) and compiler.scope.is_array(compiler.function, argument.name):
        return lambda f: b"array"
    if isinstance(argument, tree.Regex):
        return lambda f: b"regexp"
    raw = _raw(compiler, argument)

    def type_name(f: Frame) -> bytes:
        value = raw(f)
        if value is UNINIT:
            return b"unassigned" if isinstance(argument, tree.Field) else b"untyped"
        if isinstance(value, Array):
            return b"array"
        if isinstance(value, StrNum):
            return b"strnum"
        return b"number" if isinstance(value, float) else b"string"

    return type_name


def _is_array(compiler: Expressions, node: tree.BuiltinCall) -> Callable[[Frame], float]:
    raw = _raw(compiler, node.arguments[0])
    return lambda f: 1.0 if isinstance(raw(f), Array) else 0.0


def _raw(compiler: Expressions, argument: tree.Expression) -> Callable[[Frame], object]:
    if isinstance(argument, tree.Name):
        if compiler.scope.is_array(compiler.function, argument.name):
            return compiler.array(argument.name)
        local, index = compiler.place(argument.name)
        if local:
            return lambda f: f[index]
    return compiler.value(argument)


def _fflush(compiler: Expressions, node: tree.BuiltinCall) -> Callable[[Frame], float]:
    runtime = compiler.runtime
    name = compiler.text(node.arguments[0]) if node.arguments else None

    def fflush(f: Frame) -> float:
        known = name is None or name(f) in (b"", b"/dev/stdout", b"/dev/stderr")
        runtime.flush()
        return 0.0 if known else -1.0

    return fflush


BUILTINS: dict[str, Builtin] = {
    "atan2": Builtin("n", _atan2), "cos": Builtin("n", _numeric(_cos)), "sin": Builtin("n", _numeric(_sin)),
    "exp": Builtin("n", _numeric(_exp)), "log": Builtin("n", _numeric(_log)), "sqrt": Builtin("n", _numeric(_sqrt)),
    "int": Builtin("n", _numeric(_int)), "rand": Builtin("n", _rand), "srand": Builtin("n", _srand),
    "length": Builtin("n", _length), "index": Builtin("n", _index), "substr": Builtin("s", _substr),
    "split": Builtin("n", _split), "patsplit": Builtin("n", _patsplit), "sub": Builtin("n", build_sub),
    "gsub": Builtin("n", build_gsub), "gensub": Builtin("s", build_gensub), "match": Builtin("n", _match),
    "sprintf": Builtin("s", _sprintf), "tolower": Builtin("s", _cased(False)), "toupper": Builtin("s", _cased(True)),
    "fflush": Builtin("n", _fflush), "strftime": Builtin("s", build_strftime), "systime": Builtin("n", build_systime),
    "mktime": Builtin("n", build_mktime), "asort": Builtin("n", _sorted(True)), "asorti": Builtin("n", _sorted(False)),
    "strtonum": Builtin("n", _strtonum), "and": Builtin("n", _bits(lambda a, b: a & b)),
    "or": Builtin("n", _bits(lambda a, b: a | b)), "xor": Builtin("n", _bits(lambda a, b: a ^ b)),
    "lshift": Builtin("n", _bits(_shift_left)), "rshift": Builtin("n", _bits(lambda a, b: a >> min(b, 64))),
    "compl": Builtin("n", _numeric(_compl)), "typeof": Builtin("s", _type_name), "isarray": Builtin("n", _is_array),
}  # fmt: skip
