"""ping: ask a host for an echo (iputils), over the kernel's unprivileged ICMP sockets."""

from __future__ import annotations

import re
from math import floor, sqrt
from typing import TYPE_CHECKING

from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError, reason
from rshell.builtins.text import OutOfRange, duration, number

if TYPE_CHECKING:
    from rshell.host.icmp import Answer, Session, Target

_COUNT = (1, 20)
_INTERVAL = (0.2, 60.0)
_WAIT = (0.1, 30.0)
_TOTAL = 120.0
_GRACE = 5.0
_SECONDS = re.compile(r"[+-]?(?:[0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})")
_NO_FLOOD = "packets are sent one at a time"

PING = Command(
    "ping",
    "ask a host for echoes",
    "ping [-c COUNT] [-i INTERVAL] [-W WAIT] [-q] [-4|-6] HOST",
    options=(
        Option("-c", "--count", value="COUNT", help="how many packets to send, 1 to 20 (default 4)"),
        Option("-i", "--interval", value="INTERVAL", help="time between packets, 0.2s to 60s (default 1s)"),
        Option("-W", "--timeout", value="WAIT", help="how long to wait for the last answer, 0.1s to 30s (default 1s)"),
        Option("-q", "--quiet", help="only the summary"),
        Option("-4", key="ipv4", help="IPv4 only"),
        Option("-6", key="ipv6", help="IPv6 only"),
        Option("-n", key="numeric", help="addresses are never turned into names (always so)"),
        Option("-h", "--help", key="help", help="show this help"),
        Option("-f", refused=_NO_FLOOD),
        Option("-l", value="PRELOAD", refused=_NO_FLOOD),
        Option("-A", refused=_NO_FLOOD),
        Option("-b", refused="broadcasts are not sent"),
        Option("-s", value="SIZE", refused="packets have 56 bytes"),
        Option("-p", value="PATTERN", refused="packets have a fixed filling"),
        Option("-I", value="INTERFACE", refused="the kernel chooses the interface"),
        Option("-R", refused="routes are not recorded"),
        Option("-T", value="TIMESTAMP", refused="IP options are not set"),
        Option("-t", value="TTL", refused="the kernel's time to live is used"),
        Option("-M", value="HINT", refused="the kernel's path MTU discovery is used"),
        Option("-Q", value="TOS", refused="the service type is not set"),
        Option("-w", value="DEADLINE", refused="use -c and -W"),
    ),
    description="Times are seconds (0.5) or spans such as 500ms or 1m30s. A run takes 120 s at most.",
)

_UNREACHABLE = {
    0: "Destination Net Unreachable", 1: "Destination Host Unreachable", 2: "Destination Protocol Unreachable",
    3: "Destination Port Unreachable", 4: "Frag needed and DF set", 5: "Source Route Failed",
    6: "Destination Net Unknown", 7: "Destination Host Unknown", 8: "Source Host Isolated",
    9: "Destination Net Prohibited", 10: "Destination Host Prohibited",
    11: "Destination Net Unreachable for Type of Service", 12: "Destination Host Unreachable for Type of Service",
    13: "Packet filtered", 14: "Precedence Violation", 15: "Precedence Cutoff",
}  # fmt: skip
_UNREACHABLE6 = {
    0: "No route", 1: "Administratively prohibited", 2: "Beyond scope of source address",
    3: "Address unreachable", 4: "Port unreachable",
}  # fmt: skip


def _span(seconds: float) -> str:
    """A time span as Go writes it: 10ms, 1.5s, 1m0s."""
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    nanoseconds = round(seconds * 1e9)
    if nanoseconds == 0:
        return "0s"
    for unit, name in ((1, "ns"), (1_000, "µs"), (1_000_000, "ms")):
        if nanoseconds < unit * 1_000:
            return f"{sign}{_short(nanoseconds, unit)}{name}"
    minutes, rest = divmod(nanoseconds, 60 * 10**9)
    hours, minutes = divmod(minutes, 60)
    text = f"{hours}h" if hours else ""
    if hours or minutes:
        text += f"{minutes}m"
    return f"{sign}{text}{_short(rest, 10**9)}s"


def _short(value: int, unit: int) -> str:
    whole, part = divmod(value, unit)
    digits = len(str(unit)) - 1
    return f"{whole}.{part:0{digits}}".rstrip("0").rstrip(".") if part else str(whole)


class _Settings:
    """What the options ask for, brought within the bounds."""

    def __init__(self, call: Invocation) -> None:
        options = call.options
        if "ipv4" in options and "ipv6" in options:
            raise Failure("-4 and -6 are mutually exclusive")
        self.version = 4 if "ipv4" in options else 6 if "ipv6" in options else 0
        self.quiet = "quiet" in options
        self.count = self._number(call, options.get("count"))
        self.interval = self._time(call, "i", options.get("interval"), 1.0, _INTERVAL)
        self.wait = self._time(call, "W", options.get("timeout"), 1.0, _WAIT)
        if (self.count - 1) * self.interval + self.wait + _GRACE > _TOTAL:
            call.warn(f"warning: total run time capped at {_TOTAL:.0f}s")

    @staticmethod
    def _number(call: Invocation, text: str | None) -> int:
        if text is None:
            return 4
        try:
            value = number(text)
        except OutOfRange as failure:
            value = -1 if failure.negative else 1 << 63
        if value is None:
            raise UsageError(f"invalid argument: '{text}'")
        low, high = _COUNT
        if not low <= value <= high:
            kept = max(low, min(value, high))
            call.warn(f"warning: -c {text} out of range [{low}, {high}]: {kept} is used")
            value = kept
        return value

    @staticmethod
    def _time(call: Invocation, letter: str, text: str | None, usual: float, bounds: tuple[float, float]) -> float:
        if text is None:
            return usual
        value = float(text) if _SECONDS.fullmatch(text) else duration(text)  # text: ours
        if value is None:
            raise UsageError(f"invalid argument: '{text}'")
        low, high = bounds
        if not low <= value <= high:
            kept = max(low, min(value, high))
            call.warn(
                f"warning: -{letter} {_span(min(value, 1e9))} out of range [{_span(low)}, {_span(high)}]: "
                f"{_span(kept)} is used"
            )
            value = kept
        return value


def _target(call: Invocation, host: str, version: int) -> Target:
    """Where the packets go. Raises Failure for what may not be asked."""
    echo = call.run.host.echo()
    given = echo.literal(host)
    if given and version and given != version:
        raise Failure(f'no ip{version} address for host "{host}"')
    if not host or len(host) > 255 or "\0" in host:
        raise Failure(f"{host[:255]}: name or service not known")
    try:
        found: list[Target] = call.run.call_in_thread(lambda: echo.look_up(host, version))
    except OSError as failure:
        raise Failure(f"{host}: {reason(failure)}") from None
    if not found:
        raise Failure(f"{host}: name or service not known")
    target = found[0]
    packed = target.packed
    if packed[:12] == bytes(10) + b"\xff\xff" or (len(packed) == 16 and not any(packed[:12]) and packed[12]):
        packed = packed[12:]  # an IPv4 address in IPv6's clothes
    if not any(packed):
        raise Failure(f"unspecified destination not allowed: {target.address}")
    if len(packed) == 4:
        if packed[0] & 0xF0 == 0xE0:
            raise Failure(f"multicast destination not allowed: {target.address}")
        if packed[3] == 0xFF or packed[0] >= 0xF0 or packed[0] == 0 or packed in echo.broadcasts():
            raise Failure(f"broadcast destination not allowed: {target.address}")
    elif packed[0] == 0xFF:
        raise Failure(f"multicast destination not allowed: {target.address}")
    return target


class _Count:
    """What was sent and came back; times in milliseconds."""

    def __init__(self) -> None:
        self.sent = 0
        self.received: set[int] = set()
        self.duplicates = 0
        self.errors = 0
        self.times: list[float] = []
        self.ahead = 0  # the most packets that were under way at once

    def summary(self, host: str, elapsed: float) -> str:
        """The lines at the end."""
        got = len(self.received)
        text = f"\n--- {host} ping statistics ---\n{self.sent} packets transmitted, {got} received"
        if self.duplicates:
            text += f", +{self.duplicates} duplicates"
        if self.errors:
            text += f", +{self.errors} errors"
        if self.sent:
            text += f", {(self.sent - got) * 100 / self.sent:.6g}% packet loss, time {floor(elapsed * 1000)}ms"
        text += "\n"
        if self.times:
            mean = sum(self.times) / len(self.times)
            deviation = sqrt(max(0.0, sum(t * t for t in self.times) / len(self.times) - mean * mean))
            values = (min(self.times), mean, max(self.times), deviation)
            text += "rtt min/avg/max/mdev = " + "/".join(f"{value:.3f}" for value in values) + " ms"
            if self.ahead > 1:
                text += f", pipe {self.ahead}"
        return text + "\n"


def _shown(elapsed: float) -> str:
    """A round trip as iputils shows it: three significant digits at least."""
    if elapsed >= 100:
        return f"{elapsed:.0f}"
    return f"{elapsed:.1f}" if elapsed >= 10 else f"{elapsed:.2f}" if elapsed >= 1 else f"{elapsed:.3f}"


def _reason(answer: Answer, version: int) -> str:
    if version == 4:
        if answer.type == 3:
            return _UNREACHABLE.get(answer.code, f"Dest Unreachable, Bad Code: {answer.code}")
        if answer.type == 11:
            return "Frag reassembly time exceeded" if answer.code == 1 else "Time to live exceeded"
        return {4: "Source Quench", 5: "Redirect", 12: "Parameter problem"}.get(
            answer.type, f"Bad ICMP type: {answer.type}"
        )
    if answer.type == 1:
        text = _UNREACHABLE6.get(answer.code, f"Unknown code {answer.code}")
        return f"Destination unreachable: {text}"
    if answer.type == 3:
        return f"Time exceeded: {'Defragmentation failure' if answer.code else 'Hop limit'}"
    return {2: "Packet too big", 4: "Parameter problem"}.get(answer.type, f"unknown icmp type: {answer.type}")


class _Ping:
    """One run of ping."""

    def __init__(self, call: Invocation, host: str, settings: _Settings, target: Target, session: Session) -> None:
        self.call = call
        self.host = host
        self.settings = settings
        self.target = target
        self.session = session
        self.counted = _Count()
        self.name = target.address if host == target.address else f"{host} ({target.address})"

    def go(self) -> int:
        """Send, wait and report; the exit status."""
        call, counted, settings = self.call, self.counted, self.settings
        six = self.target.version == 6
        sizes = "56 data bytes" if six else "56(84) bytes of data."
        shown = f"({self.name})" if six else f" ({self.target.address})"
        call.stdout.write(f"PING {self.host}{shown} {sizes}\n".encode("utf-8", "surrogateescape"))
        started = self.session.now()
        last = started
        for sequence in range(1, settings.count + 1):
            due = started + (sequence - 1) * settings.interval
            if sequence > 1:
                self._listen(min(due, started + _TOTAL), until_all=False)
            if self.session.now() >= started + _TOTAL:
                break
            last = self.session.now()
            self._send(sequence)
        self._listen(min(self.session.now() + settings.wait, started + _TOTAL), until_all=True)
        call.stdout.write(counted.summary(self.host, last - started).encode("utf-8", "surrogateescape"))
        return 0 if counted.received else 1

    def _send(self, sequence: int) -> None:
        counted = self.counted
        counted.sent += 1
        try:
            self.session.send(sequence)
        except OSError as failure:
            while (answer := self.session.receive()) is not None:
                self._take(answer)
            try:
                self.session.send(sequence)  # what failed was an error that waited to be told
            except OSError:
                counted.errors += 1
                self.call.warn(f"sendmsg: {reason(failure)}")
        counted.ahead = max(counted.ahead, counted.sent - len(counted.received))

    def _listen(self, until: float, *, until_all: bool) -> None:
        """Take answers until a time, or until nothing is missing."""
        counted = self.counted
        while True:
            left = until - self.session.now()
            if left <= 0 or (until_all and len(counted.received) + counted.errors >= counted.sent):
                return
            if self.call.run.wait_readable(self.session.descriptor, left):
                answer = self.session.receive()
                if answer is not None:
                    self._take(answer)
                else:
                    self.call.run.sleep(0.001)  # nothing of ours: never spin

    def _take(self, answer: Answer) -> None:
        counted, version = self.counted, self.target.version
        if answer.elapsed is None:
            counted.errors += 1
            if not self.settings.quiet:
                source = f"From {answer.source} " if answer.source else ""
                self._say(f"{source}icmp_seq={answer.sequence} {_reason(answer, version)}")
            return
        if not 1 <= answer.sequence <= counted.sent:
            return
        repeated = answer.sequence in counted.received
        counted.duplicates += repeated
        counted.received.add(answer.sequence)
        elapsed = answer.elapsed * 1000
        counted.times.append(elapsed)
        if not self.settings.quiet:
            hops = f" ttl={answer.hops}" if answer.hops else ""
            self._say(
                f"{answer.size} bytes from {self.name}: icmp_seq={answer.sequence}{hops} time={_shown(elapsed)} ms"
                + (" (DUP!)" if repeated else "")
            )

    def _say(self, text: str) -> None:
        self.call.stdout.write(f"{text}\n".encode("utf-8", "surrogateescape"))


@PING.main
def ping(call: Invocation) -> int:
    if not call.operands:
        raise UsageError("missing host operand")
    if len(call.operands) > 1:
        raise UsageError(f"extra operand '{call.operands[1]}'")
    host = call.operands[0]
    settings = _Settings(call)
    target = _target(call, host, settings.version)
    try:
        session = call.run.host.echo().session(target)
    except PermissionError:
        raise Failure(
            "the kernel lets this process have no ICMP sockets: its group is not in net.ipv4.ping_group_range"
        ) from None
    except OSError as failure:
        raise Failure(f"connect: {reason(failure)}") from None
    try:
        return _Ping(call, host, settings, target, session).go()
    finally:
        session.close()


COMMANDS = {"ping": PING}
