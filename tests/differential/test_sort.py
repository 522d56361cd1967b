"""Random keys, options and texts: sort beside GNU sort, in byte order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.differential.text_tools import EXAMPLES, agree, options, texts, tool

tool("sort")

_LETTERS = st.lists(st.sampled_from("bdfghiMnrV"), max_size=2, unique=True).map("".join)
_POSITION = st.tuples(st.integers(1, 3).map(str), st.sampled_from(["", "", ".1", ".2", ".3"])).map("".join)
_KEY = st.tuples(
    _POSITION, _LETTERS, st.one_of(st.just(""), st.tuples(st.just(","), _POSITION, _LETTERS).map("".join))
).map(lambda parts: f"-k{''.join(parts)}")
_OPTIONS = options(
    "-b", "-d", "-f", "-g", "-h", "-i", "-M", "-n", "-r", "-s", "-u", "-V", "-z", "-m", "-c", "-C", "--sort=n",
    "-t:", "-t ", "-ta", "-t\t", _KEY, _KEY, _KEY, _KEY, _KEY, most=4,
)  # fmt: skip


@EXAMPLES
@given(_OPTIONS, st.sampled_from([[], ["f"], ["f", "-"], ["nope", "f"], ["d"]]), texts())
def test_sort_agrees(given_options: list[str], operands: list[str], text: bytes) -> None:
    agree(["sort", *given_options, *operands], text, locale="C", f=text[::2])
