"""echo against bash's."""

from __future__ import annotations

import pytest

from tests.builtins.oracle import Ours, Theirs, quoted, same

ARGUMENTS = [
    (), ("",), ("a", "b"), ("-n", "a"), ("-n",), ("-e", "a\\tb"), ("-E", "a\\tb"), ("-eE", "\\t"), ("-Ee", "\\t"), ("-neE", "\\t"),
    ("-x",), ("-nx", "a"), ("--",), ("-", "a"), ("a", "-n"), ("-n", "-n", "-e", "\\n"), ("--help",), ("-n", ""), ("", "", ""),
    ("-e", "\\101"), ("-e", "\\0101"), ("-e", "\\01011"), ("-e", "\\0"), ("-e", "\\0777"), ("-e", "\\400"), ("-e", "\\x41\\x4g\\xg"),
    ("-e", "\\u00e9\\U1F600\\u"), ("-e", "\\U200000"), ("-e", "\\U4000000"), ("-e", "\\UFFFFFFFF"), ("-e", "a\\cb", "c"), ("-ne", "\\c"),
    ("-e", "\\a\\b\\e\\E\\f\\n\\r\\t\\v\\\\"), ("-e", "\\q\\'\\\"\\?"), ("-e", "a\\"), ("-e", "\\\\n"), ("-e", "é\\té"),
]  # fmt: skip


@pytest.mark.parametrize("args", ARGUMENTS)
def test_as_bash(run: Ours, bash: Theirs, args: tuple[str, ...]) -> None:
    same(run, bash, f"echo {quoted(*args)}", stderr=True)


def test_a_surrogate_is_not_written(run: Ours) -> None:
    assert run(r"echo -e '\uD800'").stdout == b"\xef\xbf\xbd\n"


def test_bytes_that_are_no_text_stay(run: Ours, bash: Theirs) -> None:
    same(run, bash, 'x=$(printf \'\\377\\303\'); echo "$x"; echo -e "$x\\n"')
