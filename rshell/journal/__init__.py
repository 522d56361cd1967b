"""Reading systemd journal files, without libsystemd and without journalctl.

    with open_target(target) as journal:                     # or open_files([path, …])
        for entry in journal.query(unit_matches("ssh.service"), newest_first=True, limit=100):
            entry.realtime, entry.get("MESSAGE")             # microseconds since 1970, bytes or None
        journal.problems                                     # what was left out because it is damaged

`JournalError` is the only exception that the content of files can raise.
"""

from __future__ import annotations

from rshell.journal.files import Target
from rshell.journal.format import JournalError
from rshell.journal.journal import Entry, Journal, open_files, open_target
from rshell.journal.query import All, AnyOf, Match, Term, term, unit_matches

__all__ = [
    "All",
    "AnyOf",
    "Entry",
    "Journal",
    "JournalError",
    "Match",
    "Target",
    "Term",
    "open_files",
    "open_target",
    "term",
    "unit_matches",
]
