"""Regular expressions for scripts: the one owner of google-re2.

RE2 never backtracks, so no pattern can make a search exponential; what remains (huge programs, a
cache that overflows) is bounded here. Patterns are POSIX and GNU ones, translated by
`regex_translate`; data is bytes, and data that is not UTF-8 never fails a search.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from rshell.builtins.regex_classes import class_ranges
from rshell.builtins.regex_translate import TOO_BIG, PatternError, Target, Translation, is_text, translate
from rshell.limits import PATTERNS_KEPT, REGEX_INSTRUCTIONS, REGEX_SLICE, REGEX_WORK

__all__ = ["Guard", "Pattern", "PatternError", "Span", "compile_pattern", "preload"]

Span = tuple[int, int]
T = TypeVar("T")
NO_SPAN: Span = (-1, -1)
SYNTAXES = frozenset({"bre", "ere", "sed", "sed-ere", "awk", "emacs", "perl", "fixed"})


class Guard(Protocol):
    """What a search may still take, for patterns and data that could outlive a deadline."""

    def remaining(self) -> float | None:
        """Seconds left; None: no deadline."""

    def expired(self) -> BaseException:
        """What to raise once nothing is left."""


def preload() -> None:
    """Import the engine now: no import may happen while a script runs that can write files."""
    _engine()


@lru_cache(maxsize=1)
def _engine() -> Any:
    import re2  # type: ignore[import-untyped,unused-ignore]

    return re2


def compile_pattern(
    pattern: bytes | tuple[bytes, ...],
    *,
    syntax: str,
    ignore_case: bool = False,
    multiline: bool = False,
    whole_line: bool = False,
    whole_word: bool = False,
) -> Pattern:
    """Compile `pattern`, or several of which any may match; raises PatternError.

    syntax: "bre" and "ere" as grep reads them, "sed" and "sed-ere" as sed does (stricter, and with its
    escapes such as \\n and \\x41), "awk" for dynamic regexes of awk, "emacs" for find -regex, "fixed" for
    plain strings, "perl" for RE2's own syntax with leftmost-first matching.
    multiline is sed's M and REG_NEWLINE: ^ and $ match at every line, `.` and [^x] match no newline.
    whole_line and whole_word are grep's -x and -w.
    """
    if syntax not in SYNTAXES:
        raise ValueError(f"unknown syntax {syntax!r}")
    patterns = (pattern,) if isinstance(pattern, bytes) else pattern
    return _compiled(patterns, syntax, ignore_case, multiline, whole_line, whole_word and not whole_line)


@lru_cache(maxsize=PATTERNS_KEPT)
def _compiled(
    patterns: tuple[bytes, ...], syntax: str, ignore_case: bool, multiline: bool, whole_line: bool, whole_word: bool
) -> Pattern:
    return Pattern(patterns, syntax, ignore_case, multiline, whole_line, whole_word)


class _Program:
    """One compiled form of a pattern."""

    __slots__ = ("group_map", "match", "size", "unanchored", "whole")

    def __init__(self, text: str, *, latin: bool, captures: bool, longest: bool, group_map: tuple[int, ...]) -> None:
        re2 = _engine()
        options = re2.Options()
        options.log_errors = False
        options.longest_match = longest
        options.never_capture = not captures
        if latin:
            options.encoding = re2.Options.Encoding.LATIN1
        try:
            # Not re2.compile: it would keep every pattern in a second cache.
            regexp = re2._Regexp(text.encode("latin-1" if latin else "utf-8"), options)
        except re2.error as error:
            raise PatternError(_engine_message(error)) from None
        self.size: int = max(regexp.programsize, regexp.reverseprogramsize)
        if self.size > REGEX_INSTRUCTIONS:
            raise PatternError(TOO_BIG)
        # The wrapper's match objects cost twice the search of a short line.
        self.match: Callable[[Any, bytes, int, int], list[Span]] = regexp._regexp.Match
        self.unanchored = re2._Anchor.UNANCHORED
        self.whole = re2._Anchor.ANCHOR_START
        self.group_map = group_map


def _engine_message(error: Exception) -> str:
    detail = error.args[0] if error.args else b""
    text = detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)
    if "too large" in text or "repetition size" in text or "nesting depth" in text:
        return TOO_BIG
    return text or "Invalid regular expression"


class Pattern:
    """A compiled pattern. Offsets are in bytes; all methods take any bytes."""

    __slots__ = (
        "_ascii_differs",
        "_fold",
        "_lines_literal",
        "_multiline",
        "_patterns",
        "_programs",
        "_raw",
        "_syntax",
        "_whole_line",
        "edge",
        "group_count",
        "literal",
        "warnings",
        "whole_word",
    )

    def __init__(
        self,
        patterns: tuple[bytes, ...],
        syntax: str,
        ignore_case: bool,
        multiline: bool,
        whole_line: bool,
        whole_word: bool,
    ) -> None:
        self._patterns = patterns
        self._syntax = syntax
        self._fold = ignore_case
        self._multiline = multiline
        self._whole_line = whole_line
        self._raw = syntax != "perl" and not all(is_text(pattern) for pattern in patterns)
        self._programs: dict[tuple[bool, bool, bool], _Program] = {}
        self.whole_word = whole_word
        #: the byte string that is all the pattern matches, when there is one
        self.literal: bytes | None = None
        self._ascii_differs = False
        self.edge = ""
        #: GNU grep's warnings about the pattern, without "grep: warning: "
        self.warnings: tuple[str, ...] = ()
        self.group_count = 0
        if syntax == "fixed" and len(patterns) == 1 and not ignore_case:
            self.literal = patterns[0]
        else:
            self._survey()
        if whole_line:
            self.literal = None
        self._lines_literal = self.literal if self.literal and not whole_word and b"\n" not in self.literal else None

    def _survey(self) -> None:
        """Translate once to learn of errors and facts; the programs are built when they are needed."""
        if self._syntax == "perl":
            program = self._program(False, True, False)
            self.group_count = len(program.match(program.unanchored, b"", 0, 0)) - 1
            if self.group_count <= 0:
                self.group_count = len(program.group_map)
            return
        parts = self._translated(self._target(False, False))
        self.group_count = sum(part.group_count for part in parts)
        self.warnings = tuple(warning for part in parts for warning in part.warnings)
        self._ascii_differs = not self._raw and not any(part.non_ascii for part in parts)
        self._ascii_differs = self._ascii_differs and any(part.has_unicode_sets for part in parts)
        if len(parts) == 1:
            self.literal = parts[0].literal
            self.edge = parts[0].edge
        if self.literal is None:
            self._program(False, False, False)

    def _target(self, lines: bool, ascii_only: bool) -> Target:
        charset = "raw" if self._raw else "ascii" if ascii_only else "utf8"
        return Target(charset=charset, fold=self._fold, lines=lines, multiline=self._multiline)

    def _translated(self, target: Target) -> list[Translation]:
        if self._syntax == "fixed":
            escaped = [pattern.translate(None) for pattern in self._patterns]
            return [translate(_quoted(pattern), "bre", target) for pattern in escaped]
        return [translate(pattern, self._syntax, target) for pattern in self._patterns]

    def _program(self, lines: bool, captures: bool, ascii_only: bool) -> _Program:
        key = (lines, captures, ascii_only)
        program = self._programs.get(key)
        if program is None:
            program = self._programs[key] = self._built(lines, captures, ascii_only)
        return program

    def _built(self, lines: bool, captures: bool, ascii_only: bool) -> _Program:
        if self._syntax == "perl":
            text = "|".join(pattern.decode("utf-8", "replace") for pattern in self._patterns)
            text = ("(?i)" if self._fold else "") + ("(?m)" if self._multiline else "") + text
            return _Program(text, latin=False, captures=captures, longest=False, group_map=())
        target = self._target(lines, ascii_only)
        parts = self._translated(target)
        if sum(part.cost for part in parts) > REGEX_INSTRUCTIONS * 2:
            raise PatternError(TOO_BIG)
        group_map: list[int] = []
        before = 0
        for part in parts:
            group_map += [before + group for group in part.groups]
            before += part.group_count
        text = parts[0].text if len(parts) == 1 else "|".join(f"(?:{part.text})" for part in parts)
        if not parts:
            text = r"[^\x00-\x{10ffff}]"
        if self._whole_line:
            start, end = ("(?m:^)", "(?m:$)") if lines or self._multiline else (r"\A", r"\z")
            text = f"{start}(?:{text}){end}"
        return _Program(
            text, latin=target.charset != "utf8", captures=captures, longest=True, group_map=tuple(group_map)
        )

    def _program_for(self, data: bytes, lines: bool = False, captures: bool = False) -> _Program:
        return self._program(lines, captures, self._ascii_differs and data.isascii())

    # Searching one string

    def search(self, data: bytes, pos: int = 0, end: int | None = None, guard: Guard | None = None) -> Span | None:
        """The leftmost match at or after `pos`, the longest there; the string ends at `end`."""
        if end is not None and end < len(data):
            data = data[:end]
        if self.literal is not None and not self.whole_word:
            at = data.find(self.literal, pos)
            return None if at < 0 else (at, at + len(self.literal))
        program = self._program_for(data)
        found = _shielded(program.size * (len(data) - pos), guard, lambda: self._find(program, data, pos))
        return None if found is None else found[0]

    def groups(
        self, data: bytes, pos: int = 0, end: int | None = None, guard: Guard | None = None
    ) -> tuple[Span, ...] | None:
        """The spans of the match that `search` finds: the whole, then each group, (-1, -1) where unset."""
        if end is not None and end < len(data):
            data = data[:end]
        program = self._program_for(data, captures=True)
        found = _shielded(program.size * (len(data) - pos), guard, lambda: self._find(program, data, pos))
        return None if found is None else self._numbered(program, found)

    def _numbered(self, program: _Program, spans: list[Span]) -> tuple[Span, ...]:
        """RE2's groups as those of the pattern: a group may have been written several times."""
        if self._syntax == "perl" or len(program.group_map) == self.group_count == len(spans) - 1:
            if program.group_map == tuple(range(1, len(spans))) or self._syntax == "perl":
                return tuple(spans)
        result = [spans[0]] + [NO_SPAN] * self.group_count
        for group, span in zip(program.group_map, spans[1:], strict=False):
            if span[0] >= 0:
                result[group] = span
        return tuple(result)

    def spans(self, data: bytes, pos: int = 0, guard: Guard | None = None) -> Iterator[Span]:
        """The matches one after another, empty ones by GNU's rule: none right after another match."""
        if self.literal and not self.whole_word:
            return self._literal_spans(data, pos, self.literal)
        program = self._program_for(data)
        return (found[0] for found in self._each(program, data, pos, guard))

    def all_groups(self, data: bytes, pos: int = 0, guard: Guard | None = None) -> Iterator[tuple[Span, ...]]:
        """As `spans`, with the groups of each match."""
        program = self._program_for(data, captures=True)
        return (self._numbered(program, found) for found in self._each(program, data, pos, guard))

    def _literal_spans(self, data: bytes, pos: int, literal: bytes) -> Iterator[Span]:
        size = len(literal)
        at = data.find(literal, pos)
        while at >= 0:
            yield at, at + size
            at = data.find(literal, at + size)

    def _each(self, program: _Program, data: bytes, pos: int, guard: Guard | None) -> Iterator[list[Span]]:
        last = -1
        size = len(data)
        heavy = guard is not None and program.size * (size - pos) > REGEX_WORK
        plain = not heavy and not self.whole_word
        match, unanchored = program.match, program.unanchored
        while pos <= size:
            if plain:
                spans = match(unanchored, data, pos, size)
                start, end = spans[0]
                if start < 0:
                    return
                if start == end and not self._stands(data, start):
                    pos = next_character(data, start)
                    continue
            else:
                at = pos
                found = _shielded(program.size * (size - at), guard, lambda at=at: self._find(program, data, at))  # type: ignore[misc]
                if found is None:
                    return
                spans = found
                start, end = spans[0]
            if start == end:
                if start != last:
                    yield spans
                pos = next_character(data, start)
            else:
                yield spans
                pos = end
            last = end

    def _find(self, program: _Program, data: bytes, pos: int) -> list[Span] | None:
        """The next match that is one by all the rules, those that RE2 cannot express included."""
        size = len(data)
        while pos <= size:
            spans = program.match(program.unanchored, data, pos, size)
            start, end = spans[0]
            if start < 0:
                return None
            if self.whole_word:
                fitting = self._fit_word(program, data, spans)
                if fitting is not None:
                    return fitting
            elif start != end or self._stands(data, start):
                return spans
            pos = next_character(data, start)
        return None

    def _stands(self, data: bytes, at: int) -> bool:
        """Whether an empty match may stand here: not inside a character, and at the edge it asked for."""
        if at < len(data) and 0x80 <= data[at] < 0xC0 and _inside_character(data, at):
            return False
        if not self.edge:
            return True
        after = at < len(data) and _is_ascii_word(data[at])
        return after == (self.edge == "<")

    def _fit_word(self, program: _Program, data: bytes, spans: list[Span]) -> list[Span] | None:
        """grep -w: the longest match from this start that has no word character on either side."""
        start, end = spans[0]
        if is_word_before(data, start):
            return None
        while is_word_after(data, end):
            if end == start:
                return None
            view = memoryview(data)[: end - 1]
            shorter = program.match(program.whole, view, start, end - 1)  # type: ignore[arg-type]
            if shorter[0][0] < 0:
                return None
            spans = shorter
            end = spans[0][1]
        return spans

    # Searching a block of lines

    def matching_lines(
        self, block: bytes, *, limit: int | None = None, eol: bytes = b"\n", guard: Guard | None = None
    ) -> list[Span]:
        """The lines of `block` that hold a match, each as (start, end) with its end of line inside.

        `block` holds whole lines; the last may lack its newline. At most `limit` lines are returned.
        A match never crosses a line.
        """
        if eol != b"\n":
            return self._matching_records(block, limit, eol, guard)
        if self._lines_literal is not None:
            return _literal_lines(block, self._lines_literal, limit)
        if not block or limit == 0:
            return []
        program = self._program_for(block, lines=True)
        result: list[Span] = []
        pos = 0
        for stop in _slices(block):
            most = None if limit is None else limit - len(result)
            start = pos
            result += _shielded(
                program.size * (stop - start),
                guard,
                lambda start=start, stop=stop, most=most: self._slice_lines(program, block, start, stop, most),  # type: ignore[misc]
            )
            pos = stop
            if limit is not None and len(result) >= limit:
                break
        return result

    def count_lines(self, block: bytes, *, guard: Guard | None = None) -> int:
        """How many lines of `block` hold a match (grep -c)."""
        if self._lines_literal is None:
            return len(self.matching_lines(block, guard=guard))
        literal = self._lines_literal
        find = block.find
        count = 0
        at = find(literal)
        while at >= 0:
            count += 1
            at = find(b"\n", at)
            if at < 0:
                break
            at = find(literal, at)
        return count

    def _slice_lines(self, program: _Program, block: bytes, pos: int, stop: int, limit: int | None) -> list[Span]:
        match, unanchored = program.match, program.unanchored
        find, rfind = block.find, block.rfind
        result: list[Span] = []
        # After the last newline there is no line, though RE2 finds an empty one there.
        last = stop - 1 if block[stop - 1] == 10 else stop
        checked = self.whole_word or bool(self.edge)
        while pos <= last:
            start, end = match(unanchored, block, pos, stop)[0]
            if start < 0 or start > last:
                break
            first = rfind(b"\n", pos, start) + 1 or pos
            after = find(b"\n", end, stop) + 1 or stop
            if not checked or self.search(block[first : after - 1 if block[after - 1] == 10 else after]) is not None:
                result.append((first, after))
                if limit is not None and len(result) >= limit:
                    break
            pos = after
            if pos >= stop:
                break
        return result

    def _matching_records(self, block: bytes, limit: int | None, eol: bytes, guard: Guard | None) -> list[Span]:
        """Lines that end in another byte (grep -z): a newline is then like any other character."""
        result: list[Span] = []
        pos = 0
        size = len(block)
        while pos < size and (limit is None or len(result) < limit):
            end = block.find(eol, pos)
            after = size if end < 0 else end + len(eol)
            if self.search(block[pos : size if end < 0 else end], guard=guard) is not None:
                result.append((pos, after))
            pos = after
        return result


def _literal_lines(block: bytes, literal: bytes, limit: int | None) -> list[Span]:
    find, rfind = block.find, block.rfind
    result: list[Span] = []
    pos = 0
    size = len(block)
    at = find(literal)
    while at >= 0 and (limit is None or len(result) < limit):
        first = rfind(b"\n", pos, at) + 1 or pos
        pos = find(b"\n", at) + 1 or size
        result.append((first, pos))
        at = find(literal, pos)
    return result


def _slices(block: bytes) -> Iterator[int]:
    """Ends of slices of whole lines, each as long as one search may get."""
    size = len(block)
    pos = 0
    while size - pos > REGEX_SLICE:
        cut = block.rfind(b"\n", pos, pos + REGEX_SLICE) + 1
        if cut <= pos:
            cut = block.find(b"\n", pos + REGEX_SLICE) + 1 or size
        yield cut
        pos = cut
    if pos < size:
        yield size


# Deadlines

_left_behind: list[threading.Thread] = []


def _shielded(work: int, guard: Guard | None, task: Callable[[], T]) -> T:
    """Run `task`; where it could take long and there is a deadline, in a thread that is left behind at it.

    RE2 releases the interpreter's lock but cannot be interrupted. One such thread may be left; while it
    lives, the next search of this kind waits for it first.
    """
    if guard is None:
        return task()
    left = guard.remaining()
    if left is None:
        return task()
    if left <= 0:
        raise guard.expired()
    if work <= REGEX_WORK:
        return task()
    for thread in list(_left_behind):
        thread.join(max(guard.remaining() or 0.0, 0.0))
        if thread.is_alive():
            raise guard.expired()
        if thread in _left_behind:
            _left_behind.remove(thread)
    result: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            result.append(task())
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=run, name="rshell regex", daemon=True)
    thread.start()
    thread.join(max(guard.remaining() or 0.0, 0.0))
    if thread.is_alive():
        _left_behind.append(thread)
        raise guard.expired()
    if failure:
        raise failure[0]
    return result[0]


# Characters


def next_character(data: bytes, pos: int) -> int:
    """The offset after the character at `pos`; an invalid byte is one character."""
    if pos >= len(data) or data[pos] < 0x80:
        return pos + 1
    return pos + _character_length(data, pos)


def _character_length(data: bytes, pos: int) -> int:
    lead = data[pos]
    length = 2 if 0xC2 <= lead < 0xE0 else 3 if 0xE0 <= lead < 0xF0 else 4 if 0xF0 <= lead < 0xF5 else 1
    if length > 1:
        try:
            data[pos : pos + length].decode("utf-8")
        except UnicodeDecodeError:
            return 1
    return length


def _inside_character(data: bytes, at: int) -> bool:
    return any(at - back >= 0 and _character_length(data, at - back) > back for back in (1, 2, 3))


def _is_ascii_word(byte: int) -> bool:
    return byte == 0x5F or 0x30 <= byte <= 0x39 or 0x41 <= byte <= 0x5A or 0x61 <= byte <= 0x7A


def _is_word(char: str) -> bool:
    code = ord(char)
    if code < 0x80:
        return _is_ascii_word(code)
    ranges = class_ranges("alnum")
    index = bisect_right(ranges, (code, 0x110000)) - 1
    return index >= 0 and code <= ranges[index][1]


def is_word_after(data: bytes, at: int) -> bool:
    """Whether the character at `at` is a letter, a digit or an underscore."""
    if at >= len(data):
        return False
    if data[at] < 0x80:
        return _is_ascii_word(data[at])
    length = _character_length(data, at)
    return length > 1 and _is_word(data[at : at + length].decode("utf-8"))


def is_word_before(data: bytes, at: int) -> bool:
    """Whether the character that ends at `at` is a letter, a digit or an underscore."""
    if at <= 0:
        return False
    if data[at - 1] < 0x80:
        return _is_ascii_word(data[at - 1])
    for back in (2, 3, 4):
        if at >= back and _character_length(data, at - back) == back:
            return _is_word(data[at - back : at].decode("utf-8"))
    return False


def _quoted(literal: bytes) -> bytes:
    """A fixed string as a BRE."""
    return b"".join(b"\\" + bytes([byte]) if byte in b"\\.*[]^$" else bytes([byte]) for byte in literal)
