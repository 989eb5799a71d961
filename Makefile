# Poolwright. `make demo` and `make test` need a Rust toolchain and Debian 12 or 13; they install the rest
# themselves (scripts/install says what it does first). Elsewhere: see the head of linux/build.

# Without make's job server, which cargo's children cannot reach.
CARGO ?= env -u MAKEFLAGS -u MAKELEVEL cargo
BIN   := target/release/poolwright

# The engine and the program are built side by side.
MAKEFLAGS += -j2
.PHONY: help demo test install engine build bench labs lint pure audit

help:
	@echo 'make demo    install what is missing, build, run the demo lab, print where its report is'
	@echo 'make test    the same preparation, then every test'
	@echo 'make engine  only the machine'"'"'s engine, kept in the user'"'"'s cache directory'
	@echo 'make labs    every lab in full'
	@echo 'make bench   the figures of docs/performance.md'
	@echo 'make lint    format, clippy, documentation, one build for program and tests, unused dependencies, purity of the pure crates'
	@echo 'make audit   licences, sources and security advisories of dependencies'

# The demo needs one release of OpenZFS; `make engine` and `make test` add the others.
demo: ENGINE_FLAGS += --only 2.4
demo: engine build
	$(BIN) run demo

install:
	@scripts/install $(INSTALL_FLAGS)

engine: install
	@env -u MAKEFLAGS -u MAKELEVEL linux/build $(ENGINE_FLAGS)

build: install
	$(CARGO) build --release -p poolwright

test: INSTALL_FLAGS += --browser
test: engine build
	$(CARGO) test --release --workspace

# The crates that the architecture calls pure, as arguments of cargo.
PURE = $(shell sed -n 's/^| `\([a-z]*\)` .*(pure).*/-p \1/p' docs/dev/ARCHITECTURE.md)

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings
	scripts/one-build
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --release --workspace --no-deps
	@if scripts/install --lint; then env -u MAKEFLAGS -u MAKELEVEL $(MAKE) --no-print-directory pure; \
	else printf '\n*** UNUSED DEPENDENCIES AND PURE CRATES NOT CHECKED: see above what is missing. ***\n' >&2; fi

pure:
	$(CARGO) machete --skip-target-dir
	CLIPPY_CONF_DIR=$(CURDIR)/scripts/pure-crates $(CARGO) clippy --release --target wasm32-unknown-unknown $(PURE) -- -D warnings

audit:
	@scripts/install --audit
	@scripts/audit

bench: engine build
	scripts/bench

labs: engine build
	@$(BIN) run $(filter-out labs/powercut-%,$(wildcard labs/*.toml)) || [ $$? -eq 1 ]
