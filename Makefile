# Each target does all of its own set-up on a fresh machine; only Python 3.11 or later is expected.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Tiny models on shared cores run several times slower with a thread a core.
export OMP_NUM_THREADS ?= 1
export HF_HUB_OFFLINE ?= 1

.PHONY: demo test test-all lint clean

demo: $(VENV)/installed
	$(BIN)/questloom demo --out demo

test: lint
	$(BIN)/python -m pytest -m "not slow" -n 2 --dist loadfile

test-all: lint
	$(BIN)/python -m pytest -n 2 --dist loadfile

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/mypy records calls knowledge models prompts transforms pipeline

$(VENV)/installed: setup.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) demo build *.egg-info .pytest_cache .mypy_cache .ruff_cache
