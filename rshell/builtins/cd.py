"""cd and pwd: the working directory (bash)."""

from __future__ import annotations

from rshell.builtins.command import Command, Failure, Invocation, Option, reason
from rshell.builtins.quoting import quote_word

CD = Command(
    "cd",
    "change the working directory",
    "cd [-LP] [DIR|-]",
    options=(
        Option("-L", help="keep symbolic links in the path (the default)"),
        Option("-P", help="resolve symbolic links"),
        Option("-e", help="ignored"),
    ),
    description="Without DIR: the value of HOME. With -: the directory before, which is printed.",
    usage_status=2,
    ordered=True,
)
PWD = Command(
    "pwd",
    "print the working directory",
    "pwd [-LP]",
    options=(
        Option("-L", help="the path as it was entered (the default)"),
        Option("-P", help="the path without symbolic links"),
    ),
    usage_status=2,
    ordered=True,
)


def _logical(call: Invocation, path: str) -> str:
    """path as -L has it: '..' takes back the name before it, which must be a directory."""
    lead = "//" if path.startswith("//") and not path.startswith("///") else "/"
    names: list[str] = []
    for name in path.split("/"):
        if name in ("", "."):
            continue
        if name != "..":
            names.append(name)
        elif names:
            behind = lead + "/".join(names)
            if behind != call.context.cwd:  # where the shell stands may have been removed: one can still leave
                call.close(call.directory(behind))
            names.pop()
    return lead + "/".join(names)


@CD.main
def cd(call: Invocation) -> int:
    context = call.context
    if len(call.operands) > 1:
        raise Failure("too many arguments")
    show = False
    if not call.operands:
        target = context.get("HOME")
        if target is None:
            raise Failure("HOME not set")
    elif call.operands[0] == "-":
        target = context.get("OLDPWD")
        if target is None:
            raise Failure("OLDPWD not set")
        show = True
    else:
        target = call.operands[0]
    try:
        path = call.absolute(target)
        path = call.run.sandbox.resolve(path) if call.options.last("L", "P") == "P" else _logical(call, path)
        context.change_directory(path)
    except OSError as failure:
        raise Failure(f"{quote_word(target)}: {reason(failure)}") from None
    if show:
        call.print(context.cwd)
    return 0


@PWD.main
def pwd(call: Invocation) -> int:
    path = call.context.cwd
    if call.options.last("L", "P") == "P":
        try:
            path = call.run.sandbox.resolve(path)
        except OSError:
            pass  # outside every root: the path as the shell has it is all there is to say
    call.print(path)
    return 0


COMMANDS = {"cd": CD, "pwd": PWD}
