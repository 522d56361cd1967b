"""rm: remove a few files, never directories. A budget bounds it by call and by run."""

from __future__ import annotations

import stat

from rshell import limits
from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, reason
from rshell.builtins.quoting import quote

_NO_DIRECTORIES = "only single files are removed, never directories"

RM = Command(
    "rm",
    "remove files",
    "rm [-v] FILE...",
    options=(
        Option("-v", "--verbose", help="say what is removed"),
        Option("-f", "--force", refused="there are no questions; test with [ -e FILE ] first"),
        Option("-i", refused="there are no questions"),
        Option("-I", refused="there are no questions"),
        Option("--interactive", value="WHEN", optional=True, refused="there are no questions"),
        Option("-r", refused=_NO_DIRECTORIES),
        Option("-R", "--recursive", refused=_NO_DIRECTORIES),
        Option("-d", "--dir", refused=_NO_DIRECTORIES),
    ),
    description=f"""\
Regular files and symbolic links only; of a link, only the link itself. At most {limits.RM_CALL} files a call,
{limits.RM_RUN} a run, wherever in the script rm is called.""",
    remediation=True,
)

_COUNTER = "rm"


@RM.main
def rm(call: Invocation) -> int:
    names = call.operands
    if not names:
        raise UsageError("missing operand")
    if len(names) > limits.RM_CALL:
        raise Failure(f"too many files: {len(names)}, at most {limits.RM_CALL} a call; nothing was removed")
    counters = call.run.counters
    removed = counters.get(_COUNTER, 0)
    if removed + len(names) > limits.RM_RUN:
        raise Failure(
            f"too many files: {removed} removed and {len(names)} more, at most {limits.RM_RUN} a run; "
            "this call removed nothing"
        )
    for name in names:
        try:
            found = call.stat(name, follow=False)
            call.run.sandbox.unlink(call.absolute(name))
        except OSError as failure:
            call.error(f"cannot remove {quote(name)}: {reason(failure)}")
            continue
        counters[_COUNTER] = counters.get(_COUNTER, 0) + 1
        size = found.st_size if stat.S_ISREG(found.st_mode) else 0
        call.run.record("remove", call.absolute(name), size, call.name)
        if "verbose" in call.options:
            call.print(f"removed {quote(name)}")
    return call.status


COMMANDS = {"rm": RM}
