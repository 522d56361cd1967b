"""tr: translate, squeeze and delete characters (GNU coreutils)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, encode
from rshell.builtins.quoting import quote_text
from rshell.builtins.tr_sets import Parser, check_first, members, translation

if TYPE_CHECKING:
    from collections.abc import Callable

    from rshell.builtins.tr_sets import Part

_FEW = 8  # up to this many characters are squeezed one after the other

TR = Command(
    "tr",
    "translate, squeeze and delete characters of standard input",
    "tr [OPTION]... SET1 [SET2]",
    options=(
        Option("-c", "-C", "--complement", help="use the complement of SET1"),
        Option("-d", "--delete", help="delete characters in SET1, do not translate"),
        Option("-s", "--squeeze-repeats", help="replace each sequence of a character in the last SET by one"),
        Option("-t", "--truncate-set1", help="first truncate SET1 to the length of SET2"),
    ),
    description="Sets are characters, ranges a-z, classes [:alpha:], [=c=], repeats [c*n] and [c*] (in SET2), and\n"
    "escapes \\n \\t \\\\ \\NNN. They are sets of bytes.",
    ordered=True,
)


@TR.main
def tr(call: Invocation) -> int:
    options = call.options
    delete, squeeze = "delete" in options, "squeeze-repeats" in options
    complement = "complement" in options
    _check_operands(call, delete, squeeze)
    sets = [_parse(call, operand) for operand in call.operands]
    check_first(sets[0])
    deleted = squeezed = b""
    table: bytes | None = None
    if len(sets) == 2 and not delete:
        table, second = translation(sets[0], sets[1], complement=complement, truncate="truncate-set1" in options)
        squeezed = members(second) if squeeze else b""
    else:
        if len(sets) == 2 and any(part.count < 0 for part in sets[1]):
            raise Failure("the [c*] construct may appear in string2 only when translating")
        if delete:
            deleted = members(sets[0], complement=complement)
        if squeeze:
            squeezed = members(sets[-1], complement=complement and len(sets) == 1)
    if table == bytes(range(256)):
        table = None
    squeezer = _squeezer(squeezed) if squeezed else None
    write = call.stdout.write
    last = b""
    for block in call.stdin.blocks():
        if table is not None or deleted:
            block = block.translate(table, deleted)
        if squeezer is not None and block:
            if last:
                block = block.lstrip(last)
            if block:
                block = squeezer(block)
                last = block[-1:] if block[-1] in squeezed else b""
        if block:
            write(block)
    return 0


def _parse(call: Invocation, operand: str) -> list[Part]:
    parser = Parser(encode(operand))
    for warning in parser.warnings:
        call.warn(warning)
    return parser.parse()


def _check_operands(call: Invocation, delete: bool, squeeze: bool) -> None:
    """Refuse too few or too many sets."""
    operands = call.operands
    if not operands:
        raise UsageError("missing operand")
    if len(operands) == 1 and delete == squeeze:
        why = "\nTwo strings must be given when both deleting and squeezing repeats." if delete else ""
        raise Failure(f"missing operand after {quote_text(operands[0])}{why}")
    most = 2 if squeeze or not delete else 1
    if len(operands) > most:
        message = f"extra operand {quote_text(operands[most])}"
        if len(operands) == 2:
            raise Failure(f"{message}\nOnly one string may be given when deleting without squeezing repeats.")
        raise UsageError(message)


def _squeezer(squeezed: bytes) -> Callable[[bytes], bytes]:
    """A function that replaces runs of each of these bytes by one."""
    if len(squeezed) <= _FEW:
        doubles = [(bytes((byte, byte)), bytes((byte,))) for byte in squeezed]

        def few(block: bytes) -> bytes:
            for double, one in doubles:
                while double in block:  # each turn halves every run
                    block = block.replace(double, one)
            return block

        return few
    runs = re.compile(b"([" + re.escape(squeezed) + b"])\\1+", re.DOTALL)
    return lambda block: runs.sub(rb"\1", block)


COMMANDS = {"tr": TR}
