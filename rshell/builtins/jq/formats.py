"""The formats: @text @json @csv @tsv @html @uri @sh @base64 @base64d @base32 @base32d."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from rshell.builtins.jq.errors import JqError
from rshell.builtins.jq.output import compact, number_text
from rshell.builtins.jq.values import described

if TYPE_CHECKING:
    from collections.abc import Callable

_HTML = {ord("<"): "&lt;", ord(">"): "&gt;", ord("&"): "&amp;", ord("'"): "&#39;", ord('"'): "&quot;"}
_TSV = {ord("\\"): "\\\\", ord("\t"): "\\t", ord("\n"): "\\n", ord("\r"): "\\r"}
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")
_URI = [chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in range(256)]


def text(value: Any) -> str:
    """tostring: strings as they are, all else as JSON."""
    return value if value.__class__ is str else compact(value)


def _bytes(value: Any) -> bytes:
    return text(value).encode("utf-8", "replace")


def _row(value: Any, kind: str, quote: Callable[[str], str], separator: str) -> str:
    if value.__class__ is not list:
        raise JqError(f"{described(value)} cannot be {kind}-formatted, only an array can be")
    cells = []
    for item in value:
        if item is None:
            cells.append("")
        elif item is True or item is False:
            cells.append("true" if item else "false")
        elif item.__class__ is str:
            cells.append(quote(item))
        elif item.__class__ is list or item.__class__ is dict:
            raise JqError(f"{described(item)} is not valid in a {kind} row")
        else:
            cells.append(number_text(item) if item == item else "")
    return separator.join(cells)


def _csv(value: Any) -> str:
    return _row(value, "csv", lambda cell: '"' + cell.replace('"', '""') + '"', ",")


def _tsv(value: Any) -> str:
    return _row(value, "tsv", lambda cell: cell.translate(_TSV), "\t")


def _html(value: Any) -> str:
    return text(value).translate(_HTML)


def _uri(value: Any) -> str:
    return "".join([_URI[byte] for byte in _bytes(value)])


def _sh(value: Any) -> str:
    words = []
    for item in value if value.__class__ is list else [value]:
        if item.__class__ is list or item.__class__ is dict:
            raise JqError(f"{described(item)} can not be escaped for shell")
        words.append("'" + item.replace("'", "'\\''") + "'" if item.__class__ is str else compact(item))
    return " ".join(words)


def _base64(value: Any) -> str:
    return base64.b64encode(_bytes(value)).decode("ascii")


def _base64d(value: Any) -> str:
    given = _bytes(value)
    data = given.rstrip(b"=")
    try:
        if len(data) % 4 == 1:
            if len(data) == 1:
                raise JqError(f"{described(text(value))} trailing base64 data is not valid")
            data = data[:-1]
        decoded = base64.b64decode(data + b"=" * (-len(data) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise JqError(f"{described(text(value))} is not valid base64 data") from None
    return decoded.decode("utf-8", "replace")


def _base32(value: Any) -> str:
    return base64.b32encode(_bytes(value)).decode("ascii")


def _base32d(value: Any) -> str:
    data = _bytes(value).rstrip(b"=")
    try:
        return base64.b32decode(data + b"=" * (-len(data) % 8)).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        raise JqError(f"{described(text(value))} is not valid base32 data") from None


FORMATS: dict[str, Callable[[Any], str]] = {
    "@text": text, "@json": compact, "@csv": _csv, "@tsv": _tsv, "@html": _html, "@uri": _uri, "@sh": _sh,
    "@base64": _base64, "@base64d": _base64d, "@base32": _base32, "@base32d": _base32d,
}  # fmt: skip


def formatter(name: str) -> Callable[[Any], str] | None:
    """The function of a format; None when there is none of that name."""
    return FORMATS.get(name)
