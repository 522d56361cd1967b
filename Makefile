# Every target makes its own virtual environment, so that each is the only command a fresh machine needs.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
JOBS ?= 2
TESTS ?= tests
PYTEST := $(BIN)/python -m pytest -q

.DEFAULT_GOAL := help
.PHONY: help install demo test unit lint types imports docs docs-check check coverage \
        bench bench-text bench-files bench-journal bench-awk bench-jq fuzz-tools fuzz-journal clean

help:  ## list the targets
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r name text; do \
	    printf '  make %-14s %s\n' "$$name" "$$text"; done

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "rshell needs Python 3.11 or newer: make PYTHON=python3.12 ..." >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@$(BIN)/python -m compileall -q rshell  # an editable install is not compiled by pip
	@touch $(READY)

install: $(READY)  ## the virtual environment with everything in it

demo: $(READY)  ## investigate this machine's /var/log and /etc under a shown policy
	@$(BIN)/python examples/investigate.py

test: $(READY)  ## every test
	@$(PYTEST) -n $(JOBS) --dist worksteal $(TESTS)

unit: $(READY)  ## the unit and scenario tests, without the long ones
	@$(PYTEST) -n $(JOBS) --dist worksteal -m 'not slow' $(TESTS)

lint: $(READY)  ## ruff
	@$(BIN)/ruff check .

types: $(READY)  ## mypy --strict
	@$(BIN)/mypy

imports: $(READY)  ## the layers
	@$(BIN)/lint-imports

docs: $(READY)  ## write SHELL_FEATURES.md
	@$(BIN)/python docs/generate.py

docs-check: $(READY)  ## fail when SHELL_FEATURES.md is stale
	@$(BIN)/python docs/generate.py --check

check: lint types imports docs-check test  ## all that CI checks, on one Python

coverage: $(READY)  ## the tests with branch coverage
	@$(BIN)/coverage run -m pytest -q $(TESTS)
	@$(BIN)/coverage report --skip-covered --sort=cover

bench: $(READY)  ## ours beside bash, in one run
	@$(BIN)/python -m bench

bench-text: $(READY)  ## text commands on a 50 MB log, beside GNU's
	@$(BIN)/python -m bench.text

bench-files: $(READY)  ## ls, find, du beside GNU's
	@$(BIN)/python -m bench.files

bench-journal: $(READY)  ## journalctl beside systemd's
	@$(BIN)/python -m bench.journal

bench-awk: $(READY)  ## awk on a 50 MB log, beside mawk
	@$(BIN)/python -m bench.awk

bench-jq: $(READY)  ## jq on 200,000 JSON lines, beside the real jq
	@$(BIN)/python -m bench.jq

fuzz-tools: $(READY)  ## random command lines beside GNU's tools
	@$(BIN)/python -m fuzz.tools

fuzz-journal: $(READY)  ## damaged journal files
	@$(BIN)/python -m fuzz.journal

clean:  ## remove what was built
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage
