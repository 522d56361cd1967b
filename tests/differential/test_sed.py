"""Random scripts and texts: sed beside GNU sed."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.differential.text_tools import EXAMPLES, agree, texts, tool

tool("sed")

_REGEXES = [
    "a", "b*", "^", "$", "^a", "[ab]", "[^a]*", "x y", ".", "..", "\\(a\\)\\(b*\\)", "a\\|b", "\\<", "\\>", "12", "a\\{2\\}", "\\n",
    "[[:alpha:]]*", "[[:space:]]", "\\t", "-", "A", "^$", "\\w\\w*", "[0-9]\\+", "a*$", "\\.", ":", "z", "^.",
]  # fmt: skip
_GROUPS = ["\\(a\\)\\(b*\\)", "\\(.\\)\\(.\\)", "\\(x*\\)\\(a\\)", "^\\(.\\)\\(.*\\)$", "\\([a-z]*\\) *\\([0-9]*\\)"]
_RIGHTS = [
    "", "X", "&", "<&>", "&&", "\\n", "a\\\\b", "\\&", "\\U&", "\\u&", "\\L&\\E&", "x\\ty", "\\l&Q", "\\Ux&\\uy\\Lz", "\\x41", "\\\n",
]  # fmt: skip
_RIGHTS_GROUPS = [*_RIGHTS, "\\2\\1", "[\\1]", "\\u\\1\\2", "\\U\\1\\E\\2", "\\2-\\0-\\1", "\\L\\u\\1\\2"]
_FLAGS = ["", "", "g", "p", "2", "2g", "gp", "I", "gI", "M", "Mg", "3p", "0", "w"][:12]
_ADDRESSES = [
    "", "", "", "1", "2", "$", "/a/", "/b/I", "/^$/", "2,4", "2,1", "/a/,/b/", "1,/a/", "0,/a/", "/a/,+1", "2,~3", "1~2", "0~3", "2,$",
    "$!", "1!", "/a/!", "2,3!", "/x/,3", "\\,12,", "/a/,$", "3,+0", "//",
]  # fmt: skip
_PLAIN = [
    "p", "d", "D", "n", "N", "g", "G", "h", "H", "x", "P", "=", "z", "q", "Q", "q3", "l", "l 5", "a foo", "i\\\n bar", "c baz", "a\\", "y/ab1/xyz/",
    "y/aé/éa/", "b", "t", "T", "bx", "tx", "Tx", "F", "$!N", "a x\\\ny", "i\\  z", "y/\\n,/,\\n/", "{p;d}", "/a/{x;p;x}",
]  # fmt: skip
_OPTIONS = ["-n", "-s", "-z", "-u", "--posix", "-b"]
_SURE = texts().filter(lambda text: b"\xf4\x90" not in text)  # GNU takes that for a character in some places
_slashes = st.sampled_from(_REGEXES)


_ODD_BEYOND_ASCII = ("\\<", "\\>", "\\w", "*/", "*\\)", "*$", "é")


def _depends_on_locale(commands: list[str]) -> bool:
    """GNU sees words beyond ASCII, and steps through characters by bytes where a match is empty; we do not."""
    return any(mark in command for mark in _ODD_BEYOND_ASCII for command in commands)


@st.composite
def _substitutions(draw: st.DrawFn) -> str:
    if draw(st.booleans()):
        left, right = draw(_slashes), draw(st.sampled_from(_RIGHTS))
    else:
        left, right = draw(st.sampled_from(_GROUPS)), draw(st.sampled_from(_RIGHTS_GROUPS))
    return f"s/{left}/{right}/{draw(st.sampled_from(_FLAGS))}"


_command = st.tuples(st.sampled_from(_ADDRESSES), st.one_of(st.sampled_from(_PLAIN), _substitutions())).map("".join)
_simple = st.tuples(st.sampled_from(["", "", "/a/", "/b/!", "/^$/"]), st.one_of(_substitutions(), st.sampled_from(["d", "p", "y/a1/z2/"])))


@EXAMPLES
@given(st.lists(_command, min_size=1, max_size=5), st.lists(st.sampled_from(_OPTIONS), max_size=2), _SURE, _SURE, st.booleans())
def test_sed_agrees(commands: list[str], options: list[str], text: bytes, other: bytes, label: bool) -> None:
    if label or any(command[-2:] in ("bx", "tx", "Tx") for command in commands):
        commands = [*commands, ":x"]  # at the end, or a script could go on for ever
    if "D" in "".join(commands) and any(mark in command for command in commands for mark in ("\\n", "\n", "G", "g", "x")):
        return  # so could this one
    script = [word for command in commands for word in ("-e", command)]
    assume("-z" not in options or not any(command.endswith(("M", "Mg")) for command in commands))  # \0 is its newline
    assume((text + other).isascii() or not _depends_on_locale(commands))
    agree(["sed", *options, *script, "-", "other"], text, from_file=True, other=other)


@EXAMPLES
@given(st.lists(_simple.map("".join), min_size=1, max_size=3), st.sampled_from([[], ["-n"], ["-E"]]), _SURE)
def test_scripts_for_blocks_agree(commands: list[str], options: list[str], text: bytes) -> None:
    assume(text.isascii() or not _depends_on_locale(commands))
    agree(["sed", *options, "\n".join(commands)], text)


@EXAMPLES
@given(st.text(st.sampled_from("sdpay/\\ab1,$!{};#:\n gI*.&nN=0~+"), max_size=12), texts(8))
def test_odd_scripts_agree(script: str, text: bytes) -> None:
    if script and "D" not in script and ":" not in script:  # without a script GNU shows its help
        agree(["sed", "--sandbox", script], text)
