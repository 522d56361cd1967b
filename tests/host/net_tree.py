"""A made-up procfs and sysfs as the network commands read them: the kernel's own formats."""

from __future__ import annotations

from pathlib import Path

DEV = """\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:    3193      29    0    0    0     0          0         0     3193      29    0    0    0     0       0          0
  eth0: 12345678901 222222 1 2 0 0 0 7 382212 3544 3 4 0 5 6 0
"""
ROUTE = """\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t0102000A\t0003\t0\t0\t100\t00000000\t0\t0\t0
eth0\t0002000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
eth0\t000010AC\t0702000A\t0003\t0\t0\t0\t0000FFFF\t1300\t0\t0
eth0\t050010AC\t0902000A\t0007\t0\t0\t0\tFFFFFFFF\t0\t0\t0
*\t0062A8C0\t00000000\t0201\t0\t0\t5\t00FFFFFF\t0\t0\t0
"""
ROUTE6 = (
    "fd000000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0\n"
    "00000000000000000000000000000000 00 00000000000000000000000000000000 00 fd000000000000000000000000000001 00000400 00000002 00000000 00000003     eth0\n"
    "fd000000000000000000000000000002 80 00000000000000000000000000000000 00 00000000000000000000000000000000 00000000 00000003 00000000 80200001     eth0\n"
    "ff000000000000000000000000000000 08 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000003 00000000 00000001     eth0\n"
    "00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo\n"
)  # fmt: skip
TRIE = """\
Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     |-- 10.0.2.0
        /24 link UNICAST
     |-- 10.0.2.15
        /32 host LOCAL
     |-- 10.0.2.255
        /32 link BROADCAST
     |-- 127.0.0.0
        /8 host LOCAL
     |-- 127.0.0.1
        /32 host LOCAL
     |-- 127.255.255.255
        /32 link BROADCAST
     |-- 172.16.3.127
        /32 link BROADCAST
Local:
     |-- 10.0.2.15
        /32 host LOCAL
"""
INET6 = (
    "00000000000000000000000000000001 01 80 10 80       lo\n"
    "fd000000000000000000000000000002 02 40 00 82     eth0\n"
    "fe8000000000000000fc00fffe000001 02 40 20 80     eth0\n"
)
ARP = """\
IP address       HW type     Flags       HW address            Mask     Device
10.0.2.2         0x1         0x2         52:55:0a:00:02:02     *        eth0
10.0.2.3         0x1         0x0         00:00:00:00:00:00     *        eth0
10.0.2.4         0x1         0x6         52:55:0a:00:02:04     *        eth0
"""
TCP_HEADING = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
TCP = TCP_HEADING + (
    "   0: 0100007F:0050 00000000:0000 0A 00000000:00000003 00:00000000 00000000     0        0 1664 1 00000000ebbf9aee 100 0 0 10 0\n"
    "   1: 0F02000A:0016 0202000A:A1B2 01 00000024:00000007 01:00000014 00000002  1000        0 2001 4 00000000abcd0001 20 4 30 10 -1\n"
    "   2: 0F02000A:8235 08080808:01BB 06 00000000:00000000 03:00000F00 00000000     0        0 0 3 00000000abcd0002\n"
    "   3: 0F02000A:8236 08080808:01BB 01 00000000:00000000 02:00067AB0 00000000    33        0 2003 2 00000000abcd0003 20 4 30 10 -1\n"
    "   4: 0F02000A:8237 08080808:01BB 08 00000000:00000001 00:00000000 00000000    33        0 2004 2 00000000abcd0004 20 4 30 10 -1\n"
)  # fmt: skip
TCP6 = TCP_HEADING + (
    "   0: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 3001 1 0000000000000000 100 0 0 10 0\n"
    "   1: B80D0120000000000000000001000000:1F90 B80D0120000000000000000002000000:C000 01 00000000:00000000 00:00000000 00000000     0        0 3002 1 00000000abcd0005 20 4 30 10 -1\n"
    "   2: 0000000000000000FFFF00000F02000A:1F90 0000000000000000FFFF00000202000A:C001 02 00000000:00000000 04:00000064 00000005     0        1 3003 1 00000000abcd0006 20 4 30 10 -1\n"
)  # fmt: skip
UDP = "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops\n" + (
    "  100: 00000000:0044 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 4001 2 00000000abcd0007 0\n"
    "  101: 0F02000A:9C40 08080808:0035 01 00000000:00000300 00:00000000 00000000   101        0 4002 2 00000000abcd0008 9\n"
)  # fmt: skip
RAW = UDP.split("\n")[0] + "\n" + (
    "    1: 00000000:0001 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 5001 2 00000000abcd0009 0\n"
)  # fmt: skip
UNIX = """\
Num       RefCount Protocol Flags    Type St Inode Path
0000000073ac2160: 00000003 00000000 00000000 0001 03  1660
0000000073ac2161: 00000002 00000000 00010000 0001 01  1662 /run/some.sock
0000000073ac2162: 00000002 00000000 00010000 0005 01  1663 @abstract
0000000073ac2163: 00000002 00000000 00000000 0002 01  1664
"""
SOCKSTAT = """\
sockets: used 170
TCP: inuse 5 orphan 1 tw 3 alloc 9 mem 118
UDP: inuse 4 mem 0
UDPLITE: inuse 0
RAW: inuse 1
FRAG: inuse 2 memory 0
"""
SOCKSTAT6 = "TCP6: inuse 3\nUDP6: inuse 2\nUDPLITE6: inuse 0\nRAW6: inuse 1\nFRAG6: inuse 0 memory 0\n"
SNMP = "Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens AttemptFails EstabResets CurrEstab\n" + (
    "Tcp: 1 200 120000 -1 5 6 7 8 4\n"
)


def network(folder: Path) -> Path:
    """Write the trees below folder; the proc path."""
    proc = folder / "proc"
    (proc / "net").mkdir(parents=True)
    (proc / "sys/net/ipv4").mkdir(parents=True)
    for name, text in (
        ("net/dev", DEV), ("net/route", ROUTE), ("net/ipv6_route", ROUTE6), ("net/fib_trie", TRIE), ("net/if_inet6", INET6),
        ("net/arp", ARP), ("net/tcp", TCP), ("net/tcp6", TCP6), ("net/udp", UDP), ("net/raw", RAW), ("net/unix", UNIX),
        ("net/udp6", UDP.split("\n")[0] + "\n"), ("net/raw6", UDP.split("\n")[0] + "\n"),
        ("net/sockstat", SOCKSTAT), ("net/sockstat6", SOCKSTAT6), ("net/snmp", SNMP),
        ("sys/net/ipv4/ip_local_port_range", "32768\t60999\n"),
    ):  # fmt: skip
        (proc / name).write_text(text)
    interface(folder, "lo", 1, flags="0x9", kind=772, mtu=65536, state="unknown", address="00:00:00:00:00:00")
    interface(folder, "eth0", 2, flags="0x1003", kind=1, mtu=1400, state="up", address="02:fc:00:00:00:01")
    return proc


def interface(
    folder: Path,
    name: str,
    index: int,
    *,
    flags: str,
    kind: int,
    mtu: int,
    state: str,
    address: str,
    carrier: str = "1",
) -> None:
    """One interface of the sysfs beside the procfs."""
    path = folder / "sys/class/net" / name
    path.mkdir(parents=True)
    values = {
        "ifindex": index, "iflink": index, "flags": flags, "type": kind, "mtu": mtu, "operstate": state, "address": address,
        "broadcast": "00:00:00:00:00:00" if kind == 772 else "ff:ff:ff:ff:ff:ff", "carrier": carrier, "tx_queue_len": 1000,
        "link_mode": 0, "netdev_group": 0,
    }  # fmt: skip
    for file, value in values.items():
        (path / file).write_text(f"{value}\n")
