"""Who this process is (getuid(2), getgroups(2))."""

from __future__ import annotations

import os

from rshell.host.source import Unavailable


class Identity:
    """Real and effective numbers, and the supplementary groups in the kernel's order."""

    def __init__(self) -> None:
        if not hasattr(os, "getuid"):
            raise Unavailable
        self.uid = os.getuid()
        self.euid = os.geteuid()
        self.gid = os.getgid()
        self.egid = os.getegid()
        self.groups = tuple(os.getgroups())
