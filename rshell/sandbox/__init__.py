"""The sandbox: every path that a script names is opened here, below the roots of its policy."""

from rshell.sandbox.access import Sandbox, absolute
from rshell.sandbox.directory import Directory, Entry, kind_of
from rshell.sandbox.errors import (
    Changed,
    HardLinkRefused,
    LinkRefused,
    NotRegular,
    TooManyEntries,
    WriteLimit,
    reason,
)
from rshell.sandbox.files import File, WriteBudget
from rshell.sandbox.roots import OpenRoot

__all__ = [
    "Changed",
    "Directory",
    "Entry",
    "File",
    "HardLinkRefused",
    "LinkRefused",
    "NotRegular",
    "OpenRoot",
    "Sandbox",
    "TooManyEntries",
    "WriteBudget",
    "WriteLimit",
    "absolute",
    "kind_of",
    "reason",
]
