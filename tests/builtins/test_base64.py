"""base64 against GNU's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builtins.oracle import Ours, Theirs, same

TEXTS = [
    b"",
    b"a",
    b"ab",
    b"abc",
    b"abcd",
    bytes(range(256)),
    b"\0" * 57,
    b"x" * 58,
    b"y" * 114,
    bytes(range(251)) * 1000,
]
CODED = [
    b"", b"\n", b"QQ==", b"QUI=\n", b"QUJD", b"QUJDR", b"QUJDRE", b"QUJDREU", b"QQ==QQ==", b"QQ=\n=\nQU\nI=", b"Q", b"QQ", b"QUI", b"Q===",
    b"QQ=Q", b"====", b"=", b"QU!D", b"QUJD!UJD", b"Q!", b"QQ!=", b"Q U J D", b"QUJD QUJD", b"QUJD\r\nQUJD\r\n", b"QUJD\nQUJ*REVG", b"QR==",
    b"-_-_", b"QUJD\0QUJD", b"QUI=QUJD", b"QUI=Q", b"QUI==", b"QUJDRA=", b"QUJDRA=x", b"QUJDRUY=\n" * 30_000, b"\xff\xff\xff\xff",
]  # fmt: skip


@pytest.mark.parametrize(
    "options",
    [
        "",
        "-w 0",
        "-w 1",
        "-w 3",
        "-w 76",
        "-w 77",
        "-w 100000",
        "--wrap=20",
        "-w x",
        "-w -1",
        "-w 99999999999999999999999",
        "-i",
    ],
)
def test_encoding(run: Ours, bash: Theirs, tmp_path: Path, options: str) -> None:
    for text in TEXTS:
        (tmp_path / "f").write_bytes(text)
        same(run, bash, f"base64 {options} f")
        same(run, bash, f"cat f | base64 {options} -")


@pytest.mark.parametrize("options", ["-d", "-di", "--decode --ignore-garbage", "-d -w 3"])
@pytest.mark.parametrize("text", CODED)
def test_decoding(run: Ours, bash: Theirs, options: str, text: bytes) -> None:
    same(run, bash, f"base64 {options}", text)


def test_there_and_back(run: Ours, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(TEXTS[-1] * 10)
    assert run("base64 f | base64 -d | cmp - f").exit_code == 0


def test_messages(run: Ours) -> None:
    assert run("base64 -w x").stderr == b"base64: invalid wrap size: 'x'\n"
    assert run("base64 -d", stdin=b"QUJDx").stderr == b"base64: invalid input\n"
    assert run("base64 nope").stderr == b"base64: nope: no such file or directory\n"
    assert run("base64 a b").stderr == b"base64: extra operand 'b'\nTry 'base64 --help' for more information.\n"
