"""Random command lines beside the real tools: `python -m fuzz.tools [NAME ...]`, by default for every tool.

It runs the generated tests of tests/differential with many more examples: RSHELL_FUZZ of them for
each (500 unless it is set). A failure prints the smallest command line that differs.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent
TESTS = HERE / "tests" / "differential"


def main(names: list[str]) -> int:
    """Run the generated tests of the named tools; 0 when all agree."""
    files = [TESTS / f"test_{name}.py" for name in names] or sorted(TESTS.glob("test_*.py"))
    missing = [file.stem.removeprefix("test_") for file in files if not file.exists()]
    if missing:
        print(f"no generated test for {', '.join(missing)}", file=sys.stderr)
        return 2
    env = {**os.environ, "RSHELL_FUZZ": os.environ.get("RSHELL_FUZZ", "500")}
    failed = []
    for number, file in enumerate(files, 1):
        name = file.stem.removeprefix("test_")
        print(f"[{number}/{len(files)}] {name}, {env['RSHELL_FUZZ']} examples each", flush=True)
        status = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", "--timeout=3600", str(file)], cwd=HERE, env=env, check=False
        ).returncode
        if status not in (0, 5):  # 5: everything was skipped
            failed.append(file.stem)
    print(f"{len(files) - len(failed)} agree, {len(failed)} differ {' '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
