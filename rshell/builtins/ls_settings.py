"""What the options of ls ask for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rshell import limits
from rshell.builtins.choice import choose
from rshell.builtins.command import Failure, Invocation, UsageError
from rshell.builtins.ls_format import quoting, time_of, time_style
from rshell.builtins.pattern import compile_shell_pattern
from rshell.builtins.quoting import quote_text
from rshell.builtins.text import OutOfRange, number, suffix_factor
from rshell.builtins.zone import zone_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

QUOTINGS = (
    "literal", "shell", "shell-always", "shell-escape", "shell-escape-always", "c", "escape", "locale", "clocale",
)  # fmt: skip
_WIDTH = 80
_TAB = 8
_SIZE = re.compile(r"([0-9]*)([A-Za-z]*)")

# option -> the attributes it sets
_FIXED: dict[str, dict[str, Any]] = {
    "l": {"format": "l"},
    "g": {"format": "l", "owner": False},
    "o": {"format": "l", "group": False},
    "numeric-uid-gid": {"format": "l", "numeric": True},
    "full-time": {"format": "l", "style_time": "full-iso"},
    "no-group": {"group": False},
    "author": {"author": True},
    "C": {"format": "C"},
    "x": {"format": "x"},
    "m": {"format": "m"},
    "all": {"all": "a"},
    "almost-all": {"all": "A"},
    "S": {"sort": "S"},
    "t": {"sort": "t"},
    "U": {"sort": "U"},
    "v": {"sort": "v"},
    "X": {"sort": "X"},
    "c": {"time": "ctime", "chose_time": True},
    "u": {"time": "atime", "chose_time": True},
    "p": {"indicator": "p"},
    "file-type": {"indicator": "T"},
    "escape": {"style": "escape"},
    "literal": {"style": "literal"},
    "quote-name": {"style": "c"},
    "hide-control-chars": {"hide_control": True},
    "show-control-chars": {"hide_control": False},
    "human-readable": {"base": 1_024, "block": 1, "size_block": 1},
    "si": {"base": 1_000, "block": 1, "size_block": 1},
    "kibibytes": {"block": 1_024},
    "size": {"blocks": True},
    "inode": {"inode": True},
    "reverse": {"reverse": True},
    "recursive": {"recursive": True},
    "directory": {"directory": True},
    "group-directories-first": {"first": True},
    "dereference": {"follow": "L"},
    "dereference-command-line": {"follow": "H"},
    "dereference-command-line-symlink-to-dir": {"follow": "D"},
}

# option -> the attributes it sets, and what each word sets them to
_WORDS: dict[str, tuple[dict[str, Any], str, dict[str, str]]] = {
    "format": (
        {},
        "format",
        {
            "across": "x", "horizontal": "x", "commas": "m", "long": "l", "verbose": "l", "single-column": "1",
            "vertical": "C",
        },
    ),
    "sort": (
        {},
        "sort",
        {"none": "U", "time": "t", "size": "S", "extension": "X", "version": "v", "width": "width", "name": ""},
    ),
    "time": (
        {"chose_time": True},
        "time",
        {
            "atime": "atime", "access": "atime", "use": "atime", "ctime": "ctime", "status": "ctime",
            "mtime": "mtime", "modification": "mtime", "birth": "birth", "creation": "birth",
        },
    ),
    "indicator-style": ({}, "indicator", {"none": "", "slash": "p", "file-type": "T", "classify": "F"}),
    "quoting-style": ({}, "style", {style: style for style in QUOTINGS}),
}  # fmt: skip
_WHEN = {
    "always": "always", "yes": "always", "force": "always", "never": "never", "no": "never", "none": "never",
    "auto": "never", "tty": "never", "if-tty": "never",
}  # fmt: skip


class Settings:
    """The options of one call. The letters of format, sort and follow are those of the options."""

    format = "1"
    all = ""
    sort: str | None = None
    indicator = ""
    style = "literal"
    hide_control = False
    owner = True
    group = True
    author = False
    numeric = False
    time = "mtime"
    chose_time = False
    style_time = "locale"
    base = 0  # of -h and --si
    block = 1_024
    size_block = 1
    unit = ""  # what --block-size without a number puts after each size
    follow = ""
    blocks = False
    inode = False
    reverse = False
    recursive = False
    directory = False
    first = False
    tab = _TAB

    def __init__(self, call: Invocation) -> None:
        options = call.options
        self.width = _columns(call)
        for key, argument in options.given:
            if (fixed := _FIXED.get(key)) is not None:
                self.__dict__.update(fixed)
            elif (words := _WORDS.get(key)) is not None:
                self.__dict__.update(words[0])
                self.__dict__[words[1]] = _choice(argument or "", f"--{key}", words[2])
            elif (setter := _SETTERS.get(key)) is not None:
                setter(self, argument or "")
        if self.time == "birth":
            raise UsageError("--time=birth is not supported: birth times cannot be read")
        self.long = self.format == "l"
        if self.sort is None:
            self.sort = "t" if self.chose_time and not self.long else ""
        if not self.follow:
            self.follow = "" if self.directory or self.long or self.indicator == "F" else "D"
        self.show = quoting(self.style, hide=self.hide_control)
        self.needs_stat = (
            self.long or self.inode or self.blocks or self.sort in ("S", "t") or self.indicator == "F"
        )  # fmt: skip
        self.needs_type = self.recursive or self.first or bool(self.indicator)
        self.ignored: list[Callable[[str], bool]] = [
            compile_shell_pattern(text, period=True) for text in options.all("ignore")
        ]
        if "ignore-backups" in options:
            self.ignored.append(lambda name: name.endswith("~"))
        self.hidden = [compile_shell_pattern(text, period=True) for text in options.all("hide")]
        style = time_style(self.style_time, call.run.now, zone_of(call))
        if style is None:
            raise UsageError(f"invalid argument {quote_text(self.style_time)} for 'time style'")
        self.times = style
        self.moment = time_of(self.time)
        self.offset = _page(options.get("offset"))
        self.limit = min(_page(options.get("limit")), limits.LS_PAGE)

    def one_a_line(self, value: str) -> None:
        """-1, which says nothing after -l."""
        if self.format != "l":
            self.format = "1"

    def as_found(self, value: str) -> None:
        """-f: everything, unsorted, and no long format."""
        self.all, self.sort, self.blocks = "a", "U", False
        if self.format == "l":
            self.format = "1"

    def classify(self, value: str) -> None:
        """-F and --classify."""
        if not value or _choice(value, "--classify", _WHEN) == "always":
            self.indicator = "F"

    def color(self, value: str) -> None:
        """--color: a word that must be right and changes nothing."""
        if value:
            _choice(value, "--color", _WHEN)

    def set_time_style(self, value: str) -> None:
        """--time-style."""
        self.style_time = value

    def set_width(self, value: str) -> None:
        """-w."""
        self.width = _count(value, "line width")

    def set_tab(self, value: str) -> None:
        """-T."""
        self.tab = _count(value, "tab size")

    def block_size(self, value: str) -> None:
        """--block-size."""
        if value in ("human-readable", "si"):
            self.base = 1_024 if value == "human-readable" else 1_000
            self.block = self.size_block = 1
            return
        match = _SIZE.fullmatch(value)
        factor = suffix_factor(match[2]) if match else None
        if match is None or factor is None or not value or len(match[1]) > limits.NUMBER_DIGITS:
            raise UsageError(f"invalid --block-size argument {quote_text(value)}")
        self.base = 0
        self.block = self.size_block = (int(match[1]) if match[1] else 1) * factor  # text: ours
        if self.block == 0:
            raise UsageError(f"invalid --block-size argument {quote_text(value)}")
        if not match[1]:
            self.unit = "K" if value == "k" else value

    def wanted(self, name: str) -> bool:
        """Whether a name in a directory is listed."""
        if not self.all and (name[0] == "." or any(match(name) for match in self.hidden)):
            return False
        return not any(match(name) for match in self.ignored)


_SETTERS: dict[str, Callable[[Settings, str], None]] = {
    "1": Settings.one_a_line,
    "f": Settings.as_found,
    "classify": Settings.classify,
    "color": Settings.color,
    "time-style": Settings.set_time_style,
    "width": Settings.set_width,
    "tabsize": Settings.set_tab,
    "block-size": Settings.block_size,
}


def _columns(call: Invocation) -> int:
    text = call.context.environment().get("COLUMNS")
    try:
        found = number(text) if text else None
    except OutOfRange:
        found = None
    return found if found is not None and found >= 0 else _WIDTH


def _choice(value: str, option: str, words: Mapping[str, str]) -> str:
    """What a word means. GNU ls gives wrong words another status than other wrong use."""
    try:
        return choose(value, option, words)
    except UsageError as failure:
        raise Failure(f"{failure}\nTry 'ls --help' for more information.") from None


def _count(text: str, what: str) -> int:
    try:
        found = number(text)
    except OutOfRange:
        found = limits.PRINTF_WIDTH
    if found is None or found < 0:
        raise Failure(f"invalid {what}: {quote_text(text)}", 2)
    return min(found, limits.PRINTF_WIDTH)


def _page(text: str | None) -> int:
    if text is None:
        return 0
    try:
        found = number(text)
    except OutOfRange as failure:
        return 0 if failure.negative else 1 << 62
    if found is None:
        raise UsageError(f"invalid argument {quote_text(text)} for a number of entries")
    return max(0, found)
