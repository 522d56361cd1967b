"""Small trees that look like procfs, for tests: the kernel's own formats, with numbers that tests choose."""

from __future__ import annotations

from pathlib import Path

TICKS = 100
UPTIME = 400_000  # seconds
BOOT = 1_790_000_000  # seconds since the epoch
NOW = BOOT + UPTIME
NOW_TICKS = UPTIME * TICKS

MEMINFO = """\
MemTotal:       16000000 kB
MemFree:         4000000 kB
MemAvailable:    9000000 kB
Buffers:          500000 kB
Cached:          5000000 kB
SwapCached:            0 kB
Active:          6000000 kB
Inactive:        3000000 kB
SwapTotal:       2000000 kB
SwapFree:        1500000 kB
Shmem:            123456 kB
SReclaimable:     400000 kB
CommitLimit:    10000000 kB
Committed_AS:    7000000 kB
"""
STAT = f"""\
cpu  100000 2000 30000 800000 4000 500 600 700 80 9
cpu0 50000 1000 15000 400000 2000 250 300 350 40 5
cpu1 50000 1000 15000 400000 2000 250 300 350 40 4
intr 123456789 1 2 3
ctxt 234567890
btime {BOOT}
processes 34567
procs_running 2
procs_blocked 1
softirq 99 1 2
"""
VMSTAT = "nr_free_pages 1000\npgpgin 5000000\npgpgout 7000000\npswpin 1000\npswpout 125000\n"


def base(root: Path, hostname: str = "box.example") -> Path:
    """The files that are of no process."""
    (root / "sys/kernel").mkdir(parents=True, exist_ok=True)
    for name, text in (
        ("meminfo", MEMINFO),
        ("stat", STAT),
        ("vmstat", VMSTAT),
        ("uptime", f"{UPTIME}.00 790000.00\n"),
        ("loadavg", "0.05 1.50 12.34 2/345 6789\n"),
        ("cpuinfo", "processor\t: 0\n"),
        ("version", "Linux version 6.1.0 (x@y) #1 SMP\n"),
        ("sys/kernel/ostype", "Linux\n"),
        ("sys/kernel/osrelease", "6.1.0-99-test\n"),
        ("sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian\n"),
        ("sys/kernel/arch", "riscv64\n"),
        ("sys/kernel/hostname", f"{hostname}\n"),
        ("sys/kernel/pid_max", "32768\n"),
    ):
        (root / name).write_text(text)
    return root


def process(
    root: Path,
    pid: int,
    comm: str | bytes,
    *,
    state: str = "S",
    ppid: int = 1,
    group: int | None = None,
    session: int | None = None,
    terminal: int = 0,
    foreground: int = -1,
    flags: int = 0x400000,
    user_ticks: int = 0,
    system_ticks: int = 0,
    priority: int = 20,
    nice: int = 0,
    threads: int = 1,
    age: int = 100,
    size: int = 1024 * 1024,
    resident: int = 400,
    locked: int = 0,
    processor: int = 0,
    realtime: int = 0,
    policy: int = 0,
    uid: int = 0,
    gid: int = 0,
    wchan: str = "0",
) -> Path:
    """One process; age in seconds, size in bytes, resident and locked in KiB."""
    name = comm.encode() if isinstance(comm, str) else comm
    path = root / str(pid)
    path.mkdir(exist_ok=True)
    numbers = [
        ppid, pid if group is None else group, pid if session is None else session, terminal, foreground, flags,
        5, 0, 1, 0, user_ticks, system_ticks, 0, 0, priority, nice, threads, 0, NOW_TICKS - age * TICKS, size,
        resident // 4, 2**64 - 1, 1, 1, 0x7FFC00000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 17, processor, realtime, policy,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ]  # fmt: skip
    (path / "stat").write_bytes(b"%d (%b) %b %b\n" % (pid, name, state.encode(), " ".join(map(str, numbers)).encode()))
    status = f"\nUmask:\t0022\nState:\t{state} (x)\nTgid:\t{pid}\nPid:\t{pid}\nPPid:\t{ppid}\n"
    status += f"Uid:\t{uid}\t{uid}\t{uid}\t{uid}\nGid:\t{gid}\t{gid}\t{gid}\t{gid}\n"
    if not flags & 0x200000:
        status += f"VmSize:\t{size // 1024:8} kB\nVmLck:\t{locked:8} kB\nVmRSS:\t{resident:8} kB\n"
    (path / "status").write_bytes(b"Name:\t" + name + status.encode() + b"Threads:\t%d\n" % threads)
    (path / "wchan").write_text(wchan)
    (path / "cmdline").write_text("")
    (path / "environ").write_text("SECRET=1")
    (path / "statm").write_text(f"{size // 4096} {resident // 4} 10 1 0 10 0\n")
    return path


def machine(root: Path) -> Path:
    """A tree with some of everything."""
    base(root)
    process(root, 1, "systemd", ppid=0, age=399_999, user_ticks=500, system_ticks=300)
    process(root, 2, "kthreadd", ppid=0, flags=0x200040, size=0, resident=0, age=399_999)
    process(root, 3, "kworker/u8:0-a_name_that_is_long", ppid=2, flags=0x4208060, nice=-20, priority=0, state="I",
            size=0, resident=0, age=399_999)  # fmt: skip
    process(root, 100, "cat) S (x", foreground=100, age=60, user_ticks=5900, threads=3, uid=1, wchan="do_wait_long")
    process(root, 101, "two words", terminal=0x405, foreground=7, age=172_800, user_ticks=8_640_000, nice=5,
            priority=25, processor=1, uid=123456)  # fmt: skip
    process(root, 102, "gone", state="Z", age=43_200, size=0, resident=0)
    process(
        root, 103, "été \x01", age=3_600, user_ticks=1_080_000, locked=4, session=5, size=2**40, resident=12_000_000
    )
    process(
        root, 104, b"bad\xff\xfe", age=5, user_ticks=400_000_000, policy=1, realtime=50, priority=-51, threads=12345
    )
    process(root, 1105, "rr", age=1, policy=2, realtime=1, priority=-2, state="R")
    process(root, 32107, "idle", age=1, policy=5, state="T", nice=19, priority=39)
    return root
