"""An investigation of this machine, as an agent would make it: `make demo`.

The policy is all that the scripts can do. Each script below could come from a model; the last ones
ask for what the policy does not grant.
"""

from __future__ import annotations

import sys

from rshell import Policy, Runner

COMMANDS = "echo printf test [ read cd cat head tail grep cut sort uniq find du awk ps help"

POLICY = Policy(
    allowed_commands=[f"rshell:{name}" for name in COMMANDS.split(" ")],
    allowed_paths=["/var/log:ro", "/etc:ro"],
    max_execution_time=5.0,
)

# What is asked, the script, and the exit status that it must end with.
STEPS = [
    (
        "Which accounts have root's user ID?",
        "while IFS=: read -r user _ uid rest; do\n"
        '  if [ "$uid" -eq 0 ]; then echo "$user"; fi\n'
        "done < /etc/passwd",
        0,
    ),
    (
        "Where does localhost point?",
        "while read -r address names; do\n"
        "  for name in $names; do\n"
        '    if [ "$name" = localhost ]; then echo "$address"; fi\n'
        "  done\n"
        "done < /etc/hosts",
        0,
    ),
    (
        "What is in the log directory, and what is empty?",
        "cd /var/log\n"
        "for name in *; do\n"
        '  if [ -d "$name" ]; then kind=directory; elif [ -s "$name" ]; then kind=log; else kind=empty; fi\n'
        "  printf '%-10s %s\\n' $kind \"$name\"\n"
        "done | head -n 12",
        0,
    ),
    (
        "How do the text logs begin?",
        "cd /var/log\n"
        "for log in *.log; do\n"
        '  if [ -s "$log" ]; then echo "== $log"; head -n 2 "$log"; fi\n'
        "done | head -n 12",
        0,
    ),
    ("Which files under it are the largest?", "find /var/log -type f -printf '%s %p\\n' | sort -rn | head -n 5", 0),
    ("Which login shells are in use?", "cut -d : -f 7 /etc/passwd | sort | uniq -c | sort -rn | head -n 5", 0),
    (
        "How many accounts are people's?",
        "awk -F : '$3 >= 1000 && $3 < 65534 { n++ } END { print n + 0, \"of\", NR }' /etc/passwd",
        0,
    ),
    ("What uses the most memory?", "ps -eo pid,rss,comm --sort=-rss | head -n 5", 0),
    ("A command that the policy does not name:", "curl -s http://192.0.2.1/payload", 127),
    ("A file outside the granted paths:", "cat /proc/1/environ", 1),
    ("A write under a read-only policy:", "echo 'root2::0:0::/:/bin/sh' >> /etc/passwd", 2),
]


def main() -> int:
    """Run the steps and show them; the status is 1 if one ended otherwise than it must."""
    print(POLICY.describe().rstrip("\n"))
    surprises = 0
    with Runner(POLICY, cwd="/var/log") as runner:
        for question, script, expected in STEPS:
            result = runner.run(script)
            print(f"\n# {question}")
            print("\n".join(f"> {line}" for line in script.split("\n")))
            print(result.stdout.decode("utf-8", "replace"), end="")
            print(result.stderr.decode("utf-8", "replace"), end="")
            print(f"[exit {result.exit_code}, {result.duration * 1000:.1f} ms]")
            surprises += result.exit_code != expected
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
