"""Random options and texts: wc beside GNU wc."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.differential.text_tools import EXAMPLES, agree, options, texts, tool

tool("wc")


@EXAMPLES
@given(
    options("-l", "-w", "-c", "-m", "-L"),
    st.sampled_from([[], ["f"], ["f", "g"], ["f", "-", "g"], ["d"], ["d", "f"], ["nope", "f"], ["", "f"], ["-", "-"]]),
    texts(),
    texts(),
    st.booleans(),
)
def test_wc_agrees(given_options: list[str], operands: list[str], text: bytes, stdin: bytes, from_file: bool) -> None:
    agree(["wc", *given_options, *operands], stdin, from_file=from_file, f=text, g=text[: len(text) // 2])
