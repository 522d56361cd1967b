"""grep, egrep, fgrep: print the lines that match patterns (GNU grep)."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins import regex
from rshell.builtins.choice import choose
from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, encode, reason
from rshell.builtins.grep_lines import Lines, Records
from rshell.builtins.grep_search import Search, Settings
from rshell.builtins.grep_walk import Filter, Walk
from rshell.builtins.streams import empty
from rshell.builtins.text import clamped

if TYPE_CHECKING:
    from rshell.builtins.options import Options
    from rshell.builtins.streams import Source

_PATTERN_BYTES = 8 * limits.MIB  # of all patterns together
_STRINGS = 200  # plain strings that make one expression; more are spread over several
_TROUBLE = 2
_STDIN = "(standard input)"
_SYNTAX = {
    "basic-regexp": "grep",
    "extended-regexp": "egrep",
    "fixed-strings": "fixed",
    "perl-regexp": "perl",
}
_NAMES = {"files-with-matches": "l", "files-without-match": "L", None: ""}
_TAKE_VALUE = "ABCDXdefm"  # letters whose argument may follow in the same word

_OPTIONS = (
    Option("-E", "--extended-regexp", help="patterns are extended regular expressions"),
    Option("-F", "--fixed-strings", help="patterns are plain strings"),
    Option("-G", "--basic-regexp", help="patterns are basic regular expressions (default)"),
    Option("-P", "--perl-regexp", help="patterns are Perl expressions, without look-around and back-references"),
    Option("-e", "--regexp", value="PATTERNS", help="match any of PATTERNS, one a line"),
    Option("-f", "--file", value="FILE", help="take patterns from FILE, one a line"),
    Option("-i", "--ignore-case", help="ignore case"),
    Option("--no-ignore-case", help="do not ignore case (default)"),
    Option("-y", key="ignore-case"),
    Option("-w", "--word-regexp", help="match whole words only"),
    Option("-x", "--line-regexp", help="match whole lines only"),
    Option("-z", "--null-data", help="lines end in a zero byte"),
    Option("-s", "--no-messages", help="no messages about files that cannot be read"),
    Option("-v", "--invert-match", help="select the lines that do not match"),
    Option("-m", "--max-count", value="NUM", help="stop after NUM selected lines"),
    Option("-b", "--byte-offset", help="print the byte offset of each line"),
    Option("-n", "--line-number", help="print the number of each line"),
    Option("--line-buffered", help="no effect"),
    Option("-H", "--with-filename", help="print the file name with each line"),
    Option("-h", "--no-filename", help="do not print file names"),
    Option("--label", value="LABEL", help="the name of standard input in the output"),
    Option("-o", "--only-matching", help="print only what matched, each match on a line"),
    Option("-q", "--quiet", "--silent", help="print nothing, stop at the first selected line", key="quiet"),
    Option("--binary-files", value="TYPE", help="treat binary files as binary, text or without-match"),
    Option("-a", "--text", help="same as --binary-files=text"),
    Option("-I", help="same as --binary-files=without-match"),
    Option("-d", "--directories", value="ACTION", help="read, skip or recurse into directories"),
    Option("-D", "--devices", value="ACTION", help="no effect: devices are not read"),
    Option("-r", "--recursive", help="search all files below directories"),
    Option("-R", "--dereference-recursive", help="the same, following symbolic links"),
    Option("--include", value="GLOB", help="search only files that match GLOB"),
    Option("--exclude", value="GLOB", help="skip files that match GLOB"),
    Option("--exclude-from", value="FILE", help="skip files that match a glob of FILE"),
    Option("--exclude-dir", value="GLOB", help="skip directories that match GLOB"),
    Option("-L", "--files-without-match", help="print only the names of files without a selected line"),
    Option("-l", "--files-with-matches", help="print only the names of files with a selected line"),
    Option("-c", "--count", help="print only the number of selected lines"),
    Option("-T", "--initial-tab", help="begin the text of each line at a tab stop"),
    Option("-Z", "--null", help="print a zero byte behind file names"),
    Option("-A", "--after-context", value="NUM", help="print NUM lines of trailing context"),
    Option("-B", "--before-context", value="NUM", help="print NUM lines of leading context"),
    Option("-C", "--context", value="NUM", help="print NUM lines of context on both sides; -NUM is the same"),
    Option("--group-separator", value="SEP", help="print SEP between groups of lines"),
    Option("--no-group-separator", help="print nothing between groups of lines"),
    Option("--color", "--colour", value="WHEN", optional=True, help="never, auto: no colours", key="color"),
    Option("-U", "--binary", help="no effect"),
)  # fmt: skip


def _spell_out_numbers(args: list[str]) -> list[str]:
    """Turn -NUM, also in a bundle (-5n), into -C NUM."""
    result: list[str] = []
    rest = iter(args)
    for arg in rest:
        if arg == "--":
            result += [arg, *rest]
        elif len(arg) < 2 or arg[0] != "-" or arg[1] == "-":
            result.append(arg)
            if arg in ("--regexp", "--file", "--max-count", "--label", "--include", "--exclude", "--exclude-dir"):
                result += [value for value in [next(rest, None)] if value is not None]
        else:
            result += _spelt_out(arg)
            if result[-1] == arg and arg[-1] in _TAKE_VALUE and not any(c in _TAKE_VALUE for c in arg[1:-1]):
                result += [value for value in [next(rest, None)] if value is not None]
    return result


def _spelt_out(arg: str) -> list[str]:
    letters = ""
    digits = ""
    for at in range(1, len(arg)):
        if arg[at] in "0123456789":
            if letters and not digits.endswith(arg[at - 1]):
                digits = ""
            digits += arg[at]
        else:
            letters += arg[at]
            if arg[at] in _TAKE_VALUE:
                letters += arg[at + 1 :]
                break
    if not digits:
        return [arg]
    return [f"-C{digits}", *([f"-{letters}"] if letters else [])]


GREP = Command(
    "grep",
    "print the lines that match patterns",
    "grep [OPTION]... PATTERNS [FILE]...",
    options=_OPTIONS,
    description="Patterns are basic regular expressions, several of them one a line. Without FILE, standard input\n"
    "is read, with -r the working directory. The status is 0 when a line is selected, else 1, and 2 after an error.",
    usage_status=_TROUBLE,
    rewrite=_spell_out_numbers,
    preload=regex.preload,
)
EGREP = Command(
    "egrep", "print the lines that match extended regular expressions", "egrep [OPTION]... PATTERNS [FILE]...",
    options=_OPTIONS, usage_status=_TROUBLE, rewrite=_spell_out_numbers, preload=regex.preload,
)  # fmt: skip
FGREP = Command(
    "fgrep", "print the lines that hold plain strings (grep -F)", "fgrep [OPTION]... PATTERNS [FILE]...",
    options=_OPTIONS, usage_status=_TROUBLE, rewrite=_spell_out_numbers, preload=regex.preload,
)  # fmt: skip


@GREP.main
def grep(call: Invocation) -> int:
    """Search every input."""
    return Grep(call, "").run()


@EGREP.main
def egrep(call: Invocation) -> int:
    """Search every input for extended regular expressions."""
    return Grep(call, "egrep").run()


@FGREP.main
def fgrep(call: Invocation) -> int:
    """Search every input for plain strings."""
    return Grep(call, "fixed").run()


class _Found(Exception):
    """Enough is known: -q has its line."""


class Grep:
    """One call of grep: its options read, its inputs opened one by one."""

    def __init__(self, call: Invocation, syntax: str) -> None:
        self.call = call
        self.options = options = call.options
        self.operands = list(call.operands)
        self.no_messages = "no-messages" in options
        self.trouble = False
        self.selected = False
        syntax = _syntax(options, syntax)
        max_count = _max_count(options)
        before, after = _context(options)
        self.directories = _directories(options)
        self.binary = _binary(options)
        color = options.get("color")
        if color not in (None, "never", "no", "none", "auto", "tty", "if-tty"):
            raise UsageError(f"option '--color={color}' is not supported: output has no colours, use --color=never")
        self.files = Filter(self._file_globs())
        self.skipped = Filter([(False, glob.rstrip("/") or glob) for glob in options.all("exclude-dir")])
        patterns = self._patterns()
        invert = "invert-match" in options
        whole_line = "line-regexp" in options
        words = "word-regexp" in options and not whole_line
        if not patterns:  # an empty file of patterns matches nothing, which is all but what '' matches
            patterns = [b""]
            invert = not invert
            whole_line = words = False
        never = max_count == 0 or (patterns == [b""] and invert and not (whole_line or words))
        self.futile = never and options.last("files-with-matches", "files-without-match") != "files-without-match"
        compiled = [] if self.futile else self._compile(patterns, syntax, whole_line)
        lines = (Records if "null-data" in options else Lines)(compiled, words, call.check)
        self.settings = Settings(
            lines,
            invert=invert,
            max_count=max_count,
            before=before,
            after=after,
            count="count" in options,
            names="" if "quiet" in options else _NAMES[options.last("files-with-matches", "files-without-match")],
            quiet="quiet" in options,
            only_matching="only-matching" in options,
            numbers="line-number" in options,
            offsets="byte-offset" in options,
            tab="initial-tab" in options,
            zero_names="null" in options,
            binary=self.binary,
            separator=_separator(options),
        )
        self.search = Search(call, self.settings)

    def run(self) -> int:
        """Search every input; return the exit status."""
        if self.futile:
            return 1
        recursive = self.directories == "recurse"
        self.named = {"with-filename": True, "no-filename": False, None: len(self.operands) > 1}[
            self.options.last("with-filename", "no-filename")
        ]
        try:
            for operand in self.operands or (["."] if recursive else ["-"]):
                self._operand(operand, recursive)
        except _Found:
            return 0
        except regex.PatternError as failure:  # too big for the engine, as the first text that is not ASCII shows
            raise Failure(str(failure), _TROUBLE) from None
        if self.trouble:
            return _TROUBLE
        return 0 if self.selected else 1

    # What the options say

    def _patterns(self) -> list[bytes]:
        """Every pattern, one a line of what was given."""
        given = [(key, text) for key, text in self.options.given if key in ("regexp", "file")]
        if not given:
            if not self.operands:
                raise UsageError("no pattern given; usage: grep [OPTION]... PATTERNS [FILE]...")
            return encode(self.operands.pop(0)).split(b"\n")
        patterns: list[bytes] = []
        for key, text in given:
            data = encode(text or "")
            if key == "file":
                data = self._read(text or "")
                if not data:
                    continue
                data = data.removesuffix(b"\n")
            patterns += data.split(b"\n")
        return patterns

    def _read(self, path: str) -> bytes:
        try:
            source = self.call.stdin if path == "-" else self.call.open(path)
            return source.read_all(_PATTERN_BYTES)
        except OSError as failure:
            raise Failure(f"{path}: {reason(failure)}", _TROUBLE) from None
        except ValueError as failure:
            raise Failure(f"{path}: {failure}", _TROUBLE) from None

    def _file_globs(self) -> list[tuple[bool, str]]:
        globs: list[tuple[bool, str]] = []
        for key, text in self.options.given:
            if key in ("include", "exclude"):
                globs.append((key == "include", text or ""))
            elif key == "exclude-from":
                lines = self._read(text or "").decode("utf-8", "surrogateescape").split("\n")
                globs += [(False, line) for line in lines if line]
        return globs

    def _compile(self, patterns: list[bytes], syntax: str, whole: bool) -> list[regex.Pattern]:
        fold = self.options.last("ignore-case", "no-ignore-case") == "ignore-case"
        patterns = list(dict.fromkeys(patterns))
        if syntax == "perl" and len(patterns) > 1:
            raise Failure("the -P option only supports a single pattern", _TROUBLE)
        step = _STRINGS if syntax == "fixed" else len(patterns)
        compiled: list[regex.Pattern] = []
        try:
            for at in range(0, len(patterns), max(step, 1)):
                compiled.append(
                    regex.compile_pattern(
                        b"\n".join(patterns[at : at + step]), syntax=syntax, ignore_case=fold, whole_line=whole,
                        newline_list=True, guard=self.call.run,
                    )
                )  # fmt: skip
                self.call.check()
        except regex.PatternError as failure:
            raise Failure(str(failure), _TROUBLE) from None
        for pattern in compiled:
            for warning in pattern.warnings:
                self.call.warn(f"warning: {warning}")
        return compiled

    # Inputs

    def _operand(self, operand: str, recursive: bool) -> None:
        call = self.call
        if operand == "-" or (not self.operands and not recursive):
            self._search(call.stdin, self.options.get("label") or _STDIN)
            return
        try:
            source = call.open(operand)
        except OSError as failure:
            if failure.errno != errno.EISDIR:
                self._fail(operand, reason(failure))
            elif self.operands and self.skipped.skips(operand.rstrip("/") or operand, operand=True):
                pass
            elif recursive:
                self._below(operand)
            elif self.directories == "read":
                self._fail(operand, reason(failure))
                self._search(empty(), operand)  # as GNU does: it opens, and then cannot be read
            return
        try:
            if not self.files.skips(operand, operand=True):
                self._search(call.guarded(operand, source, _TROUBLE), operand)
        finally:
            call.close(source)

    def _below(self, operand: str) -> None:
        try:
            directory = self.call.directory(operand)
        except OSError as failure:
            self._fail(operand, reason(failure))
            return
        if self.options.last("with-filename", "no-filename") is None:
            self.named = True
        walk = Walk(
            self.call, self._search, self._fail,
            follow=self.options.last("recursive", "dereference-recursive") == "dereference-recursive",
            files=self.files, directories=self.skipped,
        )  # fmt: skip
        prefix = "" if not self.operands else operand if operand.endswith("/") else f"{operand}/"
        try:
            walk.below(directory, prefix)
        finally:
            self.call.close(directory)

    def _search(self, source: Source, shown: str) -> None:
        selected = self.search.run(source, shown, self.named)
        if selected:
            self.selected = True
            if self.settings.quiet:
                raise _Found

    def _fail(self, path: str, why: str) -> None:
        self.trouble = True
        if not self.no_messages:
            self.call.flush()
            self.call.warn(f"{path}: {why}")


def _syntax(options: Options, syntax: str) -> str:
    for key, _ in options.given:
        if key in _SYNTAX:
            if syntax and syntax != _SYNTAX[key]:
                raise Failure("conflicting matchers specified", _TROUBLE)
            syntax = _SYNTAX[key]
    return syntax or "grep"


def _max_count(options: Options) -> int:
    text = options.get("max-count")
    if text is None:
        return -1
    value = clamped(text, -1, 2**63 - 1)
    if value is None:
        raise Failure("invalid max count", _TROUBLE)
    return value


def _context(options: Options) -> tuple[int, int]:
    sizes = {}
    for key in ("context", "before-context", "after-context"):
        text = options.get(key)
        value = -1
        if text is not None:
            number = clamped(text, -1, limits.GREP_CONTEXT + 1)
            if number is None or number < 0:
                raise Failure(f"{text}: invalid context length argument", _TROUBLE)
            if number > limits.GREP_CONTEXT:
                raise Failure(f"{text}: context length over the limit ({limits.GREP_CONTEXT} lines)", _TROUBLE)
            value = number
        sizes[key] = value
    default = sizes["context"]
    before, after = sizes["before-context"], sizes["after-context"]
    return (default if before < 0 else before), (default if after < 0 else after)


def _directories(options: Options) -> str:
    given = options.last("directories", "recursive", "dereference-recursive")
    if given is None:
        return "read"
    if given != "directories":
        return "recurse"
    words = {"read": "read", "recurse": "recurse", "skip": "skip"}
    return choose(options.get("directories") or "", "--directories", words)


def _binary(options: Options) -> str:
    result = "binary"
    for key, text in options.given:
        if key == "text":
            result = "text"
        elif key == "I":
            result = "without-match"
        elif key == "binary-files":
            if text not in ("binary", "text", "without-match"):
                raise Failure("unknown binary-files type", _TROUBLE)
            result = text
    return result


def _separator(options: Options) -> bytes | None:
    last = options.last("group-separator", "no-group-separator")
    if last == "no-group-separator":
        return None
    return b"--" if last is None else encode(options.get("group-separator") or "")


COMMANDS = {"grep": GREP, "egrep": EGREP, "fgrep": FGREP}
