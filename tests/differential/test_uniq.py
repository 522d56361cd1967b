"""Random options and texts: uniq beside GNU uniq."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.differential.text_tools import EXAMPLES, agree, options, texts, tool

tool("uniq")

_OPTIONS = options(
    "-c", "-d", "-D", "-u", "-i", "-z", "--group", "--group=prepend", "--group=append", "--group=both",
    "--all-repeated=prepend", "--all-repeated=separate", "--all-repeated=p", "-1", "+2",
    st.integers(0, 3).map(lambda number: f"-f{number}"),
    st.integers(0, 3).map(lambda number: f"-s{number}"),
    st.integers(0, 3).map(lambda number: f"-w{number}"),
)  # fmt: skip


@EXAMPLES
@given(_OPTIONS, st.sampled_from([[], ["-"], ["f"], ["nope"], ["d"]]), texts())
def test_uniq_agrees(given_options: list[str], operands: list[str], text: bytes) -> None:
    agree(["uniq", *given_options, *operands], text, f=text)
