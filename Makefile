# df - everything that can be built here, and how it is tested
#
# Nothing has to be built to use df: include df.h. GNU make, a C compiler and a shell are enough for all
# of it; what a test needs beyond that is used if it is there and skipped with one line if not.

CC     ?= cc
CXX    ?= c++
CFLAGS  =# added to the options below: make demo CFLAGS=-DDF_DEBUG=1
PREFIX ?= /usr/local
DESTDIR =
B       = build
VERSION := $(shell awk '$$2 ~ /^DF_VERSION_/ { v = v dot $$3; dot = "." } END { print v }' df.h)
DF      = df.h $(wildcard impl/*.h)

.PHONY: help
help:
	@echo 'df $(VERSION): dataflow and task parallelism for plain C, in headers'
	@echo
	@echo '  make demo          the Cholesky factorisation, serial and parallel (BLAS=1: with a BLAS; N=4096: larger)'
	@echo '  make examples      build/examples/*'
	@echo '  make test          all tests (FUZZ=1000: more random programs; V=1: a line for each test)'
	@echo '  make check-tsan    run-time tests under ThreadSanitizer; check-asan, check-ubsan alike'
	@echo '  make bench         df against OpenMP and oneTBB, as ratios'
	@echo '  make single        single/df.h, everything in one file'
	@echo '  make install       to $(PREFIX) (PREFIX=, DESTDIR=); uninstall'
	@echo '  make deps          installs what tests and benchmarks can use (apt-get)'
	@echo '  make clean         removes build/ and single/'
	@echo
	@echo '  CC=$(CC) CXX=$(CXX) CFLAGS=$(CFLAGS)'

# --- examples -----------------------------------------------------------------------------------
# An example is a file; one with more files has them in a folder of its name.

EXAMPLES = $(patsubst examples/%.c,%,$(wildcard examples/*.c))
LIBS     = -pthread -lm

.PHONY: examples
examples: $(EXAMPLES:%=$B/examples/%)

.SECONDEXPANSION:
$B/examples/%: examples/%.c $$(wildcard examples/$$*/*) $(DF)
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 $(CFLAGS) -o $@ $(filter %.c,$^) $(LIBS)

# The main job as a user would build it to be fast. Its speed-up is against the DF_SERIAL build of the
# same source, timed just before.
.PHONY: demo
demo: examples
	@mkdir -p $B/demo
	@set -e; fast="-std=c11 -O3"; blas=; \
	if $(CC) -march=native -x c -c /dev/null -o $B/demo/probe.o 2>/dev/null; then fast="$$fast -march=native"; fi; \
	if [ -n '$(BLAS)' ]; then blas="-DUSE_CBLAS $$(tools/find-blas '$(CC)')"; fi; \
	build() { echo "$(CC) $$*"; $(CC) "$$@"; }; \
	build $$fast $(CFLAGS) -o $B/demo/cholesky examples/cholesky.c examples/cholesky/*.c $$blas $(LIBS); \
	build $$fast $(CFLAGS) -DDF_SERIAL -o $B/demo/cholesky-serial examples/cholesky.c examples/cholesky/*.c $$blas $(LIBS); \
	seconds=$$($B/demo/cholesky-serial -n $(or $N,2048) --time-only); \
	$B/demo/cholesky -n $(or $N,2048) --baseline $$seconds

# --- tests --------------------------------------------------------------------------------------
# Every script in tests/ says in its head what it proves and how to run one test by hand.
#
#   test-compile   tests/compile: no warning in C11 to C23 and C++11 to C++20, before and after other headers,
#                  among hostile macros, at every -O; DF_SERIAL as C99 and with tcc, and free of threads;
#                  the size of a declared task
#   test-fail      tests/fail: one mistake per file and the first message it must give
#   test-link      tests/link: no implementation, one, two; C and C++; -flto; static and shared libraries, dlopen,
#                  dlclose, one pool; different settings of DF_DEBUG
#   test-names     tools/names: nothing but df_*, DF_*, dfi_*, DFI_* enters a program
#   test-single    the amalgamated header: stable, compiles, and runs the examples
#   test-install   make install and uninstall; pkg-config
#   test-examples  examples/: print at 1, 2 and 4 workers what the serial build prints
#   test-run       tests/unit, fuzz, system, stress: see tests/run; and again with DF_DEBUG=3
#   test-targets   unit, fuzz, system with musl, for i686, aarch64, riscv64
#
# The first three are run by CC and, if it is there, by the other of gcc and clang: COMPILERS=none, gcc, clang.

FUZZ   ?= 100
STRESS ?= 5
IS_CLANG  = $(findstring __clang__,$(shell $(CC) -dM -E -x c /dev/null 2>/dev/null))
COMPILERS = $(if $(IS_CLANG),gcc,clang)
TARGETS   = musl i686 aarch64 riscv64
TAG       = $(notdir $(firstword $(CC)))
FILES     = $(wildcard tests/unit/*.c tests/fuzz/*.c tests/system/*.c tests/stress/*.c)
export CC CXX FUZZ STRESS SEED V TAG MAKE

SUITES = test-compile test-fail test-link test-names test-single test-install test-examples test-run test-targets

.PHONY: test $(SUITES)
test:
	@rm -rf $B/results
	@+$(MAKE) -k --no-print-directory $(SUITES) || touch $B/results/broken
	@tests/total

test-compile:
	@tests/compile/run '$(CC)' '$(CXX)'
test-fail:
	@tests/fail/run '$(CC)'
test-link:
	@tests/link/run '$(CC)' '$(CXX)'
