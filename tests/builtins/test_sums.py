"""md5sum, sha1sum, sha256sum and cksum against GNU's, and their messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builtins.oracle import Ours, Theirs, same

NAMES = {"a": b"hi\n", "n\nl": b"x", "c\\d": b"y", "r\rr": b"z", "sp ace": b"", "é": bytes(range(256)) * 700}
D = "764efa883dda1e11db47671c4a3bbd9e"
NO = "0" * 32


@pytest.fixture(autouse=True)
def _files(tmp_path: Path) -> None:
    for name, text in NAMES.items():
        (tmp_path / name).write_bytes(text)


@pytest.mark.parametrize("name", ["md5sum", "sha1sum", "sha256sum"])
@pytest.mark.parametrize(
    "options",
    ["", "-b", "-t", "--tag", "-z", "--tag -z", "-b -t", "-t -b", "--tag -b", "-t --tag", "--quiet", "-w", "--status", "--strict",
     "--ignore-missing", "-c -z", "-c --tag", "-c -b", "-bz", "--zero --binary"],
)  # fmt: skip
def test_sums(run: Ours, bash: Theirs, name: str, options: str) -> None:
    same(run, bash, f"{name} {options} *")
    same(run, bash, f"{name} {options} a nope - < a")
    same(run, bash, f"cat a | {name} {options}")


@pytest.mark.parametrize(
    "options",
    ["", "-z", "-a crc", "-a bsd", "-a sysv", "-a md5", "-a sha1", "-a sha224", "-a sha256", "-a sha384", "-a sha512", "-a blake2b",
     "-a blake2b -l 128", "-a blake2b -l 512", "-a blake2b -l 0", "-a blake2b -l 7", "-a blake2b -l 600", "-a sha256 -l 8", "-a foo", "-a b",
     "-a sha2", "-a md5 --untagged", "-a md5 --tag --untagged", "-a md5 -z", "-a sm3", "--tag", "--untagged", "-b", "-a bsd -z", "-l x",
     "-a crc -c", "--quiet"],
)  # fmt: skip
def test_cksum(run: Ours, bash: Theirs, options: str) -> None:
    same(run, bash, f"cksum {options} *")
    same(run, bash, f"cksum {options} a nope - < a")
    same(run, bash, f"cat a | cksum {options}")


@pytest.mark.parametrize(
    "lines",
    [
        f"{D}  a", f"{D} *a", f"{D} a", f"{D} a\n{D} a", f"{D}  a\n{D} a", f"{D} a\n{D}  a", f"\n{D}  a", f"#x\n{D}  a", f"{D}  a\r",
        f"{D.upper()}  a", f"{D}  nope", f"{D}  nope\n{D}  a", "bad", f"bad\n{D}  a", "", f"MD5 (a) = {D}", f"MD5(a)= {D}", f"MD5 (a) {D}",
        f"SHA1 (a) = {D}", f"0{D}  a", f"  {D}  a", f"\t{D}  a", f"\\{D}  c\\\\d", f"{NO}  a", f"{NO}  a\n{NO}  a", f"{D}  -", f"{D}\t a",
        f"{D}   a", f"{D}  ", f"{D} ", f"\\{D}  n\\nl", f"\\{D}  n\\", f"\\{D}  n\\q", f"\\{D}  r\\rr", f"\\MD5 (n\\nl) = {NO}", f"{D}  a\0b",
        f"MD5 (a) (a) = {D}", f"MD5 (a = {D}", f"MD5  (a) = {D}", f"MD5 (a) = {D} ", f"{D}", f"{D}xa", f"{NO}  nope\n{NO}  a\nx\ny",
    ],
)  # fmt: skip
def test_check(run: Ours, bash: Theirs, tmp_path: Path, lines: str) -> None:
    for text in (lines, lines + "\n"):
        (tmp_path / "sums").write_text(text)
        for options in ("", "-w", "--quiet", "--status", "--strict", "--ignore-missing", "--quiet -w", "-w --status"):
            same(run, bash, f"md5sum -c {options} sums")
        same(run, bash, "cat sums | md5sum -c")
        same(run, bash, "cksum -c -w sums")
        same(run, bash, "cksum -a md5 -c sums")
    same(run, bash, "md5sum -c nope sums a")


def test_check_by_tag(run: Ours, bash: Theirs) -> None:
    script = "{ for a in crc bsd md5 sha1 sha512 blake2b; do cksum -a $a a sp*; done; cksum -a blake2b -l 16 a; }"
    same(run, bash, f"{script} | cksum -c -w")
    same(run, bash, f"{script} | cksum -a sha1 -c -w")
    same(run, bash, f"{script} | sha1sum -c -w")


def test_messages(run: Ours) -> None:
    result = run("printf 'x\\n0\\n%s  zz\\n%s  a' $D $N | md5sum -cw; md5sum -c nope", env={"D": D, "N": NO})
    assert result.stdout == b"zz: FAILED open or read\na: FAILED\n"
    assert result.stderr == (
        b"md5sum: 'standard input': 1: improperly formatted MD5 checksum line\n"
        b"md5sum: 'standard input': 2: improperly formatted MD5 checksum line\n"
        b"md5sum: zz: no such file or directory\n"
        b"md5sum: WARNING: 2 lines are improperly formatted\n"
        b"md5sum: WARNING: 1 listed file could not be read\n"
        b"md5sum: WARNING: 1 computed checksum did NOT match\n"
        b"md5sum: nope: no such file or directory\n"
    )


def test_a_large_input_is_summed_in_blocks(run: Ours, bash: Theirs, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(bytes(range(251)) * 12_345)
    for tool in ("md5sum", "cksum", "cksum -a bsd", "cksum -a sysv", "cksum -a sha512"):
        same(run, bash, f"{tool} big")
        same(run, bash, f"cat big | {tool}")
