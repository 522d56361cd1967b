"""Random options and bytes: strings beside that of binutils."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.differential.text_tools import EXAMPLES, agree, options, texts, tool

tool("strings")

_OPTIONS = options(
    "-a", "-f", "-o", "-td", "-tx", "-to", "-s:", "--output-separator=XX", "-2", "-7",
    st.sampled_from(["1", "2", "5", "010", "0x3", "400", "0", "x", "08"]).map(lambda number: f"-n{number}"),
)  # fmt: skip


@EXAMPLES
@given(_OPTIONS, st.sampled_from([[], ["f"], ["f", "g"], ["-", "f"], ["nope", "f"], ["d", "f"]]), texts())
def test_strings_agrees(given_options: list[str], operands: list[str], text: bytes) -> None:
    agree(["strings", *given_options, *operands], text, f=text, g=text[::-1])
