"""Here-documents: where they begin and end, and what is in them."""

from __future__ import annotations

import pytest

from tests.syntax.shape import shape

HEREDOCS = [
    ('cat <<E\na $x\nE\n', "{cat <<E<'a '+$x+'\\n'>}"),
    ("cat <<'E'\na $x \\n\nE\n", "{cat <<E!<'a $x \\\\n\\n'>}"),
    ('cat <<\\E\na\nE', "{cat <<E!<'a\\n'>}"),
    ('cat <<"E F"\na\nE F\n', "{cat <<E F!<'a\\n'>}"),
    ("cat <<E'F'\n$x\nEF\n", "{cat <<EF!<'$x\\n'>}"),
    ('cat <<-E\n\ta\n\t\tb\n\tE\nc', "{cat <<-E<'a\\nb\\n'>}; {c}"),
    ('cat <<E\nE\n', '{cat <<E<>}'),
    ('cat <<E\na', "{cat <<E<'a\\n'>}"),
    ('cat <<E\na\nEE\n E\nE\nb', "{cat <<E<'a\\nEE\\n E\\n'>}; {b}"),
    ('cat <<A <<B; c\na\nA\nb\nB\nd', "{cat <<A<'a\\n'> <<B<'b\\n'>}; {c}; {d}"),
    ('cat <<A | cat <<B\na\nA\nb\nB\n', "{cat <<A<'a\\n'>} | {cat <<B<'b\\n'>}"),
    ('cat <<E && a\nx\nE\nb', "{cat <<E<'x\\n'>} && {a}; {b}"),
    ('x=$(cat <<E\na\nE\n)', "{x=$({cat <<E<'a\\n'>})}"),
    ('x=$(cat <<E\na\nE)', "{x=$({cat <<E<'a\\n'>})}"),
    ('x=$(cat <<E)\na\nE\nb', "{x=$({cat <<E<'a\\n'>})}; {b}"),
    ('(cat <<E\na\nE\n)', "sub({cat <<E<'a\\n'>})"),
    ('cat <<E\n`a` $(b) ${c} \\$d \\\\ \\e "f" \'g\' ~ *\nE\n', '{cat <<E<`{a}`+\' \'+$({b})+\' \'+$c+\' $d \\\\ \\\\e "f" \\\'g\\\' ~ *\\n\'>}'),
    ('cat <<E\na\\\nb\nE\n', "{cat <<E<'ab\\n'>}"),
    ('cat <<E\na\\\nE\nE\n', "{cat <<E<'aE\\n'>}"),
    ("cat <<'E'\na\\\nE\n", "{cat <<E!<'a\\\\\\n'>}"),
    ("cat <<E 'a\nb'\nx\nE\n", "{cat 'a\\nb' <<E<'x\\n'>}"),
    ('cat <<E $(a\nb)\nx\nE\n', "{cat $({a}; {b}) <<E<'x\\n'>}"),
    ('cat << E\nx\nE\n', "{cat <<E<'x\\n'>}"),
    ('cat 3<<E\nx\nE\n', "{cat 3<<E<'x\\n'>}"),
    ('cat <<$x\na\n$x\n', "{cat <<$x<'a\\n'>}"),
    ('cat <<E\n$(cat <<F\na\nF\n)\nE\n', "{cat <<E<$({cat <<F<'a\\n'>})+'\\n'>}"),
    ('while a; do b; done <<E\nx\nE\n', "while({a}: {b}) <<E<'x\\n'>"),
    ('cat <<E;\nx\nE\n', "{cat <<E<'x\\n'>}"),
    ("cat <<'' \na\n\nb", "{cat <<!<'a\\n'>}; {b}"),
]


@pytest.mark.parametrize(("script", "expected"), HEREDOCS)
def test_heredocs(script: str, expected: str) -> None:
    assert shape(script) == expected
