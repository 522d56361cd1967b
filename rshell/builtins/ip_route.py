"""ip route and ip neigh: routes and neighbours, as iproute2 shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Failure, encode
from rshell.builtins.ip_view import SCOPES, Told
from rshell.builtins.text import clamped

if TYPE_CHECKING:
    from collections.abc import Callable

    from rshell.builtins.command import Invocation
    from rshell.builtins.ip_view import View
    from rshell.host.interfaces import Neighbour
    from rshell.host.routes import Route

_INET, _INET6 = 2, 10
_KINDS = {
    1: "unicast", 2: "local", 3: "broadcast", 4: "anycast", 5: "multicast", 6: "blackhole", 7: "unreachable",
    8: "prohibit", 9: "throw", 10: "nat", 11: "xresolve",
}  # fmt: skip
_PROTOCOLS = {
    0: "unspec", 1: "redirect", 2: "kernel", 3: "boot", 4: "static", 8: "gated", 9: "ra", 10: "mrt", 11: "zebra",
    12: "bird", 13: "dnrouted", 14: "xorp", 15: "ntk", 16: "dhcp", 18: "keepalived", 42: "babel", 186: "bgp",
    187: "isis", 188: "ospf", 189: "rip", 192: "eigrp",
}  # fmt: skip
_TABLES = {253: "default", 254: "main", 255: "local"}
_BOOT, _MAIN, _CLONED = 3, 254, 0x200
_FLAGS = (
    (0x1, "dead"), (0x4, "onlink"), (0x2, "pervasive"), (0x8, "offload"), (0x40, "trap"), (0x100, "notify"),
    (0x10, "linkdown"), (0x20, "unresolved"), (0x4000, "rt_offload"), (0x8000, "rt_trap"),
    (0x20000000, "rt_offload_failed"),
)  # fmt: skip
_CACHE = (
    (0x80000000, "local"), (0x40000000, "reject"), (0x20000000, "mc"), (0x10000000, "brd"), (0x08000000, "dst-nat"),
    (0x00800000, "src-nat"), (0x00400000, "masq"), (0x00020000, "dst-direct"), (0x04000000, "src-direct"),
    (0x00040000, "redirected"), (0x01000000, "redirect"), (0x00200000, "fastroute"), (0x00010000, "notify"),
    (0x00080000, "tproxy"),
)  # fmt: skip
_METRICS = {
    2: "mtu", 3: "window", 4: "rtt", 5: "rttvar", 6: "ssthresh", 7: "cwnd", 8: "advmss", 9: "reordering",
    10: "hoplimit", 11: "initcwnd", 12: "features", 13: "rto_min", 14: "initrwnd", 15: "quickack",
}  # fmt: skip
_PREFERENCES = {0: "medium", 1: "high", 3: "low"}
_NEIGHBOUR_STATES = (
    (0x01, "INCOMPLETE"), (0x02, "REACHABLE"), (0x04, "STALE"), (0x08, "DELAY"), (0x10, "PROBE"), (0x20, "FAILED"),
    (0x40, "NOARP"), (0x80, "PERMANENT"),
)  # fmt: skip


def _target(route: Route, address: Callable[[bytes], str]) -> list[str]:
    """What a route is for."""
    width = 128 if route.family == _INET6 else 32
    parts = [_KINDS.get(route.kind, str(route.kind))] if route.kind != 1 else []
    if route.prefix == 0:
        parts.append("default")
    else:
        parts.append(address(route.destination) + (f"/{route.prefix}" if route.prefix != width else ""))
    if route.within is not None:
        wide = route.source_prefix
        parts.append(f"from {address(route.within)}" + (f"/{wide}" if wide not in (0, width) else ""))
    if route.tos:
        parts.append(f"tos 0x{route.tos:02x}")
    return parts


def _way(route: Route, *, device: bool) -> list[str]:
    """Where a route leads, and of what kind it is."""
    looked_up = route.flags & _CLONED or route.cache is not None
    parts = [f"via {route.gateway}"] if route.gateway else []
    if route.device and device:
        parts.append(f"dev {route.device}")
    if route.table != _MAIN and not (looked_up and route.family == _INET):
        parts.append(f"table {_TABLES.get(route.table, route.table)}")
    if not looked_up and route.protocol != _BOOT:
        parts.append(f"proto {_PROTOCOLS.get(route.protocol, route.protocol)}")
    if not looked_up and route.scope:
        parts.append(f"scope {SCOPES.get(route.scope, route.scope)}")
    if route.source:
        parts.append(f"src {route.source}")
    if route.metric is not None:
        parts.append(f"metric {route.metric}")
    parts += [name for bit, name in _FLAGS if route.flags & bit]
    if route.uid is not None:
        parts.append(f"uid {route.uid}")
    return parts


def _text(call: Invocation, route: Route, view: View, *, device: bool = True) -> str:
    """One route; device says whether its interface is shown."""
    address = call.run.host.address_text
    text = " ".join(_target(route, address) + _way(route, device=device)) + " "
    if route.cache is not None:
        bits = ",".join(name for bit, name in _CACHE if route.cache & bit)
        text += f"{view.end}    cache " + (f"<{bits}> " if bits else "")
    if route.expires and route.family == _INET6:
        text += f"expires {route.expires}sec "
    locks = route.metrics.get(1, 0)
    for number, value in sorted(route.metrics.items()):
        if number in _METRICS:
            text += f"{_METRICS[number]} {'lock ' if locks >> number & 1 else ''}{value}{'ms' if number == 13 else ''} "
    if route.preference is not None:
        text += f"pref {_PREFERENCES.get(route.preference, route.preference)}"
    for hop in route.hops:
        flags = "".join(f"{name} " for bit, name in _FLAGS if hop.flags & bit)
        via = f"via {hop.gateway} " if hop.gateway else ""
        text += f"{view.end}\tnexthop {via}dev {hop.device} weight {hop.weight} {flags}"
    return text + "\n"


def show_routes(call: Invocation, view: View, words: list[str]) -> int:
    """ip route show [dev NAME] [default|PREFIX]."""
    device, wanted = _selection(call, words)
    families = {4: (_INET,), 6: (_INET6,), 0: (_INET,)}[view.family]
    for family in families:
        found, whole = call.run.host.routes().main(family)
        for route in found:
            if device and route.device != device:
                continue
            if wanted is not None and (route.destination, route.prefix) != wanted:
                continue
            call.write(encode(_text(call, route, view, device=not device)))
        if not whole:
            call.flush()
            call.error(f"route: more than {limits.ROUTES} routes: the table is cut")
    return call.status


def _selection(call: Invocation, words: list[str]) -> tuple[str, tuple[bytes, int] | None]:
    device = ""
    wanted: tuple[bytes, int] | None = None
    rest = iter(words)
    for word in rest:
        if word == "dev":
            device = next(rest, "")
            if not device:
                raise Failure("'dev' requires an interface name argument")
            if all(one.name != device for one in call.run.host.interfaces().links()):
                raise Told(f'Cannot find device "{device}"', 1)
        elif word == "table":
            if next(rest, "") not in ("main", "254"):
                raise Failure("route show: only the main table is read")
        elif word in ("default", "0/0", "0.0.0.0/0", "::/0") and wanted is None:
            wanted = (bytes(16 if ":" in word else 4), 0)
        else:
            wanted = _prefix(call, word)
            if wanted is None:
                raise Failure(f'route show: unsupported argument "{word}"')
    return device, wanted


def _prefix(call: Invocation, word: str) -> tuple[bytes, int] | None:
    text, slash, length = word.partition("/")
    packed = call.run.host.packed_address(text)
    if packed is None:
        return None
    prefix = clamped(length, 0, len(packed) * 8) if slash else len(packed) * 8
    return None if prefix is None else (packed, prefix)


def get_route(call: Invocation, view: View, words: list[str]) -> int:
    """ip route get ADDRESS."""
    if words[:1] == ["to"]:
        words = words[1:]
    if not words:
        raise Failure("route get: missing address argument")
    if len(words) > 1:
        raise Failure(f'route get: unsupported argument "{words[1]}"')
    packed = call.run.host.packed_address(words[0])
    if packed is None or (view.family and (len(packed) == 16) != (view.family == 6)):
        raise Failure(f'route get: invalid address "{words[0]}"')
    try:
        route = call.run.host.routes().to(packed)
    except OSError as failure:
        if failure.errno == 38:
            raise
        raise Told(f"RTNETLINK answers: {failure.strerror}", 2) from None
    if route is None:
        raise Told("RTNETLINK answers: Network is unreachable", 2)
    call.write(encode(_text(call, route, view)))
    return 0


def _neighbour(one: Neighbour, view: View, *, device: bool) -> str:
    if view.brief:
        return f"{one.address:<39} {one.device:<16} {one.link}\n"
    text = f"{one.address} "
    if device:
        text += f"dev {one.device} "
    if one.link:
        text += f"lladdr {one.link} "
    if one.flags & 0x80:
        text += "router "
    if one.flags & 0x08:
        text += "proxy "
    if one.flags & 0x10:
        text += "extern_learn "
    states = ",".join(name for bit, name in _NEIGHBOUR_STATES if one.state & bit)
    return f"{text}{states or 'NONE'} \n"


def show_neighbours(call: Invocation, view: View, device: str) -> int:
    """ip neigh show."""
    if device and all(one.name != device for one in call.run.host.interfaces().links()):
        raise Told(f'Cannot find device "{device}"', 1)
    found = call.run.host.interfaces().neighbours()
    for one in found[: limits.ROUTES]:
        if one.state & 0x40 or (not one.state and not one.flags & 0x08) or (device and one.device != device):
            continue
        if not view.family or (one.family == _INET6) == (view.family == 6):
            call.write(encode(_neighbour(one, view, device=not device)))
    if len(found) > limits.ROUTES:
        call.flush()
        call.error(f"neigh: more than {limits.ROUTES} neighbours: the table is cut")
    return call.status
