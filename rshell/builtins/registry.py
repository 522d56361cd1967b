"""The names of all commands, and where each is declared.

A command's module is imported when it is first wanted, so that start-up does not pay for all of
them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rshell.builtins.command import Command

# command name -> module below rshell.builtins; the module's COMMANDS holds its declarations by name
MODULES: dict[str, str] = {
    # shell
    ":": "true",
    "true": "true",
    "false": "true",
    "echo": "echo",
    "printf": "printf",
    "test": "test",
    "[": "test",
    "break": "loops",
    "continue": "loops",
    "exit": "loops",
    "cd": "cd",
    "pwd": "cd",
    "read": "read",
    "help": "help",
    # text
    "awk": "awk",
    "jq": "jq",
    "cat": "cat",
    "head": "head",
    "grep": "grep",
    "egrep": "grep",
    "fgrep": "grep",
    "wc": "wc",
    "cut": "cut",
    "tail": "tail",
    "tr": "tr",
    "uniq": "uniq",
    "sort": "sort",
    "sed": "sed",
    "strings": "strings",
    "xargs": "xargs",
    "numfmt": "numfmt",
    "column": "column",
    "seq": "seq",
    "shuf": "shuf",
    "env": "env",
    "printenv": "env",
    "timeout": "timeout",
    "type": "type",
    "which": "type",
    "command": "type",
    "join": "join",
    "comm": "comm",
    "expand": "expand",
    "unexpand": "expand",
    "nl": "nl",
    "tac": "tac",
    "rev": "rev",
    "paste": "paste",
    "fold": "fold",
    "basename": "basename",
    "dirname": "basename",
    "yes": "yes",
    "cksum": "cksum",
    "base64": "base64",
    "cmp": "cmp",
    "diff": "diff",
    "md5sum": "sums",
    "od": "od",
    "sha1sum": "sums",
    "sha256sum": "sums",
    "xxd": "xxd",
    "zcat": "zcat",
    "bzcat": "zcat",
    "xzcat": "zcat",
    "zstdcat": "zcat",
    "zgrep": "zgrep",
    # files
    "find": "find",
    "ls": "ls",
    "stat": "stat",
    "du": "du",
    "readlink": "readlink",
    "realpath": "realpath",
    "file": "file",
    "tree": "tree",
    "tee": "tee",
    "rm": "rm",
    "truncate": "truncate",
    "logrotate": "logrotate",
    # host
    "ps": "ps",
    "free": "free",
    "uptime": "uptime",
    "vmstat": "vmstat",
    "uname": "uname",
    "arch": "uname",
    "hostname": "uname",
    "nproc": "uname",
    "sleep": "sleep",
    "date": "date",
    "id": "id",
    "whoami": "id",
    "pmap": "pmap",
    "lsof": "lsof",
    "ss": "ss",
    "ip": "ip",
    "ping": "ping",
    "df": "df",
    # systemd
    "journalctl": "journalctl",
}

_loaded: dict[str, Command] = {}


def find(name: str) -> Command | None:
    """The command of that name, None when there is none."""
    command = _loaded.get(name)
    if command is None:
        module = MODULES.get(name)
        if module is None:
            return None
        _loaded.update(import_module(f"rshell.builtins.{module}").COMMANDS)
        command = _loaded[name]
    return command


def names() -> list[str]:
    """Every command's name, sorted."""
    return sorted(MODULES)
