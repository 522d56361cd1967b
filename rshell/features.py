"""The table of language features: what the shell runs, and what it refuses with which words.

The validator's messages, the help command and SHELL_FEATURES.md all come from here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature of the language.

    key names it in the code. message is what a script that uses a refused feature gets, '' for a
    supported one; its first word may give way to the parameter or operator that the script has.
    """

    key: str
    category: str
    name: str
    supported: bool
    message: str
    help: str
    example: str


def _has(key: str, category: str, name: str, help: str, example: str) -> Feature:
    return Feature(key, category, name, True, "", help, example)


def _lacks(key: str, category: str, name: str, message: str, help: str, example: str) -> Feature:
    return Feature(key, category, name, False, f"{message} not supported", help, example)


_COMMANDS = "commands"
_FLOW = "flow control"
_EXPANSION = "expansion"
_VARIABLES = "variables"
_QUOTING = "quoting"
_REDIRECTION = "redirection"

FEATURES: tuple[Feature, ...] = (
    _has("simple", _COMMANDS, "simple commands", "a command with its arguments", "grep -c error app.log"),
    _has("pipeline", _COMMANDS, "pipelines", "the output of one command is the input of the next", "sort a | uniq -c"),
    _has("lists", _COMMANDS, "; and newline", "commands run one after the other", "pwd; ls"),
    _has("and-or", _COMMANDS, "&& and ||", "the next command depends on the status of the last", "test -f a && cat a"),
    _has("negation", _COMMANDS, "!", "turns a pipeline's status round", "! grep -q error a"),
    _has("group", _COMMANDS, "{ }", "several commands as one, in this shell", "{ echo a; echo b; } | sort"),
    _has("subshell", _COMMANDS, "( )", "several commands in a shell of their own", "(cd /tmp && ls)"),
    _has("comments", _COMMANDS, "comments", "# to the end of the line is left out", "ls # all of it"),
    _has("joined-lines", _COMMANDS, "line continuation", "a backslash at a line's end joins the next", "echo a \\\n b"),
    _has("if", _FLOW, "if", "if, elif, else", "if test -f a; then cat a; else echo none; fi"),
    _has("for", _FLOW, "for … in", "a loop over words", "for f in *.log; do wc -l $f; done"),
    _has("while", _FLOW, "while", "a loop as long as a command succeeds", "while read -r x; do echo $x; done < a"),
    _has("until", _FLOW, "until", "a loop as long as a command fails", "until test -f a; do sleep 1; done"),
    _has("variables", _VARIABLES, "$NAME and ${NAME}", "the value of a variable", "echo $HOME ${HOME}"),
    _has("status", _VARIABLES, "$?", "the status of the last command", "false; echo $?"),
    _has("assignment", _VARIABLES, "NAME=value", "sets a variable", "x=1; echo $x"),
    _has("inline-assignment", _VARIABLES, "NAME=value command", "sets it for one command", "LC_ALL=C sort a"),
    _has("command-substitution", _EXPANSION, "$(…) and `…`", "the output of a command", "n=$(wc -l < a)"),
    _has("file-substitution", _EXPANSION, "$(<file)", "the contents of a file", "x=$(<a)"),
    _has("globbing", _EXPANSION, "* ? […]", "the names of files that match", "ls *.log"),
    _has("braces", _EXPANSION, "{a,b} and {1..9}", "several words from one, before anything else", "echo {a,b}{1..3}"),
    _has("splitting", _EXPANSION, "field splitting", "unquoted values are split at IFS", "x='a b'; echo $x"),
    _has("single-quotes", _QUOTING, "'…'", "everything stands for itself", "echo 'a $b'"),
    _has("double-quotes", _QUOTING, '"…"', "only $, ` and \\ are special", 'echo "$HOME *"'),
    _has("ansi-quotes", _QUOTING, "$'…'", "escapes as in C", "printf %s $'a\\tb'"),
    _has("backslash", _QUOTING, "\\", "the next character stands for itself", "echo \\$x"),
    _has("input", _REDIRECTION, "<", "standard input from a file", "wc -l < a"),
    _has("heredoc", _REDIRECTION, "<< and <<-", "standard input from the lines that follow", "cat <<EOF\n$x\nEOF"),
    _has("null", _REDIRECTION, "> /dev/null", "output is thrown away, with every form of >", "ls x 2> /dev/null"),
    _has("duplication", _REDIRECTION, "2>&1 and >&2", "one output goes where the other goes", "ls x 2>&1 | wc -l"),
    _has(
        "write", _REDIRECTION, "> >> &> &>>", "output to a file, in remediation mode only", "echo off > /srv/app/flag"
    ),
    _lacks("background", _COMMANDS, "&", "background execution is", "runs a command on the side", "sleep 9 &"),
    _lacks("coproc", _COMMANDS, "coproc", "coprocesses are", "a command on the side with two pipes", "coproc cat"),
    _lacks("pipe-all", _COMMANDS, "|&", "|& is", "pipes standard error too; write 2>&1 |", "ls x |& wc -l"),
    _lacks("time", _COMMANDS, "time", "time is", "measures a pipeline", "time sort a"),
    _lacks("functions", _COMMANDS, "functions", "function declarations are", "commands under a name", "f() { ls; }"),
    _lacks(
        "arithmetic-command", _COMMANDS, "((…))", "arithmetic commands are", "calculates; see test -gt", "((x > 1))"
    ),
    _lacks("test-command", _COMMANDS, "[[…]]", "test expressions are", "conditions; write [ … ]", "[[ $x == a* ]]"),
    _lacks("declare", _COMMANDS, "declare", "declare is", "variables with attributes", "declare -i x=1"),
    _lacks("typeset", _COMMANDS, "typeset", "typeset is", "variables with attributes", "typeset x=1"),
    _lacks("export", _COMMANDS, "export", "export is", "variables for other programs", "export x=1"),
    _lacks("local", _COMMANDS, "local", "local is", "variables of a function", "local x=1"),
    _lacks("readonly", _COMMANDS, "readonly", "readonly is", "variables that cannot change", "readonly x=1"),
    _lacks("let", _COMMANDS, "let", "let is", "calculates", "let x=1+2"),
    _lacks("case", _FLOW, "case", "case statements are", "chooses by pattern", "case $x in a) ls;; esac"),
    _lacks("select", _FLOW, "select", "select statements are", "asks the user", "select x in a b; do ls; done"),
    _lacks(
        "arithmetic-for", _FLOW, "for ((…))", "C-style for loops are", "a loop that counts; write {1..9}",
        "for ((i=0; i<9; i++)); do ls; done",
    ),
    _lacks("for-parameters", _FLOW, "for without in", "for without in is", "a loop over $@", "for x; do ls; done"),
    _lacks(
        "parameter-operation", _EXPANSION, "${x:-y} ${x#y} ${x/a/b} …",
        "${var} operations (defaults, pattern removal, case conversion) are", "changes a value", "echo ${x:-none}",
    ),
    _lacks("length", _EXPANSION, "${#x}", "${#var} is", "the length of a value", "echo ${#x}"),
    _lacks("indirect", _EXPANSION, "${!x}", "${!var} is", "the variable that a variable names", "echo ${!x}"),
    _lacks("substring", _EXPANSION, "${x:1:2}", "${var:offset} is", "a piece of a value; see cut -c", "echo ${x:1:2}"),
    _lacks("element", _EXPANSION, "${x[0]}", "${var[index]} is", "an element of an array", "echo ${x[0]}"),
    _lacks("transformation", _EXPANSION, "${x@Q}", "${var@operator} is", "a value in another form", "echo ${x@Q}"),
    _lacks("arithmetic", _EXPANSION, "$((…))", "arithmetic expansion is", "a calculated number", "echo $((1 + 2))"),
    _lacks(
        "process-substitution", _EXPANSION, "<(…) >(…)", "process substitution is", "a command's output as a file",
        "comm <(sort a) <(sort b)",
    ),
    _lacks("extended-glob", _EXPANSION, "@(a|b) …", "extended globbing is", "patterns with alternatives", "ls @(a|b)*"),
    _lacks("tilde", _EXPANSION, "~", "tilde expansion is", "home directories", "ls ~"),
    _lacks("parameter", _VARIABLES, "$1 $@ $* $# $0 $!", "$1 is", "a script has no arguments and no jobs", "echo $1"),
    _lacks("lineno", _VARIABLES, "$LINENO", "$LINENO is", "the current line", "echo $LINENO"),
    _lacks("append", _VARIABLES, "+=", "+= is", "adds to a variable; write x=$x…", "x+=b"),
    _lacks("array", _VARIABLES, "NAME=(…)", "array assignment is", "several values", "x=(a b)"),
    _lacks("array-index", _VARIABLES, "NAME[0]=…", "array index assignment is", "one of several values", "x[0]=a"),
    _lacks("file", _REDIRECTION, "> file", "> file redirection is", "in read-only mode, but for /dev/null", "ls > a"),
    _lacks("read-write", _REDIRECTION, "<>", "<> file redirection is", "a file for reading and writing", "cat <> a"),
    _lacks("herestring", _REDIRECTION, "<<<", "<<< (herestring) is", "a word as input; write echo … |", "cat <<< a"),
    _lacks("input-descriptor", _REDIRECTION, "3<", "3< input fd redirection is", "input other than 0", "cat 3< a"),
    _lacks("output-descriptor", _REDIRECTION, "3>", "3> output fd redirection is", "output but 1 and 2", "ls 3> a"),
    _lacks("output-duplication", _REDIRECTION, ">&N", ">&N fd duplication is", "all but 2>&1 and >&2", "ls 3>&1"),
    _lacks("input-duplication", _REDIRECTION, "<&N", "<&N fd duplication is", "copies an input", "cat <&3"),
    _lacks("named-descriptor", _REDIRECTION, "{NAME}>", "{NAME}> redirection is", "a named descriptor", "ls {NAME}> a"),
)  # fmt: skip

_MESSAGES = {feature.key: feature.message for feature in FEATURES}


def refusal(key: str, subject: str = "") -> str:
    """The message for the use of a refused feature; subject takes the place of its first word."""
    message = _MESSAGES[key]
    return subject + message[message.index(" ") :] if subject else message
