"""Functions of values: types, strings, arrays, objects, conversion, and the world outside."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any

from rshell.builtins.jq import bounds, formats, special, values
from rshell.builtins.jq.decoder import Malformed
from rshell.builtins.jq.errors import Halted, JqError, TooMuch
from rshell.builtins.jq.output import compact
from rshell.builtins.jq.reader import parse_text
from rshell.builtins.jq.registry import function
from rshell.builtins.jq.values import described, is_number, type_name

if TYPE_CHECKING:
    from rshell.builtins.jq.machine import Machine

_UPPER = {code: code - 32 for code in range(97, 123)}
_LOWER = {code: code + 32 for code in range(65, 91)}
_SPACE = " \t\n\r\f\v"

function("type")(type_name)
function("tojson")(compact)
function("tostring")(formats.text)
function("sort")(lambda value: special.sort_by(_array(value, "sorted"), values.sort_keys(value)))
function("min")(lambda value: special.min_by(_compared(value), values.sort_keys(value)))
function("max")(lambda value: special.max_by(_compared(value), values.sort_keys(value)))
function("setpath", 2)(lambda value, path, new: values.set_path(value, _path(path), new))
function("ascii_downcase")(lambda value: _text(value, "ascii_downcase input must be a string").translate(_LOWER))
function("ascii_upcase")(lambda value: _text(value, "ascii_upcase input must be a string").translate(_UPPER))
function("explode")(lambda value: [ord(c) for c in _text(value, "explode input must be a string")])
function("utf8bytelength")(
    lambda value: len(_text(value, f"{described(value)} only strings have UTF-8 byte length").encode())
)
function("infinite")(lambda value: float("inf"))
function("nan")(lambda value: float("nan"))
function("toarray")(lambda value: value if value.__class__ is list else [value])
function("have_literal_numbers")(lambda value: True)
function("have_decnum")(lambda value: False)
function("get_search_list")(lambda value: [])
function("now", machine=True)(lambda machine, value: machine.now())
function("input_line_number", machine=True)(lambda machine, value: machine.reader.line if machine.reader else 0)


def _array(value: Any, what: str) -> list[Any]:
    if value.__class__ is not list:
        raise JqError(f"{described(value)} cannot be {what}, as it is not an array")
    return value


def _compared(value: Any) -> list[Any]:
    if value.__class__ is not list:
        raise JqError(f"{described(value)} and {described(value)} cannot be iterated over")
    return value


def _text(value: Any, message: str) -> str:
    if value.__class__ is not str:
        raise JqError(message)
    return value


def _path(value: Any) -> list[Any]:
    if value.__class__ is not list:
        raise JqError("Path must be specified as an array")
    return value


@function("length")
def length(value: Any) -> Any:
    if value is None:
        return 0
    if value is True or value is False:
        raise JqError(f"{described(value)} has no length")
    return abs(value) if is_number(value) else len(value)


@function("abs")
def absolute(value: Any) -> Any:
    if not is_number(value):
        raise JqError(f"{described(value)} has no absolute value")
    return abs(value) if value < 0 else value


@function("keys")
def keys(value: Any) -> Any:
    return sorted(value) if value.__class__ is dict else keys_unsorted(value)


@function("keys_unsorted")
def keys_unsorted(value: Any) -> Any:
    if value.__class__ is dict:
        return list(value)
    if value.__class__ is list:
        return list(range(len(value)))
    raise JqError(f"{described(value)} has no keys")


@function("has", 1)
def has(value: Any, key: Any) -> bool:
    if value.__class__ is dict and key.__class__ is str:
        return key in value
    if value.__class__ is list and is_number(key):
        return bool(0 <= key < len(value))
    if value is None and (key.__class__ is str or is_number(key)):
        return False
    raise JqError(f"Cannot check whether {type_name(value)} has a {type_name(key)} key")


@function("contains", 1, machine=True)
def contains(machine: Machine, value: Any, part: Any) -> bool:
    machine.tick()
    if value.__class__ is dict and part.__class__ is dict:
        return all(name in value and _contains(machine, value[name], item) for name, item in part.items())
    if value.__class__ is list and part.__class__ is list:
        return all(any(_contains(machine, held, item) for held in value) for item in part)
    if value.__class__ is str and part.__class__ is str:
        return part in value
    if type_name(value) == type_name(part):
        return values.equal(value, part)
    raise JqError(f"{described(value)} and {described(part)} cannot have their containment checked")


def _contains(machine: Machine, value: Any, part: Any) -> bool:
    return type_name(value) == type_name(part) and contains(machine, value, part)


@function("add")
def add(value: Any) -> Any:
    items = values.elements(value)
    if not items:
        return None
    kinds = {item.__class__ for item in items}
    if kinds == {str}:
        return _bounded("".join(items))
    if kinds == {list}:
        if sum(map(len, items)) * bounds.CELL > bounds.RETAINED:
            raise TooMuch(f"values too large ({bounds.RETAINED} bytes at most)")
        return [inner for item in items for inner in item]
    if kinds == {dict}:
        merged: dict[str, Any] = {}
        for item in items:
            merged.update(item)
        return merged
    total = items[0]
    for item in items[1:]:
        total = values.add(total, item)
    return total


def _bounded(text: str) -> str:
    if len(text) > bounds.RETAINED:
        raise TooMuch(f"values too large ({bounds.RETAINED} bytes at most)")
    return text


@function("join", 1)
def join(value: Any, separator: Any) -> Any:
    items = values.elements(value)
    if not items:
        return ""
    pieces = []
    for item in items:
        if item is None:
            pieces.append("")
        elif item.__class__ is str:
            pieces.append(item)
        elif item.__class__ is list or item.__class__ is dict:
            held = ("" if not pieces else separator.join(pieces) + separator) if separator.__class__ is str else ""
            raise JqError(f"{described(held)} and {described(item)} cannot be added")
        else:
            pieces.append(compact(item))
    if separator.__class__ is not str:
        if separator is None:
            return "".join(pieces)
        raise JqError(f"{described(pieces[0])} and {described(separator)} cannot be added")
    if len(separator) * len(pieces) > bounds.RETAINED:
        raise TooMuch(f"values too large ({bounds.RETAINED} bytes at most)")
    return _bounded(separator.join(pieces))


@function("flatten", machine=True)
def flatten(machine: Machine, value: Any) -> list[Any]:
    return list(flatten_to(machine, value, 10**9))


@function("flatten", 1, machine=True)
def flatten_to(machine: Machine, value: Any, depth: Any) -> list[Any]:
    if not is_number(depth) or depth < 0:
        raise JqError("flatten depth must not be negative")
    found: list[Any] = []
    stack = [(iter(values.elements(value)), depth)]
    while stack:
        items, left = stack[-1]
        for item in items:
            if item.__class__ is list and left > 0:
                machine.tick()
                stack.append((iter(item), left - 1))
                break
            found.append(item)
            if len(found) * bounds.CELL > bounds.RETAINED:
                raise TooMuch(f"values too large ({bounds.RETAINED} bytes at most)")
        else:
            stack.pop()
    return found


@function("reverse")
def reverse(value: Any) -> Any:
    if value.__class__ is str or value.__class__ is list:
        return value[::-1]
    if length(value) == 0:
        return []
    raise JqError(f"Cannot index {type_name(value)} with number")


@function("to_entries")
def to_entries(value: Any) -> list[Any]:
    if value.__class__ is not dict:
        if value.__class__ is list:
            return [{"key": at, "value": item} for at, item in enumerate(value)]
        raise JqError(f"{described(value)} has no keys")
    return [{"key": name, "value": item} for name, item in value.items()]


@function("from_entries")
def from_entries(value: Any) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for entry in values.elements(value):
        name: Any = None
        for key in ("key", "k", "name", "Name", "Key", "K"):
            name = values.index(entry, key)
            if name is not None and (name is not False or key == "key"):
                break
        held = None
        for key in ("value", "v", "Value", "V"):
            if entry.__class__ is dict and key in entry:
                held = entry[key]
                break
        if name.__class__ is not str:
            if name is None or name.__class__ is bool or is_number(name):
                name = compact(name)
            else:
                raise JqError(f"Cannot use {described(name)} as object key")
        made[name] = held
    return made


@function("delpaths", 1)
def delpaths(value: Any, paths: Any) -> Any:
    if paths.__class__ is not list:
        raise JqError("Paths must be specified as an array")
    for path in paths:
        _path(path)
    return values.delete_paths(value, paths)


@function("tonumber")
def tonumber(value: Any) -> Any:
    if is_number(value):
        return value
    if value.__class__ is str:
        try:
            found = parse_text(value)
        except Malformed as failure:
            raise JqError(f"{failure.message} (while parsing '{value}')") from None
        if not found:
            raise JqError("Expected JSON value (while parsing '')")
        if len(found) == 1 and is_number(found[0]):
            return found[0]
    raise JqError(f"{described(value)} cannot be parsed as a number")


@function("fromjson")
def fromjson(value: Any) -> Any:
    if value.__class__ is not str:
        raise JqError(f"{described(value)} only strings can be parsed")
    try:
        found = parse_text(value)
    except Malformed as failure:
        raise JqError(f"{failure.message} (while parsing '{value}')") from None
    if len(found) != 1:
        if not found:
            raise JqError("Expected JSON value (while parsing '')")
        raise JqError(f"Unexpected extra JSON values (while parsing '{value}')")
    return found[0]


@function("startswith", 1)
def startswith(value: Any, start: Any) -> bool:
    if value.__class__ is not str or start.__class__ is not str:
        raise JqError("startswith() requires string inputs")
    return value.startswith(start)


@function("endswith", 1)
def endswith(value: Any, end: Any) -> bool:
    if value.__class__ is not str or end.__class__ is not str:
        raise JqError("endswith() requires string inputs")
    return value.endswith(end)


@function("ltrimstr", 1)
def ltrimstr(value: Any, start: Any) -> Any:
    return value.removeprefix(start) if value.__class__ is str and start.__class__ is str else value


@function("rtrimstr", 1)
def rtrimstr(value: Any, end: Any) -> Any:
    return value.removesuffix(end) if value.__class__ is str and end.__class__ is str else value


def _trimmed(name: str, left: bool, right: bool) -> None:
    @function(name)
    def trim(value: Any) -> str:
        text = _text(value, f"{described(value)} cannot be trimmed")
        text = text.lstrip(_SPACE) if left else text
        return text.rstrip(_SPACE) if right else text


_trimmed("trim", True, True)
_trimmed("ltrim", True, False)
_trimmed("rtrim", False, True)


@function("split", 1)
def split(value: Any, separator: Any) -> list[str]:
    if value.__class__ is not str or separator.__class__ is not str:
        raise JqError("split input and separator must be strings")
    return values.split(value, separator)


@function("implode")
def implode(value: Any) -> str:
    if value.__class__ is not list:
        raise JqError("implode input must be an array")
    pieces = []
    for code in value:
        if not is_number(code) or code != code:
            raise JqError("Unicode codepoint must be numeric")
        whole = int(code) if abs(code) < 2**31 else -1  # text: ours
        pieces.append(chr(whole) if 0 <= whole < 0xD800 or 0xE000 <= whole < 0x110000 else "\ufffd")
    return "".join(pieces)


@function("indices", 1)
def indices(value: Any, wanted: Any) -> Any:
    if value is None:
        return None
    if value.__class__ is str and wanted.__class__ is str:
        if not wanted:
            return None
        found = []
        at = value.find(wanted)
        while at >= 0:
            found.append(at)
            at = value.find(wanted, at + 1)
        return found
    if value.__class__ is list:
        return values.indices(value, wanted if wanted.__class__ is list else [wanted])
    return values.index(value, wanted)


@function("index", 1)
def index(value: Any, wanted: Any) -> Any:
    found = indices(value, wanted)
    return found[0] if found else None


@function("rindex", 1)
def rindex(value: Any, wanted: Any) -> Any:
    found = indices(value, wanted)
    return found[-1] if found else None


@function("bsearch", 1)
def bsearch(value: Any, wanted: Any) -> int:
    keyed = [values.order_key(item) for item in _array(value, "searched")]
    key = values.order_key(wanted)
    at = bisect_left(keyed, key)
    return at if at < len(keyed) and keyed[at] == key else -1 - at


@function("debug", machine=True)
def debug(machine: Machine, value: Any) -> Any:
    machine.say(compact(["DEBUG:", value]).encode("utf-8", "replace") + b"\n")
    return value


@function("stderr", machine=True)
def stderr(machine: Machine, value: Any) -> Any:
    machine.say(formats.text(value).encode("utf-8", "replace"))
    return value


@function("input_filename", machine=True)
def input_filename(machine: Machine, value: Any) -> Any:
    name = machine.reader.name if machine.reader else None
    return name


@function("halt")
def halt(value: Any) -> Any:
    raise Halted(0)


@function("halt_error", 1)
def halt_error(value: Any, status: Any) -> Any:
    if not is_number(status):
        raise JqError("halt_error/1: number required")
    text = value if value.__class__ is str else compact(value) + "\n"
    raise Halted(int(status) & 0xFF, text.encode("utf-8", "replace"))  # text: ours
