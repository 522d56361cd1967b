"""ip: show interfaces, addresses, routes and neighbours (iproute2). It changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, encode
from rshell.builtins.ip_link import show_addresses, show_links
from rshell.builtins.ip_route import get_route, show_neighbours, show_routes
from rshell.builtins.ip_view import Told, View

if TYPE_CHECKING:
    from collections.abc import Callable

IP = Command(
    "ip",
    "show network interfaces, addresses, routes and neighbours",
    "ip [-o] [-br] [-s] [-4|-6] {addr|link|neigh} [show] [[dev] NAME] | ip [-4|-6] route [show|list|get ADDRESS]",
    raw=True,
    options=(
        Option("-4", help="IPv4 only"),
        Option("-6", help="IPv6 only"),
        Option("-f", "-family", value="inet|inet6", help="as -4 or -6"),
        Option("-o", "-oneline", help="one line for each record"),
        Option("-br", "-brief", help="a table of the essentials"),
        Option("-s", "-statistics", help="with counters"),
        Option("-h", "-help", help="show this help"),
        Option("-b", "-batch", "-force", value="FILE", refused="commands are not read from files"),
        Option("-n", "-netns", value="NAME", refused="other network namespaces are out of reach"),
        Option("-j", "-json", refused="output is text; use -o or -br"),
        Option("-d", "-details", refused="details of links are not read"),
        Option("-t", "-timestamp", refused="nothing is watched"),
        Option("-r", "-resolve", refused="names are not looked up"),
    ),
    description="Objects may be shortened: ip a, ip r, ip l, ip n. Everything that would change something is refused.",
)

# in the order in which a prefix is matched; False: known, and not supported
_OBJECTS: dict[str, bool] = {
    "address": True, "addrlabel": False, "maddress": False, "route": True, "rule": False, "neighbor": True,
    "neighbour": True, "ntable": False, "ntbl": False, "link": True, "l2tp": False, "fou": False, "ila": False,
    "macsec": False, "tunnel": False, "tunl": False, "tuntap": False, "tap": False, "token": False,
    "tcpmetrics": False, "tcp_metrics": False, "monitor": False, "xfrm": False, "mroute": False, "mrule": False,
    "netns": False, "netconf": False, "vrf": False, "sr": False, "nexthop": False, "mptcp": False, "ioam": False,
    "help": True, "stats": False,
}  # fmt: skip
_WRITES = {
    "address": ("add", "change", "chg", "replace", "delete", "save", "restore", "flush"),
    "link": ("add", "set", "change", "replace", "delete", "afstats", "xstats", "property"),
    "neigh": ("add", "change", "chg", "replace", "delete", "flush", "get"),
    "route": ("add", "append", "change", "chg", "delete", "flush", "prepend", "replace", "restore", "save", "test"),
}
_SHOWS = ("show", "list", "lst")
_SPELLED = {"address": "addr", "link": "link", "neigh": "neigh"}


def _option_of(word: str) -> Option | None:
    """The option that -word or --word means; ip takes every prefix."""
    name = word.lstrip("-")
    if not name or word.startswith("---"):
        return None
    for option in IP.options:
        if any(known.lstrip("-") == name for known in option.names):
            return option
    if name == "stats":
        return _option_of("-s")
    return next((o for o in IP.options if any(len(n) > 3 and n.lstrip("-").startswith(name) for n in o.names)), None)


def _options(args: list[str]) -> tuple[View, int]:
    """What the options before the object say, and where it stands."""
    view = View()
    families: set[int] = set()
    at = 0
    while at < len(args) and args[at][:1] == "-" and len(args[at]) > 1:
        word = args[at]
        at += 1
        if word == "--":
            break
        if word in ("-c", "-color", "--color") or word.startswith(("-c=", "-color=", "--color=")):
            continue
        option = _option_of(word)
        if option is None:
            raise Told(f'Option "{word}" is unknown, try "ip -help".', 255)
        if option.refused:
            raise Failure(f"option '{word}' is not supported: {option.refused}")
        match option.names[0]:
            case "-4" | "-6":
                families.add(int(option.names[0][1:]))  # text: ours
            case "-f":
                given = args[at] if at < len(args) else ""
                at += 1
                if given not in ("inet", "inet6"):
                    raise Failure(f'invalid protocol family "{given}": inet and inet6 are supported')
                families.add(6 if given == "inet6" else 4)
            case "-o":
                view.oneline = True
            case "-br":
                view.brief = True
            case "-s":
                view.statistics = True
            case _:
                view.help = True
    view.family = families.pop() if len(families) == 1 else 0
    return view, at


def _matching(word: str, known: tuple[str, ...]) -> str | None:
    return next((name for name in known if word and name.startswith(word)), None)


@IP.main
def ip(call: Invocation) -> int:
    try:
        return _run(call)
    except Told as failure:
        call.flush()
        call.say(f"{failure}\n")
        return failure.status


def _run(call: Invocation) -> int:
    view, at = _options(call.args)
    words = call.args[at:]
    if view.help or words[:1] == ["help"]:
        call.write(encode(IP.help_text()))
        return 0
    if not words:
        raise UsageError("object required")
    name = _matching(words[0], tuple(_OBJECTS))
    if name is None:
        raise Told(f'Object "{words[0]}" is unknown, try "ip help".', 1)
    if name == "netns":
        raise Failure("'netns' subcommand is blocked (shell escape vector via 'ip netns exec')")
    if not _OBJECTS[name]:
        raise Failure(f"'{name}' is not supported: addr, link, route and neigh are")
    name = "neigh" if name.startswith("neigh") else name
    return _object(call, view, name, words[1:])


def _object(call: Invocation, view: View, name: str, words: list[str]) -> int:
    verb = words[0] if words else "show"
    if _matching(verb, _SHOWS):
        if name == "route":
            return show_routes(call, view, words[1:])
        device = _device(view, _SPELLED[name], words[1:])
        shows: dict[str, Callable[[Invocation, View, str], int]] = {
            "address": show_addresses,
            "link": show_links,
            "neigh": show_neighbours,
        }
        return shows[name](call, view, device)
    if name == "route" and _matching(verb, ("get",)):
        return get_route(call, view, words[1:])
    if verb == "help":
        call.write(encode(IP.help_text()))
        return 0
    if _matching(verb, _WRITES[name]):
        if name == "route":
            raise Failure(f"route: {verb}: write operations are not permitted")
        raise Failure(f"'ip {_SPELLED[name]} {verb}' is not supported (write operations are blocked for safety)")
    raise Told(f'Command "{verb}" is unknown, try "ip {name} help".', 255)


# filters of the real ip that are not had
_FILTERS = (
    "type", "scope", "to", "label", "master", "vrf", "group", "dynamic", "permanent", "tentative", "deprecated",
    "dadfailed", "temporary", "primary", "secondary", "nomaster", "nud", "proxy", "unused", "all",
)  # fmt: skip


def _device(view: View, spelled: str, words: list[str]) -> str:
    """The interface that the words after show name; empty for all."""
    device = ""
    rest = iter(words)
    for word in rest:
        if word == "dev":
            word = next(rest, "")
            if not word:
                raise Failure("'dev' requires an interface name argument")
        elif word == "up" and spelled != "neigh":
            view.up = True
            continue
        elif word in _FILTERS or word.startswith("-") or device:
            raise Failure(f"unknown token \"{word}\" after 'ip {spelled} show'")
        device = word
    return device


COMMANDS = {"ip": IP}
