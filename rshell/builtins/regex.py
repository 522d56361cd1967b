"""Regular expressions for commands: POSIX and GNU syntax on the RE2 engine.

compile_pattern() gives a Pattern. Matches are leftmost-longest, data is bytes, and data that is no
UTF-8 fails nothing: a byte that belongs to no character is matched by no `.` and no set.

RE2 is linear in the data, but one search cannot be interrupted. So blocks are searched in slices of
64 KiB of whole lines, and what may still take long runs in a thread that the run leaves behind at its
deadline (`guard`, a command's `call.run`).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING, Any

from rshell import limits
from rshell.builtins.regex_classes import merged
from rshell.builtins.regex_syntax import CLOSE, DIALECTS, OPEN, OR, TOO_BIG, Parser, PatternError, Token
from rshell.builtins.regex_text import Span as Span
from rshell.builtins.regex_text import character_length as character_length
from rshell.builtins.regex_text import encoded, has_case, line_cut, required, text_spans
from rshell.builtins.regex_translate import Style, exact_word_edges, translate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Protocol, TypeVar

    _T = TypeVar("_T")

    class Guard(Protocol):
        """What of a run a search needs (rshell.builtins.context.Run has it)."""

        def check(self) -> None: ...

        def call_in_thread(self, function: Callable[[], Any]) -> Any: ...


__all__ = ["Pattern", "PatternError", "compile_pattern", "preload"]

NONE: Span = (-1, -1)
_MEMORY = 16 * limits.MIB  # for a program (both directions) and its states
_TURNS = 16_384  # matches of one long line between two looks at the clock
_RARE = 256  # a literal that stands in fewer than one of so many bytes is worth looking for first


def preload() -> None:
    """Import the engine now, so that no import happens later."""
    from rshell.builtins import regex_perl  # noqa: F401

    _engine()


def compile_pattern(
    pattern: bytes,
    *,
    syntax: str,
    ignore_case: bool = False,
    multiline: bool = False,
    whole_line: bool = False,
    newline_list: bool = False,
    guard: Guard | None = None,
) -> Pattern:
    """Compile a regular expression.

    syntax: 'bre' and 'ere' (sed, sed -E, find's posix types), 'grep' and 'egrep' (as grep reads the
    two), 'awk', 'emacs' (find -regex), 'fixed' (a plain string), 'perl' (grep -P as far as RE2 goes: the
    leftmost match by preference, not the longest; for lines only), 're2' (as RE2 reads it; for whole texts only).
    multiline: ^ and $ also stand at newlines inside the data, which . and [^x] do not match (sed's M).
    whole_line: it has to match from ^ to $. newline_list: several patterns, one a line, any of which may match.
    guard: the run, so that long searches end with it.

    Raises PatternError.
    """
    return Pattern(_compiled(pattern, syntax, ignore_case, multiline, whole_line, newline_list), guard)


@lru_cache(limits.PATTERNS_KEPT)
def _compiled(
    pattern: bytes, syntax: str, ignore_case: bool, multiline: bool, whole_line: bool, newline_list: bool
) -> _Compiled:
    if syntax == "perl":
        return _CompiledPerl(pattern, ignore_case, whole_line)
    if syntax == "re2":
        return _CompiledPlain(pattern)
    tokens: list[Token] = []
    warnings: list[str] = []
    groups = 0
    text = pattern.decode("utf-8", "surrogateescape")
    for number, source in enumerate(text.split("\n") if newline_list else [text]):
        if number:
            tokens.append(OR)
        if syntax == "fixed":
            tokens += [Token("literal", ord(character)) for character in source]
            continue
        parser = Parser(source, DIALECTS[syntax])
        parser.parse()
        tokens += parser.tokens
        groups += parser.groups
        warnings += parser.warnings
    if whole_line:
        tokens = [Token("line_start"), OPEN, *tokens, CLOSE, Token("line_end")]
    if multiline:
        tokens = [_without_newline(token) for token in tokens]
    compiled = _Compiled(exact_word_edges(tokens), groups, ignore_case, multiline, tuple(warnings))
    compiled.validate()
    return compiled


def _without_newline(token: Token) -> Token:
    if token.kind != "any" and not token.negated:
        return token
    return Token("set", ranges=merged([*token.ranges, (0x0A, 0x0A)]), negated=True)


class Pattern:
    """A compiled regular expression, bound to the run that uses it.

    ngroups: how many groups it has. warnings: what GNU grep warns of (stray backslashes).
    literal: the plain string that it is, or None.

    search(), groups() and spans() take data as one text. matching_lines(), count_lines() and
    first_in_line() take a block of lines, each a text of its own, to which the other lines do not exist.
    """

    __slots__ = ("_compiled", "_guard", "literal", "ngroups", "warnings")

    def __init__(self, compiled: _Compiled, guard: Guard | None) -> None:
        self._compiled = compiled
        self._guard = guard
        self.literal = compiled.literal
        self.ngroups = compiled.groups
        self.warnings = compiled.warnings

    # One text

    def search(self, data: bytes, pos: int = 0, end: int | None = None) -> Span | None:
        """The leftmost longest match that starts at pos or later; with end, as if data ended there."""
        literal = self.literal
        if literal is not None:
            at = data.find(literal, pos) if end is None else data.find(literal, pos, end)
            return None if at < 0 else (at, at + len(literal))
        if end is not None and end < len(data):
            data = data[:end]
        match, size = self._compiled.program(data.isascii(), False, False)
        found = self._call(match, size, data, pos, len(data))[0]
        return None if found == NONE else found

    def groups(self, data: bytes, pos: int = 0) -> list[Span] | None:
        """The match that search() finds and its groups; (-1, -1) for a group that took no part."""
        literal = self.literal
        if literal is not None:
            at = data.find(literal, pos)
            return None if at < 0 else [(at, at + len(literal))]
        match, size = self._compiled.program(data.isascii(), False, True)
        found = self._call(match, size, data, pos, len(data))
        return None if found[0] == NONE else found

    def spans(self, data: bytes, pos: int = 0) -> Iterator[Span]:
        """Every match in turn, none overlapping; no empty one right behind another (as sed's s///g)."""
        return text_spans(self.search, data, pos, len(data))

    @property
    def fixed_groups(self) -> list[Span] | None:
        """Where the match and its groups lie from its start, in characters, when that is always the same; else None."""
        return self._compiled.fixed_groups()

    # Lines of a block

    def matching_lines(self, block: bytes, pos: int = 0, end: int | None = None, *, limit: int = 0) -> list[Span]:
        """The lines of block that hold a match: their starts and ends, the newline not counted.

        pos, end: where to begin and to stop, both at the start of a line. limit: stop after so many.
        """
        return self._lines(block, pos, len(block) if end is None else end, limit, True)[1]

    def count_lines(self, block: bytes, pos: int = 0, end: int | None = None) -> int:
        """How many lines of block hold a match."""
        return self._lines(block, pos, len(block) if end is None else end, 0, False)[0]

    def search_line(self, block: bytes, pos: int, end: int) -> Span | None:
        """The leftmost longest match from pos within the line of block that ends at end."""
        literal = self.literal
        if literal is not None:
            at = block.find(literal, pos, end)
            return None if at < 0 else (at, at + len(literal))
        match, size = self._compiled.program(block.isascii(), True, False)
        found = self._call(match, size, block, pos, end)[0]
        return None if found == NONE else found

    def match_at(self, data: bytes, pos: int, end: int, *, lines: bool) -> int:
        """The end of the longest match that starts at pos and ends at end or before, -1 without one.

        lines: data is a block of lines and pos lies in one of them. ^ and $ know what stands around.
        """
        literal = self.literal
        if literal is not None:
            return pos + len(literal) if data.startswith(literal, pos, end) else -1
        match, size = self._compiled.program(data.isascii(), lines, False)
        found: Span = self._call(lambda _, *rest: match(_here, *rest), size, data, pos, end)[0]
        return found[1]

    def block_spans(self, block: bytes, pos: int, end: int) -> list[Span]:
        """Every match in the lines from pos to end of a block, empty ones left out unless there are no others."""
        found: list[Span] = []
        literal = self.literal
        if literal:
            if b"\n" in literal:
                return found
            find, length = block.find, len(literal)
            pos = find(literal, pos, end)
            while pos >= 0:
                found.append((pos, pos + length))
                pos = find(literal, pos + length, end)
            return found
        match, size = self._compiled.program(block.isascii(), True, False)
        empty: list[Span] = []
        while pos < end:
            cut = line_cut(block, pos, end)
            if size * (cut - pos) > limits.REGEX_WORK and self._guard is not None:
                pos = self._guard.call_in_thread(_bind(_slice_spans, match, block, pos, cut, found, empty))
                self._guard.check()
            else:
                pos = _slice_spans(match, block, pos, cut, found, empty)
                if pos < cut and self._guard is not None:
                    self._guard.check()
        return found or empty[:1]

    def block_groups(self, block: bytes, *, every: bool, capture: bool) -> list[list[Span]]:
        """The first match in each line of a block, or with every all that spans() gives line by line.

        Each comes as groups() gives it, without capture as its span alone.
        """
        found: list[list[Span]] = []
        match, size = self._compiled.program(block.isascii(), True, capture)
        pos, end = 0, len(block)
        last = -1
        while pos < end:
            cut = line_cut(block, pos, end)
            if size * (cut - pos) > limits.REGEX_WORK and self._guard is not None:
                pos, last = self._guard.call_in_thread(_bind(_slice_groups, match, block, pos, cut, every, last, found))
                self._guard.check()
            else:
                pos, last = _slice_groups(match, block, pos, cut, every, last, found)
                if pos < cut and self._guard is not None:
                    self._guard.check()
        return found

    def line_spans(self, block: bytes, pos: int, end: int) -> Iterator[Span]:
        """Every match in the line of block from pos to end, as spans()."""
        return text_spans(lambda data, at: self.search_line(data, at, end), block, pos, end)

    # The engine

    def _call(self, match: Callable[..., list[Span]], size: int, data: bytes, pos: int, end: int) -> list[Span]:
        if size * (end - pos) > limits.REGEX_WORK and self._guard is not None:
            found: list[Span] = self._guard.call_in_thread(lambda: match(_anywhere, data, pos, end))
            return found
        return match(_anywhere, data, pos, end)

    def _lines(self, block: bytes, pos: int, end: int, limit: int, collect: bool) -> tuple[int, list[Span]]:
        compiled = self._compiled
        if compiled.literal is not None:
            if compiled.literal_has_newline:
                return 0, []
            return _literal_lines(block, pos, end, compiled.literal, limit, collect)
        match, size = compiled.program(block.isascii(), True, False)
        required = compiled.required
        if required and block.count(required, pos, end) * _RARE < end - pos:
            return self._lines_with(block, pos, end, limit, match, size, required)
        count = 0
        found: list[Span] = []
        while pos < end:
            cut = line_cut(block, pos, end)
            left = limit - count if limit else 0
            if size * (cut - pos) > limits.REGEX_WORK and self._guard is not None:
                counted, lines = self._guard.call_in_thread(_bind(_slice_lines, match, block, pos, cut, left, collect))
                self._guard.check()
            else:
                counted, lines = _slice_lines(match, block, pos, cut, left, collect)
            count += counted
            found += lines
            if limit and count >= limit:
                break
            pos = cut
        return count, found

    def _lines_with(
        self,
        block: bytes,
        pos: int,
        end: int,
        limit: int,
        match: Callable[..., list[Span]],
        size: int,
        required: bytes,
    ) -> tuple[int, list[Span]]:
        """Look for a string that every match holds, and search only the lines that hold it."""
        found: list[Span] = []
        at = block.find(required, pos, end)
        while at >= 0:
            start = block.rfind(b"\n", pos, at) + 1 or pos
            stop = block.find(b"\n", at, end)
            if stop < 0:
                stop = end
            if self._call(match, size, block, start, stop)[0] != NONE:
                found.append((start, stop))
                if len(found) == limit:
                    break
            at = block.find(required, stop, end)
        return len(found), found


class _Compiled:
    """What patterns of the same text share: the tokens, and the engine's programs, made when first wanted."""

    def __init__(
        self, tokens: list[Token], groups: int, ignore_case: bool, multiline: bool, warnings: tuple[str, ...]
    ) -> None:
        self.tokens = tokens
        self.groups = groups
        self.fold = ignore_case
        self.multiline = multiline
        self.warnings = warnings
        self.raw = any(t.kind == "literal" and t.low in _RAW for t in tokens) or any(
            low <= _RAW[-1] and high >= _RAW[0] for t in tokens for low, high in t.ranges
        )
        plain = all(token.kind == "literal" for token in tokens) and not (ignore_case and has_case(tokens))
        self.literal = encoded(tokens) if plain else None
        self.literal_has_newline = plain and b"\n" in (self.literal or b"")
        self.required = b"" if ignore_case else required(tokens)
        kinds = {token.kind for token in tokens} & {"word_start", "word_end"}
        self.edge = kinds.pop() if len(kinds) == 1 else ""  # what an empty match has to stand at
        self._programs: dict[tuple[bool, bool, bool], tuple[Callable[..., list[Span]], int]] = {}
        self._texts: dict[tuple[bytes, bool, bool], tuple[Callable[..., list[Span]], int]] = {}

    def validate(self) -> None:
        """Raise PatternError for what the engine cannot take."""
        if self.literal is None:
            self.program(True, False, False)

    def fixed_groups(self) -> list[Span] | None:
        """Where the groups lie in every match, when each token takes one character or none."""
        starts: list[int] = []
        spans = [NONE] * (self.groups + 1)
        length = 0
        numbers: list[int] = []
        for token in self.tokens:
            if token.kind in ("literal", "set", "any"):
                length += 1
            elif token.kind == "open":
                starts.append(length)
                numbers.append(token.low)
            elif token.kind == "close":
                spans[numbers.pop()] = (starts.pop(), length)
            elif token.kind not in ("line_start", "line_end"):
                return None
        spans[0] = (0, length)
        return spans

    def program(self, is_ascii: bool, lines: bool, capture: bool) -> tuple[Callable[..., list[Span]], int]:
        """The engine's match function for such data, and the size of its program."""
        program = self._programs.get((is_ascii, lines, capture))
        if program is None:
            form = "bytes" if self.raw else "ascii" if is_ascii else "utf8"
            style = Style(form, lines=lines, multiline=self.multiline, capture=capture, fold=self.fold)
            text = translate(self.tokens, style)
            key = (text, capture, self.fold and form == "ascii")  # Latin-1 folds fewer characters
            if key not in self._texts:
                match, size = _build(text, latin=form != "utf8", capture=capture)
                self._texts[key] = (_at_edges(match, self.edge == "word_start") if self.edge else match), size
            program = self._programs[is_ascii, lines, capture] = self._texts[key]
        return program


class _CompiledPerl(_Compiled):
    """A pattern in Perl's syntax, which RE2 reads itself."""

    def __init__(self, pattern: bytes, ignore_case: bool, whole_line: bool) -> None:
        from rshell.builtins.regex_perl import translate_perl

        super().__init__([Token("any")], 0, ignore_case, False, ())
        text = translate_perl(pattern.decode("utf-8", "surrogateescape"), whole_line=whole_line, fold=ignore_case)
        source = text.encode("utf-8", "surrogateescape")
        self._perl = _build(source, latin="\udc80" <= max(text) <= "\udcff", capture=False, perl=True)

    def program(self, is_ascii: bool, lines: bool, capture: bool) -> tuple[Callable[..., list[Span]], int]:
        """The one program there is."""
        return self._perl


class _CompiledPlain(_Compiled):
    """A pattern in RE2's own syntax, with its groups, for texts that are UTF-8."""

    def __init__(self, pattern: bytes) -> None:
        super().__init__([Token("any")], 0, False, False, ())
        self._plain = _build(pattern, latin=False, capture=True, perl=True, lines=False)

    def program(self, is_ascii: bool, lines: bool, capture: bool) -> tuple[Callable[..., list[Span]], int]:
        """The one program there is."""
        return self._plain


_RAW = range(0xDC80, 0xDD00)
_WORD_BYTES = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
_anywhere: Any = None  # the engine's word for a search that may begin anywhere, once it is imported
_here: Any = None  # and for one that begins where it is told to


@lru_cache(1)
def _engine() -> tuple[Any, Any]:
    """The engine's module, and the class of its compiled expressions.

    The class is used rather than re2.compile(), which would keep every expression in a cache of its own.
    """
    global _anywhere, _here
    import re2

    sample = re2.compile(b"")
    re2.purge()
    anchors = type(sample._regexp).Anchor
    _anywhere, _here = anchors.UNANCHORED, anchors.ANCHOR_START
    return re2, type(sample)


def _build(
    text: bytes, *, latin: bool, capture: bool, perl: bool = False, lines: bool = True
) -> tuple[Callable[..., list[Span]], int]:
    re2, regexp_class = _engine()
    options = re2.Options()
    options.log_errors = False
    options.longest_match = not perl
    options.never_nl = perl and lines
    options.never_capture = not capture
    options.max_mem = _MEMORY
    if latin:
        options.encoding = re2.Options.Encoding.LATIN1
    try:
        regexp = regexp_class(text, options)
    except re2.error as failure:
        raise PatternError(_engine_message(failure) if perl else TOO_BIG) from None
    size = max(regexp.programsize, regexp.reverseprogramsize)
    if size > limits.REGEX_INSTRUCTIONS or regexp.reverseprogramsize < 0:
        raise PatternError(TOO_BIG)
    return regexp._regexp.Match, size


def _at_edges(match: Callable[..., list[Span]], start: bool) -> Callable[..., list[Span]]:
    """match, with its empty matches at the wrong edge of a word left out: RE2 knows only edges of either kind."""

    def exact(anchor: Any, data: bytes, pos: int, end: int) -> list[Span]:
        while True:
            found = match(anchor, data, pos, end)
            at, stop = found[0]
            if at < 0 or stop > at:
                return found
            if at < end and data[at] in _WORD_BYTES if start else at > 0 and data[at - 1] in _WORD_BYTES:
                return found
            if at >= end or anchor is not _anywhere:
                return [NONE] * len(found)
            pos = at + 1

    return exact


def _engine_message(failure: Exception) -> str:
    message = failure.args[0] if failure.args else b""
    return message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)


def _bind(function: Callable[..., _T], *args: Any) -> Callable[[], _T]:
    return lambda: function(*args)


def _slice_spans(
    match: Callable[..., list[Span]], block: bytes, pos: int, end: int, found: list[Span], empty: list[Span]
) -> int:
    """Search from pos to end, at most _TURNS times; return where to go on, end when it is done."""
    append = found.append
    where = _anywhere
    for _ in repeat(None, _TURNS):
        if pos >= end:
            return end
        span = match(where, block, pos, end)[0]
        start, stop = span
        if stop > start:
            append(span)
            pos = stop
        elif start < 0:
            return end
        else:
            if not empty and (start < end or block[end - 1] != 10):
                empty.append(span)
            pos = start + (1 if block[start : start + 1].isascii() else character_length(block, start))
    return min(pos, end)


def _slice_groups(
    match: Callable[..., list[Span]], block: bytes, pos: int, end: int, every: bool, last: int, found: list[list[Span]]
) -> tuple[int, int]:
    """Search from pos to end, about _TURNS times at most; last is the end of the match before.

    Returns where to go on, end when it is done, and the new last.
    """
    append, find = found.append, block.find
    where = _anywhere
    turns = 0
    while pos <= end:
        turns += 1
        if turns > _TURNS and pos < end:
            return pos, last
        spans = match(where, block, pos, end)
        start, stop = spans[0]
        if start < 0 or (start == end and block[end - 1] == 10):
            break
        if stop > start or start != last:
            append(spans)
            if not every:
                pos = find(b"\n", stop, end) + 1
                if not pos:
                    break
                continue
        last = stop
        pos = stop if stop > start else stop + character_length(block, stop)
    return end, -1


def _slice_lines(
    match: Callable[..., list[Span]], block: bytes, pos: int, end: int, limit: int, collect: bool
) -> tuple[int, list[Span]]:
    """Search the lines from pos to end, one search for each that matches."""
    found: list[Span] = []
    count = 0
    where = _anywhere
    find, rfind, append = block.find, block.rfind, found.append
    while pos < end:
        at, stop = match(where, block, pos, end)[0]
        if at < 0 or (at == end and block[end - 1] == 10):
            break
        stop = find(b"\n", stop)
        if stop < 0:
            stop = end
        count += 1
        if collect:
            append((rfind(b"\n", pos, at) + 1 or pos, stop))
        if count == limit:
            break
        pos = stop + 1
    return count, found


def _literal_lines(
    block: bytes, pos: int, end: int, literal: bytes, limit: int, collect: bool
) -> tuple[int, list[Span]]:
    found: list[Span] = []
    find, rfind, append = block.find, block.rfind, found.append
    length = len(literal)
    count = 0
    if not collect:
        if not literal:
            return block.count(b"\n", pos, end) + (end > pos and block[end - 1] != 10), found
        at = find(literal, pos, end)
        while at >= 0:
            count += 1
            at = find(b"\n", at + length, end)
            if at < 0:
                break
            at = find(literal, at, end)
        return count, found
    at = find(literal, pos, end)
    while 0 <= at < end:
        stop = find(b"\n", at + length, end)
        if stop < 0:
            stop = end
        append((rfind(b"\n", pos, at) + 1 or pos, stop))
        count += 1
        if count == limit:
            break
        pos = stop + 1
        at = find(literal, pos, end)
    return count, found
