"""diff: compare files line by line, and directories (GNU diffutils)."""

from __future__ import annotations

import re

from rshell import limits
from rshell.builtins.command import Command, Invocation, Option, UsageError, reason
from rshell.builtins.diff_files import Comparison, Settings, Side
from rshell.builtins.diff_trees import Trees
from rshell.builtins.quoting import quote_if_needed
from rshell.builtins.text import clamped

_TROUBLE = 2
_USE_UNIFIED = "use -u"
_DIGITS = re.compile(r"-([a-zA-Z]*)([0-9]+)([a-zA-Z]*)")
_VALUED = "UCxXFISWD"


def _spell_out_numbers(args: list[str]) -> list[str]:
    """Turn -NUM, also behind other letters (-u5), into an option of its own."""
    result: list[str] = []
    rest = iter(args)
    for arg in rest:
        match = _DIGITS.fullmatch(arg)
        if arg == "--":
            return [*result, arg, *rest]
        if match is None or any(letter in _VALUED for letter in match[1] + match[3]):
            result.append(arg)
            if len(arg) == 2 and arg[0] == "-" and arg[1] in _VALUED:
                result += [value for value in [next(rest, None)] if value is not None]
            continue
        if match[1] + match[3]:
            result.append(f"-{match[1]}{match[3]}")
        result.append(f"--lines-of-context={match[2]}")
    return result


DIFF = Command(
    "diff",
    "compare files line by line",
    "diff [OPTION]... FILE1 FILE2",
    options=(
        Option("-q", "--brief", help="say only whether files differ"),
        Option("-s", "--report-identical-files", help="say so where they do not"),
        Option("--normal", help="the normal format (default)"),
        Option("-c", help="the context format with 3 lines of context", key="c"),
        Option("-C", value="NUM", help="the same with NUM lines"),
        Option("--context", value="NUM", optional=True, help="the same with NUM lines (3)", key="C"),
        Option("-u", help="the unified format with 3 lines of context", key="u"),
        Option("-U", value="NUM", help="the same with NUM lines"),
        Option("--unified", value="NUM", optional=True, help="the same with NUM lines (3)", key="U"),
        Option("--lines-of-context", value="NUM", key="old-context"),
        Option("--label", value="LABEL", help="show LABEL instead of name and time; once for each file"),
        Option("-r", "--recursive", help="compare directories below directories"),
        Option("-N", "--new-file", help="take missing files as empty"),
        Option("--unidirectional-new-file", help="take missing first files as empty"),
        Option("-x", "--exclude", value="PATTERN", help="leave out names that match PATTERN"),
        Option("-i", "--ignore-case", help="take letters of either case as the same"),
        Option("-Z", "--ignore-trailing-space", help="ignore blanks at the end of lines"),
        Option("-b", "--ignore-space-change", help="ignore how many blanks there are"),
        Option("-w", "--ignore-all-space", help="ignore blanks"),
        Option("-B", "--ignore-blank-lines", help="ignore changes of blank lines alone"),
        Option("--strip-trailing-cr", help="ignore carriage returns at the end of lines"),
        Option("-a", "--text", help="take every file as text"),
        Option("-d", "--minimal", help="look for the fewest changes, however long it takes"),
        Option("--color", value="WHEN", optional=True, help="never, auto: no colours"),
        Option("-y", "--side-by-side", refused=_USE_UNIFIED),
        Option("-e", "--ed", refused=_USE_UNIFIED),
        Option("-f", "--forward-ed", refused=_USE_UNIFIED),
        Option("-n", "--rcs", refused=_USE_UNIFIED),
        Option("-D", "--ifdef", value="NAME", refused=_USE_UNIFIED),
        Option("-p", "--show-c-function", refused="line numbers tell the place"),
        Option("-F", "--show-function-line", value="RE", refused="line numbers tell the place"),
        Option("-I", "--ignore-matching-lines", value="RE", refused="filter the files with grep -v first"),
        Option("-E", "--ignore-tab-expansion", refused="use -b or -w"),
        Option("-t", "--expand-tabs", refused="pipe the output through expand"),
        Option("-T", "--initial-tab", refused=_USE_UNIFIED),
        Option("-l", "--paginate", refused="there is no pr"),
        Option("-X", "--exclude-from", value="FILE", refused="use -x for each pattern"),
        Option("-S", "--starting-file", value="FILE", refused="use -x to leave names out"),
        Option("-W", "--width", value="NUM", refused=_USE_UNIFIED),
        Option("--no-dereference", refused="links are followed"),
        Option("--from-file", value="FILE", refused="run diff for each pair"),
        Option("--to-file", value="FILE", refused="run diff for each pair"),
        Option("--line-format", value="FORMAT", refused=_USE_UNIFIED),
        Option("--group-format", value="FORMAT", refused=_USE_UNIFIED),
    ),
    description="The status is 0 when there are no differences, 1 when there are, 2 after an error.",
    usage_status=_TROUBLE,
    rewrite=_spell_out_numbers,
)


def _context_length(text: str | None) -> int:
    value = clamped(text or "", -1, limits.DIFF_LINES)
    if value is None or value < 0 or (text or "")[:1] in "+-":
        raise UsageError(f"invalid context length '{text}'")
    return value


def _settings(call: Invocation) -> Settings:
    options = call.options
    style = ""
    lines: int | None = None
    given: int | None = None
    for key, text in options.given:
        chosen = {"u": "unified", "U": "unified", "c": "context", "C": "context", "normal": "normal"}.get(key)
        if chosen is not None:
            if style not in ("", chosen):
                raise UsageError("conflicting output style options")
            style = chosen
        if key in "ucUC" and key:
            lines = max(lines or 0, 3 if text is None else _context_length(text))
        elif key == "old-context":
            given = _context_length(text)
        elif key == "color" and text not in (None, "never", "auto"):
            raise UsageError(f"option '--color={text}' is not supported: output has no colours, use --color=never")
    if given is not None and style in ("unified", "context"):
        lines = given
    labels = options.all("label")
    if len(labels) > 2:
        raise UsageError("too many file label options")
    blanks = ""
    for key in ("ignore-trailing-space", "ignore-space-change", "ignore-all-space"):
        blanks = key if key in options else blanks
    return Settings(
        style=style or "normal",
        context=lines or 0,
        labels=labels,
        brief="brief" in options,
        identical="report-identical-files" in options,
        fold="ignore-case" in options,
        blanks=blanks,
        ignore_blank_lines="ignore-blank-lines" in options,
        strip_cr="strip-trailing-cr" in options,
        text="text" in options,
        minimal="minimal" in options,
    )


def _switches(call: Invocation) -> str:
    """The options as they were given, for the line that names a pair of files below directories."""
    words: list[str] = []
    rest = iter(call.args)
    for arg in rest:
        if arg == "--":
            words.append(arg)
            break
        if len(arg) < 2 or arg[0] != "-":
            continue
        words.append(arg)
        if arg.startswith("--"):
            takes = arg == "--exclude" or ("=" not in arg and "label".startswith(arg[2:]))
        else:
            at = next((at for at, letter in enumerate(arg) if at and letter in _VALUED), 0)
            takes = bool(at) and at == len(arg) - 1
        if takes:
            words += [value for value in [next(rest, None)] if value is not None]
    return "".join(f" {quote_if_needed(word)}" for word in words)


@DIFF.main
def diff(call: Invocation) -> int:
    """Compare two files, or two directories."""
    operands = call.operands
    settings = _settings(call)
    if len(operands) < 2:
        raise UsageError(f"missing operand after '{operands[0] if operands else 'diff'}'")
    if len(operands) > 2:
        raise UsageError(f"extra operand '{operands[2]}'")
    comparison = Comparison(call, settings)
    trees = Trees(call, comparison, _switches(call), call.options)
    left, right = operands
    sides = [Side.at(call, left), Side.at(call, right)]
    new_file = "new-file" in call.options
    if new_file or "unidirectional-new-file" in call.options:
        if sides[0].missing and not sides[1].failure:
            sides[0].take_as_empty(sides[1])
        elif new_file and sides[1].missing and not sides[0].failure:
            sides[1].take_as_empty(sides[0])
    for side in sides:
        if side.failure is not None:
            call.error(f"{side.name}: {reason(side.failure)}", _TROUBLE)
    if call.status:
        return call.status
    if sides[0].is_directory and sides[1].is_directory:
        return trees.operands(left, right, sides)
    for one, other in ((0, 1), (1, 0)):
        if sides[one].is_directory:
            if operands[other] == "-":
                call.error("cannot compare '-' to a directory", _TROUBLE)
                return _TROUBLE
            name = operands[other].rstrip("/").rpartition("/")[2]
            path = f"{operands[one].rstrip('/') or '/'}/{name}".replace("//", "/")
            sides[one] = Side.at(call, path)
            failure = sides[one].failure
            if failure is not None:
                call.error(f"{path}: {reason(failure)}", _TROUBLE)
                return _TROUBLE
            if sides[one].is_directory:
                return comparison.different_kinds(sides[0], sides[1])
            break
    return comparison.run(sides[0], sides[1])


COMMANDS = {"diff": DIFF}
