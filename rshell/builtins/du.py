"""du: how much space files and directories take (GNU coreutils)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rshell import limits
from rshell.builtins.blocksize import HUMAN, SI, BlockSize, block_size
from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, encode, reason
from rshell.builtins.descent import Descent
from rshell.builtins.pattern import compile_shell_pattern
from rshell.builtins.quoting import quote, quote_text
from rshell.builtins.text import OutOfRange, number, size

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from rshell.sandbox import Directory

DU = Command(
    "du",
    "show how much space files and directories take",
    "du [OPTION]... [FILE]...",
    options=(
        Option("-a", "--all", help="show files too, not only directories"),
        Option("--apparent-size", help="lengths instead of the space taken"),
        Option("-b", "--bytes", help="as --apparent-size --block-size=1"),
        Option("-B", "--block-size", value="SIZE", help="show sizes in units of SIZE"),
        Option("-c", "--total", help="show a grand total"),
        Option("-d", "--max-depth", value="N", help="show only what is at most N levels below an operand"),
        Option("-D", "--dereference-args", help="follow symbolic links that are operands"),
        Option("-H", key="dereference-args", help="as -D"),
        Option("--exclude", value="PATTERN", help="leave out what matches PATTERN"),
        Option("-h", "--human-readable", help="sizes like 1K 234M 2G"),
        Option("--inodes", help="count inodes instead of space"),
        Option("-k", help="as --block-size=1K"),
        Option("-l", "--count-links", help="count a file with several names as often as it is met"),
        Option("-L", "--dereference", help="follow all symbolic links"),
        Option("-m", help="as --block-size=1M"),
        Option("-P", "--no-dereference", help="follow no symbolic links (the default)"),
        Option("-0", "--null", help="end each line with NUL"),
        Option("-S", "--separate-dirs", help="without what is in directories below"),
        Option("--si", help="as -h with powers of 1000"),
        Option("-s", "--summarize", help="one line for each operand"),
        Option("-t", "--threshold", value="SIZE", help="leave out sizes below SIZE, above it if SIZE is negative"),
        Option("--time", value="WORD", optional=True, refused="use find -printf '%T+ %p\\n'"),
        Option("-x", "--one-file-system", help="stay on the file system of each operand"),
    ),
)

_KIB, _MIB, _BYTE = BlockSize(1_024), BlockSize(1_048_576), BlockSize(1)
_FIXED_SIZES = {"human-readable": HUMAN, "si": SI, "k": _KIB, "m": _MIB, "bytes": _BYTE}
_FORMAT, _DIRECTORY, _LINK = 0o170000, 0o040000, 0o120000
_CLOCK = 1_024  # names between two looks at the deadline
_BLOCK = 512


class _Item(NamedTuple):
    """Something in a directory that cannot be counted at once."""

    name: str
    found: os.stat_result


class _Level:
    """A directory that is being counted."""

    __slots__ = ("at", "items", "path", "prefix", "total")

    def __init__(self, path: str, own: int) -> None:
        self.path = path
        self.prefix = path if path.endswith("/") else path + "/"
        self.total = own
        self.items: list[_Item] = []
        self.at = 0


class _Counter:
    def __init__(self, call: Invocation) -> None:
        options = call.options
        self.call = call
        self.all = "all" in options
        self.separate = "separate-dirs" in options
        self.one_device = "one-file-system" in options
        self.count_links = "count-links" in options
        follow = options.last("dereference", "dereference-args", "no-dereference")
        self.follow = follow == "dereference"
        self.follow_operands = self.follow or follow == "dereference-args"
        self.max_depth = _max_depth(call, self.all)
        self.threshold = _threshold(options.get("threshold"))
        self.unit = _unit(call)
        self.measure = _measure(call)
        self.excluded = [compile_shell_pattern(text) for text in options.all("exclude")]
        self.end = b"\0" if "null" in options else b"\n"
        self.hash_all = not self.count_links and (self.follow or len(call.operands) > 1)
        self.seen: set[tuple[int, int]] = set()
        self.total = 0
        self.device = 0
        self.stack: list[_Level] = []
        self.descent = Descent(call)

    # What is left out

    def excludes(self, path: str) -> bool:
        """Whether a pattern matches a path, or what is left of it after one of its slashes."""
        for match in self.excluded:
            if match(path):
                return True
            at = path.find("/")
            while at >= 0:
                rest = path[at + 1 :]
                if rest and rest[0] != "/" and match(rest):
                    return True
                at = path.find("/", at + 1)
        return False

    def is_new(self, found: os.stat_result) -> bool:
        """Whether a file is met for the first time; remembers it."""
        identity = (found.st_dev, found.st_ino)
        if identity in self.seen:
            return False
        if len(self.seen) >= limits.DU_LINKS:
            raise Failure(f"too many hard links ({limits.DU_LINKS} files at most)")
        self.seen.add(identity)
        return True

    # Counting

    def operand(self, path: str) -> None:
        """Count one operand, and show it."""
        if not path:
            self.call.error("invalid zero-length file name")
            return
        while len(path) > 2 and path.endswith("//"):
            path = path[:-1]
        if self.excluded and self.excludes(path):
            return
        try:
            found = self.call.stat(path, follow=self.follow_operands)
        except OSError as failure:
            self.cannot_access(path, failure)
            return
        self.device = found.st_dev
        if found.st_mode & _FORMAT == _DIRECTORY:
            if self.hash_all and not self.is_new(found):
                return
            try:
                handle = self.call.run.sandbox.directory(self.call.absolute(path), follow=self.follow_operands)
            except OSError as failure:
                self.unreadable(path, found, 0, failure)
                return
            self.walk(path, handle, found)
        elif self.wanted(found):
            self.show(path, self.count(found))

    def count(self, found: os.stat_result) -> int:
        """Add a file to the grand total; what it adds."""
        amount = self.measure(found)
        self.total += amount
        return amount

    def wanted(self, found: os.stat_result) -> bool:
        """Whether a file that is no directory counts: each once, unless told otherwise."""
        return self.count_links or not (self.hash_all or found.st_nlink > 1) or self.is_new(found)

    def walk(self, path: str, handle: Directory, found: os.stat_result) -> None:
        """Count a directory and all below it."""
        stack = self.stack
        with Descent(self.call, follow=self.follow) as self.descent:
            self.push(path, handle, found)
            while stack:
                level = stack[-1]
                if level.at == len(level.items):
                    self.leave()
                    continue
                item = level.items[level.at]
                level.at += 1
                self.item(level, item)

    def push(self, path: str, handle: Directory, found: os.stat_result) -> None:
        """Go into an open directory."""
        self.descent.enter(path, handle)
        level = _Level(path, self.count(found))
        self.stack.append(level)
        self.read(level, handle)

    def leave(self) -> None:
        """Show the directory that is done, and add it to the one above."""
        level = self.stack.pop()
        self.descent.leave()
        depth = len(self.stack)
        if depth <= self.max_depth:
            self.show(level.path, level.total)
        if depth:
            above = self.stack[-1]
            if not self.separate:
                above.total += level.total
            self.call.check()

    def item(self, level: _Level, item: _Item) -> None:
        found = item.found
        if found.st_mode & _FORMAT == _DIRECTORY:
            self.enter(level, item)
        elif self.wanted(found):
            amount = self.count(found)
            level.total += amount
            if self.all and len(self.stack) <= self.max_depth:
                self.show(level.prefix + item.name, amount)

    def enter(self, level: _Level, item: _Item) -> None:
        """Go into a directory."""
        found = item.found
        if self.hash_all and not self.is_new(found):
            return
        if self.follow and self.descent.loops((found.st_dev, found.st_ino)):
            return
        path = level.prefix + item.name
        depth = len(self.stack)
        if depth >= limits.DU_DEPTH:
            self.call.error(f"{quote(path)}: directory nesting too deep ({limits.DU_DEPTH} levels at most)")
            return
        try:
            handle = self.descent.below(item.name)
        except OSError as failure:
            own = self.unreadable(path, found, depth, failure)
            if not self.separate:
                level.total += own
            return
        self.push(path, handle, found)

    def unreadable(self, path: str, found: os.stat_result, depth: int, failure: OSError) -> int:
        """A directory that cannot be opened counts itself alone."""
        self.call.error(f"cannot read directory {quote(path)}: {reason(failure)}")
        own = self.count(found)
        if depth <= self.max_depth:
            self.show(path, own)
        return own

    def read(self, level: _Level, handle: Directory) -> None:
        """Count what is in a directory, but for what has to wait for its turn: that is kept in its order."""
        measure = self.measure
        total = 0
        keep = level.items.append
        every = self.all or self.hash_all
        links = not self.count_links
        picky = self.follow or self.one_device or bool(self.excluded)
        turns = 0
        try:
            for name, found in handle.statuses():
                turns += 1
                if turns == _CLOCK:
                    turns = 0
                    self.call.check()
                if isinstance(found, OSError):
                    self.cannot_access(level.prefix + name, found)
                    continue
                if picky:
                    looked = self.look(level, handle, name, found)
                    if looked is None:
                        continue
                    found = looked
                if every or found.st_mode & _FORMAT == _DIRECTORY or (links and found.st_nlink > 1):
                    keep(_Item(name, found))
                else:
                    total += measure(found)
        except OSError as failure:
            self.call.error(f"cannot read directory {quote(level.path)}: {reason(failure)}")
        level.total += total
        self.total += total

    def look(self, level: _Level, handle: Directory, name: str, found: os.stat_result) -> os.stat_result | None:
        """The status of a name that counts, links followed if that is wanted; None for what does not count."""
        if self.excluded and self.excludes(level.prefix + name):
            return None
        if self.follow and found.st_mode & _FORMAT == _LINK:
            try:
                found = handle.stat(name)
            except OSError as failure:
                self.cannot_access(level.prefix + name, failure)
                return None
        return None if self.one_device and found.st_dev != self.device else found

    # Output

    def cannot_access(self, path: str, failure: OSError) -> None:
        """Report a name without a status."""
        self.call.error(f"cannot access {quote(path)}: {reason(failure)}")

    def show(self, path: str, amount: int) -> None:
        """A line, unless the threshold is against it."""
        if amount <= -self.threshold if self.threshold < 0 else amount >= self.threshold:
            self.line(path, amount)

    def line(self, path: str, amount: int) -> None:
        """A line."""
        self.call.write(encode(f"{self.unit.show(amount)}\t{path}") + self.end)


@DU.main
def du(call: Invocation) -> int:
    counter = _Counter(call)
    for path in call.operands or ["."]:
        counter.operand(path)
    if "total" in call.options:
        counter.line("total", counter.total)
    return call.status


def _space(found: os.stat_result) -> int:
    return found.st_blocks * _BLOCK


def _length(found: os.stat_result) -> int:
    return max(0, found.st_size)


def _one(found: os.stat_result) -> int:
    return 1


def _measure(call: Invocation) -> Callable[[os.stat_result], int]:
    apparent = "apparent-size" in call.options or "bytes" in call.options
    if "inodes" in call.options:
        if apparent:
            call.warn("warning: options --apparent-size and -b are ineffective with --inodes")
        return _one
    return _length if apparent else _space


def _unit(call: Invocation) -> BlockSize:
    unit = _KIB
    for key, argument in call.options.given:
        if key == "block-size":
            given = block_size(argument or "")
            if given is None:
                raise Failure(f"invalid --block-size argument {quote_text(argument or '')}")
            unit = given
        elif key in _FIXED_SIZES:
            unit = _FIXED_SIZES[key]
    return BlockSize(1, unit.base) if "inodes" in call.options else unit


def _max_depth(call: Invocation, every: bool) -> int:
    text = call.options.get("max-depth")
    depth = limits.DU_DEPTH
    if text is not None:
        try:
            given = number(text)
        except OutOfRange:
            given = depth
        if given is None or text.startswith(("-", "+")):
            raise UsageError(f"invalid maximum depth {quote_text(text)}")
        depth = min(given, depth)
    if "summarize" not in call.options:
        return depth
    if every:
        raise UsageError("cannot both summarize and show all entries")
    if text is not None:
        if depth:
            raise UsageError(f"warning: summarizing conflicts with --max-depth={depth}")
        call.warn("warning: summarizing is the same as using --max-depth=0")
    return 0


def _threshold(text: str | None) -> int:
    if text is None:
        return 0
    try:
        given = size(text)
    except OutOfRange:
        raise Failure(f"--threshold argument {quote_text(text)} too large") from None
    if given is None:
        raise Failure(f"invalid --threshold argument {quote_text(text)}")
    if given == 0 and text.startswith("-"):
        raise Failure(f"invalid --threshold argument {quote_text(text)}")
    return given


COMMANDS = {"du": DU}
