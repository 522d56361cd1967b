"""The machine as its kernel describes it: fixed files below the policy's proc_path, never a script's path.

One reader a source. Nothing here opens a process's cmdline or environ, and nothing lists who is logged in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from rshell.host.icmp import Echo
    from rshell.host.identity import Identity
    from rshell.host.interfaces import Interfaces
    from rshell.host.kernel import Kernel
    from rshell.host.memory import Memory
    from rshell.host.mounts import Mounts
    from rshell.host.openfiles import OpenFiles
    from rshell.host.proc import Processes
    from rshell.host.routes import Routes
    from rshell.host.sockets import Sockets
    from rshell.host.uptime import Uptime

__all__ = ["Host", "load_all"]


class Host:
    """The readers, made when first asked for. Each raises OSError in words fit for a message.

    proc_path: where procfs is. check: called in loops that can take long; ends the run when it must end.
    """

    def __init__(self, proc_path: str, check: Callable[[], None]) -> None:
        self.proc_path = proc_path
        self.check = check

    def processes(self) -> Processes:
        """The processes there are now."""
        from rshell.host.proc import Processes

        return Processes(self.proc_path, self.check)

    def open_files(self) -> OpenFiles:
        """What processes hold open, and what they have mapped."""
        from rshell.host.openfiles import OpenFiles

        return OpenFiles(self.proc_path, self.check)

    def memory(self) -> Memory:
        """Memory and swap, and the counters of virtual memory, as they are now."""
        from rshell.host.memory import Memory

        return Memory(self.proc_path)

    def uptime(self) -> Uptime:
        """How long the system has been up, and its load."""
        from rshell.host.uptime import Uptime

        return Uptime(self.proc_path)

    def kernel(self) -> Kernel:
        """The kernel's names, and the processors."""
        from rshell.host.kernel import Kernel

        return Kernel(self.proc_path)

    def interfaces(self) -> Interfaces:
        """The network interfaces, their addresses and neighbours."""
        from rshell.host.interfaces import Interfaces

        return Interfaces(self.proc_path, self.check)

    def routes(self) -> Routes:
        """The routes of both families."""
        from rshell.host.routes import Routes

        return Routes(self.proc_path, self.check)

    def sockets(self) -> Sockets:
        """The sockets there are."""
        from rshell.host.sockets import Sockets

        return Sockets(self.proc_path, self.check)

    def mounts(self) -> Mounts:
        """The mounted file systems."""
        from rshell.host.mounts import Mounts

        return Mounts(self.proc_path, self.check)

    @staticmethod
    def address_text(packed: bytes) -> str:
        """An IPv4 or IPv6 address of 4 or 16 bytes as text."""
        from rshell.host.interfaces import address_text

        return address_text(packed)

    @staticmethod
    def packed_address(text: str) -> bytes | None:
        """An IPv4 address in dotted decimal without leading zeros, or an IPv6 address, as bytes; else None."""
        from rshell.host.interfaces import packed_address

        return packed_address(text)

    def echo(self) -> Echo:
        """Asking other machines for an echo."""
        from rshell.host.icmp import Echo

        return Echo(self.proc_path, self.check)

    def identity(self) -> Identity:
        """The user and groups of this process."""
        from rshell.host.identity import Identity

        return Identity()


def load_all() -> None:
    """Import every reader and what it imports late: under a policy that grants writing, before a script runs."""
    import pkgutil
    import zoneinfo  # noqa: F401
    from importlib import import_module

    for module in pkgutil.iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    from rshell.host.icmp import preload

    preload()
