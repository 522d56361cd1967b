"""What the interpreter gives to a command: the protocol between the two.

A command never sees this directly; it talks to its Invocation, which narrows it. `interp.shell.Shell`
implements it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import tzinfo

    from rshell.builtins.streams import Sink, Source
    from rshell.features import Feature
    from rshell.host import Host
    from rshell.host.accounts import Accounts
    from rshell.journal.target import TargetJournal
    from rshell.policy import Policy
    from rshell.sandbox import Sandbox


class Run(Protocol):
    """One run of a script, shared by all its subshells and stages."""

    policy: Policy
    sandbox: Sandbox
    counters: dict[str, int]  # budgets shared by the run (rm, glob reads)
    caches: dict[str, Any]  # what a command's module keeps for the length of the run

    @property
    def now(self) -> float:
        """The run's one clock reading, seconds since the epoch."""

    @property
    def features(self) -> tuple[Feature, ...]:
        """The table of language features."""

    @property
    def accounts(self) -> Accounts:
        """The host's user and group names."""

    @property
    def host(self) -> Host:
        """The readers of the kernel's files."""

    @property
    def journal(self) -> TargetJournal:
        """The systemd journal of the policy's target."""

    def zone(self, name: str = "") -> tzinfo:
        """The host's time zone, or the one it knows by a name like Europe/Madrid (UTC when it does not)."""

    @property
    def uid(self) -> int:
        """The effective user ID of this process, -1 where there is none."""

    @property
    def gid(self) -> int:
        """The effective group ID of this process, -1 where there is none."""

    def check(self) -> None:
        """End the run when its deadline has passed or it was cancelled."""

    def remaining(self) -> float | None:
        """Seconds left before the deadline, None without one."""

    def expire(self) -> None:
        """End the run as timed out, now: what is about to be done does not fit in the time left."""

    def sleep(self, seconds: float) -> None:
        """Wait while other stages run; ends early with the deadline."""

    def call_in_thread(self, function: Callable[[], Any]) -> Any:
        """Call a blocking function in a thread that is left behind at the deadline; return or raise what it does."""

    def wait_readable(self, descriptor: int, seconds: float | None) -> bool:
        """Wait until a descriptor of the host layer can be read; False after seconds."""

    def open_one(self) -> None:
        """Count a descriptor that a script has opened. Raises OSError (EMFILE) past limits.DESCRIPTORS."""

    def close_one(self) -> None:
        """A counted descriptor was closed."""

    def record(self, action: str, path: str, size: int, command: str) -> None:
        """Note a change that was made: for Result.changes and the on_write callback."""


class Context(Protocol):
    """The shell that runs a command, with the command's own streams."""

    cwd: str
    status: int
    loops: int  # how many loops run around the command
    stdin: Source
    stdout: Sink
    stderr: Sink

    @property
    def run(self) -> Run:
        """The run it belongs to."""

    def get(self, name: str) -> str | None:
        """The value of a shell variable."""

    def assign(self, name: str, value: str) -> None:
        """Set a shell variable; ends the shell when the storage limit is passed."""

    def unset(self, name: str) -> None:
        """Remove a shell variable."""

    def environment(self) -> Mapping[str, str]:
        """The variables that a command's environment holds: the policy's and inline assignments."""

    def change_directory(self, path: str) -> None:
        """Make path (absolute) the working directory, checked by the sandbox; keeps PWD and OLDPWD."""

    def dispatch(
        self,
        argv: Sequence[str],
        *,
        stdin: Source | None = None,
        stdout: Sink | None = None,
        cwd: str | None = None,
        environment: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> int:
        """Run a command of this shell by name, as the policy allows; return its status.

        127 when it is unknown or not allowed (with the message written); 124 when timeout (seconds)
        passed first. Depth is bounded by limits.DISPATCH_DEPTH.
        """

    def call(self, argv: list[str]) -> int:
        """Run a command by name in this very shell, with its streams; return its status (127 as dispatch())."""

    def lookup(self, name: str) -> str:
        """'builtin' when the policy lets name run, 'denied' when only the policy stands against it, else ''."""

    def exit(self, status: int) -> None:
        """End the shell (or subshell)."""

    def leave_loops(self, levels: int, *, again: bool, status: int = 0) -> bool:
        """break (or with again, continue) levels loops with a status; False outside any loop."""
