"""logrotate: empty log files in place. It is not logrotate(8): no old copies, no configuration."""

from __future__ import annotations

from rshell.builtins.changes import OutOfRange, Target, byte_count
from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, reason
from rshell.builtins.quoting import quote, quote_text

LOGROTATE = Command(
    "logrotate",
    "empty log files in place",
    "logrotate (-s SIZE | -f) [-n] [-v] FILE...",
    options=(
        Option("-s", "--size", value="SIZE", help="empty files of SIZE bytes or more; suffixes K, M, G or KB, MB, GB"),
        Option("-f", "--force", help="empty files of any size"),
        Option("-n", "--dry-run", help="change nothing, say what would be done"),
        Option("-v", "--verbose", help="say what is done"),
    ),
    description="""\
This is not logrotate(8): it reads no configuration, keeps no old copies and signals nobody. It truncates the
files that are named to zero bytes; the programs that write to them (in append mode) go on at the beginning.""",
    remediation=True,
)


@LOGROTATE.main
def logrotate(call: Invocation) -> int:
    options = call.options
    text = options.get("size")
    force = "force" in options
    if (text is None) is not force:
        raise UsageError("exactly one of '--size' and '--force' is needed")
    least = 0 if text is None else _size(text)
    if not call.operands:
        raise UsageError("missing file operand")
    dry = "dry-run" in options
    verbose = dry or "verbose" in options
    for name in call.operands:
        try:
            with Target(call, name, create=False, truncate=False) as target:
                length = target.file.size
                if length < least or not length:
                    done = "kept"
                elif dry:
                    done = "would truncate"
                else:
                    length = target.truncate(0)
                    done = "truncated"
        except OSError as failure:
            call.error(f"cannot truncate {quote(name)}: {reason(failure)}")
            continue
        if verbose:
            call.print(f"{done} {quote(name)}: {length} bytes")
    return call.status


def _size(text: str) -> int:
    try:
        given = byte_count(text)
    except OutOfRange:
        given = None
    if given is None:
        raise Failure(f"invalid size {quote_text(text)}")
    return given


COMMANDS = {"logrotate": LOGROTATE}
