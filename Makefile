# `make run` and `make test` need nothing but Python 3.11 or newer.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: run test conformance contract format clean

run: $(VENV)/.installed
	@exec $(BIN)/memory-bank serve

test: $(VENV)/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest --numprocesses 3 --dist loadfile

# needs npm; SUITE is a version of @modelcontextprotocol/conformance
SUITE ?= 0.1.16
conformance: $(VENV)/.installed
	@$(BIN)/python -m conformance.protocol --suite $(SUITE)

contract: $(VENV)/.installed-contract
	@$(BIN)/python -m conformance.contract

format: $(VENV)/.installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; name one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python pyproject.toml constraints.txt
	@echo "Installing Memory Bank into $(VENV); this takes a few minutes, once."
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

$(VENV)/.installed-contract: $(VENV)/.installed
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[contract]'
	@touch $@
