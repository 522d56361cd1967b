"""wc against GNU's, and its messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builtins.oracle import Ours, Theirs, same

TEXTS = [
    b"",
    b"\n",
    b"no newline",
    b"a b\tc\nd\n",
    b"\r\n\r\n",
    b"a\0b \x01\x02 c\n",
    "é 中文 😀 \u00a0x\u2003y\u2028z \u200b\n".encode(),
    b"\xff\xfe a\xc3 b\xe4\xb8 \xf4\x90\x80\x80 \xed\xa0\x80\n",
    b"\ttab\t8\n\x0c\x0bform\rback\n",
    b"word " * 100_000,
    "é".encode() * 200_001,
    b"x" * 131_071 + "é".encode() + b" y\n",
]


@pytest.mark.parametrize("options", ["", "-l", "-w", "-c", "-m", "-L", "-lw", "-mL", "-cm", "-lwcmL", "--lines --chars"])
def test_as_gnu(run: Ours, bash: Theirs, tmp_path: Path, options: str) -> None:
    for text in TEXTS:
        (tmp_path / "f").write_bytes(text)
        same(run, bash, f"wc {options} f; wc {options} < f; cat f | wc {options}; wc {options} f - f < f")


@pytest.mark.parametrize("operands", ["d", "d f", "f d nope", "'' f", "nope", "f nope", "-", "- -", "f f"])
def test_operands(run: Ours, bash: Theirs, tmp_path: Path, operands: str) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "f").write_bytes(b"one two\n" * 2_000)
    same(run, bash, f"wc {operands} < f; wc -l {operands} < f")


def test_bytes_of_a_file_are_its_size(run: Ours, bash: Theirs, tmp_path: Path) -> None:
    (tmp_path / "page").write_bytes(b"x" * 8192)
    (tmp_path / "more").write_bytes(b"x" * 8193)
    same(run, bash, "wc -c page more; { head -n 1 >/dev/null; wc -c; } < more")


def test_messages(run: Ours, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    assert run("wc d").stderr == b"wc: d: is a directory\n"
    assert run("wc ''").stderr == b"wc: invalid zero-length file name\n"
    assert run("wc nope").stderr == b"wc: nope: no such file or directory\n"
    result = run("wc -x")
    assert (result.exit_code, result.stderr) == (
        1,
        b"wc: invalid option -- 'x'\nTry 'wc --help' for more information.\n",
    )
