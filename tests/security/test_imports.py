"""No import while a script runs under a policy that grants writing (a script could have written the module)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

# what a script may make a command import, if it were imported late
HOSTILE = [
    "zstandard", "lzma", "bz2", "re2", "_re2", "lz4", "tzdata", "zoneinfo", "unicodedata", "decimal", "fractions",
    "socket", "idna", "stringprep", "hashlib", "zlib", "json", "datetime", "calendar", "_strptime", "base64",
    "binascii", "ctypes", "threading", "random", "difflib", "statistics", "struct", "math", "greenlet", "ipaddress",
    "locale", "bisect", "heapq", "string", "textwrap", "shlex", "array", "select", "selectors", "queue", "resource",
]  # fmt: skip

# Scripts that make commands reach for everything they know; what they print does not matter here.
SCRIPTS = [
    "help; help cat; help --all",
    "echo *; echo [[:alpha:]é]*; echo {1..3} {a..c}; printf '%s %q %d %5.2f %x\\n' a 'b c' 1 1.5 255",
    "for i in *; do test -f $i; [ $i -nt x ]; done; read -t 0.01 x < t; pwd -P; cd .; type cat; command -v cat; which ls",
    "cat t; head -n 1 t; tail -n 1 t; wc -lwcmL t; cut -d' ' -f1 t; tr a-z A-Z < t; sort -k2,2V t; sort -h -M -g t; uniq -c t",
    "grep -iE '(a|é)+' t; grep -P 'a.b' t; grep -c x t; grep -rn x .; strings t; xargs -n1 echo < t",
    "sed -E 's/(a)(.)/\\2\\1/' t; sed -n '/a/,/b/p' t; sed 'y/abc/xyz/; s/.*/\\U&/' t",
    "nl t; tac t; rev t; paste t t; fold -w 3 t; comm t t; join t t; column -t t; expand t; unexpand t; seq 1 0.5 3; seq -w 3",
    "basename /a/b; dirname /a/b; sha256sum t; md5sum t; sha1sum t; cksum t; base64 t; od -c t; od -t f8 t; xxd t; diff -u t u; cmp t u",
    "env; printenv PATH; timeout 1 echo a; shuf -e a b; numfmt --to=iec 12345; yes | head -n 1",
    "zcat t.gz; xzcat t.xz; bzcat t.bz2; zstdcat t.zst; zgrep a t.gz; zcat t",
    "ls -la; ls -lR --full-time; ls -v -X -S -t; stat t; stat -f t; stat -c '%n %w %y' t; du -ah; file *; readlink -f t; realpath t; tree",
    "find . -name '*.t' -o -regex '.*t' -o -newermt yesterday -o -printf '%p %t %Tc\\n'; find . -ls; find . -user root -exec echo {} +",
    "awk '{ print toupper($1), length($0), strftime(\"%c\"), gensub(/a/, \"b\", \"g\"), rand() }' t; awk -F, '/a+/ { n++ } END { print n }' t",
    "jq . j; jq '.a | test(\"x\"; \"i\"), now, todate, (now|strftime(\"%c\")), @base64, @sh, tojson, sqrt' j",
    "ps aux; ps -ef; ps -eo pid,comm,stime --sort=-rss; free -h; uptime; uname -a; hostname; nproc; id; whoami; arch; date; date -d yesterday",
    "TZ=Europe/Paris date; TZ=CET-1CEST,M3.5.0,M10.5.0 date; sleep 0.01; vmstat; pmap 1; lsof -p 1",
    "ss -tuln; ss -x; ip a; ip r; ip -6 r; ip link; ip neigh; ip route get 127.0.0.1; df -h; df -i .; ping -c 1 -W 1 localhost; ping -c 1 nosuch.invalid",
    "journalctl -u x.service; journalctl --disk-usage; journalctl -k --since '1 hour ago'; journalctl --rotate",
    "echo a > w; echo b >> w; tee w2 < t; truncate -s 1 w; logrotate -f w; rm w w2; nosuch; cat /outside; cat missing",
    "echo $(echo a | cat | sort); x=$(<t); cat <<E\n$x\nE\n(exit 3); while read l; do :; done < t; case",
    "if (", "echo $((1))", "echo `echo a`",
]  # fmt: skip

CHILD = r"""
import bz2, gzip, json, lzma, os, sys
root, scripts, hostile = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
open("t", "w").write("a b\nc \u00e9 d,e\n"); open("u", "w").write("a b\nx\n"); open("j", "w").write('{"a": "x"}\n')
gzip.open("t.gz", "w").write(b"abc\n"); bz2.open("t.bz2", "w").write(b"abc\n"); lzma.open("t.xz", "w").write(b"abc\n")
open("t.zst", "wb").write(bytes.fromhex("28b52ffd2004210000616263 0a".replace(" ", "")))
from rshell import Policy, Runner
policy = Policy(allowed_commands=["rshell:*"], allowed_paths=[root + ":rw"], mode="remediation",
                allowed_services={"x.service": ["*"], "systemd-journald.service": ["*"]}, max_execution_time=10.0)
runner = Runner(policy, cwd=root, warnings=None)
for name in hostile:
    open(name + ".py", "w").write("open(%r, 'w').write('ran')\nraise ImportError\n" % (root + "/RAN-" + name))
sys.path.insert(0, root)
for name in [n for n in sys.modules if n.partition(".")[0] in ()]:
    del sys.modules[name]
late, running = [], [False]
def hook(event, args):
    if running[0] and event == "import":
        late.append(args[0])
sys.addaudithook(hook)
bad = []
for script in scripts:
    running[0] = True
    result = runner.run(script)
    running[0] = False
    if b"internal error" in result.stderr:
        bad.append([script[:60], result.stderr.decode("utf-8", "replace")[-300:]])
print(json.dumps({"late": late, "bad": bad, "ran": [f for f in os.listdir(root) if f.startswith("RAN-")]}))
"""


@pytest.mark.slow
def test_nothing_is_imported_while_a_script_runs_under_a_rw_root(tmp_path: Path) -> None:
    child = subprocess.run(
        [sys.executable, "-c", CHILD, str(tmp_path), json.dumps(SCRIPTS), json.dumps(HOSTILE)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert child.returncode == 0, child.stderr[-2000:]
    found = json.loads(child.stdout.splitlines()[-1])
    assert found == {"late": [], "bad": [], "ran": []}
