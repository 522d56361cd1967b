"""truncate: cut files, or extend them with holes, to a size (GNU coreutils)."""

from __future__ import annotations

from rshell import limits
from rshell.builtins.changes import OutOfRange, Target, byte_count
from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, reason
from rshell.builtins.quoting import quote, quote_text

TRUNCATE = Command(
    "truncate",
    "cut files, or extend them with holes, to a size",
    "truncate -s SIZE [-c] FILE...",
    options=(
        Option("-c", "--no-create", help="make no files"),
        Option("-s", "--size", value="SIZE", help="the size in bytes, or with a suffix: K, M, G or KB, MB, GB"),
        Option("-o", "--io-blocks", refused="give the size in bytes"),
        Option("-r", "--reference", value="FILE", refused="give the size; stat -c %s FILE shows that of FILE"),
    ),
    description="Sizes relative to the present one (+ - < > / %) are not supported. 1 TiB at most.",
    remediation=True,
)


@TRUNCATE.main
def truncate(call: Invocation) -> int:
    text = call.options.get("size")
    if text is None:
        raise UsageError("you must specify '--size'")
    length = _length(text)
    if not call.operands:
        raise UsageError("missing file operand")
    create = "no-create" not in call.options
    for name in call.operands:
        try:
            target = Target(call, name, create=create, truncate=False)
        except OSError as failure:
            if create or not isinstance(failure, FileNotFoundError):
                call.error(f"cannot open {quote(name)} for writing: {reason(failure)}")
            continue
        with target:
            try:
                target.truncate(length)
            except OSError as failure:
                call.error(f"failed to truncate {quote(name)} at {length} bytes: {reason(failure)}")
    return call.status


def _length(text: str) -> int:
    if text[:1] and text[0] in "+-<>/%":
        raise Failure(f"relative size {quote_text(text)} is not supported: give the size itself")
    try:
        length = byte_count(text)
    except OutOfRange:
        raise Failure(f"Invalid number: {quote_text(text)}: value too large for defined data type") from None
    if length is None:
        raise Failure(f"Invalid number: {quote_text(text)}")
    if length > limits.TRUNCATE:
        raise Failure(f"size {quote_text(text)} is too large ({limits.TRUNCATE} bytes at most)")
    return length


COMMANDS = {"truncate": TRUNCATE}
