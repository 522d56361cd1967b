"""Option arguments that are one of a few words, or the beginning of one (GNU's argmatch)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell.builtins.options import UsageError
from rshell.builtins.quoting import quote_text

if TYPE_CHECKING:
    from collections.abc import Mapping


def choose(text: str, option: str, words: Mapping[str, str]) -> str:
    """What the word that text names or unambiguously begins stands for.

    Raises UsageError, with the valid words listed; words of one meaning share a line.
    """
    if text in words:
        return words[text]
    meanings = {meaning for word, meaning in words.items() if word.startswith(text)}
    if len(meanings) == 1:
        return meanings.pop()
    lines: dict[str, list[str]] = {}
    for word, meaning in words.items():
        lines.setdefault(meaning, []).append(f"'{word}'")
    valid = "".join(f"\n  - {', '.join(line)}" for line in lines.values())
    kind = "ambiguous" if meanings else "invalid"
    raise UsageError(f"{kind} argument {quote_text(text)} for '{option}'\nValid arguments are:{valid}")
