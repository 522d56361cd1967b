"""journalctl: services' and the kernel's messages, the journal's disk usage, its rotation and cleanup."""

from __future__ import annotations

import re
from datetime import UTC
from math import floor
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, encode
from rshell.builtins.journal_format import FORMATS, formatter, shown_size
from rshell.builtins.quoting import quote
from rshell.builtins.text import clamped

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from rshell.journal import Entry, Journal

JOURNALD = "systemd-journald.service"  # its grants stand for the journal as a whole

_LEVELS = ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")
_UNITS = "use -u SERVICE or -k"
_HERE = "only the configured journal is read; use -u SERVICE or -k"
_RANGE = "use --since and --until"
_FORMS = f"use -o {', -o '.join(FORMATS)}"

JOURNALCTL = Command(
    "journalctl",
    "show messages of services or of the kernel, and look after the journal's files",
    "journalctl -u SERVICE [OPTION]...\n"
    "  or:  journalctl -k [OPTION]...\n"
    "  or:  journalctl --disk-usage\n"
    "  or:  journalctl [--rotate] [--vacuum-size=SIZE] [--vacuum-time=AGE] [--dry-run]",
    options=(
        Option("-u", "--unit", value="SERVICE", help="messages of a service, by its full name; may be repeated"),
        Option("-k", "--dmesg", key="kernel", help="messages of the kernel, of the newest boot"),
        Option("-b", "--boot", value="0", optional=True, help="only of the newest boot"),
        Option("-n", "--lines", value="COUNT", help="the newest COUNT entries (default 100, at most 1000)"),
        Option("-S", "--since", value="TIME", help="not older than TIME"),
        Option("-U", "--until", value="TIME", help="not newer than TIME"),
        Option("-p", "--priority", value="LEVEL", help="of a level and above, or of a range FROM..TO"),
        Option("-g", "--grep", value="PATTERN", help="whose message matches PATTERN; with -n the newest come first"),
        Option("--case-sensitive", value="BOOL", optional=True,
               help="whether case matters; by default if PATTERN has capitals"),
        Option("-r", "--reverse", help="newest first"),
        Option("-o", "--output", value="FORMAT", help="short (default), short-iso, short-precise or cat"),
        Option("-q", "--quiet", help="do not say that there are no entries"),
        Option("--utc", help="times in Coordinated Universal Time"),
        Option("--disk-usage", help="what the journal's files take up"),
        Option("--rotate", help="have journald archive its files and begin new ones"),
        Option("--vacuum-size", value="SIZE",
               help="remove archived files, oldest first, until SIZE is left; needs --vacuum-time"),
        Option("--vacuum-time", value="AGE", help="remove archived files with nothing younger than AGE"),
        Option("--dry-run", help="say what would be removed, remove nothing"),
        Option("--no-pager"),
        Option("-a", "--all"),
        Option("-l", "--full"),
        Option("-f", "--follow", refused="run it again with --since"),
        Option("-e", "--pager-end", refused="there is no pager; use -n COUNT"),
        Option("-x", "--catalog", refused="there is no message catalog"),
        Option("-m", "--merge", refused=_HERE),
        Option("-D", "--directory", value="DIR", refused=_HERE),
        Option("--file", value="PATH", refused=_HERE),
        Option("--root", value="DIR", refused=_HERE),
        Option("--image", value="PATH", refused=_HERE),
        Option("-M", "--machine", value="NAME", refused=_HERE),
        Option("--namespace", value="NAME", refused=_HERE),
        Option("--system", refused=_UNITS),
        Option("--user", refused=_UNITS),
        Option("--user-unit", value="UNIT", refused=_UNITS),
        Option("-t", "--identifier", value="NAME", refused=_UNITS),
        Option("--facility", value="NAME", refused=_UNITS),
        Option("-F", "--field", value="FIELD", refused=_UNITS),
        Option("-N", "--fields", refused=_UNITS),
        Option("-c", "--cursor", value="CURSOR", refused=_RANGE),
        Option("--after-cursor", value="CURSOR", refused=_RANGE),
        Option("--cursor-file", value="FILE", refused=_RANGE),
        Option("--show-cursor", refused=_RANGE),
        Option("--list-boots", refused="use -b for the newest boot, or --since and --until"),
        Option("--output-fields", value="LIST", refused=_FORMS),
        Option("--no-hostname", refused=_FORMS),
        Option("--no-full", refused="lines are never cut"),
        Option("--no-tail", refused="use -n COUNT"),
        Option("--header", refused="use --disk-usage"),
        Option("--vacuum-files", value="COUNT", refused="use --vacuum-time, with --vacuum-size"),
        Option("--verify", refused="reading checks what it reads"),
        Option("--verify-key", value="KEY", refused="reading checks what it reads"),
        Option("--setup-keys", refused="keys are not made here"),
        Option("--interval", value="TIME", refused="keys are not made here"),
        Option("--force", refused="keys are not made here"),
        Option("--sync", refused="use --rotate"),
        Option("--flush", refused="use --rotate"),
        Option("--relinquish-var", refused="use --rotate"),
        Option("--smart-relinquish-var", refused="use --rotate"),
        Option("--list-catalog", refused="there is no message catalog"),
        Option("--dump-catalog", refused="there is no message catalog"),
        Option("--update-catalog", refused="there is no message catalog"),
        Option("--version", refused="this is no systemd"),
    ),
    description=(
        "TIME is 2026-01-31 12:30:00, an RFC 3339 time, today, yesterday, a time ago such as 15m, -1h or 1 hour ago,\n"
        "or @SECONDS. LEVEL is a number from 0 to 7 or emerg, alert, crit, err, warning, notice, info, debug.\n"
        "The age of a file is that of its newest entry or of its last change. --rotate goes before a cleanup, and\n"
        "what it has archived is not removed by the same call.\n"
        "Reading needs the grant SERVICE:read for each service, -k and --disk-usage systemd-journald.service:read,\n"
        "the rest systemd-journald.service:clean and remediation mode."
    ),
    rewrite=lambda args: _rewrite(args),
    preload=lambda: _preload(),
)  # fmt: skip

_OFFSET = re.compile(r"[+-]?[0-9]+|all|[0-9a-f]{32}([+-][0-9]+)?")
_TAKES_VALUE = frozenset(
    name for option in JOURNALCTL.options if option.value is not None and not option.optional for name in option.names
) - {"-n", "--lines"}
_SIZE = re.compile(r"([0-9]{1,18})(?:\.([0-9]{1,9}))?([BKMGTPE]?)")
_READING = (
    "unit", "kernel", "boot", "lines", "since", "until", "priority", "grep", "case-sensitive", "reverse", "output",
)  # fmt: skip
_CLEANING = ("rotate", "vacuum-size", "vacuum-time", "dry-run")


def _preload() -> None:
    from rshell.builtins.regex import preload

    preload()


def _rewrite(args: list[str]) -> list[str]:
    """Join `-n` and `-b` with the argument that may follow them, as journalctl does; -n alone means 10."""
    found: list[str] = []
    at = 0
    while at < len(args):
        arg = args[at]
        following = args[at + 1] if at + 1 < len(args) else ""
        at += 1
        joint = "=" if arg.startswith("--") else ""
        if arg == "--":
            return [*found, *args[at - 1 :]]
        if arg in _TAKES_VALUE and at < len(args):
            found += [arg, following]
            at += 1
        elif arg in ("-n", "--lines"):
            given = following != "" and not following.startswith("-")
            found.append(f"{arg}{joint}{following if given else '10'}")
            at += given
        elif arg in ("-b", "--boot") and _OFFSET.fullmatch(following):
            found.append(f"{arg}{joint}{following}")
            at += 1
        else:
            found.append(arg)
    return found


@JOURNALCTL.main
def journalctl(call: Invocation) -> int:
    options = call.options
    if call.operands:
        raise UsageError(f"{quote(call.operands[0])}: matches of fields and paths are not supported; {_UNITS}")
    reading = next((key for key in _READING if key in options), None)
    cleaning = next((key for key in _CLEANING if key in options), None)
    if "disk-usage" in options:
        if reading or cleaning:
            raise UsageError(f"--disk-usage does not go with --{reading or cleaning}")
        work = _disk_usage
    elif cleaning:
        if reading:
            raise UsageError(f"--{cleaning} does not go with --{'dmesg' if reading == 'kernel' else reading}")
        work = _clean
    else:
        work = _read
    error = call.run.journal.error
    try:
        return work(call)
    except error as failure:
        raise Failure(_shown(str(failure))) from None


def _grant(call: Invocation, unit: str, action: str) -> None:
    if not call.run.policy.allows_service(unit, action):
        hint = "" if "." in unit else f"; name the unit in full, as {unit}.service"
        raise Failure(f"{quote(unit)}: permission denied: needs the grant {unit}:{action}{hint}")


# Reading


class _Request:
    """What is to be read, all of it checked before anything is opened."""

    def __init__(self, call: Invocation) -> None:
        options = call.options
        self.units = list(dict.fromkeys(options.all("unit")))
        self.kernel = "kernel" in options
        if not self.units and not self.kernel:
            raise UsageError(f"the journal is not read as a whole; {_UNITS}")
        if len(options.all("unit")) > limits.JOURNAL_UNITS:
            raise UsageError(f"too many units ({limits.JOURNAL_UNITS} at most)")
        for unit in self.units:
            if not unit or any(character in unit for character in "*?["):
                raise UsageError(f"{quote(unit)}: patterns are not supported; name each service with -u")
        boot = options.get("boot")
        if boot not in (None, "", "0"):
            raise UsageError(f"{quote(boot or '')}: only the newest boot is read; use -b, or --since and --until")
        self.newest_boot = self.kernel or "boot" in options
        self.count = _count(options.get("lines"))
        self.priorities = _priorities(options.get("priority"))
        form = options.get("output") or "short"
        if form not in FORMATS:
            raise UsageError(f"output format {quote(form)} is not supported; {_FORMS}")
        timed = "since" in options or "until" in options
        zone = _zone(call) if timed or form != "cat" else None
        now = floor(call.run.now * 1_000_000)
        self.since = _moment(options.get("since"), now, zone)
        self.until = _moment(options.get("until"), now, zone)
        if self.since is not None and self.until is not None and self.since > self.until:
            raise UsageError("--since= must be before --until=")
        self.where = _pattern(call)
        # As journalctl: a search for a number of entries goes backwards, and so does its output.
        self.newest_first = "reverse" in options or (self.where is not None and "lines" in options)
        self.shown = formatter(form, zone)
        self.quiet = form == "cat" or "quiet" in options  # journalctl's cat has nothing but messages


def _read(call: Invocation) -> int:
    request = _Request(call)
    for unit in request.units:
        _grant(call, unit, "read")
    if request.kernel:
        _grant(call, JOURNALD, "read")
    with call.run.journal.open() as journal:
        try:
            written = _entries(call, request, journal)
        except call.run.journal.error as failure:
            call.flush()
            call.error(_shown(str(failure)))
        else:
            if not written and not request.quiet:
                call.write(b"-- No entries --\n")
            call.flush()
            if not written and request.where is not None and request.count:
                call.status = 1  # as grep
        for problem in journal.problems:
            # What journald itself has set aside as damaged is no news; damage in the rest is.
            call.error(_shown(problem), 0 if problem.partition(": ")[0].endswith("~") else 1)
    return call.status


def _entries(call: Invocation, request: _Request, journal: Journal) -> int:
    check = call.run.check
    boot = None
    if request.newest_boot:
        boot = journal.newest_boot(check)
        if boot is None:
            return 0
    match = call.run.journal.selection(request.units, kernel=request.kernel, boot=boot, priorities=request.priorities)
    entries = journal.query(
        match, since=request.since, until=request.until, newest_first=request.newest_first, limit=request.count,
        last=not request.newest_first, where=request.where, check=check,
    )  # fmt: skip
    written = 0
    shown, write = request.shown, call.write
    for entry in entries:
        written += 1
        output = shown(entry)
        if output:
            write(output)
    return written


def _count(text: str | None) -> int:
    if text is None:
        return limits.JOURNAL_DEFAULT_ENTRIES
    count = clamped(text, -1, limits.JOURNAL_ENTRIES + 1) if text[:1] not in ("+", "-") else None
    if count is not None and count <= limits.JOURNAL_ENTRIES:
        return count
    if count is None and text != "all":
        raise UsageError(f"invalid number of entries: {quote(text)}")
    raise UsageError(
        f"too many entries: {quote(text)} ({limits.JOURNAL_ENTRIES} at most); narrow the time with --since and --until"
    )


def _priorities(text: str | None) -> range:
    if text is None:
        return range(0)
    first, dots, last = text.partition("..")
    one = _level(first, text)
    if not dots:
        return range(one + 1)
    other = _level(last, text)
    return range(min(one, other), max(one, other) + 1)


def _level(text: str, whole: str) -> int:
    if text in _LEVELS:
        return _LEVELS.index(text)
    if len(text) == 1 and text in "01234567":
        return int(text)  # text: ours
    raise UsageError(f"invalid priority {quote(whole)}; use 0 to 7, {', '.join(_LEVELS)}, or FROM..TO")


def _zone(call: Invocation) -> tzinfo:
    from rshell.builtins.zone import zone_of  # `-o cat` shows no times

    return UTC if "utc" in call.options else zone_of(call)


def _moment(text: str | None, now: int, zone: tzinfo | None) -> int | None:
    if text is None:
        return None
    from rshell.builtins.journal_time import parse_moment

    moment = parse_moment(text, now, zone or UTC)
    if moment is None:
        raise UsageError(
            f"invalid time {quote(text)}; use '2026-01-31 12:30:00', '2026-01-31T12:30:00Z', today, yesterday, or 15m"
        )
    return moment


def _pattern(call: Invocation) -> Callable[[Entry], bool] | None:
    text = call.options.get("grep")
    choice = call.options.get("case-sensitive")
    sensitive: bool | None = None
    if "case-sensitive" in call.options:
        if choice not in (None, "yes", "true", "1", "on", "no", "false", "0", "off"):
            raise UsageError(f"invalid argument {quote(choice or '')} for '--case-sensitive'")
        sensitive = choice in (None, "yes", "true", "1", "on")
        if text is None:
            raise UsageError("--case-sensitive needs --grep")
    if text is None:
        return None
    from rshell.builtins.regex import compile_pattern  # most calls search nothing

    if sensitive is None:
        sensitive = any(character.isupper() for character in text)
    search = compile_pattern(encode(text), syntax="perl", ignore_case=not sensitive, guard=call.run).search

    def holds(entry: Entry) -> bool:
        message = entry.get("MESSAGE")
        return message is not None and search(message) is not None

    return holds


def _shown(problem: str) -> str:
    """A problem on one line: file names come from a directory."""
    return "".join(character if character.isprintable() else "?" for character in problem)


# The files


def _disk_usage(call: Invocation) -> int:
    _grant(call, JOURNALD, "read")
    size = shown_size(call.run.journal.usage())
    call.print(f"Archived and active journals take up {size} in the file system.")
    return 0


def _clean(call: Invocation) -> int:
    from rshell.builtins.journal_time import parse_span

    options = call.options
    rotate, dry_run = "rotate" in options, "dry-run" in options
    age_text, size_text = options.get("vacuum-time"), options.get("vacuum-size")
    if dry_run and rotate:
        raise UsageError("--dry-run does not go with --rotate; leave --rotate out")
    if dry_run and age_text is None:
        raise UsageError("--dry-run needs --vacuum-time")
    if size_text is not None and age_text is None:
        raise UsageError("--vacuum-size needs --vacuum-time, the age below which nothing is removed")
    age = None if age_text is None else parse_span(age_text)
    if age_text is not None and not age:
        raise UsageError(f"invalid age {quote(age_text)}; use a time span such as 2d, 12h or 1week")
    size = None if size_text is None else _size(size_text)
    if call.run.policy.mode != "remediation":
        raise Failure(f"{'--rotate' if rotate else '--vacuum-time'} requires remediation mode")
    _grant(call, JOURNALD, "clean")
    journal, check = call.run.journal, call.run.check
    only = None
    if rotate:
        if age is not None:
            only = journal.archives(check)  # what is archived now; not what the rotation adds
        journal.rotate(call.run.wait_readable)
    if age is None:
        return 0
    cleanup = journal.vacuum(
        until=floor(call.run.now * 1_000_000) - age, target=size, only=only, dry_run=dry_run, check=check,
        removed=lambda path, length: call.run.record("remove", path, length, call.name),
    )  # fmt: skip
    verb = "Would delete" if dry_run else "Deleted"
    for name, length in cleanup.removed:
        call.print(f"{verb} archived journal {name} ({shown_size(length)}).")
    freed, left = shown_size(cleanup.freed), shown_size(cleanup.usage)
    call.print(f"Vacuuming done, {'would free' if dry_run else 'freed'} {freed} of archived journals, {left} remain.")
    if size is not None and cleanup.usage > size:
        call.print(
            f"The target of {shown_size(size)} is not reached: what remains is active, younger than {age_text}, "
            "or not an archive of this machine."
        )
    for problem in cleanup.problems:
        call.error(_shown(problem))
    return call.status


def _size(text: str) -> int:
    match = _SIZE.fullmatch(text)
    if match is None:
        raise UsageError(f"invalid size {quote(text)}; use a number with K, M, G or T, such as 500M")
    factor: int = 1024 ** "BKMGTPE".index(match[3] or "B")
    size = int(match[1]) * factor  # text: ours
    if match[2]:
        size += int(match[2]) * factor // 10 ** len(match[2])  # text: ours
    if not size:
        raise UsageError(f"invalid size {quote(text)}; it must be above zero")
    return size


COMMANDS = {"journalctl": JOURNALCTL}
