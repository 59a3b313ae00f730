# Every target works from a clean clone: it makes its own .venv, and uses it again the next time.

PYTHON ?= python3
MINUTES ?= 10
ifndef SEED
SEED := $(shell date +%s)
endif

VENV := .venv
# `-m` throughout: it does not put a script's own directory, and so `benchmarks/profile.py`, before the standard library.
RUN := $(VENV)/bin/python -m
# The stamps lie inside the environment, so they go with it. The name of PYTHON is part of theirs: another
# PYTHON gets an environment of its own making, not the one that happens to be there.
READY := $(VENV)/.ready$(subst /,-,$(PYTHON))
READY_BENCH := $(READY)-bench

# An environment that does not start (its Python was upgraded or removed) is made again.
ifneq ($(shell $(VENV)/bin/python -c 'print("starts")' 2>/dev/null),starts)
$(READY): remake
endif

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-lowest coverage bench profile soak conformance mutants clean remake

help:
	@echo "fakestore: the targets of this Makefile"
	@echo "  make demo         run the example application against the fake, then its tests"
	@echo "  make test         lint, types, layers, conformance, and all tests in random order"
	@echo "  make test-lowest  run all tests with the lowest versions of the dependencies"
	@echo "  make coverage     run the tests with branch coverage and report what they miss"
	@echo "  make conformance  write docs/conformance.md from the tests' markers"
	@echo "  make soak         longer random runs (MINUTES=10 SEED=1 to choose)"
	@echo "  make mutants      mutation run over the model and the operations"
	@echo "  make bench        measure fakestore beside a bare callback and moto"
	@echo "  make profile      show where the time of a request goes"
	@echo "  make clean        remove .venv, caches and reports"
	@echo "Each makes .venv when it needs one; PYTHON=python3.12 chooses its Python (3.11 or later)."

$(READY): pyproject.toml
	@echo "Making $(VENV) with $(PYTHON) and installing fakestore and its development tools (once; takes a minute)"
	@command -v "$(PYTHON)" >/dev/null || { \
	    echo "There is no '$(PYTHON)' here. Install Python 3.11 or later, or name one: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "fakestore needs Python 3.11 or later, and '$(PYTHON)' is $$("$(PYTHON)" --version 2>&1)." \
	         "Name a newer one: make PYTHON=python3.11" >&2; exit 1; }
	"$(PYTHON)" -m venv --clear $(VENV)
	$(RUN) pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

$(READY_BENCH): $(READY)
	@echo "Installing what fakestore is measured against (once)"
	$(RUN) pip install --quiet --disable-pip-version-check -e '.[bench]'
	@touch $@

demo: $(READY)
	@echo "Running the photo backup on this repository's own files, then the example's tests"
	$(RUN) examples.photo_backup.demo
	$(RUN) pytest examples/

test: $(READY)
	@echo "Checking lint, format, types, layers and conformance, then running all tests in random order"
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(VENV)/bin/python $(VENV)/bin/lint-imports
	$(RUN) tests.conformance --check
	$(RUN) pytest -n auto

# In an environment of its own, made anew each time: pip does not go back to a lower version by itself.
test-lowest:
	@echo "Making $(VENV)-lowest with the lowest versions of the dependencies, then running all tests"
	"$(PYTHON)" -m venv --clear $(VENV)-lowest
	"$(PYTHON)" tests/lowest.py > $(VENV)-lowest/constraints.txt
	$(VENV)-lowest/bin/python -m pip install --quiet --disable-pip-version-check \
	    --constraint $(VENV)-lowest/constraints.txt -e '.[dev]'
	$(VENV)-lowest/bin/python -m pytest -n auto

# pytest imports the plugin before pytest-cov could start measuring, hence `coverage run`.
coverage: $(READY)
	@echo "Running all tests in one process with branch coverage, then reporting what they miss"
	$(RUN) coverage run -m pytest
	$(RUN) coverage report

bench: $(READY_BENCH)
	@echo "Measuring fakestore beside a bare callback and moto"
	$(RUN) benchmarks.bench

profile: $(READY)
	@echo "Profiling where the time of a request goes"
	$(RUN) benchmarks.profile

soak: $(READY)
	@echo "Soaking for $(MINUTES) minutes with seed $(SEED) (again: make soak SEED=$(SEED) MINUTES=$(MINUTES))"
	$(RUN) tests.soak --seed $(SEED) --minutes $(MINUTES)

conformance: $(READY)
	@echo "Writing docs/conformance.md from the tests' markers"
	$(RUN) tests.conformance

mutants: $(READY)
	@echo "Running mutants of the model and the operations against the tests"
	$(RUN) tests.mutants

clean:
	@echo "Removing $(VENV), caches and reports"
	rm -rf $(VENV) $(VENV)-lowest dist htmlcov .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
