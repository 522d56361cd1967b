"""readlink: show where symbolic links lead (GNU coreutils)."""

from __future__ import annotations

import errno

from rshell.builtins.command import Command, Invocation, Option, UsageError, encode

READLINK = Command(
    "readlink",
    "show where symbolic links lead, or canonical paths",
    "readlink [OPTION]... FILE...",
    options=(
        Option("-f", "--canonicalize", help="follow every link; all but the last component must exist"),
        Option("-e", "--canonicalize-existing", help="follow every link; everything must exist"),
        Option("-m", "--canonicalize-missing", help="follow every link; nothing need exist"),
        Option("-n", "--no-newline", help="no newline after the only operand"),
        Option("-q", "--quiet", key="quiet", help="say nothing of errors (the default, but for denied paths)"),
        Option("-s", "--silent", key="quiet", help="as -q"),
        Option("-v", "--verbose", help="report errors"),
        Option("-z", "--zero", help="end each line with NUL"),
    ),
)

_MODES = {"canonicalize": "last", "canonicalize-existing": "none", "canonicalize-missing": "any"}


@READLINK.main
def readlink(call: Invocation) -> int:
    options = call.options
    operands = call.operands
    if not operands:
        raise UsageError("missing operand")
    end = b"\0" if "zero" in options else b"\n"
    if "no-newline" in options:
        if len(operands) > 1:
            call.warn("ignoring --no-newline with multiple arguments")
        else:
            end = b""
    mode = options.last(*_MODES)
    verbose = options.last("quiet", "verbose")
    sandbox = call.run.sandbox
    for name in operands:
        try:
            if not name:
                raise FileNotFoundError(errno.ENOENT, "no such file or directory")
            path = call.absolute(name)
            shown = sandbox.readlink(path) if mode is None else sandbox.resolve(path, _MODES[mode])
        except OSError as failure:
            # what the policy denies is said, unless silence was asked for
            if verbose == "verbose" or (verbose is None and failure.errno == errno.EACCES):
                call.report(name, failure)
            call.status = 1
            continue
        call.write(encode(shown) + end)
    return call.status


COMMANDS = {"readlink": READLINK}
