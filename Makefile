# Each target does all of its own set-up on a fresh machine; only Python 3.11 or later is expected.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Tiny models on shared cores run several times slower with a thread a core.
export OMP_NUM_THREADS ?= 1
export HF_HUB_OFFLINE ?= 1
# Where it is set, each process that a test starts compiles the package anew.
unexport PYTHONDONTWRITEBYTECODE
# With --no-compile, Python compiles only what it imports.
COMPILE ?= --compile

.PHONY: demo demo-real demo-train demo-loop site test test-all test-flink flink-parts java lint lock sandbox system clean

demo: $(VENV)/installed sandbox
	@$(BIN)/questloom demo --out demo

# Ten minutes on a CPU: a tiny policy learns to look, search and answer.
demo-train: $(VENV)/installed
	@$(BIN)/questloom demo-train --out demo-train

# Gathers from services on loopback as from the live ones, then ingest and synth. SLICE=FOLDER serves real claims in place of the fictional world.
demo-real: $(VENV)/installed
	@$(BIN)/python -m benchmarks.demo_real --out demo-real $(if $(SLICE),--slice $(SLICE))

# Less than twenty minutes on a CPU: three rounds of the closed loop with a tiny policy.
demo-loop: $(VENV)/installed
	@$(BIN)/questloom demo-loop --out demo-loop

# The documentation as a site that opens from build/site/index.html; a warning, such as a dead link, fails it.
site: $(VENV)/installed
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet && echo "build/site/index.html"

# SKIPS=FILE tells all skipped tests and fails on one whose reason no line of the file allows.
SKIPS ?=
PYTEST := $(BIN)/python -m pytest --durations 15 $(if $(SKIPS),-p tests.skips --allowed-skips $(SKIPS))

test: lint system
	$(PYTEST) -m "not slow and not flink" -n 2 --dist loadfile

test-all: lint system java
	$(PYTEST) -m "not flink" -n 2 --dist loadfile
	@if $(BIN)/python -m deploy.flink.cluster check; then $(MAKE) test-flink FLINK=flink; else echo "so the tests on a Flink cluster are left out"; fi

# On a real Flink cluster, started for it: needs Java 17 and Maven, 8 GB of memory, and fetches 600 MB once. FLINK="flink" adds the table of faults.
FLINK ?= flink and not slow
test-flink: flink-parts system
	$(PYTEST) tests/deploy -m "$(FLINK)"

flink-parts: $(VENV)/installed java
	$(BIN)/python -m deploy.flink.cluster fetch

java:
	@{ command -v java && command -v mvn; } >/dev/null \
	|| { [ "$$(id -u)" = 0 ] && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq default-jdk-headless maven >/dev/null; } \
	|| echo "Java 17 or Maven is missing and cannot be installed here"

lint: $(VENV)/installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/mypy

# What confines a policy's code. Without it the demo runs another recipe and says so; the tests that need it are skipped, and say so.
sandbox:
	@{ command -v bwrap && $(PYTHON) -c "import ctypes; ctypes.CDLL('libseccomp.so.2')"; } >/dev/null 2>&1 \
	|| { [ "$$(id -u)" = 0 ] && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq bubblewrap libseccomp2 >/dev/null; } \
	|| echo "bubblewrap or libseccomp is missing and cannot be installed here"

# Servers and the browser that some tests start, too.
system: sandbox
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null 2>&1 \
	|| { [ "$$(id -u)" = 0 ] && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; } \
	|| echo "Chromium is missing and cannot be installed here: the tests of pages in a browser are skipped"
	@command -v redis-server >/dev/null 2>&1 \
	|| { [ "$$(id -u)" = 0 ] && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq redis-server >/dev/null; } \
	|| echo "redis-server is missing and cannot be installed here: the tests that need it are skipped"

$(VENV)/installed: setup.py constraints.txt
	@echo "Installing Questloom and what it needs into $(VENV), most of it PyTorch: about 100 s with a fast connection, 8 GB of disk; pip says nothing meanwhile"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --upgrade pip
	@$(BIN)/pip install --quiet $(COMPILE) --editable ".[dev,docs]" --constraint constraints.txt
	@touch $@

# The newest versions of everything, in an environment made for it; run `make test-all` with them before you commit them.
lock:
	rm -rf build/lock && $(PYTHON) -m venv build/lock && build/lock/bin/pip install --quiet --editable ".[dev,docs]"
	@{ head -1 constraints.txt; build/lock/bin/pip freeze --exclude-editable | grep -viE "^(pip|setuptools|wheel)=="; } > build/constraints.txt
	mv build/constraints.txt constraints.txt

clean:
	rm -rf $(VENV) demo demo-train demo-loop build *.egg-info .pytest_cache .mypy_cache .ruff_cache
