"""Random lists, delimiters and texts: cut beside GNU cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.differential.text_tools import EXAMPLES, agree, options, texts, tool

tool("cut")

_RANGE = st.one_of(
    st.integers(1, 7).map(str),
    st.tuples(st.integers(1, 6), st.integers(0, 5)).map(lambda pair: f"{pair[0]}-{pair[0] + pair[1]}"),
    st.integers(1, 6).map(lambda number: f"{number}-"),
    st.integers(1, 6).map(lambda number: f"-{number}"),
)
_LIST = st.lists(_RANGE, min_size=1, max_size=4).map(",".join)
_WRONG = st.text("0123-,a :", max_size=5)


@EXAMPLES
@given(
    st.sampled_from(["-b", "-c", "-f", "-f", "-f"]),
    st.one_of(_LIST, _LIST, _LIST, _WRONG),
    st.sampled_from(["", "-d ", "-da", "-d:", "-d\t", "-d\n"]),
    options("--complement", "-s", "-z", "-n", "--output-delimiter=", "--output-delimiter=XY"),
    st.sampled_from([[], ["f"], ["f", "-"], ["nope", "f"]]),
    texts(),
)
def test_cut_agrees(
    kind: str, chosen: str, delimiter: str, given_options: list[str], operands: list[str], text: bytes
) -> None:
    argv = ["cut", f"{kind}{chosen}", *given_options]
    if kind == "-f" and delimiter:
        argv.append(delimiter)
    agree([*argv, *operands], text, f=text[: len(text) // 2])
