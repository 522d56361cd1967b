"""ip addr and ip link: interfaces and their addresses, as iproute2 shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell.builtins.command import encode
from rshell.builtins.ip_view import SCOPES, Told

if TYPE_CHECKING:
    from rshell.builtins.command import Invocation
    from rshell.builtins.ip_view import View
    from rshell.host.interfaces import Address, Interface

# interface flags in the order in which they are shown (netdevice(7))
_FLAGS = (
    (0x8, "LOOPBACK"), (0x2, "BROADCAST"), (0x10, "POINTOPOINT"), (0x1000, "MULTICAST"), (0x80, "NOARP"),
    (0x200, "ALLMULTI"), (0x100, "PROMISC"), (0x400, "MASTER"), (0x800, "SLAVE"), (0x4, "DEBUG"), (0x8000, "DYNAMIC"),
    (0x4000, "AUTOMEDIA"), (0x2000, "PORTSEL"), (0x20, "NOTRAILERS"), (0x1, "UP"), (0x10000, "LOWER_UP"),
    (0x20000, "DORMANT"), (0x40000, "ECHO"),
)  # fmt: skip
_UP, _RUNNING, _POINT = 0x1, 0x40, 0x10
_KINDS = {
    0: "netrom", 1: "ether", 24: "ieee1394", 32: "infiniband", 256: "slip", 280: "can", 512: "ppp", 519: "rawip",
    768: "ipip", 769: "tunnel6", 772: "loopback", 776: "sit", 778: "gre", 801: "ieee802.11",
    803: "ieee802.11/radiotap", 804: "ieee802.15.4", 823: "gre6", 824: "netlink", 825: "6lowpan", 65534: "none",
}  # fmt: skip
_INET_KINDS, _INET6_KINDS = (768, 776, 778), (769, 823)
_MODES = {0: "DEFAULT", 1: "DORMANT"}
_SECONDARY, _PERMANENT = 0x1, 0x80
# address flags in the order in which they are shown; `dynamic` stands where permanent is missing
_ADDRESS_FLAGS = (
    (_SECONDARY, "secondary"), (0x2, "nodad"), (0x4, "optimistic"), (0x8, "dadfailed"), (0x10, "home"),
    (0x20, "deprecated"), (0x40, "tentative"), (_PERMANENT, "dynamic"), (0x100, "mngtmpaddr"),
    (0x200, "noprefixroute"), (0x400, "autojoin"), (0x800, "stable-privacy"),
)  # fmt: skip
_INET6 = 10
_WIDTHS = (10, 7, 6, 7, 7, 7)


def _flags(one: Interface, links: dict[int, Interface]) -> str:
    flags = one.flags
    shown = ["NO-CARRIER"] if flags & _UP and not flags & _RUNNING else []
    flags &= ~_RUNNING
    for bit, name in _FLAGS:
        if flags & bit:
            shown.append(name)
            flags &= ~bit
    if flags:
        shown.append(f"{flags:x}")
    below = links.get(one.link or 0) if one.far is None else None
    if below is not None and not below.flags & _UP:
        shown.append("M-DOWN")
    return "<" + ",".join(shown) + ">"


def _name(one: Interface, links: dict[int, Interface]) -> str:
    if one.link is None:
        return one.name
    if one.link == 0:
        return f"{one.name}@NONE"
    below = links.get(one.link) if one.far is None else None
    return f"{one.name}@{below.name if below else f'if{one.link}'}"


def _hardware(kind: int, packed: bytes) -> str:
    if len(packed) == 4 and kind in _INET_KINDS:
        return ".".join(map(str, packed))
    if len(packed) == 16 and kind in _INET6_KINDS:
        return packed.hex(":", 2)
    return packed.hex(":")


def _head(one: Interface, links: dict[int, Interface], view: View, *, mode: bool, whole: bool) -> str:
    """The lines on an interface, without a newline at their end."""
    text = f"{one.index}: {_name(one, links)}: {_flags(one, links)} mtu {one.mtu} "
    if whole and one.qdisc:
        text += f"qdisc {one.qdisc} "
    if one.master:
        master = links.get(one.master)
        text += f"master {master.name if master else f'if{one.master}'} "
    text += f"state {one.state.upper()} "
    if mode:
        text += f"mode {_MODES.get(one.link_mode, one.link_mode)} "
    if whole:
        text += f"group {one.group or 'default'} "
    if one.queue:
        text += f"qlen {one.queue}"
    if view.family and not mode:
        return text
    text += f"{view.end}    link/{_KINDS.get(one.kind, f'[{one.kind}]')} "
    if one.address:
        text += _hardware(one.kind, one.address)
    if one.broadcast:
        text += f" {'peer' if one.flags & _POINT else 'brd'} {_hardware(one.kind, one.broadcast)}"
    if one.far is not None:
        text += f" link-netnsid {one.far}"
    if one.alias and mode:
        text += f"{view.end}    alias {one.alias}"
    return text


def _counters(one: Interface, view: View) -> str:
    if one.counters is None:
        return ""
    halves = (one.counters[:6], one.counters[6:])
    widths = [max(width, *(len(str(half[at])) for half in halves)) for at, width in enumerate(_WIDTHS)]
    text = ""
    for half, label, last in ((halves[0], "RX", ("missed", "mcast")), (halves[1], "TX", ("carrier", "collsns"))):
        names = ("bytes", "packets", "errors", "dropped", *last)
        row = " ".join(f"{name:>{width}}" for name, width in zip(names, (widths[0] - 4, *widths[1:]), strict=True))
        text += f"{view.end}    {label}: {row} {'':10}{view.end}    "
        text += " ".join(f"{value:>{width}}" for value, width in zip(half, widths, strict=True)) + " "
    return text


def _address_flags(one: Address) -> str:
    text = ""
    flags = one.flags
    for bit, name in _ADDRESS_FLAGS:
        if bit == _PERMANENT:
            if not flags & bit:
                text += f"{name} "
        elif flags & bit:
            text += ("temporary" if bit == _SECONDARY and one.family == _INET6 else name) + " "
        flags &= ~bit
    return text + (f"flags {flags:02x} " if flags else "")


def _between(one: Address) -> str:
    return f"{one.local} peer {one.peer}/{one.prefix} " if one.peer else f"{one.local}/{one.prefix} "


def _address(one: Address, view: View) -> str:
    text = f"    {'inet6' if one.family == _INET6 else 'inet'} {_between(one)}"
    if one.metric:
        text += f"metric {one.metric} "
    if one.broadcast:
        text += f"brd {one.broadcast} "
    if one.anycast:
        text += f"any {one.anycast} "
    text += f"scope {SCOPES.get(one.scope, one.scope)} {_address_flags(one)}{one.label}"
    spans = ["forever" if span is None else f"{span}sec" for span in (one.valid, one.preferred)]
    return text + f"{view.end}       valid_lft {spans[0]} preferred_lft {spans[1]}"


def _chosen(call: Invocation, view: View, device: str) -> tuple[list[Interface], dict[int, Interface]]:
    links = call.run.host.interfaces().links()
    by_index = {one.index: one for one in links}
    if device:
        links = [one for one in links if device == one.name or device in one.alternatives]
        if not links:
            raise Told(f'Device "{device}" does not exist.', 1)
    return [one for one in links if not view.up or one.flags & _UP], by_index


def show_links(call: Invocation, view: View, device: str) -> int:
    """ip link show."""
    chosen, links = _chosen(call, view, device)
    for one in chosen:
        call.check()
        if view.brief:
            text = f"{_name(one, links):<16} {one.state.upper():<14} "
            if one.address:
                text += f"{_hardware(one.kind, one.address)} "
            text += f"{_flags(one, links)} "
        else:
            text = _head(one, links, view, mode=True, whole=True)
            if view.statistics:
                text += _counters(one, view)
        call.write(encode(text) + b"\n")
    return 0


def show_addresses(call: Invocation, view: View, device: str) -> int:
    """ip addr show."""
    chosen, links = _chosen(call, view, device)
    by_index: dict[int, list[Address]] = {}
    for found in call.run.host.interfaces().addresses():
        if not view.family or (found.family == _INET6) == (view.family == 6):
            by_index.setdefault(found.interface, []).append(found)
    for one in chosen:
        call.check()
        own = by_index.get(one.index, [])
        if not own and (view.family or (view.oneline and not view.brief)):
            continue
        if view.brief:
            text = f"{_name(one, links):<16} {one.state.upper():<14} " + "".join(map(_between, own)) + "\n"
        elif view.oneline:
            text = "".join(f"{one.index}: {one.name}{_address(address, view)}\n" for address in own)
        else:
            text = _head(one, links, view, mode=False, whole=view.family != 6 or bool(device)) + "\n"
            text += "".join(_address(address, view) + "\n" for address in own)
            if view.statistics:
                text += _counters(one, view).lstrip("\n") + "\n"
        call.write(encode(text))
    return 0
