"""uname, arch, hostname and nproc: the system's names, and how many processors there are."""

from __future__ import annotations

from rshell.builtins.command import Command, Failure, Invocation, Option, UsageError
from rshell.builtins.quoting import quote
from rshell.builtins.text import clamped

UNAME = Command(
    "uname",
    "print information about the system",
    "uname [OPTION]...",
    options=(
        Option("-a", "--all", help="all of it, but -p and -i where they are unknown"),
        Option("-s", "--kernel-name", "--sysname", key="s", help="the kernel name (default)"),
        Option("-n", "--nodename", key="n", help="the host name, nodename"),
        Option("-r", "--kernel-release", "--release", key="r", help="the kernel release"),
        Option("-v", "--kernel-version", key="v", help="the kernel version"),
        Option("-m", "--machine", key="m", help="the machine hardware name"),
        Option("-p", "--processor", key="p", help="the processor type (unknown)"),
        Option("-i", "--hardware-platform", key="i", help="the hardware platform (unknown)"),
        Option("-o", "--operating-system", key="o", help="the operating system"),
    ),
)
ARCH = Command("arch", "print the machine hardware name", "arch")
HOSTNAME = Command(
    "hostname",
    "print the host name",
    "hostname [-s]",
    options=(
        Option("-s", "--short", help="up to the first dot"),
        Option("-f", "--fqdn", "--long", "-d", "--domain", "-a", "--alias", "-A", "--all-fqdns", "-y", "--yp", "--nis",
               refused="only the kernel's own name is known"),
        Option("-i", "--ip-address", "-I", "--all-ip-addresses", refused="use ip addr"),
        Option("-F", "--file", "-b", "--boot", refused="the name cannot be set"),
    ),
)  # fmt: skip
NPROC = Command(
    "nproc",
    "print the number of processors available",
    "nproc [OPTION]...",
    options=(
        Option("--all", help="the number of installed processors"),
        Option("--ignore", value="N", help="leave N out, where that many are there"),
    ),
)


def _no_operands(call: Invocation) -> None:
    if call.operands:
        raise UsageError(f"extra operand {quote(call.operands[0])}")


@UNAME.main
def uname(call: Invocation) -> int:
    _no_operands(call)
    kernel = call.run.host.kernel()
    given = {key for key, _ in call.options.given}
    every = "all" in given
    parts = []
    for key in "snrvmpio":
        if key in given or (every and key not in "pi") or (not given and key == "s"):
            parts.append(
                kernel.name if key == "s" else kernel.node if key == "n" else kernel.release if key == "r"
                else kernel.version if key == "v" else kernel.machine if key == "m" else _operating_system(kernel.name)
                if key == "o" else "unknown"
            )  # fmt: skip
    call.print(" ".join(parts))
    return 0


def _operating_system(kernel: str) -> str:
    return "GNU/Linux" if kernel == "Linux" else kernel


@ARCH.main
def arch(call: Invocation) -> int:
    _no_operands(call)
    call.print(call.run.host.kernel().machine)
    return 0


@HOSTNAME.main
def hostname(call: Invocation) -> int:
    if call.operands:
        raise Failure("the name cannot be set")
    name = call.run.host.kernel().node
    call.print(name.partition(".")[0] if "short" in call.options else name)
    return 0


@NPROC.main
def nproc(call: Invocation) -> int:
    _no_operands(call)
    ignored = 0
    for text in call.options.all("ignore"):
        value = clamped(text.strip(" \t\n"), -1, 10**9)
        if value is None or value < 0:
            raise Failure(f"invalid number: {quote(text)}")
        ignored = value
    count = call.run.host.kernel().processors(all="all" in call.options)
    call.print(str(max(1, count - ignored)))
    return 0


COMMANDS = {c.name: c for c in (UNAME, ARCH, HOSTNAME, NPROC)}
