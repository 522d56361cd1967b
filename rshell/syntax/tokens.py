"""The tokens of the shell language: one regex for the next token, a few for the pieces of a word.

Every regex is applied with match(text, position). Quantifiers are possessive, so that none can
backtrack: a script's length is all that its scanning time depends on. A backslash and a newline
(JOIN) may stand between any two characters of an operator or a name (POSIX XCU 2.2.1).
"""

from __future__ import annotations

import re
from typing import Final, Protocol


class Matcher(Protocol):
    """re's match() of one pattern."""

    def __call__(self, text: str, position: int = 0, /) -> re.Match[str] | None: ...


_patterns: dict[str, tuple[str, int]] = {}


def _later(name: str, pattern: str, flags: int = 0) -> None:
    """Define a matcher that is compiled when it is first used: most scripts need few of them."""
    _patterns[name] = pattern, flags


def prepare() -> None:
    """Compile every matcher now: compiling takes some thirty frames, which nested constructs may not have left."""
    for name in _patterns:
        if name not in globals():
            __getattr__(name)


def __getattr__(name: str) -> Matcher:
    if name not in _patterns:
        raise AttributeError(name)
    pattern, flags = _patterns[name]
    matcher = re.compile(pattern, flags).match
    globals()[name] = matcher
    return matcher


WORD: Final = 1  # a word that is one unquoted literal; may be a reserved word
REDIRECT: Final = 3
OPERATOR: Final = 4
NEWLINE: Final = 5
END: Final = 6
COMPLEX: Final = 7  # a word with quoting or expansions

JOIN = r"(?:\\\n)*+"
JOINED = "\\\n"
NAME = r"[A-Za-z_][A-Za-z0-9_]*+"
# What no unquoted word goes past: blanks, newline and the operator characters.
META = r" \t\n;|&()<>"

# The group numbers are the token kinds above; group 2 is the descriptor before a redirection.


def _token(join: str, blanks: str) -> str:
    return rf"""
    {blanks} (?:\#[^\n]*+)?+
    (?:
      ( (?!\#|[0-9]++[<>]|\{{{NAME}\}}[<>]) [^{META}\\'"$`~]++ )
      (?= [ \t\n;|&)] | [<>](?!{join}\() | \Z )
    |
      (?:
        ([0-9]++|\{{{NAME}\}})?+
        ( <{join}<{join}< | <{join}<{join}- | <{join}< | <{join}& | <{join}>
        | >{join}> | >{join}& | >{join}\| | [<>](?!{join}\()
        | &{join}>{join}> | &{join}> )
      )
    |
      ( &{join}& | \|{join}\| | \|{join}& | ;{join};{join}& | ;{join}; | ;{join}& | [&|;()] )
    |
      (\n)
    |
      (\Z)
    |
    )
    """


# In a script without line continuation, which most are, JOIN is nothing and the regex a third as long.
TOKEN: Matcher
_later("TOKEN", _token("", r"[ \t]*+"), re.VERBOSE)
JOINED_TOKEN: Matcher
_later("JOINED_TOKEN", _token(JOIN, r"(?:[ \t]++|\\\n)*+"), re.VERBOSE)

# The next piece of a word.
TEXT, JOINT, ESCAPE, SINGLE, DOUBLE, OPEN_DOUBLE, EXPANSION, BACKQUOTE, PATTERN, TILDE, BROKEN = range(1, 12)
PIECE: Matcher
_later(
    "PIECE",
    rf"""
      ( [^{META}\\'"$`~?*+@!]++ (?: [?*+@!](?!\() [^{META}\\'"$`~?*+@!]*+ )*+
      | (?: [?*+@!](?!\() [^{META}\\'"$`~?*+@!]*+ )++
      | [?*+@!](?=\([ \t]*+\)) )
    | (\\\n)
    | \\([^\n])
    | '([^']*+)'
    | "([^"\\$`]*+)"
    | (")
    | ([$]|[<>]{JOIN}\()
    | (`)
    | ([?*+@!]\()
    | (~)
    | (['\\])
    """,
    re.VERBOSE,
)

# What stands around an expansion.
UNQUOTED, DOUBLE_QUOTES, HEREDOC = range(3)

# Inside double quotes, and inside the body of a here-document.
QUOTED_TEXT, QUOTED_JOINT, QUOTED_ESCAPE, QUOTED_EXPANSION, QUOTED_BACKQUOTE, QUOTED_END = range(1, 7)
IN_DOUBLE: Matcher
_later(
    "IN_DOUBLE",
    r"""([^"\\$`]++|\\(?![$`"\\\n]))|(\\\n)|\\([$`"\\])|(\$)|(`)|(")""",
)
IN_HEREDOC: Matcher
_later(
    "IN_HEREDOC",
    r"""([^\\$`]++|\\(?![$`\\\n]))|(\\\n)|\\([$`\\])|(\$)|(`)|(\Z)""",
)

# What may follow a dollar sign; `<(` and `>(` are read by the same code.
PLAIN_NAME, SPECIAL, BRACED_NAME, BRACE, ARITHMETIC, COMMAND, BRACKET, ANSI, LOCALE, FILE = range(1, 11)
SUBSTITUTION: Matcher
_later(
    "SUBSTITUTION",
    rf"""
      \${JOIN}
      (?: ({NAME}(?:(?:\\\n)++[A-Za-z0-9_]*+)*+)
      | ([0-9@*\#?$!-])
      | \{{{JOIN}({NAME}(?:(?:\\\n)++[A-Za-z0-9_]*+)*+)\}}
      | (\{{)
      | (\({JOIN}\()
      | (\()
      | (\[)
      | '([^'\\]*+(?:\\.[^'\\]*+)*+)'
      | (["']) )
    | ([<>]){JOIN}\(
    """,
    re.VERBOSE | re.DOTALL,
)

# The inside of ${…}: what it is about, and what it asks for. A second # or ! is a parameter.
PARAMETER: Matcher
_later(
    "PARAMETER",
    rf"(#|!)?((?:{NAME})|[0-9]++|[@*#?$!-])(.*)\Z",
    re.DOTALL,
)
BACKQUOTED: Matcher
_later(
    "BACKQUOTED",
    r"`([^`\\]*+(?:\\.[^`\\]*+)*+)`",
    re.DOTALL,
)
COPIED_DESCRIPTOR: Matcher
_later(
    "COPIED_DESCRIPTOR",
    r"(?:[ \t]++|\\\n)*+([0-9]++)(?=[<>])",
)
ASSIGNMENT: Matcher
_later(
    "ASSIGNMENT",
    rf"({NAME})(?:\[(.*?)\])?(\+?)=",
    re.DOTALL,
)
IDENTIFIER: Matcher
_later("IDENTIFIER", rf"{NAME}\Z")
EMPTY_PARENTHESES: Matcher
_later(
    "EMPTY_PARENTHESES",
    r"\((?:[ \t]++|\\\n)*+\)",
)
INDEXED: Matcher
_later(
    "INDEXED",
    rf"{NAME}\[",
)
TILDE_PREFIX: Matcher
_later(
    "TILDE_PREFIX",
    rf"~[A-Za-z0-9._+-]*+(?=[/:{META}]|\Z)",
)

# coproc NAME is a name only where a compound command follows.
COPROC_BODY: Matcher
_later(
    "COPROC_BODY",
    r"[ \t]*+(?:\(|\{[ \t\n]|(?:while|until|for|if|case|select|\[\[)[ \t\n])",
)

# Up to the next character that matters while looking for a closing one.
SKIP_PARENTHESIS: Matcher
_later("SKIP_PARENTHESIS", r"[^'\"\\`$()]*+")
SKIP_BRACE: Matcher
_later("SKIP_BRACE", r"[^'\"\\`$}]*+")
SKIP_BRACKET: Matcher
_later("SKIP_BRACKET", r"[^'\"\\`$\[\]]*+")

DECLARATIONS: Final = frozenset({"declare", "typeset", "export", "local", "readonly", "let"})
