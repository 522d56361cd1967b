"""find: search a tree for files (GNU findutils)."""

from __future__ import annotations

from rshell.builtins.command import Command, Failure, Invocation, Option
from rshell.builtins.find.parse import REFUSED, parse
from rshell.builtins.find.walk import Walker

_DESCRIPTION = """\
Options of the command line: -H -L -P; of the walk: -maxdepth N, -mindepth N, -depth, -xdev (-mount),
  -daystart, -follow, -regextype TYPE, -noleaf.
Tests (N may be +N or -N): -name -iname -path (-wholename) -ipath (-iwholename) -lname -ilname PATTERN,
  -regex -iregex PATTERN, -type -xtype [bcdflps,...], -size N[bcwkMG], -empty, -newer -anewer -cnewer
  -newerXY -samefile FILE, -newermt DATE, -mtime -atime -ctime -mmin -amin -cmin N, -perm [-/]MODE,
  -readable -writable -executable, -user -group NAME, -uid -gid N, -nouser, -nogroup, -links N, -inum N,
  -true, -false.
Actions: -print (when there is no other), -print0, -printf FORMAT, -ls, -prune, -quit,
  -exec COMMAND ... ; and -exec COMMAND ... {} +, -execdir likewise: commands of this shell that the
  policy allows.
Operators, from the tightest: ( EXPR ), ! EXPR (-not), EXPR EXPR (-a, -and), EXPR -o EXPR (-or), EXPR , EXPR.
"""

FIND = Command(
    "find",
    "search directories for files",
    "find [-H] [-L] [-P] [PATH]... [EXPRESSION]",
    options=(
        Option("-H", help="follow symbolic links of the command line only"),
        Option("-L", help="follow symbolic links"),
        Option("-P", help="follow no symbolic links (the default)"),
    ),
    description=_DESCRIPTION + "Blocked predicates: " + " ".join(REFUSED) + ".",
    raw=True,
)


@FIND.main
def find(call: Invocation) -> int:
    if _asks_for_help(call.args):
        call.print(FIND.help_text().rstrip("\n"))
        return 0
    plan = parse(call)
    walker = Walker(call, plan)
    try:
        for start in plan.starts:
            walker.run(start)
            if walker.visit.stop:
                break
        plan.end()
    except Failure:
        plan.flush()
        raise
    return call.status


def _asks_for_help(args: list[str]) -> bool:
    """Whether --help stands where an expression's first word does."""
    for arg in args:
        if arg in ("--help", "-help"):
            return True
        if arg[:1] == "-" and arg not in ("-", "-H", "-L", "-P"):
            return False
    return False


COMMANDS = {"find": FIND}
