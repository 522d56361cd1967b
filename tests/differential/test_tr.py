"""Random sets and texts: tr beside GNU tr."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.differential.text_tools import EXAMPLES, agree, texts, tool

tool("tr")

_PARTS = [
    "a", "b", "abc", "a-z", "A-Z", "0-9", "[:upper:]", "[:lower:]", "[:alpha:]", "[:digit:]", "[:space:]", "[:alnum:]",
    "[:punct:]", "[:blank:]", "[:cntrl:]", "[:print:]", "[:graph:]", "[:xdigit:]", "[=a=]", "[x*]", "[x*3]", "[y*010]",
    "[z*99999999]", "\\n", "\\t", "\\012", "\\\\", "\\377", "\\-", "-", "[", "]", "*", "é", "[a", "[:", "0-", "\\400",
]  # fmt: skip
_SET = st.lists(st.sampled_from(_PARTS), max_size=4).map("".join)


@EXAMPLES
@given(
    st.sampled_from(["", "", "-d", "-s", "-ds", "-c", "-cd", "-cs", "-t", "-ct", "-st", "-csd"]),
    st.lists(_SET, min_size=1, max_size=2),
    texts(),
)
def test_tr_agrees(letters: str, sets: list[str], text: bytes) -> None:
    agree(["tr", *([letters] if letters else []), "--", *sets], text)
