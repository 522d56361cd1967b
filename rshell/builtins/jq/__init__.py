"""jq: a small language over JSON values (jq 1.7).

lexer -> parser -> tree -> compile, paths, assign, patterns (closures and generators) -> program (the loop over
inputs). reader and decoder make values of text, output makes text of values.
"""

from __future__ import annotations

from rshell.builtins.command import Command, Invocation, Option
from rshell.builtins.jq.program import run


def _preload() -> None:
    """Import what is otherwise imported when it is first wanted."""
    from rshell.builtins import regex
    from rshell.builtins.jq import assign, library, paths, patterns  # noqa: F401

    regex.preload()


JQ = Command(
    "jq",
    "filter and change JSON values",
    "jq [-nrRsecSMCaj] [--tab] [--indent N] [--arg NAME VALUE]... [-f FILE] FILTER [FILE]...",
    options=(
        Option("-n", "--null-input", help="run the filter once, with null; inputs are read with input and inputs"),
        Option("-r", "--raw-output", help="print strings as they are"),
        Option("-j", "--join-output", help="as -r, with no newline after each value"),
        Option("-a", "--ascii-output", help="print ASCII only"),
        Option("-c", "--compact-output", help="print each value on one line"),
        Option("-S", "--sort-keys", help="print the keys of objects in order"),
        Option("-C", "--color-output", help="print with colours"),
        Option("-M", "--monochrome-output", help="print without colours, as is usual here"),
        Option("-R", "--raw-input", help="take each line as a string"),
        Option("-s", "--slurp", help="take all inputs as one array (with -R: as one string)"),
        Option("-e", "--exit-status", help="exit 1 when the last value is false or null, 4 when there is none"),
        Option("-f", "--from-file", value="FILE", help="read the filter from FILE"),
        Option("--tab", help="indent with tabs"),
        Option("--indent", value="N", help="indent with N blanks, 7 at most; 0 is -c"),
        Option("--arg", value="NAME VALUE", help="set $NAME to a string"),
        Option("--argjson", value="NAME JSON", help="set $NAME to a JSON value"),
        Option("--slurpfile", value="NAME FILE", help="set $NAME to the values in FILE, as an array"),
        Option("--rawfile", value="NAME FILE", help="set $NAME to the text of FILE"),
        Option("--args", help="take the other operands as strings, in $ARGS.positional"),
        Option("--jsonargs", help="take the other operands as JSON values, in $ARGS.positional"),
        Option("--raw-output0", help="as -r, with NUL after each value"),
        Option("--unbuffered", help="ignored"),
        Option("--seq", refused="there is no application/json-seq here"),
        Option("--stream", refused="use tostream on each input"),
        Option("--stream-errors", refused="use tostream on each input"),
        Option("-L", value="DIRECTORY", refused="there are no modules"),
    ),
    description=(
        "Functions, operators and formats are those of jq 1.7. Regular expressions are RE2's: no back-references, no\n"
        "look-around. Modules (import, include) are not supported. $ENV and env hold the script's environment."
    ),
    usage_status=2,
    raw=True,
    preload=_preload,
)


@JQ.main
def jq(call: Invocation) -> int:
    return run(call)


COMMANDS = {"jq": JQ}
