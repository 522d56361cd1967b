"""Random options and input: xargs beside that of findutils, running commands that both have."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.differential.text_tools import EXAMPLES, agree, options, tool

tool("xargs")

_INPUT = st.lists(
    st.sampled_from(
        [
            b"a", b"b c", b" ", b"\n", b"\n", b'"', b"'", b"\\", b'""', b"'x y'", b"{}", b"_", b"\t", b"  \n", b"abcdef",
            b"\r", b"\x0b", b"\xff", b",", b"\n\n", b"_\n",
        ]
    ),
    max_size=25,
).map(b"".join)
_OPTIONS = options(
    "-n1", "-n2", "-L1", "-L2", "-I{}", "-i", "-Ib", "-0", "-d,", "-d\\n", "-r", "-x", "-t", "-s20", "-s30", "-E_", "-e_", "-l",
    "-n0", "-nx",
)  # fmt: skip
_COMMANDS = st.sampled_from([[], ["echo"], ["echo", "x{}y", "{}", "b"], ["cat"], ["false"], ["wc", "-c", "--"]])


@EXAMPLES
@given(_OPTIONS, _COMMANDS, _INPUT)
def test_xargs_agrees(given_options: list[str], command: list[str], text: bytes) -> None:
    agree(["xargs", *given_options, *command], text)
