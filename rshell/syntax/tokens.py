"""The tokens of the shell language: one regex for the next token, a few for the pieces of a word.

Every regex is applied with match(text, position). Quantifiers are possessive, so that none can
backtrack: a script's length is all that its scanning time depends on. A backslash and a newline
(JOIN) may stand between any two characters of an operator or a name (POSIX XCU 2.2.1).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

Matcher: TypeAlias = Callable[[str, int], "re.Match[str] | None"]

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
TOKEN: Final = re.compile(
    rf"""
    (?:[ \t]++|\\\n)*+ (?:\#[^\n]*+)?+
    (?:
      ( (?!\#|[0-9]++[<>]|\{{{NAME}\}}[<>]) [^{META}\\'"$`~]++ )
      (?= [ \t\n;|&)] | [<>](?!{JOIN}\() | \Z )
    |
      (?:
        ([0-9]++|\{{{NAME}\}})?+
        ( <{JOIN}<{JOIN}< | <{JOIN}<{JOIN}- | <{JOIN}< | <{JOIN}& | <{JOIN}>
        | >{JOIN}> | >{JOIN}& | >{JOIN}\| | [<>](?!{JOIN}\()
        | &{JOIN}>{JOIN}> | &{JOIN}> )
      )
    |
      ( &{JOIN}& | \|{JOIN}\| | \|{JOIN}& | ;{JOIN};{JOIN}& | ;{JOIN}; | ;{JOIN}& | [&|;()] )
    |
      (\n)
    |
      (\Z)
    |
    )
    """,
    re.VERBOSE,
).match

# The next piece of a word.
TEXT, JOINT, ESCAPE, SINGLE, DOUBLE, OPEN_DOUBLE, EXPANSION, BACKQUOTE, PATTERN, TILDE, BROKEN = range(1, 12)
PIECE: Final = re.compile(
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
).match

# What stands around an expansion.
UNQUOTED, DOUBLE_QUOTES, HEREDOC = range(3)

# Inside double quotes, and inside the body of a here-document.
QUOTED_TEXT, QUOTED_JOINT, QUOTED_ESCAPE, QUOTED_EXPANSION, QUOTED_BACKQUOTE, QUOTED_END = range(1, 7)
IN_DOUBLE: Final = re.compile(
    r"""([^"\\$`]++|\\(?![$`"\\\n]))|(\\\n)|\\([$`"\\])|(\$)|(`)|(")""",
).match
IN_HEREDOC: Final = re.compile(
    r"""([^\\$`]++|\\(?![$`\\\n]))|(\\\n)|\\([$`\\])|(\$)|(`)|(\Z)""",
).match

# What may follow a dollar sign; `<(` and `>(` are read by the same code.
PLAIN_NAME, SPECIAL, BRACED_NAME, BRACE, ARITHMETIC, COMMAND, BRACKET, ANSI, LOCALE, FILE = range(1, 11)
SUBSTITUTION: Final = re.compile(
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
).match

# The inside of ${…}: what it is about, and what it asks for. A second # or ! is a parameter.
PARAMETER: Final = re.compile(
    rf"(#|!)?((?:{NAME})|[0-9]++|[@*#?$!-])(.*)",
    re.DOTALL,
).fullmatch
BACKQUOTED: Final = re.compile(r"`([^`\\]*+(?:\\.[^`\\]*+)*+)`", re.DOTALL).match
COPIED_DESCRIPTOR: Final = re.compile(r"(?:[ \t]++|\\\n)*+([0-9]++)(?=[<>])").match
ASSIGNMENT: Final = re.compile(rf"({NAME})(?:\[(.*?)\])?(\+?)=", re.DOTALL).match
IDENTIFIER: Final = re.compile(NAME).fullmatch
EMPTY_PARENTHESES: Final = re.compile(r"\((?:[ \t]++|\\\n)*+\)").match
INDEXED: Final = re.compile(rf"{NAME}\[").match
TILDE_PREFIX: Final = re.compile(rf"~[A-Za-z0-9._+-]*+(?=[/:{META}]|\Z)").match

# coproc NAME is a name only where a compound command follows.
COPROC_BODY: Final = re.compile(r"[ \t]*+(?:\(|\{[ \t\n]|(?:while|until|for|if|case|select|\[\[)[ \t\n])").match

# Up to the next character that matters while looking for a closing one.
SKIP: Final = {
    closer: re.compile(rf"[^'\"\\`${re.escape(opener + closer)}]*+").match
    for opener, closer in (("(", ")"), ("", "}"), ("[", "]"))
}

DECLARATIONS: Final = frozenset({"declare", "typeset", "export", "local", "readonly", "let"})
