"""How journalctl shows an entry: `short` and its kin, each entry one line, and `cat`."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING
from unicodedata import category

if TYPE_CHECKING:
    from collections.abc import Callable

    from rshell.journal import Entry

FORMATS = ("short", "short-iso", "short-precise", "cat")

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LABEL_MAXIMUM = 299  # journalctl leaves out host names, identifiers and PIDs that are longer
_LATEST = 1 << 55  # microseconds, as systemd bounds a time
_DIGITS = re.compile(rb"[0-9]{1,17}")
_ODD = re.compile(r"[^ -~]")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNITS = "BKMGTPE"


def formatter(form: str, zone: tzinfo | None) -> Callable[[Entry], bytes]:
    """The function that turns an entry into its output; b"" for an entry without a message."""
    return _cat if form == "cat" else _Short(form, zone or UTC)


def _cat(entry: Entry) -> bytes:
    message = entry.get("MESSAGE")
    return b"" if message is None else message + b"\n"


class _Short:
    """`TIME HOST IDENTIFIER[PID]: MESSAGE`."""

    def __init__(self, form: str, zone: tzinfo) -> None:
        self._iso = form == "short-iso"
        self._precise = form == "short-precise"
        self._zone = zone
        self._second = -1
        self._shown = b""

    def __call__(self, entry: Entry) -> bytes:
        get = entry.get
        message = get("MESSAGE")
        if message is None:
            return b""
        moment = entry.realtime
        source = get("_SOURCE_REALTIME_TIMESTAMP")
        if source is not None and _DIGITS.fullmatch(source):
            named = int(source)  # text: ours
            if 0 < named < _LATEST:
                moment = named
        second, part = divmod(moment, 1_000_000)
        if second != self._second:
            self._second, self._shown = second, self._time(second)
        line = [self._shown]
        if self._precise:
            line.append(b".%06d" % part)
        host = _label(get("_HOSTNAME"))
        if host is not None:
            line += (b" ", host)
        label = _label(get("SYSLOG_IDENTIFIER"))
        if label is None:
            label = _label(get("_COMM"))
            if label is None:
                label = b"kernel" if get("_TRANSPORT") == b"kernel" else b"unknown"
        line += (b" ", label)
        pid = _label(get("_PID"))
        if pid is None:
            pid = _label(get("SYSLOG_PID"))
        if pid is not None:
            line += (b"[", pid, b"]")
        line += (b": ", printable(message), b"\n")
        return b"".join(line)

    def _time(self, second: int) -> bytes:
        try:
            when = datetime.fromtimestamp(second, self._zone)
        except (ValueError, OverflowError, OSError):
            return b"@%d" % second
        if not self._iso:
            shown = f"{_MONTHS[when.month - 1]} {when.day:02} {when.hour:02}:{when.minute:02}:{when.second:02}"
            return shown.encode("ascii")
        offset = when.utcoffset()
        east = 0 if offset is None else round(offset.total_seconds())
        hours, rest = divmod(abs(east), 3_600)
        shown = f"{when.replace(tzinfo=None).isoformat()}{'-' if east < 0 else '+'}{hours:02}{rest // 60:02}"
        return shown.encode("ascii")


def _label(value: bytes | None) -> bytes | None:
    return None if value is None or len(value) > _LABEL_MAXIMUM else printable(value)


def printable(data: bytes) -> bytes:
    r"""data on one line: what has no shape as `\n`, `\x1b` or `\u200b`, bytes that are no UTF-8 as `\xff`."""
    if data.isascii():
        text = data.decode("ascii")
        return data if text.isprintable() else _ODD.sub(_escaped, text).encode("ascii")
    text = data.decode("utf-8", "surrogateescape")
    return data if text.isprintable() else _ODD.sub(_escaped, text).encode("utf-8")


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if character.isprintable() or category(character) == "Zs":
        return character
    named = _NAMED.get(character)
    if named is not None:
        return named
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that belongs to no character
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def shown_size(size: int) -> str:
    """A byte count as systemd shows it: 512B, 8.0M."""
    power = 0
    while power < len(_UNITS) - 1 and size >= 1024 ** (power + 1):
        power += 1
    if power == 0:
        return f"{size}B"
    tenth = size // 1024 ** (power - 1) * 10 // 1024 % 10
    return f"{size // 1024**power}.{tenth}{_UNITS[power]}"
