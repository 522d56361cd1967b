"""The walk of find: from directory handle to directory handle, on a stack of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import reason
from rshell.builtins.find.visit import Vanished, Visit
from rshell.builtins.quoting import quote_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rshell.builtins.command import Invocation
    from rshell.builtins.find.plan import Plan
    from rshell.sandbox import Directory, Entry

_CLOCK = 256  # names between two looks at the deadline
_OPEN = 64  # directories of one walk that are held open; those above are opened again when it comes back
_ENTRIES = 4_000_000  # names of one directory
_ESTALE = 116


class _Level:
    """A directory that the walk is in."""

    __slots__ = ("batches", "entries", "handle", "identity", "is_open", "kind", "listed", "name", "path", "prefix")

    def __init__(self, handle: Directory, path: str, name: str, kind: str) -> None:
        self.handle = handle
        self.path = path
        self.prefix = path if path.endswith("/") else path + "/"
        self.name = name
        self.kind = kind
        self.identity: tuple[int, int] | None = None
        self.is_open = True
        self.listed = False
        self.batches = False  # whether what -execdir ... + gathered is run on coming and on leaving
        self.entries: Iterator[Entry] = handle.entries(_ENTRIES)


class Walker:
    """Visits everything below the starting points and evaluates the expression on each."""

    def __init__(self, call: Invocation, plan: Plan) -> None:
        self.call = call
        self.plan = plan
        self.visit = Visit(call, follow=plan.follow, follow_starts=plan.follow_starts)
        self.stack: list[_Level] = []
        self.device: int | None = None

    def run(self, start: str) -> None:
        """Walk from one starting point."""
        visit, plan = self.visit, self.plan
        if not start:
            # find's own sentence, in its own spelling
            self.call.error("'': No such file or directory")
            return
        try:
            visit.enter(start)
        except OSError as failure:
            self.report(start, failure)
            return
        self.device = visit.stat().st_dev if plan.one_device else None
        try:
            self._start(start)
        finally:
            while self.stack:
                self._leave(self.stack.pop())

    def _start(self, start: str) -> None:
        visit, plan = self.visit, self.plan
        visit.prune = False
        goes_down = visit.kind == "d" and plan.max_depth > 0
        if not (plan.depth_first and goes_down):
            self.evaluate()
            if visit.stop:
                return
        if goes_down and not (visit.prune and not plan.depth_first):
            handle = self._open()
            if handle is not None:
                level = _Level(handle, start, start, "d")
                if plan.follow:
                    level.identity = handle.identity
                self.stack.append(level)
                self._descend()
                if visit.stop:
                    return
        if plan.depth_first and goes_down:
            visit.handle = None
            visit.depth = 0
            visit.set(start, "d")
            self.evaluate()

    def evaluate(self) -> None:
        """Evaluate the expression on what the walk has reached."""
        visit = self.visit
        if visit.depth < self.plan.min_depth:
            return
        try:
            self.plan.test(visit)
        except Vanished as vanished:
            self.report(visit.path, vanished.failure)

    def report(self, path: str, failure: OSError) -> None:
        """`find: 'PATH': reason`."""
        self.call.error(f"{quote_text(path)}: {reason(failure)}")

    def _open(self) -> Directory | None:
        try:
            return self.visit.directory()
        except OSError as failure:
            self.report(self.visit.path, failure)
            return None

    def _descend(self) -> None:
        """Walk what is on the stack to its end."""
        stack, visit, plan = self.stack, self.visit, self.plan
        while stack:
            level = stack[-1]
            try:
                deeper = self._level(level)
            except OSError as failure:  # the listing itself failed
                self.report(level.path, failure)
                deeper = False
            if visit.stop:
                return
            if deeper:
                continue
            stack.pop()
            self._leave(level)
            if level.batches:
                plan.left()
            if stack:
                try:
                    self._back(stack[-1], len(stack))
                except OSError as failure:
                    self.report(stack[-1].path, failure)
                    stack[-1].entries = iter(())
                    continue
                if plan.depth_first:
                    visit.set(level.name, level.kind)
                    self.evaluate()
                    if visit.stop:
                        return

    def _back(self, level: _Level, depth: int) -> None:
        """Come back to a directory from one in it."""
        if not level.is_open:
            again = self.call.directory(level.path, follow=True)
            if again.identity != level.identity:
                self.call.close(again)
                raise OSError(_ESTALE, "stale file handle")
            level.handle = again
            level.is_open = True
        visit = self.visit
        visit.handle, visit.prefix, visit.depth = level.handle, level.prefix, depth

    def _leave(self, level: _Level) -> None:
        level.entries = iter(())
        self._close(level)

    def _close(self, level: _Level) -> None:
        self.call.close(level.handle)
        level.handle.close()
        level.is_open = False

    def _level(self, level: _Level) -> bool:
        """Visit the rest of a directory; True when it has put a directory in it on the stack."""
        stack, visit, plan = self.stack, self.visit, self.plan
        depth = len(stack)
        visit.handle, visit.prefix, visit.depth = level.handle, level.prefix, depth
        check = self.call.check
        test = plan.test if depth >= plan.min_depth else _nothing
        below = depth < plan.max_depth
        depth_first, follow = plan.depth_first, plan.follow
        flush = plan.flush
        if plan.on_leave and not level.listed:
            self._list(level)
        turns = 0
        for entry in level.entries:
            turns += 1
            if turns == _CLOCK:
                turns = 0
                check()
                flush()
            kind = entry.kind
            visit.name = entry.name
            visit.kind = kind
            visit.known = None
            if follow and kind in "ld?" and not self._followed():
                continue
            if visit.kind != "d" or not below:
                try:
                    test(visit)
                except Vanished as vanished:
                    self.report(visit.path, vanished.failure)
                if visit.stop:
                    return False
                continue
            visit.prune = False
            if not depth_first:
                try:
                    test(visit)
                except Vanished as vanished:
                    self.report(visit.path, vanished.failure)
                if visit.stop:
                    return False
                if visit.prune:
                    continue
            if self._enter(level):
                check()
                flush()
                return True
            if depth_first:
                self.evaluate()
                if visit.stop:
                    return False
        check()
        flush()
        return False

    def _list(self, level: _Level) -> None:
        """Read a directory whole: as GNU's, -execdir ... + is run when the walk comes to the first name in it."""
        level.listed = True
        listing = list(level.entries)
        level.entries = iter(listing)
        if listing:
            self.plan.left()
            level.batches = True

    def _enter(self, level: _Level) -> bool:
        """Go into the directory at hand; False when that cannot be, or is not wanted."""
        stack, visit, plan = self.stack, self.visit, self.plan
        if self.device is not None:
            try:
                if visit.stat().st_dev != self.device:
                    return False
            except Vanished as vanished:
                self.report(visit.path, vanished.failure)
                return False
        if len(stack) >= limits.FIND_DEPTH:
            shown = quote_text(visit.path)
            self.call.error(f"{shown}: directory nesting too deep ({limits.FIND_DEPTH} levels at most)")
            return False
        handle = self._open()
        if handle is None:
            return False
        child = _Level(handle, visit.path, visit.name, visit.kind)
        if plan.follow:
            child.identity = handle.identity
        # one listing is open at a time: what is left of this one is kept in memory
        level.entries = iter(list(level.entries))
        stack.append(child)
        if len(stack) > _OPEN:
            old = stack[-_OPEN]
            if old.identity is None:
                old.identity = old.handle.identity
            self._close(old)
        return True

    def _followed(self) -> bool:
        """Take a link for what it leads to; False when it leads nowhere or back."""
        visit = self.visit
        try:
            visit.look()
        except OSError as failure:
            self.report(visit.path, failure)
            return False
        if visit.kind != "d":
            return True
        found = visit.stat()
        identity = (found.st_dev, found.st_ino)
        for level in self.stack:
            if level.identity == identity:
                self.call.error(
                    f"File system loop detected; {quote_text(visit.path)} is part of the same file system loop"
                    f" as {quote_text(level.path)}."
                )
                return False
        return True


def _nothing(visit: Visit) -> bool:
    return False
