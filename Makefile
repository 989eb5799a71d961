# Poolwright. `make demo` and `make test` need nothing but a Rust toolchain and Debian 12 or 13; they
# install the rest themselves (scripts/install says what it does first).
#
# Everything is built in the release profile: what is shared is compiled once.

CARGO    ?= cargo
ENGINES  := $(patsubst .engines/tree-%/complete,.engines/poolfs-%,$(wildcard .engines/tree-*/complete))
SOURCES  := $(shell find crates/openzfs crates/poolfs crates/drives crates/lab profiles -name '*.rs' -o -name '*.c' -o -name '*.h' -o -name '*.toml' -o -name '*.txt' 2>/dev/null) Cargo.lock
BIN      := target/release/poolwright

.NOTPARALLEL:
.PHONY: demo test engine bench labs lint install help fsx

help:
	@echo 'make demo    install what is missing, build, run the demo lab, say where its report is'
	@echo 'make test    the same set-up, then every test'
	@echo 'make engine  only the scale model'"'"'s engines (.engines/poolfs-2.1, poolfs-2.3)'
	@echo 'make labs    every lab in full (hours)'
	@echo 'make bench   the figures of docs/performance.md'
	@echo 'make fsx     the file system exerciser for an hour (SECONDS=300 for less)'
	@echo 'make lint    format, clippy, documentation'

demo: engine
	$(CARGO) build --release -p poolwright
	$(BIN) run demo $$([ -x .engines/poolfs-2.1 ] || echo --openzfs 2.3)

install:
	@scripts/install $(INSTALL_FLAGS)

# The list of engines is known only after the installation: a second make reads it anew.
engine: install
	@$(MAKE) --no-print-directory engines-installed

.PHONY: engines-installed
engines-installed: $(ENGINES)

.engines/poolfs-%: .engines/tree-%/complete $(SOURCES)
	POOLWRIGHT_OPENZFS=$(CURDIR)/.engines/tree-$*/usr $(CARGO) build --release -p poolfs --features engine --bin poolfs
	cp target/release/poolfs $@.new && mv $@.new $@

# The file system exerciser, for the dataset's tests.
.engines/fsx/bin/fsx:
	$(CARGO) install --quiet --locked fsx --version 0.3.2 --root .engines/fsx --target-dir target/fsx

test: INSTALL_FLAGS += --browser
test: engine .engines/fsx/bin/fsx
	$(CARGO) build --release -p poolwright
	$(CARGO) test --release --workspace
	@if [ -d .engines/tree-2.1 ]; then \
	  echo "three labs in short form"; \
	  $(CARGO) test --release -p poolwright --test labs -- --ignored --test-threads 1 || exit 1; \
	fi
	@for tree in .engines/tree-*/usr; do \
	  echo "engine tests on $$tree"; \
	  POOLWRIGHT_OPENZFS=$(CURDIR)/$$tree $(CARGO) test --release -p openzfs -p poolfs --features openzfs/engine,poolfs/engine || exit 1; \
	done

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings
	@for tree in .engines/tree-*/usr; do \
	  POOLWRIGHT_OPENZFS=$(CURDIR)/$$tree $(CARGO) clippy --release -p openzfs -p poolfs --features openzfs/engine,poolfs/engine --all-targets -- -D warnings || exit 1; \
	done
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --release --workspace --no-deps

bench: engine
	$(CARGO) build --release -p poolwright
	scripts/bench

fsx: engine .engines/fsx/bin/fsx
	$(CARGO) build --release -p poolwright
	scripts/fsx $(or $(SECONDS),3600)

labs: engine
	$(CARGO) build --release -p poolwright
	@for lab in labs/*.toml; do $(BIN) run $$lab || [ $$? -eq 1 ] || exit 1; done
