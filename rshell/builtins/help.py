"""help: what this shell is and what this policy allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell.builtins import registry
from rshell.builtins.command import Command, Invocation, Option, encode
from rshell.builtins.quoting import quote_text

if TYPE_CHECKING:
    from collections.abc import Iterator

HELP = Command(
    "help",
    "show what this shell can do and what is allowed",
    "help [--all] [TOPIC]...",
    options=(Option("--all", help="list every language feature, and the commands that are not allowed too"),),
    description="TOPIC is the name of a command or part of the name of a language feature.",
    raw=True,
    help=False,
)


def _allowed(call: Invocation, name: str) -> bool:
    return call.context.lookup(name) == "builtin"


def _table(rows: list[tuple[str, str]]) -> Iterator[str]:
    width = min(max((len(name) for name, _ in rows), default=0), 24)
    for name, text in rows:
        yield f"  {name:{width}}  {text}".rstrip(" ")


def _commands(call: Invocation, *, every: bool) -> Iterator[str]:
    names = registry.names()
    allowed = [name for name in names if _allowed(call, name)]
    yield "Commands:" if allowed else "Commands: none is allowed."
    yield from _table([(name, _summary(call, name)) for name in allowed])
    denied = [name for name in names if name not in set(allowed)]
    if every and denied:
        yield ""
        yield "Commands that the policy does not allow:"
        yield from _table([(name, _summary(call, name)) for name in denied])
    elif denied:
        yield f"  ({len(denied)} more are not allowed: help --all)"


def _summary(call: Invocation, name: str) -> str:
    command = registry.find(name)
    if command is None:
        return ""
    inactive = command.remediation and call.run.policy.mode != "remediation"
    return command.summary + (" (inactive: needs remediation mode)" if inactive else "")


def _paths(call: Invocation) -> Iterator[str]:
    remediation = call.run.policy.mode == "remediation"
    roots = call.run.sandbox.roots
    writable = [root.path for root in roots if root.writable]
    readable = [root.path for root in roots if not (root.writable and remediation)]
    if not roots:
        yield "Paths: none; no file can be opened."
        return
    if readable:
        yield "Paths, read only:"
        for path in readable:
            yield f"  {path}" + (" (writing is inactive: needs remediation mode)" if path in writable else "")
    if writable and remediation:
        yield "Paths, read and write:"
        for path in writable:
            yield f"  {path}"


def _services(call: Invocation) -> Iterator[str]:
    policy = call.run.policy
    if not policy.allowed_services:
        return
    remediation = policy.mode == "remediation"
    yield "Services:"
    for unit, actions in sorted(policy.allowed_services.items()):
        shown = [
            action if remediation or action in ("read", "*") else f"{action} (inactive in read-only mode)"
            for action in sorted(actions)
        ]
        yield f"  {unit}: {', '.join(shown)}"
    yield ""


def _features(call: Invocation, *, every: bool) -> Iterator[str]:
    supported = [feature for feature in call.run.features if feature.supported]
    refused = [feature for feature in call.run.features if not feature.supported]
    if every:
        yield "Language:"
        yield from _table([(feature.name, feature.help) for feature in supported])
        yield ""
        yield "Not supported (a script that uses it is refused before it runs):"
        yield from _table([(feature.name, feature.message) for feature in refused])
        return
    yield "Language: a subset of bash. " + ", ".join(feature.name for feature in supported) + "."
    yield "Not supported: " + ", ".join(feature.name for feature in refused) + "."


def _topic(call: Invocation, topic: str) -> bool:
    """Print what there is about a topic; False when there is nothing."""
    command = registry.find(topic)
    if command is not None:
        call.write(encode(command.help_text()))
        if not _allowed(call, topic):
            call.print("The policy does not allow this command.")
        return True
    wanted = topic.lower()
    found = [feature for feature in call.run.features if wanted in feature.name.lower()]
    rows = [(feature.name, feature.help if feature.supported else feature.message) for feature in found]
    for line in _table(rows):
        call.print(line)
    return bool(found)


@HELP.main
def help_command(call: Invocation) -> int:
    args = call.args
    if args[:1] == ["--help"]:
        # 1, because --help is no way to use help: scripts test for it
        call.write(encode(HELP.help_text()))
        return 1
    every = "--all" in args
    topics = [arg for arg in args if arg not in ("--all", "--")]
    for topic in topics:
        if topic[:1] == "-" and topic != "-":
            call.error(f"unrecognized option {quote_text(topic)}")
            call.stderr.write(b"Try 'help help' for more information.\n")
            return 1
        if not _topic(call, topic):
            call.error(f"no help topics match {quote_text(topic)}")
    if topics:
        return call.status
    mode = call.run.policy.mode
    call.print("A restricted shell: scripts in a subset of bash, with commands of its own; nothing else can be run.")
    call.print(f"Mode: {mode}" + ("." if mode == "remediation" else "; nothing can be changed."))
    for section in (_commands(call, every=every), [""], _paths(call), [""], _services(call)):
        for line in section:
            call.print(line)
    for line in _features(call, every=every):
        call.print(line)
    call.print("help NAME tells more about a command, --all about everything.")
    return 0


COMMANDS = {"help": HELP}
