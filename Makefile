# Needs Python 3.11 or newer with venv; `make PYTHON=python3.12 ...` takes another one.
PYTHON ?= python3
BIN = .venv/bin
.DEFAULT_GOAL := help
.PHONY: help serve test lint lock bench
.NOTPARALLEL:

help:
	@echo 'make serve   set up and open the desk in the browser'
	@echo 'make test    set up and run every test, on SQLite, and in a browser, with Redis and on PostgreSQL where these are installed'
	@echo 'make lint    style, types and floors'
	@echo 'make bench   run the benchmarks in tests/bench'
	@echo 'make lock    write requirements.lock and constraints.txt anew (UPGRADE=--upgrade takes newer versions)'

serve: .venv/ready
	@$(BIN)/trustmem serve

# What needs no second database to be seen in is left out on PostgreSQL by tests/conftest.py.
test: .venv/ready-test
	$(BIN)/pytest -n auto
	@.ci/with-browser $(BIN)/pytest -n auto tests/e2e
	@.ci/with-redis $(BIN)/pytest -n 2 tests/redis
	@.ci/with-postgres $(BIN)/pytest -n auto
	@.ci/with-redis .ci/with-postgres $(BIN)/pytest -n 2 tests/redis
	@.ci/with-pgvector $(BIN)/pytest tests/pgvector

lint: .venv/ready-test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/ready-test
	@for each in tests/bench/bench_*.py; do echo "== $$each"; $(BIN)/python $$each || exit 1; done

lock: $(BIN)/uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --all-extras --generate-hashes $(UPGRADE) \
		--custom-compile-command 'make lock' pyproject.toml --output-file requirements.lock
	sed -n 's/^\([a-z].*[^ ]\) \\$$/\1/p' requirements.lock > constraints.txt

# The two stamps are written last. Without .venv/ready a set-up was never finished: it starts from nothing.
define install
	@test -e .venv/ready || { $(PYTHON) -c "$$check" && echo 'Making .venv anew ...' && rm -rf .venv && $(PYTHON) -m venv .venv; }
	@rm -f .venv/ready .venv/ready-test
	@echo 'Installing into .venv ...'
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable $(1)
	@touch .venv/ready
endef

define check
import sys
if sys.version_info < (3, 11):
    sys.exit('trustmem needs Python 3.11 or newer, and this is %d.%d: try make PYTHON=python3.12' % sys.version_info[:2])
endef
export check

.venv/ready: pyproject.toml constraints.txt
	$(call install,.)

.venv/ready-test: pyproject.toml constraints.txt
	$(call install,'.[test]')
	@touch $@

$(BIN)/uv:
	@$(MAKE) .venv/ready-test
