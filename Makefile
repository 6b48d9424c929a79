# Every task of the project. CI runs the same recipes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Read by maturin and cargo.
export VIRTUAL_ENV := $(abspath $(VENV))

TWO_TASKS = $(MAKE) --no-print-directory --jobs=2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

# cargo counts its own jobs: of the two of `make test` it would be given one.
CARGO := env -u MAKEFLAGS -u MFLAGS cargo
MATURIN := env -u MAKEFLAGS -u MFLAGS $(BIN)/maturin

.DEFAULT_GOAL := help
.PHONY: help demo build test test-rust test-python test-wheel lint types format bench bench-growth bench-spark bench-terminology bench-serve bench-frames bench-page bench-spacy bench-words bench-store faults fuzz lock clean toolchain

help: ## List the tasks
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-17s %s\n", $$1, $$2}'

demo: build ## Set up, build, and show both questions with their answers
	@$(BIN)/termnest demo

build: $(VENV)/build ## Set up and build the package into .venv
	@echo "building the native core (about a minute the first time)"
	@$(MATURIN) develop --release --quiet > $(VENV)/build.log 2>&1 || { cat $(VENV)/build.log >&2; exit 1; }

# pip, mypy and the end of each compilation use one core, so two tasks run at the same time. The tests
# of the package use all cores.
test: toolchain ## Set up, and run every check and test
	+@$(TWO_TASKS) $(VENV)/test test-rust
	+@$(TWO_TASKS) lint types test-wheel
	@$(MAKE) --no-print-directory test-python

test-rust: toolchain ## Run the tests of the core, without Python
	$(CARGO) test --quiet

test-python: $(VENV)/test build ## Run the tests of the package
	$(BIN)/python -m pytest --quiet --numprocesses auto --dist loadfile --no-loadscope-reorder

test-wheel: build ## Test the wheel in an environment of its own, without extras
	rm -rf target/wheel-test
	$(MATURIN) build --release --quiet --out target/wheel-test
	$(PYTHON) -m venv target/wheel-test/venv
	target/wheel-test/venv/bin/pip install --quiet --disable-pip-version-check target/wheel-test/*.whl
	cd target/wheel-test && venv/bin/termnest --help > help.txt
	cd target/wheel-test && venv/bin/python -m termnest --version
	cd target/wheel-test && venv/bin/python -c \
	  'import termnest; assert termnest.TermIndex(["a", "a b"]).super_terms("a") == ["a b"]'

lint: $(VENV)/test toolchain ## Run the linters
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	cargo fmt --check
	$(CARGO) clippy --quiet --all-targets -- -D warnings
	PYO3_PYTHON=$(abspath $(BIN)/python) $(CARGO) clippy --quiet --all-targets --features python -- -D warnings

types: $(VENV)/test build ## Run the type checkers
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest termnest._core

format: $(VENV)/test toolchain ## Format all code
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format .
	cargo fmt

bench: $(VENV)/bench target/jate/done build ## Compare termnest with its peers: VOCABULARY=, SEPARATOR=, TEXT=
	$(BIN)/python benchmarks/run.py $(if $(VOCABULARY),'$(VOCABULARY)') \
	  $(if $(SEPARATOR),--separator '$(SEPARATOR)') $(if $(TEXT),--text '$(TEXT)') $(BENCH)

bench-growth: $(VENV)/bench build ## Measure cost by size, up to ten million terms
	$(BIN)/python benchmarks/growth.py $(BENCH)

bench-spark: $(VENV)/bench build ## Compare all pairs on Spark with Spark's own join: VOCABULARY=, SEPARATOR=; needs Java 17
	$(if $(VOCABULARY),$(BIN)/python benchmarks/spark.py race --vocabulary '$(VOCABULARY)' \
	  $(if $(SEPARATOR),--separator '$(SEPARATOR)'))
	$(BIN)/python benchmarks/spark.py skew
	$(BIN)/python benchmarks/spark.py growth

bench-terminology: $(VENV)/bench target/jate/done build ## Measure extraction and scores: TEXT=, COUNTS=, VOCABULARY=, SEPARATOR=
	$(BIN)/python benchmarks/terminology.py $(if $(TEXT),--text '$(TEXT)') $(if $(COUNTS),--counts '$(COUNTS)' --weight-column 1) \
	  $(if $(VOCABULARY),--vocabulary '$(VOCABULARY)') $(if $(SEPARATOR),--separator '$(SEPARATOR)') $(BENCH)

bench-frames: $(VENV)/bench build ## Compare terms in many texts with polars and ahocorasick_rs: TEXT=, VOCABULARY=, SEPARATOR=, COUNTS=
	$(BIN)/python benchmarks/frames.py $(if $(TEXT),--text '$(TEXT)') $(if $(VOCABULARY),--vocabulary '$(VOCABULARY)') \
	  $(if $(SEPARATOR),--separator '$(SEPARATOR)') $(if $(COUNTS),--counts '$(COUNTS)') $(BENCH)

bench-serve: $(VENV)/test build ## Measure the server under load: VOCABULARY=, SEPARATOR=
	$(BIN)/python benchmarks/serve.py $(if $(VOCABULARY),'$(VOCABULARY)') \
	  $(if $(SEPARATOR),--separator '$(SEPARATOR)') $(BENCH)

bench-spacy: $(VENV)/test build ## Compare the spaCy component with PhraseMatcher: VOCABULARY=, SEPARATOR=, TEXT=
	$(BIN)/python benchmarks/spacy_component.py $(if $(VOCABULARY),'$(VOCABULARY)') \
	  $(if $(SEPARATOR),--separator '$(SEPARATOR)') $(if $(TEXT),--text '$(TEXT)') $(BENCH)

bench-page: $(VENV)/test build ## Measure the page in Chromium, from key press to list: VOCABULARY=, SEPARATOR=
	$(BIN)/python benchmarks/page.py '$(VOCABULARY)' $(if $(SEPARATOR),--separator '$(SEPARATOR)') $(BENCH)

bench-words: $(VENV)/bench build ## Measure folding and stems, matches beside flashtext: VOCABULARY=, SEPARATOR=, TEXT=, GAZETTEER=
	$(BIN)/python benchmarks/words.py '$(VOCABULARY)' $(if $(SEPARATOR),--separator '$(SEPARATOR)') \
	  $(if $(TEXT),--text '$(TEXT)') $(if $(GAZETTEER),--gazetteer '$(GAZETTEER)') $(BENCH)

bench-store: $(VENV)/bench build ## Measure a store: commits, questions on four segments: VOCABULARY=, SEPARATOR=
	$(BIN)/python benchmarks/store.py '$(VOCABULARY)' $(if $(SEPARATOR),--separator '$(SEPARATOR)') $(BENCH)

# How much of each kind, and where the counts are written.
FAULTS := TERMNEST_FAULT_SEEDS=10000 TERMNEST_FAULT_TRIALS=5000 TERMNEST_STORE_STEPS=100000 TERMNEST_STORE_READERS=8 \
  TERMNEST_STORE_COMMITS=1000
# A command with its output in a file.
KEPT = $(1) > target/faults/$(2) 2>&1 || { cat target/faults/$(2); exit 1; }; cat target/faults/$(2)
faults: $(VENV)/test build toolchain ## Kill, refuse, lose power and flip bytes, for an hour: stores and files
	mkdir -p target/faults
	$(call KEPT,$(FAULTS) $(CARGO) test --quiet --release --test engine -- --nocapture --test-threads=1 \
	  kills:: power_loss:: store:: damage::,core.txt)
	$(call KEPT,$(FAULTS) $(BIN)/python -m pytest -q -s tests/stores,package.txt)
	$(call KEPT,$(MAKE) --no-print-directory fuzz,fuzz.txt)
	@(date -u '+%Y-%m-%d'; grep -hoE '[0-9].*, 0 (violations|mixed answers)|stat::number_of_executed_units.*' \
	  target/faults/*.txt) > target/faults/record.txt; cat target/faults/record.txt

# What `cargo fuzz build --sanitizer none` passes: coverage works on the stable compiler, sanitizers do not.
COVERAGE := --cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Ccodegen-units=1 \
  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table
FUZZ_SECONDS := 60
HOST := $(shell rustc -vV 2> /dev/null | sed -n 's/^host: //p')
fuzz: build ## Feed mutated files to the readers of indexes and vocabularies: FUZZ_SECONDS= for each
	$(BIN)/python fuzz/seeds.py
	RUSTFLAGS='$(COVERAGE)' $(CARGO) build --quiet --release --manifest-path fuzz/Cargo.toml --target $(HOST)
	for target in index vocabulary; do \
	  mkdir -p fuzz/artifacts && fuzz/target/$(HOST)/release/$$target fuzz/corpus/$$target -max_total_time=$(FUZZ_SECONDS) \
	    -timeout=1 -rss_limit_mb=1024 -artifact_prefix=fuzz/artifacts/ -print_final_stats=1 -verbosity=0 || exit 1; done

lock: $(VENV)/build ## Pin the newest versions of the packages for tests and benchmarks
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --group test pyproject.toml \
	  --custom-compile-command 'make lock' -o requirements-test.txt
	# Tests and benchmarks share an environment, so the benchmarks take the versions of the tests.
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --group bench \
	  --constraint requirements-test.txt --custom-compile-command 'make lock' -o requirements-bench.txt
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --group bench-jate \
	  --custom-compile-command 'make lock' -o benchmarks/requirements-jate.txt

clean: ## Remove everything that was built
	rm -rf $(VENV) target python/termnest/_core*.so

toolchain:
	@command -v cargo > /dev/null || { echo "termnest needs a Rust toolchain, and cargo was not found: install Rust 1.89 or newer (rustup.rs, or your system's packages), then run make again." >&2; exit 1; }
	@command -v $(PYTHON) > /dev/null || { echo "termnest needs Python 3.11 or newer, and $(PYTHON) was not found: install it, or run make PYTHON=/path/to/python3." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "termnest needs Python 3.11 or newer, and $(PYTHON) is older: run make PYTHON=/path/to/python3.11 or newer." >&2; exit 1; }

# The packages for a build, and those for the tests; requirements-test.txt pins both.
$(VENV)/build: requirements-test.txt | toolchain
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint requirements-test.txt maturin click
	@touch $@

$(VENV)/test: requirements-test.txt $(VENV)/build
	$(BIN)/pip install --quiet --disable-pip-version-check --requirement requirements-test.txt
	@touch $@

$(VENV)/bench: requirements-bench.txt $(VENV)/build
	$(BIN)/pip install --quiet --disable-pip-version-check --requirement requirements-bench.txt
	@touch $@

# JATE and PyATE need an older pandas than the tests.
target/jate/done: benchmarks/requirements-jate.txt | toolchain
	$(PYTHON) -m venv target/jate
	target/jate/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@
