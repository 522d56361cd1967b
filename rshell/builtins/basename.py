"""basename and dirname: the parts of a path (GNU coreutils)."""

from __future__ import annotations

from rshell.builtins.command import Command, Invocation, Option, UsageError, encode
from rshell.builtins.quoting import quote

_ZERO = Option("-z", "--zero", help="end each line with NUL, not newline")

BASENAME = Command(
    "basename",
    "print the last part of a path",
    "basename NAME [SUFFIX]\n  or:  basename [-z] -a [-s SUFFIX] NAME...",
    options=(
        Option("-a", "--multiple", help="every operand is a NAME"),
        Option("-s", "--suffix", value="SUFFIX", help="remove a trailing SUFFIX; implies -a"),
        _ZERO,
    ),
    ordered=True,
)
DIRNAME = Command(
    "dirname",
    "print a path without its last part",
    "dirname [-z] NAME...",
    options=(_ZERO,),
)


def _last_part(name: str, suffix: str) -> str:
    if not name.strip("/"):
        return name[:1]
    base = name.rstrip("/").rpartition("/")[2]
    return base[: len(base) - len(suffix)] if suffix and base != suffix and base.endswith(suffix) else base


def _directory(name: str) -> str:
    if not name.strip("/"):
        return name[:1] or "."
    above, slash, _ = name.rstrip("/").rpartition("/")
    return above.rstrip("/") or ("/" if slash else ".")


def _operands(call: Invocation) -> list[str]:
    if not call.operands:
        raise UsageError("missing operand")
    return call.operands


@BASENAME.main
def basename(call: Invocation) -> int:
    names = _operands(call)
    suffix = call.options.get("suffix")
    if suffix is None and "multiple" not in call.options:
        if len(names) > 2:
            raise UsageError(f"extra operand {quote(names[2])}")
        if len(names) == 2:
            names, suffix = names[:1], names[1]
    ending = b"\0" if "zero" in call.options else b"\n"
    for name in names:
        call.write(encode(_last_part(name, suffix or "")) + ending)
    return 0


@DIRNAME.main
def dirname(call: Invocation) -> int:
    ending = b"\0" if "zero" in call.options else b"\n"
    for name in _operands(call):
        call.write(encode(_directory(name)) + ending)
    return 0


COMMANDS = {"basename": BASENAME, "dirname": DIRNAME}
