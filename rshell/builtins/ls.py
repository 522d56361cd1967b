"""ls: list directories (GNU coreutils)."""

from __future__ import annotations

import errno
from itertools import islice
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Invocation, Option, encode, reason
from rshell.builtins.filemode import device_numbers, kind_of, mode_text
from rshell.builtins.ls_format import columns, commas, display_width, scaled
from rshell.builtins.ls_settings import QUOTINGS, Settings
from rshell.builtins.quoting import quote
from rshell.builtins.sort_keys import version

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from rshell.sandbox import Directory


LS = Command(
    "ls",
    "list directories, names sorted by bytes",
    "ls [OPTION]... [FILE]...",
    options=(
        Option("-a", "--all", help="list names that start with . too"),
        Option("-A", "--almost-all", help="as -a without . and .."),
        Option("--author", help="with -l, show the author (the owner)"),
        Option("-b", "--escape", help="show what does not print as C escapes"),
        Option("--block-size", value="SIZE", help="show sizes in units of SIZE"),
        Option("-B", "--ignore-backups", help="leave out names that end with ~"),
        Option("-c", help="with -lt sort by and show, else show or sort by, the time of the last change of status"),
        Option("-C", help="list in columns"),
        Option("--color", value="WHEN", optional=True, help="accepted; there are no colors"),
        Option("-d", "--directory", help="list directories themselves, not what is in them"),
        Option("-f", help="unsorted, as -aU"),
        Option("-F", key="classify", help="append one of */=@|"),
        Option("--classify", value="WHEN", optional=True, help="as -F"),
        Option("--file-type", help="as -F without *"),
        Option("--format", value="WORD", help="across (-x), commas (-m), long (-l), single-column (-1), vertical (-C)"),
        Option("--full-time", help="as -l --time-style=full-iso"),
        Option("-g", help="as -l without the owner"),
        Option("--group-directories-first", help="directories before files"),
        Option("-G", "--no-group", help="in long format, leave out the group"),
        Option("-h", "--human-readable", help="sizes like 1K 234M 2G"),
        Option("--si", help="as -h with powers of 1000"),
        Option("-H", "--dereference-command-line", help="follow symbolic links that are operands"),
        Option("--dereference-command-line-symlink-to-dir", help="follow operands that link to directories"),
        Option("--hide", value="PATTERN", help="leave out names that match, unless -a or -A"),
        Option("--indicator-style", value="WORD", help="none, slash (-p), file-type, classify (-F)"),
        Option("-i", "--inode", help="show inode numbers"),
        Option("-I", "--ignore", value="PATTERN", help="leave out names that match"),
        Option("-k", "--kibibytes", help="blocks of 1024 bytes"),
        Option("-l", help="long format"),
        Option("-L", "--dereference", help="show what links point to"),
        Option("-m", help="names separated by commas"),
        Option("-n", "--numeric-uid-gid", help="as -l with numbers for users and groups"),
        Option("-N", "--literal", help="names as they are"),
        Option("-o", help="as -l without the group"),
        Option("-p", key="p", help="append / to directories"),
        Option("-q", "--hide-control-chars", help="? for what does not print"),
        Option("--show-control-chars", help="what does not print as it is (the default)"),
        Option("-Q", "--quote-name", help="names in double quotes"),
        Option("--quoting-style", value="WORD", help=" ".join(QUOTINGS)),
        Option("-r", "--reverse", help="reverse order"),
        Option("-R", "--recursive", help="list what is below directories too"),
        Option("-s", "--size", help="show the blocks of each file"),
        Option("-S", help="sort by size, largest first"),
        Option("--sort", value="WORD", help="none (-U), size (-S), time (-t), version (-v), extension (-X), width"),
        Option("--time", value="WORD", help="atime access use (-u), ctime status (-c), mtime modification"),
        Option("--time-style", value="STYLE", help="full-iso, long-iso, iso, locale, +FORMAT"),
        Option("-t", help="sort by time, newest first"),
        Option("-T", "--tabsize", value="COLS", help="tab stops in columns, 8 by default, 0 for none"),
        Option("-u", help="with -lt sort by and show, else show or sort by, the time of the last access"),
        Option("-U", help="in the order of the directory"),
        Option("-v", help="natural order of numbers in names"),
        Option("-w", "--width", value="COLS", help="columns of the output, 0 for no limit; 80 by default"),
        Option("-x", help="list across"),
        Option("-X", help="sort by extension"),
        Option("-1", help="one name a line"),
        Option("--offset", value="N", help="leave out the first N entries of a directory"),
        Option("--limit", value="N", help=f"show at most N entries of a directory, {limits.LS_PAGE} at most"),
    ),
    description="--offset and --limit page one directory; with several, or with -R, they do nothing.",
    usage_status=2,
)


class _Item:
    """One name that is listed."""

    __slots__ = ("found", "kind", "name", "target", "target_mode")

    def __init__(self, name: str, kind: str, found: os.stat_result | None = None) -> None:
        self.name = name
        self.kind = kind
        self.found = found
        self.target: str | None = None
        self.target_mode = 0


@LS.main
def ls(call: Invocation) -> int:
    _Listing(call, Settings(call)).run()
    return call.status


class _Listing:
    def __init__(self, call: Invocation, settings: Settings) -> None:
        self.call = call
        self.settings = settings
        self.begun = False
        self.paged = False
        accounts = call.run.accounts if settings.long and not settings.numeric else None
        self.user_name: Callable[[int], str | None] = accounts.user_name if accounts else _unknown
        self.group_name: Callable[[int], str | None] = accounts.group_name if accounts else _unknown

    def run(self) -> None:
        call, settings = self.call, self.settings
        operands = call.operands or ["."]
        files: list[_Item] = []
        directories: list[_Item] = []
        for name in operands:
            item = self.operand(name)
            if item is None:
                continue
            if item.kind == "d" and not settings.directory:
                directories.append(item)
            else:
                files.append(item)
        if files:
            self.order(files)
            self.print_items(files, directories)
            self.begun = True
        self.order(directories)
        headed = len(operands) > 1 or settings.recursive
        self.paged = bool((settings.offset or settings.limit) and len(operands) == 1 and not settings.recursive)
        for item in directories:
            try:
                opened = call.directory(item.name)
            except OSError as failure:
                self.cannot_open(item.name, failure, 2)
                continue
            self.tree(opened, item.name, headed)

    # Operands

    def operand(self, name: str) -> _Item | None:
        follow = self.settings.follow
        try:
            if follow == "D":
                found = self.call.stat(name, follow=False)
                if kind_of(found.st_mode) == "l":
                    try:
                        target = self.call.stat(name)
                        if kind_of(target.st_mode) == "d":
                            found = target
                    except OSError as failure:
                        if failure.errno != errno.ENOENT:
                            raise
            else:
                found = self.call.stat(name, follow=bool(follow))
        except OSError as failure:
            self.call.error(f"cannot access {quote(name)}: {reason(failure)}", 2)
            return None
        item = _Item(name, kind_of(found.st_mode), found)
        if item.kind == "l" and self.settings.long:
            sandbox = self.call.run.sandbox
            try:
                item.target = sandbox.readlink(self.call.absolute(name))
                item.target_mode = self.call.stat(name).st_mode
            except OSError:
                pass
        return item

    # Directories

    def cannot_open(self, path: str, failure: OSError, status: int) -> None:
        self.call.error(f"cannot open directory {quote(path)}: {reason(failure)}", status)

    def tree(self, top: Directory, path: str, headed: bool) -> None:
        """List a directory, and with -R what is below, on a stack of names and not of handles."""
        if not self.settings.recursive:
            self.directory(top, path, headed, 2)
            self.call.close(top)
            return
        ancestors: list[tuple[int, int]] = []
        waiting: list[tuple[str, int]] = [(path, 0)]
        handle: Directory | None = top
        while waiting:
            path, depth = waiting.pop()
            if handle is None:
                try:
                    handle = self.call.directory(path, follow=self.settings.follow == "L" or depth == 0)
                except OSError as failure:
                    self.cannot_open(path, failure, 1)
                    continue
            del ancestors[depth:]
            if handle.identity in ancestors:
                self.call.error(f"{path}: not listing already-listed directory", 2)
                self.call.close(handle)
                handle = None
                continue
            ancestors.append(handle.identity)
            below = self.directory(handle, path, headed, 2 if depth == 0 else 1)
            self.call.close(handle)
            handle = None
            if below and depth + 1 >= limits.LS_DEPTH:
                self.call.error(f"{quote(path)}: directory nesting too deep ({limits.LS_DEPTH} levels at most)")
                continue
            prefix = path if path.endswith("/") else path + "/"
            waiting += [(prefix + name, depth + 1) for name in reversed(below)]

    def directory(self, handle: Directory, path: str, headed: bool, trouble: int) -> list[str]:
        """List one directory; the names of the directories in it. trouble: the status when it cannot be opened."""
        call, settings = self.call, self.settings
        try:
            items = self.read(handle, path)
        except PermissionError as failure:
            self.cannot_open(path, failure, trouble)
            return []
        if headed or self.begun:
            call.write(encode(f"{chr(10) if self.begun else ''}{settings.show(path)}:\n"))
        self.begun = True
        if settings.long or settings.blocks:
            total = sum([item.found.st_blocks for item in items if item.found is not None])
            call.write(encode(f"total {scaled(total * 512, settings.block, settings.base)}{settings.unit}\n"))
        self.print_items(items)
        return [item.name for item in items if item.kind == "d" and item.name not in (".", "..")]

    def read(self, handle: Directory, path: str) -> list[_Item]:
        call, settings = self.call, self.settings
        wanted = settings.wanted
        plain = not settings.all and not settings.ignored and not settings.hidden
        items: list[_Item] = []
        streamed = self.paged and settings.sort == "U"
        try:
            entries = handle.entries(None if streamed else limits.LS_ENTRIES)
            if plain:
                items = [_Item(e.name, e.kind) for e in islice(entries, self._stop(streamed)) if e.name[0] != "."]
            else:
                chosen = (_Item(e.name, e.kind) for e in entries if wanted(e.name))
                items = list(islice(chosen, self._stop(streamed)))
        except PermissionError:
            if not items:
                raise  # it could not even be opened for reading
        except OSError as failure:
            call.error(f"reading directory {quote(path)}: {reason(failure)}", 1)
        call.check()
        follows = settings.follow == "L" and settings.needs_type
        for at, item in enumerate(items):
            if at & 255 == 255:
                call.check()
            if settings.needs_stat or (follows and item.kind == "l"):
                self.look(handle, path, item)
            if settings.first and item.kind == "l" and not item.target_mode:
                try:
                    item.target_mode = handle.stat(item.name, True).st_mode
                except OSError:
                    pass
        self.order(items)
        if self.paged:
            end = settings.offset + settings.limit if settings.limit else len(items)
            items = items[settings.offset : end]
        if settings.all == "a":
            items = self.dots(handle, path) + items
            self.order(items)
        return items

    def _stop(self, streamed: bool) -> int | None:
        if not streamed or not self.settings.limit:
            return None
        return self.settings.offset + self.settings.limit

    def dots(self, handle: Directory, path: str) -> list[_Item]:
        """`.` and `..`, the latter without a status where it is outside the roots."""
        found = []
        for name in (".", ".."):
            item = _Item(name, "d")
            if self.settings.needs_stat:
                try:
                    item.found = handle.stat(".") if name == "." else self.call.stat(f"{path}/..")
                except OSError:
                    pass
            found.append(item)
        return [item for item in found if not any(match(item.name) for match in self.settings.ignored)]

    def look(self, handle: Directory, path: str, item: _Item) -> None:
        settings = self.settings
        try:
            item.found = handle.stat(item.name, settings.follow == "L")
        except OSError as failure:
            shown = path if path.endswith("/") else path + "/"
            self.call.error(f"cannot access '{shown}{item.name}': {reason(failure)}")
            return
        item.kind = kind_of(item.found.st_mode)
        if item.kind == "l" and settings.long:
            try:
                item.target = handle.readlink(item.name)
                if settings.indicator:
                    item.target_mode = handle.stat(item.name, True).st_mode
            except OSError:
                pass

    # Order

    def order(self, items: list[_Item]) -> None:
        settings = self.settings
        sort = settings.sort
        if sort == "U":
            return
        if all(item.name.isascii() for item in items):
            items.sort(key=lambda item: item.name)
        else:
            items.sort(key=lambda item: encode(item.name))
        if sort == "t":
            moment = settings.moment
            items.sort(key=lambda item: -moment(item.found) if item.found is not None else 0)
        elif sort == "S":
            items.sort(key=lambda item: -item.found.st_size if item.found is not None else 0)
        elif sort == "X":
            items.sort(key=_extension)
        elif sort == "v":
            items.sort(key=lambda item: version(encode(item.name).decode("latin-1")))
        elif sort == "width":
            items.sort(key=lambda item: display_width(settings.show(item.name)))
        if settings.reverse:
            items.reverse()
        if settings.first:
            items.sort(key=lambda item: not self.leads_to_directory(item))

    @staticmethod
    def leads_to_directory(item: _Item) -> bool:
        return item.kind == "d" or (item.kind == "l" and kind_of(item.target_mode) == "d")

    # Output

    def print_items(self, items: list[_Item], measured: list[_Item] | None = None) -> None:
        """Print items, in columns wide enough for the measured ones too."""
        settings = self.settings
        if not items:
            return
        if settings.long:
            self.print_long(items, measured or [])
            return
        cells = self.cells(items, measured or [])
        if settings.format == "1":
            text = "\n".join(cells)
        elif settings.format == "m":
            text = commas(cells, settings.width)
        else:
            text = "\n".join(columns(cells, settings.width, down=settings.format == "C", tab=settings.tab))
        self.call.write(encode(text + "\n"))

    def names(self, items: list[_Item], measured: list[_Item]) -> list[str]:
        """The names as they are shown; beside quoted ones the others stand one column further right."""
        settings = self.settings
        if settings.style == "literal" and not settings.hide_control:
            return [item.name for item in items]
        show = settings.show
        names = [show(item.name) for item in items]
        if settings.style not in ("shell", "shell-escape") or not (
            settings.long or (settings.format in ("C", "x") and settings.width)
        ):
            return names
        if all(show(item.name)[:1] not in ("'", '"') for item in items + measured):
            return names
        return [name if name[:1] in ("'", '"') else " " + name for name in names]

    def cells(self, items: list[_Item], measured: list[_Item]) -> list[str]:
        settings = self.settings
        cells = self.names(items, measured)
        if settings.indicator:
            cells = [cell + self.mark(item) for cell, item in zip(cells, items, strict=True)]
        if settings.inode or settings.blocks:
            cells = [front + cell for front, cell in zip(self.fronts(items, measured), cells, strict=True)]
        return cells

    def fronts(self, items: list[_Item], measured: list[_Item]) -> list[str]:
        """What -i and -s put before each name."""
        settings = self.settings
        fronts = [""] * len(items)
        for wanted, value in ((settings.inode, self.inode), (settings.blocks, self.blocks)):
            if wanted:
                texts = [value(item) for item in items]
                width = 0 if settings.format == "m" else max(map(len, texts + [value(item) for item in measured]))
                fronts = [front + text.rjust(width) + " " for front, text in zip(fronts, texts, strict=True)]
        return fronts

    @staticmethod
    def inode(item: _Item) -> str:
        return "?" if item.found is None else str(item.found.st_ino)

    def blocks(self, item: _Item) -> str:
        if item.found is None:
            return "?"
        return scaled(item.found.st_blocks * 512, self.settings.block, self.settings.base) + self.settings.unit

    def mark(self, item: _Item, mode: int | None = None) -> str:
        """What -F, -p and --file-type append."""
        if mode is None:
            kind = item.kind
            mode = item.found.st_mode if item.found is not None else 0
        else:
            kind = kind_of(mode)
        if kind == "d":
            return "/"
        indicator = self.settings.indicator
        if indicator == "p":
            return ""
        if kind == "f":
            return "*" if indicator == "F" and mode & 0o111 else ""
        return {"l": "@", "p": "|", "s": "="}.get(kind, "")

    def print_long(self, items: list[_Item], measured: list[_Item]) -> None:
        settings = self.settings
        fronts = self.fronts(items, measured) if settings.inode or settings.blocks else None
        rows = [self.row(item) for item in items + measured]
        links, owners, groups, authors, sizes, times = ([row[at] for row in rows] for at in range(6))
        widths = [max(map(len, column)) for column in (links, owners, groups, authors, times)]
        sizes = self.sizes(items + measured, sizes)
        show = settings.show
        names = self.names(items, measured)
        lines = []
        for at, item in enumerate(items):
            found = item.found
            mode = mode_text(found.st_mode) if found is not None else ("-" if item.kind == "f" else item.kind) + "?" * 9
            parts = [mode, links[at].rjust(widths[0])]
            if settings.owner:
                parts.append(_account(owners[at], widths[1]))
            if settings.group:
                parts.append(_account(groups[at], widths[2]))
            if settings.author:
                parts.append(_account(authors[at], widths[3]))
            parts += (sizes[at], times[at].rjust(widths[4]) if found is None else times[at], names[at])
            line = " ".join(parts)
            if item.target is not None:
                line += " -> " + show(item.target)
                if settings.indicator and settings.indicator != "p" and item.target_mode:
                    line += self.mark(item, item.target_mode)
            elif settings.indicator and item.kind != "l":
                line += self.mark(item)
            lines.append(fronts[at] + line if fronts else line)
        self.call.write(encode("\n".join(lines) + "\n"))

    def row(self, item: _Item) -> tuple[str, str, str, str, str, str]:
        found = item.found
        if found is None:
            return ("?", "?", "?", "?", "?", "?")
        settings = self.settings
        owner = self.user_name(found.st_uid) or str(found.st_uid)
        group = self.group_name(found.st_gid) or str(found.st_gid)
        size = "" if item.kind in "bc" else scaled(found.st_size, settings.size_block, settings.base) + settings.unit
        return str(found.st_nlink), owner, group, owner, size, settings.times.text(settings.moment(found))

    @staticmethod
    def sizes(items: list[_Item], sizes: list[str]) -> list[str]:
        """The column of sizes, with the numbers of devices in it."""
        width = max(map(len, sizes))
        devices = {
            at: device_numbers(item.found.st_rdev)
            for at, item in enumerate(items)
            if item.kind in "bc" and item.found is not None
        }
        if not devices:
            return [size.rjust(width) for size in sizes]
        major = max(len(str(pair[0])) for pair in devices.values())
        minor = max(len(str(pair[1])) for pair in devices.values())
        width = max(width, major + 2 + minor)
        column = []
        for at, size in enumerate(sizes):
            if at in devices:
                size = f"{devices[at][0]}, {devices[at][1]:{minor}}"
            column.append(size.rjust(width))
        return column


def _account(name: str, width: int) -> str:
    """A user or group in its column: numbers to the right, as GNU sets them."""
    return name.ljust(width) if name.strip("0123456789") else name.rjust(width)


def _unknown(number: int) -> str | None:
    return None


def _extension(item: _Item) -> bytes:
    name = encode(item.name)
    at = name.rfind(b".")
    return name[at:] if at >= 0 else b""


COMMANDS = {"ls": LS}
