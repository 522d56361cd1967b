"""The kernel's names, from sys/kernel below the proc path, and the processors (proc(5), uname(2))."""

from __future__ import annotations

import os
import re

from rshell.host.source import Unavailable, read, require

_PROCESSOR = re.compile(rb"^cpu[0-9]", re.MULTILINE)
_REAL = "/proc"


class Kernel:
    """Names as uname(2) gives them."""

    def __init__(self, proc_path: str) -> None:
        self._proc = proc_path

    def _name(self, file: str) -> str:
        content = require(f"{self._proc}/sys/kernel/{file}", 4096)
        return content.partition(b"\n")[0].decode("utf-8", "surrogateescape")

    @property
    def name(self) -> str:
        return self._name("ostype")

    @property
    def node(self) -> str:
        return self._name("hostname")

    @property
    def release(self) -> str:
        return self._name("osrelease")

    @property
    def version(self) -> str:
        return self._name("version")

    @property
    def machine(self) -> str:
        """The hardware name; kernels before 6.1 have no file for it."""
        try:
            return self._name("arch")
        except OSError:
            if not hasattr(os, "uname"):
                raise
            return os.uname().machine

    def processors(self, *, all: bool = False) -> int:
        """How many processors this process may use, or with all, how many are installed."""
        if self._proc == _REAL:
            if all:
                if hasattr(os, "sysconf") and "SC_NPROCESSORS_CONF" in os.sysconf_names:
                    return max(1, os.sysconf("SC_NPROCESSORS_CONF"))
            elif hasattr(os, "sched_getaffinity"):
                return len(os.sched_getaffinity(0))
        try:
            return max(1, len(_PROCESSOR.findall(read(f"{self._proc}/stat"))))
        except OSError:
            raise Unavailable from None
