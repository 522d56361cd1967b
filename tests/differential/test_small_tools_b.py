"""Random calls of sums, encoders, dumps, comparisons and decompressors, beside the real tools."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
from collections.abc import Callable, Sequence

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tests.differential.text_tools import EXAMPLES, agree, options, texts

_BYTES = st.one_of(texts(), st.binary(max_size=600), st.sampled_from([b"\0" * 100, b"ab" * 40, bytes(range(256))]))
_SMALL = st.integers(0, 40).map(str)
_OPERANDS = st.sampled_from([[], [], ["f"], ["-"], ["f", "-"], ["nope", "f"]])


def beside(
    argv: Sequence[str], text: bytes = b"", locale: str = "C.UTF-8", from_file: bool = False, **files: bytes
) -> None:
    """agree(), where the tool exists."""
    if not shutil.which(argv[0]):
        pytest.skip(f"no {argv[0]} on this machine")
    agree(argv, text, locale=locale, from_file=from_file, **files)


@EXAMPLES
@given(
    st.sampled_from(["md5sum", "sha1sum", "sha256sum"]),
    options("-b", "-t", "--tag", "-z"), _OPERANDS, _BYTES, st.booleans(),
)  # fmt: skip
def test_sums_agree(tool: str, given_options: list[str], operands: list[str], text: bytes, from_file: bool) -> None:
    beside([tool, *given_options, *operands], text, from_file=from_file, f=text[: len(text) // 2])


@EXAMPLES
@given(
    options(st.sampled_from(["-acrc", "-absd", "-asysv", "-amd5", "-asha224", "-asha512", "-ablake2b"]), "-l16", "-z",
            "--tag", "--untagged"),
    _OPERANDS, _BYTES, st.booleans(),
)  # fmt: skip
def test_cksum_agrees(given_options: list[str], operands: list[str], text: bytes, from_file: bool) -> None:
    beside(["cksum", *given_options, *operands], text, from_file=from_file, f=text[: len(text) // 2])


_MD5 = [
    "d41d8cd98f00b204e9800998ecf8427e",
    "0cc175b9c0f1b6a831c399e269772661",
    "0" * 32,
    "D41D8CD98F00B204E9800998ECF8427E",
]


@st.composite
def digest_lines(draw: st.DrawFn) -> bytes:
    """Lines for md5sum -c: sound, of either style, and broken."""
    lines = []
    for _ in range(draw(st.integers(0, 5))):
        digest = draw(st.sampled_from(_MD5))
        name = draw(st.sampled_from(["e", "a", "nope", "x\\\\y", "e)", " e", "*a", ""]))
        mark = draw(st.sampled_from(["  ", " *", " ", "\t ", "   "]))
        shape = draw(
            st.sampled_from(
                [
                    f"{digest}{mark}{name}",
                    f"MD5 ({name}) = {digest}",
                    f"\\{digest}{mark}{name}",
                    f"SHA1 ({name}) = {digest}",
                    "# x",
                    "",
                    name,
                ]
            )
        )
        cut = draw(st.integers(0, 60))
        lines.append(shape[:cut] if cut < 10 else shape)
    return "\n".join(lines).encode() + draw(st.sampled_from([b"", b"\n", b"\r\n"]))


@EXAMPLES
@given(
    st.sampled_from([["md5sum", "-c"], ["cksum", "-c"], ["cksum", "-a", "md5", "-c"]]),
    options("--quiet", "--status", "--strict", "--ignore-missing", "-w"), digest_lines(),
)  # fmt: skip
def test_checking_agrees(tool: list[str], given_options: list[str], lines: bytes) -> None:
    beside([*tool, *given_options, "sums"], sums=lines, e=b"", a=b"a")


@EXAMPLES
@given(options("-i", "-w0", "-w", _SMALL.map("-w{}".format)), _BYTES, st.booleans())
def test_base64_agrees(given_options: list[str], text: bytes, from_file: bool) -> None:
    given_options = [option for option in given_options if option != "-w"]
    beside(["base64", *given_options], text, from_file=from_file)


@EXAMPLES
@given(
    st.sampled_from([["-d"], ["-di"]]),
    st.lists(st.sampled_from([b"QUJD", b"QQ==", b"QUI=", b"Q", b"=", b"\n", b"U", b"!", b"A" * 76 + b"\n", b"/+", b" "]), max_size=12),
)  # fmt: skip
def test_base64_decoding_agrees(given_options: list[str], pieces: list[bytes]) -> None:
    beside(["base64", *given_options], b"".join(pieces))


@EXAMPLES
@given(
    options(
        st.sampled_from(["-a", "-b", "-c", "-d", "-f", "-i", "-l", "-o", "-s", "-x", "-v", "-w"]),
        st.sampled_from("doxnq").map("-A{}".format),
        st.lists(st.sampled_from(["a", "c", "d1", "d2", "d4", "d8", "u1", "u2", "u4", "u8", "o1", "o2", "o4", "o8", "x1", "x2", "x4", "x8",
                                  "f4", "f8", "z", "xC", "dS", "oI", "uL", "fD", "x3", "q"]), max_size=3).map("".join).map("-t{}".format),
        _SMALL.map("-j{}".format), _SMALL.map("-N{}".format), st.integers(0, 33).map("-w{}".format), most=4,
    ),
    _OPERANDS, _BYTES, st.booleans(),
)  # fmt: skip
def test_od_agrees(given_options: list[str], operands: list[str], text: bytes, from_file: bool) -> None:
    beside(["od", *given_options, *operands], text, from_file=from_file, f=text[: len(text) // 2])


@EXAMPLES
@given(
    options(
        st.sampled_from(["-a", "-b", "-C", "-d", "-e", "-i", "-p", "-u"]), _SMALL.map("-c{}".format), _SMALL.map("-l{}".format),
        st.integers(0, 20).map("-g{}".format), _SMALL.map("-s{}".format), _SMALL.map("-s+{}".format), _SMALL.map("-o{}".format), most=4,
    ),
    st.sampled_from([[], ["f"]]), _BYTES, st.booleans(),
)  # fmt: skip
def test_xxd_agrees(given_options: list[str], operands: list[str], text: bytes, from_file: bool) -> None:
    beside(["xxd", *given_options, *operands], text, from_file=from_file, f=text)


_DUMP = [
    b"00000000: ",
    b"00000010: ",
    b"0: ",
    b"61",
    b"6162",
    b" ",
    b"  ",
    b"\n",
    b"x",
    b":",
    b"abcdef",
    b"g",
    b"\r\n",
    b"4",
    b"00000003: 6364  cd\n",
]


@EXAMPLES
@given(options("-p", "-c4", "-s3"), st.lists(st.sampled_from(_DUMP), max_size=14))
def test_xxd_back_agrees(given_options: list[str], pieces: list[bytes]) -> None:
    beside(["xxd", "-r", *given_options], b"".join(pieces))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """Two texts, one an edit of the other; with lines that repeat, blanks, and now and then no end."""
    words = [
        b"a",
        b"b",
        b"c d",
        b"",
        b" ",
        b"{",
        b"}",
        b"A",
        b"c  d",
        b"\ta ",
        b"e" * 30,
        *[b"%d" % number for number in range(20)],
    ]
    lines = draw(st.lists(st.sampled_from(words), max_size=40)) * draw(st.sampled_from([1, 1, 1, 3]))
    other = list(lines)
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(other)))
        other[at : at + draw(st.integers(0, 3))] = draw(st.lists(st.sampled_from(words), max_size=3))
    ends = st.sampled_from([b"\n", b"\n", b""])
    one = b"\n".join(lines) + draw(ends)
    two = b"\n".join(other) + draw(ends)
    return (one, two) if draw(st.booleans()) else (two, one)


@EXAMPLES
@given(options("-b", "-l", "-s", _SMALL.map("-n{}".format), _SMALL.map("-i{}".format), "-i3:1"), pairs())
def test_cmp_agrees(given_options: list[str], pair: tuple[bytes, bytes]) -> None:
    beside(["cmp", *given_options, "f", "-"], pair[1], f=pair[0])
    beside(["cmp", *given_options, "f", "g"], f=pair[0], g=pair[1])


@EXAMPLES
@given(
    st.sampled_from([[], ["-u"], ["-c"], ["-U0"], ["-U1"], ["-C1"], ["-q"], ["-s"]]),
    options("-i", "-b", "-w", "-B", "-Z", "-a", "-d", "--strip-trailing-cr", most=2), pairs(),
)  # fmt: skip
def test_diff_agrees(style: list[str], given_options: list[str], pair: tuple[bytes, bytes]) -> None:
    labels = ["--label", "one", "--label", "two"]
    beside(["diff", *style, *given_options, *labels, "f", "g"], f=pair[0], g=pair[1])


_PACK: dict[str, Callable[[bytes], bytes]] = {
    "zcat": gzip.compress, "bzcat": bz2.compress, "xzcat": lzma.compress, "zstdcat": zstandard.ZstdCompressor().compress,
}  # fmt: skip


@EXAMPLES
@given(
    st.sampled_from(sorted(_PACK)),
    options("-f", "-c", "-d", "-k", most=2),
    st.lists(_BYTES, min_size=1, max_size=3),
    st.booleans(),
)
def test_decompression_agrees(tool: str, given_options: list[str], members: list[bytes], from_file: bool) -> None:
    packed = b"".join([_PACK[tool](member) for member in members])
    beside([tool, *given_options], packed, from_file=from_file)
    beside([tool, *given_options, "f", "f"], f=packed)


@EXAMPLES
@given(
    options("-c", "-n", "-v", "-i", "-H", "-h", "-m1", "-l", "-L", "-o"), st.sampled_from(["a", "^", "1", "b.*", "x y", "[0-9]"]),
    st.sampled_from([["f"], ["f", "g"], ["g", "nope"], []]), _BYTES,
)  # fmt: skip
def test_zgrep_agrees(given_options: list[str], pattern: str, operands: list[str], text: bytes) -> None:
    beside(["zgrep", *given_options, pattern, *operands], text, f=gzip.compress(text), g=text[: len(text) // 2])
