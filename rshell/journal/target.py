"""All that a script can be given of the target's journal: reading, usage, rotation, cleanup."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from rshell.journal.files import STANDARD_MACHINE_ID, Target, read_machine_id, target_source
from rshell.journal.format import JournalError
from rshell.journal.journal import Journal
from rshell.journal.query import All, AnyOf, Match, term, unit_matches

if TYPE_CHECKING:
    from rshell.journal.rotate import Wait
    from rshell.journal.vacuum import Cleanup, Inode


class TargetJournal:
    """The journal of a target. Nothing is opened before it is asked for; every method raises `error`."""

    error = JournalError

    def __init__(self, target: Target | None) -> None:
        self._target = target

    def open(self) -> Journal:
        """The journal, for reading; to be closed by the caller."""
        return Journal(target_source(self._target))

    @staticmethod
    def selection(
        units: Sequence[str], *, kernel: bool = False, boot: bytes | None = None, priorities: Sequence[int] = ()
    ) -> Match:
        """The match for messages of any of the units, or the kernel's, of a boot and of any of the priorities."""
        parts: list[Match] = [AnyOf(tuple(unit_matches(unit) for unit in units))] if units else []
        if kernel:
            parts.append(term("_TRANSPORT", "kernel"))
        if boot is not None:
            parts.append(term("_BOOT_ID", boot.hex()))
        if priorities:
            parts.append(AnyOf(tuple(term("PRIORITY", str(priority)) for priority in priorities)))
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def usage(self) -> int:
        """Allocated bytes of all its files."""
        from rshell.journal import vacuum  # most calls read

        with closing(target_source(self._target)) as source:
            return vacuum.usage(source)

    def archives(self, check: Callable[[], None]) -> frozenset[Inode]:
        """The files that a cleanup may remove, of whatever age."""
        from rshell.journal import vacuum

        with closing(target_source(self._target)) as source:
            return frozenset((a.found.device, a.found.inode) for a in vacuum.archives(source, check))

    def rotate(self, wait: Wait) -> None:
        """Have journald rotate its files: needs the machine ID and the control socket."""
        from rshell.journal import rotate

        target = self._target
        if target is None:
            read_machine_id(STANDARD_MACHINE_ID)
            rotate.rotate(rotate.STANDARD_SOCKET, wait)
            return
        if not target.machine_id_path:
            raise JournalError("the target has no machine ID path")
        if not target.journal_control_socket:
            raise JournalError("the target has no journal control socket")
        read_machine_id(target.machine_id_path)
        rotate.rotate(target.journal_control_socket, wait)

    def vacuum(
        self,
        *,
        until: int,
        target: int | None,
        only: Container[Inode] | None,
        dry_run: bool,
        check: Callable[[], None],
        removed: Callable[[str, int], object],
    ) -> Cleanup:
        """Remove archived files, as `vacuum.vacuum`."""
        from rshell.journal import vacuum

        with closing(target_source(self._target)) as source:
            return vacuum.vacuum(
                source, until=until, target=target, only=only, dry_run=dry_run, check=check, removed=removed
            )
