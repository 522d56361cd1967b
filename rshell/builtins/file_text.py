"""Which encoding a text is in, and what its lines are like (as file(1) words it)."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

_WINDOW = 65_536  # the encoding is told from that much
_LONG = 300  # characters; a longer line is very long
_DEPTH = 500  # of nested JSON

_CONTROLS = bytes((7, 8, 9, 10, 11, 12, 13, 27))
_ASCII = _CONTROLS + bytes(range(32, 127))
_LATIN = _ASCII + b"\x85" + bytes(range(160, 256))
_EXTENDED = _ASCII + bytes(range(128, 256))
_TEXT_CONTROLS = re.compile("[\0-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_INCOMPLETE = re.compile(rb"(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\Z")
_ENDS = re.compile("\r\n|[\r\n\x85]")


class Text(NamedTuple):
    """A text's encoding in words and by its MIME name, and the text."""

    encoding: str
    charset: str
    text: str

    def lines(self) -> str:
        """What is unusual about its lines: '' or a phrase that starts with a comma."""
        said = []
        pieces = _ENDS.split(self.text)
        longest = max(map(len, pieces))
        if longest > _LONG:
            said.append(f"with very long lines ({longest})")
        found = {end: 0 for end in ("\r\n", "\r", "\n", "\x85")}
        for end in _ENDS.findall(self.text):
            found[end] += 1
        names = dict(zip(found, ("CRLF", "CR", "LF", "NEL"), strict=True))
        shown = [names[end] for end, count in found.items() if count]
        if not shown:
            said.append("with no line terminators")
        elif shown != ["LF"]:
            said.append(f"with {', '.join(shown)} line terminators")
        if "\x1b" in self.text:
            said.append("with escape sequences")
        if "\b" in self.text:
            said.append("with overstriking")
        return "".join([f", {phrase}" for phrase in said])


def text_of(data: bytes) -> Text | None:
    """The text that data is; None when it is none."""
    whole = len(data) <= _WINDOW
    data = data[:_WINDOW]
    if not data.translate(None, _ASCII + b"\x85"):  # NEL counts as ASCII to file(1)
        return Text("ASCII text", "us-ascii", data.decode("latin-1"))
    for mark, codec, words, charset in (
        (b"\xff\xfe\0\0", "utf-32-le", "Unicode text, UTF-32, little-endian text", "utf-32le"),
        (b"\0\0\xfe\xff", "utf-32-be", "Unicode text, UTF-32, big-endian text", "utf-32be"),
        (b"\xff\xfe", "utf-16-le", "Unicode text, UTF-16, little-endian text", "utf-16le"),
        (b"\xfe\xff", "utf-16-be", "Unicode text, UTF-16, big-endian text", "utf-16be"),
    ):
        if data.startswith(mark):
            text = data[len(mark) :].decode(codec, "replace")
            return None if _TEXT_CONTROLS.search(text) else Text(words, charset, text)
    bom = data.startswith(b"\xef\xbb\xbf")
    try:
        text = (data if whole and not _INCOMPLETE.search(data) else _INCOMPLETE.sub(b"", data)).decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        if _TEXT_CONTROLS.search(text):
            return None
        if not text.isascii():
            words = "Unicode text, UTF-8 (with BOM) text" if bom else "Unicode text, UTF-8 text"
            return Text(words, "utf-8", text.removeprefix("\ufeff"))
    if not data.translate(None, _LATIN):
        return Text("ISO-8859 text", "iso-8859-1", data.decode("latin-1"))
    if not data.translate(None, _EXTENDED):
        return Text("Non-ISO extended-ASCII text", "unknown-8bit", data.decode("latin-1"))
    return None


def json_kind(data: bytes) -> str:
    """'json' for one JSON object or array, 'ndjson' for one a line, else ''."""
    start = data.lstrip(b" \t\r\n")[:1]
    if start not in (b"{", b"[") or data.count(b"[") + data.count(b"{") > 100_000:
        return ""
    text = data.decode("utf-8", "replace")
    if _is_json(text):
        return "json"
    lines = [line for line in text.split("\n") if line.strip(" \t\r")]
    return (
        "ndjson" if len(lines) > 1 and all(line.lstrip(" \t")[:1] in "{[" and _is_json(line) for line in lines) else ""
    )


def _no_constant(text: str) -> str:
    raise ValueError(text)


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_int=str, parse_float=str, parse_constant=_no_constant, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def is_csv(text: str) -> bool:
    """Whether the first ten lines have the same number of commas, one at least; quoted ones do not count."""
    wanted = count = lines = 0
    quoted = False
    for letter in text:
        if letter == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif letter == ",":
            count += 1
        elif letter == "\n":
            lines += 1
            if (wanted and count != wanted) or not count:
                return False
            wanted, count = count, 0
            if lines == 10:
                return True
    return lines >= 2
