"""ss: show sockets (iproute2). It never says which process holds one."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Command, Invocation, Option, encode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rshell.host.sockets import Socket, Sockets, Summary

_PRIVATE = "which processes hold sockets is private"

SS = Command(
    "ss",
    "show sockets",
    "ss [-tuwxalnoesH46]",
    options=(
        Option("-t", "--tcp", help="TCP sockets"),
        Option("-u", "--udp", help="UDP sockets"),
        Option("-w", "--raw", help="raw sockets"),
        Option("-x", "--unix", help="UNIX sockets"),
        Option("-0", "--packet", help="packet sockets"),
        Option("-a", "--all", help="sockets in all states"),
        Option("-l", "--listening", help="only sockets that listen"),
        Option("-n", "--numeric", help="ports as numbers"),
        Option("-o", "--options", help="show timers"),
        Option("-e", "--extended", help="show users and inodes"),
        Option("-s", "--summary", help="only how many there are"),
        Option("-4", "--ipv4", help="only IPv4"),
        Option("-6", "--ipv6", help="only IPv6"),
        Option("-H", "--no-header", help="without the line of headings"),
        Option("-O", "--oneline", help="one line for each socket (always so)"),
        Option("-h", "--help", key="help", help="show this help"),
        Option("-F", "--filter", value="FILE", refused="filters are not read from files"),
        Option("-p", "--processes", refused=_PRIVATE),
        Option("-T", "--threads", refused=_PRIVATE),
        Option("-K", "--kill", refused="sockets are not closed"),
        Option("-E", "--events", refused="it shows one moment; use a loop with sleep"),
        Option("-N", "--net", value="NAME", refused="other network namespaces are out of reach"),
        Option("-D", "--diag", value="FILE", refused="nothing is written"),
        Option("-r", "--resolve", refused="names are not looked up"),
        Option("-Z", "--context", refused=_PRIVATE),
        Option("-z", "--contexts", refused=_PRIVATE),
        Option("-m", "--memory", refused="the kernel's files do not say it"),
        Option("-i", "--info", refused="the kernel's files do not say it"),
        Option("-b", "--bpf", refused="the kernel's files do not say it"),
        Option("-f", "--family", value="FAMILY", refused="use -4, -6, -x or -0"),
        Option("-A", "--query", "--socket", value="LIST", refused="use -t, -u, -w, -x or -0"),
    ),
    description="Without -a or -l, sockets that have a peer are shown; without a kind, all kinds.",
)

_STATES = (
    "UNKNOWN", "ESTAB", "SYN-SENT", "SYN-RECV", "FIN-WAIT-1", "FIN-WAIT-2", "TIME-WAIT", "UNCONN", "CLOSE-WAIT",
    "LAST-ACK", "LISTEN", "CLOSING",
)  # fmt: skip
_ALL = 0xFFE
_LISTENING = 1 << 10 | 1 << 7
_CONNECTED = _ALL & ~(_LISTENING | 1 << 6 | 1 << 3)
# what a kind shows without -a and -l
_DEFAULT = {"tcp": _CONNECTED, "unix": _CONNECTED, "udp": 1 << 1, "raw": 1 << 1, "packet": 1 << 7}
_TIMERS = ("off", "on", "keepalive", "timewait", "persist")
_NETLINK = {
    0: "rtnl", 2: "usersock", 3: "fw", 4: "tcpdiag", 5: "nflog", 6: "xfrm", 7: "selinux", 8: "iscsi", 9: "audit",
    10: "fiblookup", 11: "connector", 12: "nft", 13: "ip6fw", 14: "dec-rt", 15: "uevent", 16: "genl",
    18: "scsi-trans", 19: "ecryptfs", 20: "rdma", 21: "crypto", 22: "smc",
}  # fmt: skip
_PROTOCOLS = {0x0003: "*", 0x0800: "ip", 0x0806: "arp", 0x86DD: "ipv6", 0x88CC: "lldp", 0x888E: "0x888e"}
_HEADINGS = ("Netid", "State", "Recv-Q", "Send-Q", "Local Address:", "Port", "Peer Address:", "Port", "Process")
_BEFORE = ("", " ", " ", " ", " ", "", " ", "", "")  # what stands before each column
_RIGHT = (4, 6)

_Row = tuple[str, str, str, str, str, str, str, str, str]


def _span(hundredths: int) -> str:
    """What is left of a timer, from the kernel's ticks of user space."""
    milliseconds = hundredths * 10
    minutes, seconds, rest = milliseconds // 60_000, milliseconds // 1_000 % 60, milliseconds % 1_000
    text = ""
    if minutes:
        text, rest = f"{minutes}min", 0
        seconds = 0 if minutes > 9 else seconds
    if seconds:
        rest = 0 if seconds > 9 else rest
        text += f"{seconds}{'.' if rest else 'sec'}"
    return text + (f"{rest:03}ms" if rest else "")


class _View:
    """What the options ask for, and how one socket becomes a row."""

    def __init__(self, call: Invocation, sockets: Sockets) -> None:
        options = call.options
        self.kinds = [key for key in ("packet", "unix", "raw", "udp", "tcp") if key in options]
        self.versions = [v for v in (4, 6) if f"ipv{v}" in options]
        self.states = _CONNECTED
        if self.kinds:
            self.states = 0
            for kind in self.kinds:
                self.states |= _DEFAULT[kind]
        else:
            self.kinds = ["raw", "udp", "tcp"] if self.versions else ["netlink", "packet", "unix", "raw", "udp", "tcp"]
        self.versions = self.versions or [4, 6]
        if "listening" in options:
            self.states = _LISTENING
        if "all" in options:
            self.states = _ALL
        self.details = "extended" in options
        self.timers = self.details or "options" in options
        self.headings = "no-header" not in options
        self.services = None if "numeric" in options else sockets.services()
        self.sockets = sockets
        self.interfaces: dict[int, str] | None = None
        self.ports: dict[tuple[str, int], str] = {}

    @property
    def hidden(self) -> set[int]:
        """The columns that would say the same in every row."""
        found = {0} if len(self.kinds) == 1 and self.kinds[0] in ("raw", "udp", "tcp") else set()
        return found | ({1} if self.states.bit_count() == 1 else set())

    def found(self) -> Iterable[Socket]:
        """The sockets, in the order of ss."""
        parts: list[Iterable[Socket]] = []
        for kind in self.kinds:
            if kind in ("netlink", "packet"):
                if self.states & 1 << 7:
                    parts.append(self.sockets.netlink() if kind == "netlink" else self.sockets.packet())
            elif kind == "unix":
                parts.append(self.sockets.unix(self.states))
            else:
                parts += [self.sockets.inet(kind, version, self.states) for version in self.versions]
        return chain.from_iterable(parts)

    def port(self, kind: str, number: int) -> str:
        """A port's name or number, * for none."""
        if number == 0:
            return "*"
        if self.services is None:
            return str(number)
        shown = self.ports.get((kind, number))
        if shown is None:
            shown = self.ports[kind, number] = self.services.port(kind, number)
        return shown

    def row(self, one: Socket) -> _Row:
        """A socket's columns."""
        kind, state = one.kind, _STATES[one.state] if one.state < len(_STATES) else "UNKNOWN"
        queues = (f"{one.receive:<6}", f"{one.send:<6}")
        extra = ""
        if one.version:
            if self.timers and one.timer:
                name = _TIMERS[one.timer] if one.timer < len(_TIMERS) else "unknown"
                extra = f" timer:({name},{_span(one.timeout)},{one.sent})"
            if self.details:
                owner = f" uid:{one.uid}" if one.uid else ""
                extra += f"{owner} ino:{one.inode} sk:{one.memory.decode('ascii').lstrip('0') or '0'}"
            ports = self.port(kind, one.local_port), self.port(kind, one.remote_port)
            return (kind, state, *queues, f"{one.local}:", ports[0], f"{one.remote}:", ports[1], extra)
        if kind == "nl":
            return (kind, state, *queues, *self._netlink(one), "*", "", "")
        if kind in ("p_raw", "p_dgr"):
            if self.details:
                owner = f" uid:{one.uid}" if one.uid else ""
                extra = f" ino:{one.inode}{owner} sk:{one.memory.decode('ascii').lstrip('0') or '0'}"
            return (kind, state, *queues, *self._packet(one), "*", "", extra)
        return (
            kind, state, *queues, f"{one.local} ", str(one.local_port), f"{one.remote} ", str(one.remote_port), extra,
        )  # fmt: skip

    def _netlink(self, one: Socket) -> tuple[str, str]:
        if self.services is None:
            return f"{one.local}:", str(one.local_port)
        number = int(one.local)  # text: ours
        port = str(one.local_port)
        if one.local_port == 0:
            port = "kernel"
        elif one.local_port > 0:
            name = self.sockets.command_name(one.local_port)
            port = f"{name}/{one.local_port}" if name is not None else port
        return f"{_NETLINK.get(number, number)}:", port

    def _packet(self, one: Socket) -> tuple[str, str]:
        if self.interfaces is None:
            self.interfaces = self.sockets.interface_names()
        name = self.interfaces.get(one.remote_port, f"if{one.remote_port}") if one.remote_port else "*"
        protocol = _PROTOCOLS.get(one.local_port, f"[{one.local_port}]") if self.services else f"[{one.local_port}]"
        return ("*:" if one.local_port == 3 else f"{protocol}:"), name


def _render(rows: list[_Row], hidden: set[int], call: Invocation) -> None:
    """Write rows in columns as wide as their widest cell."""
    shown = [at for at in range(len(_HEADINGS)) if at not in hidden]
    form = ""
    for at in shown:
        # ss does not count the very last cell: it pads only what it has finished
        width = max((len(row[at]) for row in (rows[:-1] if at == 8 else rows)), default=0)
        before = _BEFORE[at] if at != shown[0] else ""
        form += before + (f"%{width}s" if at in _RIGHT else f"%-{width}s")
    form += "\n"
    for start in range(0, len(rows), 1_000):
        call.check()
        part = rows[start : start + 1_000]
        if hidden:
            lines = [form % tuple(row[at] for at in shown) for row in part]
        else:
            lines = [form % row for row in part]
        call.write(encode("".join(lines)))


def _summary(call: Invocation, found: Summary, unix: int) -> None:
    inet = found.inet
    tcp = sum(inet["TCP"])
    call.print(f"Total: {found.used}")
    call.print(
        f"TCP:   {found.tcp_allocated + found.waiting} (estab {found.established}, "
        f"closed {found.tcp_allocated - (tcp - found.waiting)}, orphaned {found.orphaned}, timewait {found.waiting})"
    )
    call.print(f"UDP:   {sum(inet['UDP'])}\nUnix:  {unix}\n\nTransport Total     IP        IPv6")
    inet = {name: inet[name] for name in ("RAW", "UDP", "TCP")} | {
        "INET": (sum(inet[n][0] for n in ("RAW", "UDP", "TCP")), sum(inet[n][1] for n in ("RAW", "UDP", "TCP"))),
        "FRAG": inet["FRAG"],
    }
    for name, (four, six) in inet.items():
        call.print(f"{name}\t  {four + six:<9} {four:<9} {six:<9}")
    call.print("")


@SS.main
def ss(call: Invocation) -> int:
    sockets = call.run.host.sockets()
    if call.operands:
        call.error(f"filter expressions are not supported: '{call.operands[0]}'; use options, grep or awk")
        return 1
    if "summary" in call.options:
        _summary(call, sockets.summary(), sum(1 for _ in sockets.unix(_ALL)))
        if not call.options.last("tcp", "udp", "raw", "unix", "packet"):
            return _ending(call, sockets)
    view = _View(call, sockets)
    rows = [_HEADINGS] if view.headings else []
    rows += map(view.row, view.found())
    _render(rows, view.hidden, call)
    return _ending(call, sockets)


def _ending(call: Invocation, sockets: Sockets) -> int:
    if sockets.cut:
        call.flush()
        call.error(f"more than {limits.SOCKETS} sockets: the table is cut")
    return call.status


COMMANDS = {"ss": SS}
