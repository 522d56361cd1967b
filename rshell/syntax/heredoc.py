"""Here-documents: the delimiter after << and the lines that come after the line's end (XCU 2.7.4)."""

from __future__ import annotations

import re
from typing import Final

from rshell.syntax import tokens as t
from rshell.syntax.quoting import ansi
from rshell.syntax.tree import HereDoc, Quoted, Word
from rshell.syntax.words import WordReader

# Compiled when first used (re keeps them): most scripts have no here-document.
_DELIMITER: Final = rf"""(?xs)
      ([^{t.META}\\'"$]++ | [$](?!['"]))
    | (\\\n)
    | \\(.)
    | '([^']*+)'
    | [$]'([^'\\]*+(?:\\.[^'\\]*+)*+)'
    | [$]?"([^"\\]*+(?:\\.[^"\\]*+)*+)"
    """
_IN_DOUBLE: Final = r'\\([$`"\\])|\\\n'
_BLANKS: Final = r"(?:[ \t]++|\\\n)*+"
_ENDS_JOINED: Final = r"(?<!\\)(?:\\\\)*\\\Z"


def prepare() -> None:
    """Compile what this module needs now, before constructs are nested."""
    for pattern in (_DELIMITER, _IN_DOUBLE, _BLANKS, _ENDS_JOINED):
        re.compile(pattern)


def begin(reader: WordReader, operator: str) -> HereDoc:
    """Read the delimiter behind the operator. The body is empty until `read_bodies` has come to its lines."""
    source = reader.source
    blanks = re.compile(_BLANKS).match(source, reader.position)
    start = position = blanks.end() if blanks else reader.position
    pieces: list[str] = []
    quoted = False
    piece = re.compile(_DELIMITER).match
    while (match := piece(source, position)) is not None:
        position = match.end()
        kind = match.lastindex or 0
        if kind == 1 or kind == 2:
            pieces.append(match[1] or "")
            continue
        quoted = True
        text = match[kind]
        pieces.append(ansi(text) if kind == 5 else re.sub(_IN_DOUBLE, r"\1", text) if kind == 6 else text)
    if position == start:
        reader.advance()
        if reader.kind not in (t.WORD, t.COMPLEX):
            reader.unexpected(newline=True)
        reader.unclosed(source[start : start + 1], reader.line_at(start))
    reader.position = position
    document = HereDoc("".join(pieces), quoted, operator == "<<-", Word((), reader.line_at(start)))
    reader.pending.append(document)
    reader.grow(2)
    return document


def read_bodies(reader: WordReader) -> None:
    """Fill in the pending here-documents from the lines that begin at the position."""
    pending, reader.pending = reader.pending, []
    for document in pending:
        if reader.check is not None:
            reader.check()
        start = reader.position
        line = reader.line_at(start)
        text = _lines(reader, document)
        if not text:
            continue
        if text[-1] != "\n":  # the script ended in it
            text += "\n"
        if document.quoted or not any(c in text for c in "$`\\"):
            body = Word((Quoted(text),), line)
        else:
            inner = reader.inner(text, line)
            inner.enter()
            body = Word(inner.quoted_parts(0, t.IN_HEREDOC), line)
            reader.nodes = inner.nodes
        document.body = body  # the node was made with its redirection, before its lines were reached


def _lines(reader: WordReader, document: HereDoc) -> str:
    """The text of one body; the position comes behind its delimiter line."""
    source = reader.source
    start = reader.position
    delimiter = document.delimiter
    if not document.strip_tabs and not reader.substitutions:
        found = source.find(f"\n{delimiter}\n", start - 1)
        if found < 0 and source.endswith("\n" + delimiter) and len(source) - len(delimiter) > start - 1:
            found = len(source) - len(delimiter) - 1
        text = source[start : found + 1] if found >= 0 else source[start:]
        if document.quoted or t.JOINED not in text:
            reader.position = min(found + len(delimiter) + 2, len(source)) if found >= 0 else len(source)
            return text
    elif not document.strip_tabs and (document.quoted or t.JOINED not in source) and (
        source.find("\n" + delimiter, start - 1) < 0
    ):
        reader.position = len(source)
        return source[start:]
    lines: list[str] = []
    joined = ""
    position = start
    while position < len(source):
        end = source.find("\n", position)
        end = len(source) if end < 0 else end
        line = source[position:end]
        position = end + 1
        if document.strip_tabs and not joined:
            line = line.lstrip("\t")
        if not document.quoted and line[-1:] == "\\" and end < len(source) and re.search(_ENDS_JOINED, line):
            joined += line[:-1]
            lines.append(line[:-1])
            continue
        if joined + line == delimiter:
            del lines[len(lines) - _joints(lines) :]
            break
        # In $(…) the closing parenthesis may follow the delimiter on its line, as bash has it.
        if reader.substitutions and not joined and line.startswith(delimiter) and ")" in line[len(delimiter) :]:
            position = source.index(delimiter, position - len(line) - 1) + len(delimiter)
            break
        joined = ""
        lines.append(line + "\n" if end < len(source) else line)
    reader.position = min(position, len(source))
    return "".join(lines)


def _joints(lines: list[str]) -> int:
    """How many pieces at the end belong to a line that is not complete."""
    count = 0
    while count < len(lines) and not lines[-1 - count].endswith("\n"):
        count += 1
    return count
