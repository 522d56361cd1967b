"""awk: a small language over records and fields (POSIX awk, and what scripts use of gawk).

lexer -> parser -> tree -> scope -> compile, statements (closures) -> program (the main loop over records).
"""

from __future__ import annotations

from rshell.builtins.awk import bounds
from rshell.builtins.awk.errors import AwkError
from rshell.builtins.awk.parser import parse
from rshell.builtins.awk.program import Running
from rshell.builtins.command import Command, Failure, Invocation, Option, decode, encode, reason

AWK = Command(
    "awk",
    "run a program of patterns and actions over the records of its input",
    "awk [-F SEP] [-v NAME=VALUE]... {PROGRAM | -f FILE...} [FILE | NAME=VALUE]...",
    options=(
        Option("-F", "--field-separator", value="SEP", help="set FS: what separates fields"),
        Option("-v", "--assign", value="NAME=VALUE", help="set a variable before the program begins"),
        Option("-f", "--file", value="FILE", help="read the program from FILE, may be given several times"),
        Option("-e", "--source", value="TEXT", help="a part of the program; goes with -f"),
        Option("-P", "--posix", help="ignored"),
        Option("-S", "--sandbox", help="ignored: there is nothing else"),
        Option("-i", "--include", value="FILE", refused="give the text with -f"),
        Option("-l", "--load", value="LIBRARY", refused="extensions are not available"),
        Option("-E", "--exec", value="FILE", refused="use -f"),
    ),
    description=(
        "POSIX awk, with gensub, strftime, asort, asorti, strtonum, match with an array, FPAT, IGNORECASE, BEGINFILE,\n"
        "ENDFILE and regular expressions in RS from gawk. for (k in a) runs in the order in which the elements were\n"
        "made. system(), pipes, getline < file, close() and output to files other than /dev/stdout, /dev/stderr and\n"
        "/dev/null are refused before the program runs."
    ),
    usage_status=2,
    ordered=True,
)


@AWK.main
def awk(call: Invocation) -> int:
    operands = list(call.operands)
    text = _program_text(call, operands)
    assignments: list[str] = []
    for key, value in call.options.given:
        if key == "assign":
            assignments.append(value or "")
        elif key == "field-separator":
            separator = value or ""
            assignments.append(f"FS={separator}")
    running = None
    try:
        running = Running(parse(text, writing=call.run.policy.mode == "remediation"), call)
        running.start(operands, assignments)
        return running.run()
    except AwkError as failure:
        if running is not None:
            running.runtime.flush()
        raise Failure(str(failure), 2) from None
    except RecursionError:
        if running is not None:
            running.runtime.flush()
        raise Failure(f"nesting or function calls too deep ({bounds.CALL_DEPTH} calls at most)", 2) from None
    finally:
        if running is not None:
            running.runtime.close_files()


def _program_text(call: Invocation, operands: list[str]) -> str:
    """The program: of -f and -e, else the first operand, which is taken off the list."""
    parts: list[str] = []
    given = False
    for key, value in call.options.given:
        if key == "source":
            parts.append(value or "")
            given = True
        elif key == "file":
            given = True
            name = value or ""
            try:
                source = call.stdin if name == "-" else call.open(name)
                parts.append(decode(source.read_all(bounds.PROGRAM)))
            except OSError as failure:
                raise Failure(f"{name}: {reason(failure)}", 2) from None
            except ValueError:
                raise _too_long() from None
    if not given:
        if not operands:
            raise Failure(f"no program given\nUsage: {AWK.usage}", 2)
        parts.append(operands.pop(0))
    text = "\n".join(parts)
    if len(encode(text)) > bounds.PROGRAM:
        raise _too_long()
    return text


def _too_long() -> Failure:
    return Failure(f"program too long ({bounds.PROGRAM} bytes at most)", 2)


COMMANDS = {"awk": AWK}
