"""Random counts and texts: tail beside GNU tail."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.differential.text_tools import EXAMPLES, agree, options, texts, tool

tool("tail")

_COUNT = st.tuples(
    st.sampled_from(["", "+", "-"]), st.integers(0, 60).map(str), st.sampled_from(["", "", "", "b", "K", "kB", "x"])
).map("".join)


@EXAMPLES
@given(
    st.sampled_from(["-n", "-c", "--lines=", "--bytes="]),
    _COUNT,
    options("-q", "-v", "-z"),
    st.sampled_from([[], ["f"], ["f", "g"], ["f", "-"], ["nope", "f"], ["g", "d", "f"], ["-", "-"]]),
    texts(),
    st.booleans(),
)
def test_tail_agrees(
    kind: str, count: str, given_options: list[str], operands: list[str], text: bytes, from_file: bool
) -> None:
    agree(["tail", f"{kind}{count}", *given_options, *operands], text, from_file=from_file, f=text, g=text * 3)


@EXAMPLES
@given(st.tuples(st.sampled_from("+-"), st.sampled_from(["", "1", "3", "12"]), st.sampled_from(["", "c", "l", "b", "x"])), texts())
def test_old_spellings_agree(parts: tuple[str, str, str], text: bytes) -> None:
    if "".join(parts) not in ("-", "-c"):
        agree(["tail", "".join(parts)], text, **{"+": b"", "+x": b"", "+1x": b""})
