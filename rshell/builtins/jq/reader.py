"""The inputs of a jq program: JSON values, or lines with -R, of stdin or files one after the other.

Blocks of whole lines go through the json module's scanner. What that does not take (documents that need
more text, errors, jq's own liberties) is left to the decoder, which knows jq's messages.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from rshell import limits
from rshell.builtins.jq import bounds
from rshell.builtins.jq.decoder import Decoder, Malformed
from rshell.builtins.jq.errors import TooMuch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rshell.builtins.streams import Source

_SPACE = re.compile(r"[ \t\n\r]*")
_scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(strict=False).scan_once  # type: ignore[attr-defined]
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)", re.DOTALL)
_TOKEN_END = re.compile(r"[A-Za-z0-9.+\-_']")


class Reader:
    """Gives the inputs in order.

    sources: yields (name, source) of each file as it is opened. name and line(): where the program is, for
    messages. check: the run's deadline.
    """

    def __init__(self, sources: Iterator[tuple[str, Source]], *, raw: bool, check: Callable[[], None]) -> None:
        self.sources = sources
        self.check = check
        self.name: str | None = None
        self._text = ""  # what is being read
        self._end = 0  # how far in it
        self._before = 0  # lines that were read before it
        self._column = 0
        self.values = self._lines() if raw else self._documents()

    @property
    def place(self) -> str:
        """`FILE:LINE` of the last input, as messages give it."""
        return "<unknown>" if self.name is None else f"{self.name}:{self.line}"

    @property
    def line(self) -> int:
        """How many lines were read (input_line_number): jq reads whole ones."""
        text, end = self._text, self._end
        count = self._before + text.count("\n", 0, end)
        if end and text.find("\n", end - 1) >= 0 and text[end - 1] != "\n":
            count += 1
        return count

    def rest(self, limit: int) -> str:
        """All that is left, as one text (-R -s)."""
        pieces = []
        length = 0
        for _, source in self.sources:
            for block in source.blocks():
                length += len(block)
                if length > limit:
                    raise TooMuch(f"input too large ({limit} bytes at most)")
                pieces.append(block)
        return b"".join(pieces).decode("utf-8", "replace")

    def _lines(self) -> Iterator[str]:
        carried = b""
        for name, source in self.sources:
            self.name = name
            self._before = 0
            while block := source.read(limits.BLOCK):
                self.check()
                lines = (carried + block if carried else block).split(b"\n")
                carried = lines.pop()
                if len(carried) > bounds.DOCUMENT:
                    raise TooMuch(f"line too long ({bounds.DOCUMENT} bytes at most)")
                for line in lines:
                    self._before += 1
                    yield line.decode("utf-8", "replace")
        self.name = None
        if carried:
            yield carried.decode("utf-8", "replace")

    def _blocks(self) -> Iterator[bytes]:
        """Blocks that end at a line's end, but for a long line's; an input's last may not."""
        for name, source in self.sources:
            self.name = name
            self._before, self._text, self._end = 0, "", 0
            carried: list[bytes] = []
            while block := source.read(limits.BLOCK):
                self.check()
                cut = block.rfind(b"\n") + 1
                if cut:
                    carried.append(block[:cut] if cut < len(block) else block)
                    yield b"".join(carried)
                    carried = [block[cut:]] if cut < len(block) else []
                else:
                    carried.append(block)
                    if len(carried) * limits.BLOCK > bounds.DOCUMENT and sum(map(len, carried)) > bounds.DOCUMENT:
                        raise TooMuch(f"input document too large ({bounds.DOCUMENT} bytes at most)")
            if carried:
                yield b"".join(carried)

    def _documents(self) -> Iterator[Any]:
        pending = ""  # the start of a document that needs more text
        waiting: list[str] = []
        size = 0
        wanted = 0
        for block in self._blocks():
            text = block.decode("utf-8", "replace")
            if pending or waiting:
                waiting.append(text)
                size += len(text)
                if size + len(pending) > bounds.DOCUMENT:
                    raise TooMuch(f"input document too large ({bounds.DOCUMENT} bytes at most)")
                if size < wanted:
                    continue  # reading a long document again at each block would be quadratic
                text = pending + "".join(waiting)
                waiting.clear()
                size = 0
            yield from self._scanned(text)
            pending = text[self._end :]
            wanted = len(pending)
            if _SPACE.fullmatch(pending):
                self._done(text, len(text))
                pending = ""
            else:
                self._done(text, self._end)
        text = pending + "".join(waiting)
        name = self.name
        yield from self._slow(text)
        if self.name == name:
            self.name = None

    def _done(self, text: str, end: int) -> None:
        """Count what is behind us."""
        lines = text.count("\n", 0, end)
        self._before += lines
        self._column = end - (text.rfind("\n", 0, end) + 1) + (0 if lines else self._column)
        self._text, self._end = "", 0

    def _scanned(self, text: str) -> Iterator[Any]:
        """What the scanner reads of a text; _end is where it stopped."""
        self._text = text
        self._end = 0
        if _SURROGATE.search(text):  # half a pair is no character
            text = _ESCAPE.sub(lambda match: "\\ufffd" if match[1] else match[0], text)
        space = _SPACE.match
        scan = _scan
        length = len(text)
        at = space(text, 0).end()  # type: ignore[union-attr]
        try:
            while at < length:
                value, end = scan(text, at)
                last = text[end - 1]
                if last != "}" and last != "]" and last != '"':
                    if end == length or (text[end] not in ' \t\n\r[{"' and _TOKEN_END.match(text, end)):
                        return  # a number may go on
                elif end < length and text[end] in ",:]}":
                    return
                if end - at > 2 * bounds.DEPTH and _too_deep(value, text, at, end):
                    return  # the scanner has no bound of its own: let the slow way say where it is passed
                self._end = end
                yield value
                at = end + 1 if end < length and text[end] == "\n" and text[end + 1 : end + 2] in ("{", "[") else end
                if at == end:
                    at = space(text, end).end()  # type: ignore[union-attr]
            self._end = length
        except (StopIteration, RecursionError, ValueError):
            return

    def _slow(self, text: str) -> Iterator[Any]:
        decoder = Decoder(text)
        self._text = text
        try:
            while True:
                value, found = decoder.next()
                if not found:
                    return
                self._end = decoder.at
                yield value
        except Malformed as failure:
            consumed = text[: failure.at]
            line = self._before + consumed.count("\n") + 1
            last = consumed.rfind("\n")
            column = failure.at if last < 0 else failure.at - last - 1
            if last < 0:
                column += self._column
            if failure.at < len(text) and text[failure.at - 1 : failure.at] == "\n":
                column = 0
            where = " at EOF" if failure.end else ""
            raise Malformed(f"{failure.message}{where} at line {line}, column {column}", failure.at) from None


def _too_deep(value: object, text: str, at: int, end: int) -> bool:
    """Whether value, which text[at:end] gave, is nested deeper than bounds.DEPTH."""
    if text.count("[", at, end) + text.count("{", at, end) <= bounds.DEPTH:
        return False
    level: list[Any] = [value]
    for _ in range(bounds.DEPTH):
        level = [
            child
            for parent in level
            for child in (parent.values() if type(parent) is dict else parent)
            if type(child) is list or type(child) is dict
        ]
        if not level:
            return False
    return True


def parse_text(text: str) -> list[Any]:
    """All values of a text (fromjson, --argjson). Raises Malformed with the message as jq has it."""
    reader = Reader(iter(()), raw=False, check=lambda: None)
    return list(reader._slow(text))
