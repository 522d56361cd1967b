"""The small text tools against the real ones: every option once, files and pipes, and their messages."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.builtins.oracle import Ours, Theirs, same

TEXT = b"one two\n\n  three\tfour  \n1.5\nx:y:z\n\\:\\:\\:\nlonger line with many words in it\n\\:\\:\nend"
CALLS = [
    "tac f", "tac f g", "tac -b f", "tac -s o f", "tac -bs ' ' f", "cat f | tac", "tac < f", "tac nope f",
    "nl f", "nl -ba f", "nl -bn f", "nl -b 'p^[a-l]' f", "nl -nln f", "nl -nrz -w3 -s: f", "nl -v10 -i-2 f", "nl -ba -l2 f", "nl -ha -fa -p f",
    "nl -dab f", "nl f - < g", "nl -bx f", "nl -w0 f", "nl -vx f",
    "rev g", "rev g g", "rev < g", "rev nope g",
    "paste f g", "paste -d ,: f g f", "paste -s f g", "paste -sd , f", "paste - - - < f", "paste -d '\\n' f g", "paste -d '\\0' f g", "paste -z f g",
    "paste -d 'x\\' f", "paste nope f", "paste -s nope f",
    "fold -w 7 f", "fold -sw 7 f", "fold -bw 9 f", "fold -5 f", "fold -w0 f", "fold f nope",
    "comm s t", "comm -1 s t", "comm -12 s t", "comm -3 s t", "comm --total s t", "comm --output-delimiter=: s t", "comm --check-order f g",
    "comm --nocheck-order f g", "comm -z s t", "comm s", "comm s t f", "comm s nope", "comm - t < s",
    "join s t", "join -a1 s t", "join -v2 s t", "join -j2 s t", "join -1 1 -2 2 s t", "join -o 0,1.2,2.1 s t", "join -a1 -a2 -e X -o auto s t",
    "join -t o s t", "join -i s t", "join --header s t", "join --check-order f g", "join s", "join -o 3.1 s t", "join -j0 s t", "join -t ab s t",
    "expand f", "expand -t3 f", "expand -t 2,5 f", "expand -i f", "expand -4 f", "expand -t0 f", "expand -tx f", "expand -t 3,/5 f",
    "unexpand f", "unexpand -a h", "unexpand -t4 h", "unexpand -t4 --first-only h", "unexpand -t 2,9 h", "unexpand -3 h",
    "seq 5", "seq 2 5", "seq 10 -3 1", "seq 0.1 0.1 0.5", "seq -w 8 11", "seq -s, 4", "seq -f %05.1f 3", "seq 1e2 1e2 3e2", "seq 3 1", "seq", "seq x",
    "seq 1 0 2", "seq -w -f %g 3", "seq -f %d 3", "seq -2 2", "seq -s ' ' -1 1", "seq 0.3 -0.1 0", "seq -w -5 5 5", "seq inf | head -n 3",
    "basename a/b.c", "basename a/b.c .c", "basename -a a/b c/d/", "basename -s .c a.c b.c", "basename -z a/b", "basename /", "basename ''", "basename",
    "basename a b c", "dirname a/b/c", "dirname a / //x '' a//b//", "dirname -z a/b c", "dirname",
    "yes | head -n 3", "yes a b | head -n 2",
    "numfmt --to=si 1500 999999", "numfmt --from=iec 2K 1.5M", "numfmt --from=auto --to=iec-i 1Ki 5M", "numfmt --field=2 --to=si < n", "numfmt --header --field=2 --to=iec < n",
    "numfmt --padding=8 5", "numfmt --format='%8.2f|' 5.5", "numfmt --suffix=B --to=si 5000", "numfmt --round=down --to=si 1999", "numfmt --invalid=fail x 5", "numfmt x",
    "numfmt --invalid=ignore x", "numfmt -d: --field=2 --to=si a:5000:b", "numfmt --from-unit=1K --to-unit=512 3", "numfmt --to=x 1", "numfmt --grouping 5000",
    "column -t f", "column -t -s: -o '|' f", "column -t -N a,b,c -R 2 s", "column -t -d -N a s", "column f", "column -c 30 f", "column -x -c 40 f", "column -L f",
    "shuf -n 0 f", "shuf -i 3-3", "shuf -e a", "shuf f | sort", "shuf -i 1-20 | sort -n", "shuf -i 5-2", "shuf -n x f", "shuf -rn 3 -e a", "shuf -z -e a",
    "shuf nope", "shuf -e -i 1-2", "shuf -i 1-2 x",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_as_the_real_tool(run: Ours, bash: Theirs, tmp_path: Path, call: str) -> None:
    if not shutil.which(call.partition(" ")[0]):
        pytest.skip("no such tool on this machine")
    files = {
        "f": TEXT, "g": "a\nbb\n\u00e9x\nlast\n".encode(), "s": b"a 1\nb 2\nc o 3\nd 4\n", "t": b"b x\nb y\nd z\ne w\n",
        "h": b"        a   b       c\n    d  e \tf\n x  y\n", "n": b"name size\na 1500\nb   2000000 x\n",
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_bytes(text)
    same(run, bash, f"LC_ALL=C.UTF-8 {call}" if "|" not in call else call)


@pytest.mark.parametrize(
    ("call", "message", "status"),
    [
        ("tac nope", "tac: failed to open 'nope' for reading: no such file or directory\n", 1),
        ("nl -bx", "nl: invalid body numbering style: 'x'\n", 1),
        ("nl -w0", "nl: invalid line number field width: '0': numerical result out of range\n", 1),
        ("rev nope", "rev: cannot open nope: no such file or directory\n", 1),
        ("paste -d 'a\\'", "paste: delimiter list ends with an unescaped backslash: 'a\\'\n", 1),
        ("fold -w0", "fold: invalid number of columns: '0'\n", 1),
        ("comm x", "comm: missing operand after 'x'\n", 1),
        ("join -j0 x y", "join: invalid field number: '0'\n", 1),
        ("join - -", "join: both files cannot be standard input\n", 1),
        ("expand -tx", "expand: tab size contains invalid character(s): 'x'\n", 1),
        ("seq x", "seq: invalid floating point argument: 'x'\n", 1),
        ("seq 1 0 2", "seq: invalid Zero increment value: '0'\n", 1),
        ("basename", "basename: missing operand\n", 1),
        ("numfmt x", "numfmt: invalid number: 'x'\n", 2),
        ("numfmt 1K", "numfmt: rejecting suffix in input: '1K' (consider using --from)\n", 2),
        ("shuf -o x", "shuf: option '-o' is not supported: output goes to standard output\n", 1),
        ("shuf -i 5-2", "shuf: invalid input range: '5-2'\n", 1),
        ("tac -r", "tac: option '-r' is not supported: the separator is a plain string; turn other separators", 1),
        (
            "column -J",
            "column: option '-J' is not supported: only plain tables are made; use -t -s -o -N -R -d -L\n",
            1,
        ),
    ],
)
def test_messages(run: Ours, call: str, message: str, status: int) -> None:
    result = run(call)
    assert result.stderr is not None and result.stderr.startswith(message.encode()), result.stderr
    assert (result.stdout, result.exit_code) == (b"", status)


def test_shuf_is_seeded_by_the_clock_of_the_run(run: Ours) -> None:
    again = [run("seq 50 | shuf; shuf -i 1-50", clock=lambda now=now: now).stdout for now in (1.0, 1.0, 2.0)]
    assert again[0] == again[1] != again[2]
    first, second = again[0][: len(again[0]) // 2], again[0][len(again[0]) // 2 :]
    assert first != second


def test_yes_ends_at_the_limit_of_the_output(run: Ours) -> None:
    result = run("yes")
    assert result.output_truncated and result.exit_code == 1


def test_big_files_go_by_blocks(run: Ours, bash: Theirs, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"".join(b"line %07d with words\n" % n for n in range(30_000)))
    (tmp_path / "g").write_bytes(b"".join(b"line %07d and more\n" % (n * 3) for n in range(20_000)))
    for call in ("tac f", "cat f | tac", "tac -s 0 f", "nl f", "paste f g", "paste -sd, f", "comm f g", "join -j2 f g", "fold -w9 f",
                 "expand f", "unexpand -a f", "seq 1 100000", "rev f"):  # fmt: skip
        same(run, bash, call)
