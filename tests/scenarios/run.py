"""Run scenarios by hand and show what they give.

    python -m tests.scenarios.run                       every scenario, failures only
    python -m tests.scenarios.run loops                 those of loops.yaml
    python -m tests.scenarios.run 'loops::break two levels'
    python -m tests.scenarios.run --bash loops          in bash instead
"""

from __future__ import annotations

import argparse
import sys

from tests.scenarios import scenario


def main() -> int:
    """Run what the command line names; the status is 1 if one of them differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", nargs="*", help="FILE or FILE::NAME, the beginning of a NAME is enough")
    parser.add_argument("--bash", action="store_true", help="run the scenarios that claim parity in bash")
    args = parser.parse_args()

    chosen = {
        key: value
        for key, value in scenario.load().items()
        if not args.which or any(key == w or key.startswith(w if "::" in w else f"{w}::") for w in args.which)
    }
    if args.bash:
        chosen = {key: value for key, value in chosen.items() if scenario.claims_parity(value)}
    if not chosen:
        print("no such scenario", file=sys.stderr)
        return 2

    failed = 0
    for key, value in chosen.items():
        with scenario.directory(value) as where:
            outcome = (scenario.run_bash if args.bash else scenario.run_ours)(value, where)
        found = scenario.differences(value, outcome, with_stderr=not args.bash)
        failed += bool(found)
        if found or len(chosen) == 1:
            print(f"--- {key}\n{value['input']['script']}")
            print(f"stdout {outcome.stdout!r}\nstderr {outcome.stderr!r}\nexit code {outcome.exit_code}")
            print("\n".join(found) or "as expected")
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
