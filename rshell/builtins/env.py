"""env and printenv: the environment of commands (GNU coreutils)."""

from __future__ import annotations

from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, encode, reason
from rshell.builtins.quoting import quote

ENV = Command(
    "env",
    "print the environment, or run a command in another one",
    "env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]",
    options=(
        Option("-i", "--ignore-environment", help="start with an empty environment; - alone is the same"),
        Option("-0", "--null", help="end each line with NUL, not newline"),
        Option("-u", "--unset", value="NAME", help="remove NAME"),
        Option("-C", "--chdir", value="DIR", help="run the command in DIR"),
        Option("-v", "--debug", refused="only commands of this shell are run"),
        Option("-S", "--split-string", value="S", refused="write the words of the command one by one"),
        Option("--block-signal", value="SIG", optional=True, refused="commands of this shell get no signals"),
        Option("--default-signal", value="SIG", optional=True, refused="commands of this shell get no signals"),
        Option("--ignore-signal", value="SIG", optional=True, refused="commands of this shell get no signals"),
        Option("--list-signal-handling", refused="commands of this shell get no signals"),
    ),
    description="The environment is the script's own: the policy's variables and those given for one command. Only\n"
    "commands of this shell that its policy allows are run.",
    ordered=True,
    usage_status=125,
)
PRINTENV = Command(
    "printenv",
    "print the environment, or the values of variables in it",
    "printenv [-0] [NAME]...",
    options=(Option("-0", "--null", help="end each line with NUL, not newline"),),
    ordered=True,
    usage_status=2,
)


@ENV.main
def env(call: Invocation) -> int:
    options = call.options
    words = list(call.operands)
    empty = "ignore-environment" in options
    if words[:1] == ["-"]:
        empty = True
        del words[0]
    variables = {} if empty else dict(call.context.environment())
    for name in options.all("unset"):
        if not name or "=" in name:
            raise Failure(f"cannot unset {quote(name)}: invalid argument", 125)
        variables.pop(name, None)
    while words and "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        variables[name] = value
    directory = options.get("chdir")
    if not words:
        if directory is not None:
            raise UsageError("must specify command with --chdir (-C)")
        ending = b"\0" if "null" in options else b"\n"
        for name, value in variables.items():
            call.write(encode(f"{name}={value}") + ending)
        return 0
    if "null" in options:
        raise UsageError("cannot specify --null (-0) with command")
    if directory is not None:
        try:
            call.close(call.directory(directory))
        except OSError as failure:
            raise Failure(f"cannot change directory to {quote(directory)}: {reason(failure)}", 125) from None
        directory = call.absolute(directory)
    call.check()
    return call.context.dispatch(words, stdin=call.stdin, cwd=directory, environment=variables)


@PRINTENV.main
def printenv(call: Invocation) -> int:
    variables = call.context.environment()
    ending = b"\0" if "null" in call.options else b"\n"
    if not call.operands:
        for name, value in variables.items():
            call.write(encode(f"{name}={value}") + ending)
        return 0
    status = 0
    for name in call.operands:
        if name in variables:
            call.write(encode(variables[name]) + ending)
        else:
            status = 1
    return status


COMMANDS = {"env": ENV, "printenv": PRINTENV}
