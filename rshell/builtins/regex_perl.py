"""Perl's regular expressions as far as RE2 goes (grep -P): checked, and brought to RE2's syntax."""

from __future__ import annotations

from rshell.builtins.regex_syntax import PatternError

_LOOK_AROUND = (
    "look-around such as (?{}) is not supported; match the whole and cut it out with grep -o, cut or sed, "
    "or filter with grep -v"
)
_GROUPS = {
    "?=": _LOOK_AROUND.format("="),
    "?!": _LOOK_AROUND.format("!"),
    "?<=": _LOOK_AROUND.format("<="),
    "?<!": _LOOK_AROUND.format("<!"),
    "?>": "atomic groups such as (?>) are not supported; use (?:)",
    "?|": "branch reset (?|) is not supported; use (?:)",
    "?(": "conditions such as (?(1)) are not supported",
    "?R": "recursion (?R) is not supported",
    "?#": "comments (?#) are not supported in patterns",
    "*": "verbs such as (*VERB) are not supported",
}
_ESCAPES = {
    "h": "[ \\t]",
    "H": "[^ \\t]",
    "N": "[^\\n]",
    "R": "(?:\\r\\n|[\\n\\v\\f\\r])",
    "A": "(?m:^)",
    "z": "(?m:$)",
    "Z": "(?m:$)",
    "e": "\\x1b",
}
_REFUSED = {
    "K": "\\K is not supported; cut the match out with sed or with a second grep -o",
    "G": "\\G is not supported",
    "X": "\\X is not supported; use . for one character",
    "k": "back-references such as \\k are not supported",
    "g": "back-references such as \\g are not supported",
}


def translate_perl(text: str, *, whole_line: bool, fold: bool) -> str:
    """text in RE2's syntax, for a block of lines. Raises PatternError for what RE2 has not."""
    out: list[str] = []
    at = 0
    while at < len(text):
        character = text[at]
        at += 1
        if character == "\\":
            if at == len(text):
                raise PatternError("\\ at end of pattern")
            out.append(_escape(text[at]))
            at += 1
        elif character == "[":
            end = _bracket_end(text, at)
            out.append("[" + text[at:end].replace("\\h", " \\t"))
            at = end
        elif character == "(":
            for start, message in _GROUPS.items():
                if text.startswith(start, at):
                    raise PatternError(message)
            if text.startswith("?<", at):
                out.append("(?P<")
                at += 2
            else:
                out.append("(")
        elif character == "+" and out and out[-1] in ("+", "*", "?", "}"):
            raise PatternError("possessive repeats such as *+ are not supported; leave the + out")
        else:
            out.append(character)
    body = "".join(out)
    if whole_line:
        body = f"^(?:{body})$"
    return ("(?mi)" if fold else "(?m)") + body


def _escape(character: str) -> str:
    if character in "123456789":
        raise PatternError(
            f"back-references such as \\{character} are not supported; spell the alternatives out, "
            "or compare the parts with awk"
        )
    if character in _REFUSED:
        raise PatternError(_REFUSED[character])
    return _ESCAPES.get(character, "\\" + character)


def _bracket_end(text: str, at: int) -> int:
    """Where a bracket expression ends, from behind its [ to behind its ]."""
    if text.startswith("^", at):
        at += 1
    if text.startswith("]", at):
        at += 1
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text[at] == "[" and text.startswith(":", at + 1) and ":]" in text[at + 2 :]:
            at = text.index(":]", at + 2) + 2
        elif text[at] == "]":
            return at + 1
        else:
            at += 1
    raise PatternError("missing terminating ] for character class")
