"""GNU's quoting of file names in output and messages (gnulib's quotearg, style shell-escape)."""

from __future__ import annotations

_SPECIAL = frozenset(" !\"$&'()*;<=>?[\\^`|")  # make shell-escape put quotes around a name
# what may stand beside a single quote for GNU to choose double quotes
_SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 '%+,-./:@]_")
_NAMED = {"\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r"}


def _printable(character: str) -> bool:
    if character.isascii():
        return " " <= character <= "~"
    return character.isprintable() and not "\ud800" <= character <= "\udfff"


def quote(name: str) -> str:
    """name in quotes as GNU messages show it: 'x', or 'a'$'\\n''b' with what does not print escaped."""
    if "'" in name and all(c in _SAFE or (not c.isascii() and _printable(c)) for c in name[name[:1] in ("#", "~") :]):
        return f'"{name}"'
    first = next((at for at, c in enumerate(name) if not _printable(c)), 0)
    out = ["'''"] if "'" in name[:first] else ["'"]  # gnulib begins anew when an escape follows a quote
    escaped = False
    for character in name:
        if _printable(character):
            if escaped and character != "'":
                out.append("''")
            escaped = False
            out.append("'\\''" if character == "'" else character)
            continue
        if not escaped:
            out.append("'$'")
            escaped = True
        if character in _NAMED:
            out.append(_NAMED[character])
        else:
            out += [f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape")]
    out.append("'")
    return "".join(out)


def quote_if_needed(name: str) -> str:
    """name as shell-escape shows it: bare when a shell would read it back as it is, else quote()d."""
    if name.isalnum() and name.isascii():
        return name
    bare = name and name[0] not in "~#" and name not in ("{", "}") and _SPECIAL.isdisjoint(name)
    return name if bare and all(map(_printable, name)) else quote(name)


def quote_in_message(name: str) -> str:
    """name as GNU puts it before a colon in a message: quote_if_needed(), and quoted for a colon too."""
    return quote(name) if ":" in name else quote_if_needed(name)


def quote_text(text: str) -> str:
    """text in quotes as GNU messages show what is no file name: 'x', or 'a\\nb' with C's escapes."""
    if text.isalnum() and text.isascii():
        return f"'{text}'"
    out = ["'"]
    for character in text:
        if character in "'\\":
            out.append("\\" + character)
        elif _printable(character):
            out.append(character)
        elif character in _NAMED:
            out.append(_NAMED[character])
        else:
            out += [f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape")]
    out.append("'")
    return "".join(out)


def quote_word(word: str) -> str:
    """word as bash's own messages show it: bare, or $'a\\nb' when a character in it does not print."""
    if all(map(_printable, word)):
        return word
    return "$" + quote_text(word).replace("\\033", "\\E")
