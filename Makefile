# Everything a person types here. `make help` lists it.
#
# Needs Python 3.11 or newer, make and git, nothing else: what is missing goes into .venv.

VENV ?= .venv
PORT ?= 8501
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
CANDIDATES := $(PYTHON) python3.11 python3 python3.12 python3.13 python3.14
CORES := $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); echo $$((n < 4 ? n : 4)))
# A file to a process, each with one thread for linear algebra; the browser's journeys last.
PYTEST = OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --dist loadfile --durations 10
BROWSER = path=$$($(BIN)/python tests/browser/install.py) && export CHROMIUM_PATH="$$path"
JOURNEYS = -n $(CORES) --no-loadscope-reorder -m browser

.DEFAULT_GOAL := help
.PHONY: run test test-all golden lint format bench fuzz docs figures lock clean help

run: $(VENV)/.run ## open the dashboard on localhost:8501 (PORT=... for another port)
	$(BIN)/streamlit run app.py --server.address localhost --server.port $(PORT) \
		--server.allowedHosts localhost --server.allowedHosts 127.0.0.1

test: lint ## format, lint, types, then the short suite, a real browser included
	$(PYTEST) -n $(CORES) -m "not browser"
	@$(BROWSER); $(PYTEST) $(JOURNEYS)

test-all: lint $(VENV)/.long ## everything: also what takes long or needs further packages
	$(PYTEST) --long -n $(CORES) -m "not browser"
	@$(BROWSER); $(PYTEST) --long $(JOURNEYS)
	$(MAKE) docs

lint: $(VENV)/.dev ## what CI checks before it tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/.dev ## rewrite the code as `make lint` wants it
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.run ## print every benchmark's ratios (LINCORE_DATA names the folder of real data)
	@for file in $(filter-out %/common.py %/visitors.py %/coverage.py %/executors.py \
		%/coverage_designs.py %/coverage_of_differences.py %/coverage_table.py %/scale.py,$(wildcard benchmarks/*.py)); do \
		echo "== $$file"; PYTHONPATH=. $(BIN)/python "$$file" || exit 1; \
	done

fuzz: $(VENV)/.dev $(VENV)/.long ## read thousands of damaged files of each kind: ten minutes
	$(BIN)/python -m pytest -q --hypothesis-profile fuzz -n $(CORES) --long tests/long/test_damaged_files.py

docs: $(VENV)/.docs ## build the site of docs/ in build/site
	$(BIN)/python -m sphinx -b html -W --keep-going -q docs build/site
	@echo "Open build/site/index.html"

figures: $(VENV)/.dev $(VENV)/.docs ## draw the figures of docs/ anew
	@$(BROWSER); $(BIN)/python docs/make_figures.py

golden: $(VENV)/.dev ## record the golden values anew, and print what differs (LINCORE_DATA as for bench)
	$(BIN)/python -m tests.golden.record
	$(BIN)/python -m pages.ui.start.finished_example

lock: $(VENV)/.run ## write the newest versions that requirements.txt allows to requirements.lock
	@$(PIP) install uv
	@head=$$(grep '^#' requirements.lock | head -2); \
	$(BIN)/uv pip compile requirements.txt --python-version 3.11 --universal --generate-hashes \
		--no-header --upgrade --quiet --output-file requirements.lock >/dev/null && \
	printf '%s\n%s\n' "$$head" "$$(cat requirements.lock)" > requirements.lock

clean: ## remove what was built, the environment included
	rm -rf $(VENV) artefacts build dist docs/api *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# An environment counts as made when pip is in it, and as filled when its stamp is newer than the
# requirements; the environment itself is order-only, for its folder changes all the time.
$(VENV)/.run: requirements.txt | $(BIN)/pip
	@echo "Installing requirements.txt into $(VENV) (a minute or two the first time)"
	@$(PIP) install -r requirements.txt
	@$(PIP) install --no-deps --editable .
	@touch $@

$(VENV)/.dev $(VENV)/.docs $(VENV)/.long: $(VENV)/.%: requirements-%.txt $(VENV)/.run
	@echo "Installing requirements-$*.txt into $(VENV)"
	@$(PIP) install -r requirements-$*.txt
	@touch $@

$(BIN)/pip:
	@for python in $(CANDIDATES); do \
		"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
		"$$python" -c 'import venv, ensurepip' 2>/dev/null || { unable=$$python; continue; }; \
		echo "Making $(VENV) with $$("$$python" --version)"; \
		exec "$$python" -m venv --clear $(VENV); \
	done; \
	if [ -n "$$unable" ]; then \
		echo "$$unable cannot make a virtual environment: it lacks ensurepip."; \
		echo "On Debian and Ubuntu: apt-get install python3-venv"; \
	else \
		echo "lincore needs Python 3.11 or newer; python3 here: $$(python3 --version 2>/dev/null || echo none)."; \
		echo "If one is installed elsewhere: make PYTHON=/path/to/python3.11 ..."; \
	fi >&2; \
	exit 1
