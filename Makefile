# Every target works in a fresh clone. It creates .venv when it needs it, and uses it again the next time.

PYTHON ?= python3
MINUTES ?= 10
ifndef SEED
SEED := $(shell date +%s)
endif

VENV := .venv
# All programs run with `-m`. A script's own directory would come before the standard library, and then
# benchmarks/profile.py would hide the module `profile`.
RUN := $(VENV)/bin/python -m
# Compiled modules stay in the environment. Without them, each process that a test starts compiles fakestore again, and
# pytest rewrites the assertions of all tests.
export PYTHONPYCACHEPREFIX := $(CURDIR)/$(VENV)/pycache
unexport PYTHONDONTWRITEBYTECODE
# Stamp files are kept inside .venv. Their names contain $(PYTHON), so changing PYTHON creates the environment again.
READY := $(VENV)/.ready$(subst /,-,$(PYTHON))
READY_BENCH := $(READY)-bench
READY_DOCS := $(READY)-docs
READY_DIST := $(READY)-dist

# If the Python of the environment does not start, because it was upgraded or removed, create the environment again.
ifneq ($(shell $(VENV)/bin/python -c 'print("starts")' 2>/dev/null),starts)
$(READY): remake
endif

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test check-types run-tests test-lowest coverage docs dist bench profile soak clean remake

help:
	@echo "Targets:"
	@echo "  make demo         run the photo backup against fakestore, then the tests of all examples"
	@echo "  make test         run lint, types, layers, conformance, and all tests in random order"
	@echo "  make test-lowest  run all tests with the lowest versions of the dependencies"
	@echo "  make coverage     run the tests with branch coverage, and report the lines that they miss"
	@echo "  make docs         build the documentation site in dist/site"
	@echo "  make dist         build the packages, and check them in empty environments"
	@echo "  make soak         run the random tests for longer (options: MINUTES=10 SEED=1)"
	@echo "  make bench        compare fakestore with a bare callback and moto, on a machine that does nothing else"
	@echo "  make profile      show the functions in which a request spends its time"
	@echo "  make clean        remove .venv, caches and reports"
	@echo "A target creates .venv if it needs it. To use another Python (3.11 or later): make PYTHON=python3.12 test"

$(READY): pyproject.toml
	@echo "Creating $(VENV) with $(PYTHON), and installing fakestore and its development tools (once, about a minute)"
	@command -v "$(PYTHON)" >/dev/null || { \
	    echo "'$(PYTHON)' was not found. Install Python 3.11 or later, or name one: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "'$(PYTHON)' is $$("$(PYTHON)" --version 2>&1), but fakestore needs Python 3.11 or later." \
	         "Name another one: make PYTHON=python3.11" >&2; exit 1; }
	@test ! -L $(VENV) || { \
	    echo "'$(VENV)' is a link, and creating it would empty the environment that it leads to. Remove the link." >&2; exit 1; }
	"$(PYTHON)" -m venv --clear $(VENV)
	$(RUN) pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

$(READY_BENCH): $(READY)
	@echo "Installing moto and pyperf, for the comparison (once)"
	$(RUN) pip install --quiet --disable-pip-version-check -e '.[bench]'
	@touch $@

$(READY_DOCS): $(READY)
	@echo "Installing mkdocs, for the documentation site (once)"
	$(RUN) pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@

$(READY_DIST): $(READY)
	@echo "Installing build, for the packages (once)"
	$(RUN) pip install --quiet --disable-pip-version-check -e '.[dist]'
	@touch $@

demo: $(READY)
	@echo "Running the photo backup on the files of this repository, then its tests and those of the other examples"
	$(RUN) examples.photo_backup.demo
	$(RUN) pytest examples/

test: $(READY)
	@echo "Checking lint, format, layers, conformance and types, and running all tests in random order"
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(VENV)/bin/python $(VENV)/bin/lint-imports
	$(RUN) tests.conformance
	$(MAKE) --jobs=2 check-types run-tests

# Without its cache, mypy takes ten seconds. The tests do not wait for it.
check-types: $(READY)
	$(RUN) mypy

run-tests: $(READY)
	$(RUN) pytest -n auto

# It has an environment of its own, which is created each time: pip does not install a lower version over a higher one.
# aioboto3 is only tested here, because its newest version does not accept the newest aiobotocore.
test-lowest:
	@echo "Creating $(VENV)-lowest with the lowest versions of the dependencies, then running all tests"
	"$(PYTHON)" -m venv --clear $(VENV)-lowest
	"$(PYTHON)" tests/lowest.py > $(VENV)-lowest/constraints.txt
	$(VENV)-lowest/bin/python -m pip install --quiet --disable-pip-version-check \
	    --constraint $(VENV)-lowest/constraints.txt -e '.[dev]' aioboto3
	$(VENV)-lowest/bin/python -m pytest -n auto

# `coverage run` is needed because pytest imports the plugin before pytest-cov starts measuring.
coverage: $(READY)
	@echo "Running all tests in one process with branch coverage, then reporting the lines that they miss"
	$(RUN) coverage run -m pytest
	$(RUN) coverage report

# The variable keeps the theme from printing an advertisement.
docs: $(READY_DOCS)
	@echo "Writing the generated documents, then building the site"
	$(RUN) docs.generate
	$(RUN) tests.conformance --write
	$(RUN) tests.facts.report
	NO_MKDOCS_2_WARNING=1 $(RUN) mkdocs build --quiet
	$(RUN) docs.generate.check_site dist/site
	@echo "The site is in dist/site/index.html"

dist: $(READY_DIST)
	@echo "Building the packages in dist/packages, then installing each in an empty environment"
	rm -rf dist/packages
	$(RUN) build --outdir dist/packages
	$(RUN) tests.dist dist/packages

bench: $(READY_BENCH)
	@$(RUN) benchmarks.bench
	$(RUN) benchmarks.behaviour

profile: $(READY)
	@echo "Profiling requests"
	$(RUN) benchmarks.profile

soak: $(READY)
	@echo "Running the random tests for $(MINUTES) minutes with seed $(SEED) (to repeat: make soak SEED=$(SEED) MINUTES=$(MINUTES))"
	$(RUN) tests.soak --seed $(SEED) --minutes $(MINUTES)

clean:
	@echo "Removing $(VENV), caches and reports"
	rm -rf $(VENV) $(VENV)-lowest dist htmlcov .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
