"""sed: edit lines by a script (GNU sed)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins import regex
from rshell.builtins.command import Command, Failure, Invocation, Option, encode, reason
from rshell.builtins.sed.blocks import block_plan
from rshell.builtins.sed.compile import Compiler
from rshell.builtins.sed.machine import Input, Machine, Output
from rshell.builtins.sed.parser import Parser
from rshell.builtins.sed.run import run
from rshell.builtins.text import clamped

if TYPE_CHECKING:
    from rshell.builtins.sed.script import Script

_SCRIPT_BYTES = limits.MIB
_WRAP = 70
_IN_PLACE = "files cannot be changed; sed prints the result"

SED = Command(
    "sed",
    "edit lines by a script",
    "sed [-nErszu] [-e SCRIPT] [-f FILE] [SCRIPT] [FILE]...",
    options=(
        Option("-n", "--quiet", "--silent", help="print only what the script prints", key="quiet"),
        Option("-e", "--expression", value="SCRIPT", help="add SCRIPT to the commands"),
        Option("-f", "--file", value="FILE", help="add the commands in FILE"),
        Option("-E", "-r", "--regexp-extended", help="use extended regular expressions", key="extended"),
        Option("-l", "--line-length", value="N", help="wrap the output of l at N characters"),
        Option("-s", "--separate", help="each file has its own line numbers and last line"),
        Option("-u", "--unbuffered", help="print each line at once, read no more of standard input than is used"),
        Option("-z", "--null-data", "--zero-terminated", help="lines end in a zero byte", key="null-data"),
        Option("--posix", help="without GNU's extensions"),
        Option("-b", "--binary", help="no effect"),
        Option("--sandbox", help="no effect: commands that run programs or touch files are refused anyway"),
        Option("--follow-symlinks", help="no effect"),
        Option("-i", "--in-place", value="SUFFIX", optional=True, refused=_IN_PLACE),
        Option("--debug", refused="the script is not shown"),
        Option("-h", help="same as --help", key="help"),
    ),
    description="Without -e and -f, the first operand is the script. Commands are those of GNU sed; e, r, R, w and W\n"
    "are refused, and so are the flags e and w of s.",
    preload=regex.preload,
)


@SED.main
def sed(call: Invocation) -> int:
    """Read the script, then run it on every input."""
    options = call.options
    posix = "posix" in options
    operands = list(call.operands)
    script = _script(call, operands, posix)
    quiet = "quiet" in options or script.quiet
    unbuffered = "unbuffered" in options
    separate = "separate" in options
    delimiter = b"\0" if "null-data" in options else b"\n"
    wrap = clamped(options.get("line-length") or "", 0, 1 << 31)
    compiler = Compiler(script, wrap=_WRAP if "line-length" not in options else wrap or 0, check=call.check)

    def switched() -> None:
        """With -s each file begins as the first one did."""
        compiler.reset()
        machine.hold, machine.hold_ended = b"", True

    given = Input(call, operands or ["-"], delimiter, separate=separate, switched=switched)
    output = Output(call, delimiter, unbuffered=unbuffered)
    machine = Machine(given, output, delimiter, quiet=quiet, posix=posix)
    plan = None if posix or unbuffered or delimiter != b"\n" else block_plan(script, quiet=quiet)
    try:
        if plan is not None:
            while (block := given.block()) is not None:
                end = block.rfind(b"\n") + 1
                output.lines(plan(block[:end]))
                if end < len(block) and (last := plan(block[end:] + b"\n")):
                    output.line(last[:-1], ended=False)
                output.flush()
            return call.status
        status = run(machine, compiler.steps, script)
        if unbuffered or call.stdin.file is not None:
            given.give_back()
    finally:
        output.flush()
    return status or call.status


def _script(call: Invocation, operands: list[str], posix: bool) -> Script:
    pieces = [(key, text or "") for key, text in call.options.given if key in ("expression", "file")]
    if not pieces:
        if not operands:
            raise Failure("no script command has been specified")
        pieces = [("expression", operands.pop(0))]
    syntax = "ere" if "extended" in call.options else "minimal" if posix else "bre"

    lines = "null-data" not in call.options  # what M is about

    def pattern(source: bytes, fold: bool, multiline: bool) -> regex.Pattern:
        return regex.compile_pattern(
            source, syntax=syntax, ignore_case=fold, multiline=multiline and lines, guard=call.run
        )

    parser = Parser(pattern, posix=posix)
    for key, text in pieces:
        if key == "expression":
            parser.expression(encode(text))
        else:
            parser.file(text, _read(call, text))
    return parser.finish()


def _read(call: Invocation, path: str) -> bytes:
    try:
        source = call.stdin if path == "-" else call.open(path)
        text = source.read_all(_SCRIPT_BYTES)
    except OSError as failure:
        raise Failure(f"couldn't open file {path}: {reason(failure)}") from None
    except ValueError as failure:
        raise Failure(f"{path}: {failure}") from None
    call.close(source)
    return text


COMMANDS = {"sed": SED}
