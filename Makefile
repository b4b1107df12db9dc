# df - everything that can be built here, and how it is tested
#
# Nothing has to be built to use df: include df.h, df_stm.h, df_gpu.h or df_owm.h. GNU make, a C compiler and a shell are enough for all
# of it; what a test needs beyond that is used if it is there and skipped with one line if not.

CC     ?= cc
CXX    ?= c++
CFLAGS ?=
PREFIX ?= /usr/local
DESTDIR ?=
B       = build
VERSION := $(shell awk '$$2 ~ /^DF_VERSION_/ { v = v dot $$3; dot = "." } END { print v }' df.h)
HEADERS = df.h df_stm.h df_gpu.h df_owm.h
IMPL    = $(wildcard impl/*.h impl/*/*.h impl/*/*/*.h)
DF      = $(HEADERS) $(IMPL)

.PHONY: help
help:
	@echo 'df $(VERSION): dataflow and task parallelism for plain C, in headers'
	@echo
	@echo '  make demo          the Cholesky factorisation, serial and parallel (BLAS=1: with a BLAS; N=4096: larger)'
	@echo '  make examples      build/examples/*'
	@echo '  make test          all tests (FUZZ=1000: more random programs; V=1: a line for each test)'
	@echo '  make check-tsan    run-time tests under ThreadSanitizer'
	@echo '  make check-asan    the same under AddressSanitizer and UndefinedBehaviorSanitizer together'
	@echo '  make bench         df against OpenMP and oneTBB, as ratios'
	@echo '  make bench-gpu     df_gpu.h against OpenCL and CUDA by hand'
	@echo '  make single        single/df.h and the others, everything in one file'
	@echo '  make install       to $(PREFIX) (PREFIX=, DESTDIR=); uninstall'
	@echo '  make deps          installs what tests and benchmarks can use (apt-get)'
	@echo '  make clean         removes build/ and single/'
	@echo
	@echo '  CC=$(CC) CXX=$(CXX) CFLAGS=$(CFLAGS)'

# The page of DF_TRACE=file.html, as a C header.
impl/observe/trace/page.h: tools/trace/page.html tools/trace/unpack.js tools/trace/pack
	tools/trace/pack > $@.new
	mv $@.new $@

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
demo:
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
# The head of each script in tests/ says what it proves and how to run one of its tests by hand.
#
#   test-compile   no warning: C11 to C23, C++11 to C++20, before and after other headers, among hostile
#                  macros, every -O; DF_SERIAL (df.h as C99 and with tcc) free of threads; size of a task
#   test-fail      one mistake per file, and the first message it must give
#   test-cxx       C++: parameters that are objects, exceptions out of bodies
#   test-check     DF_CHECK finds one wrong declaration after the other, with AddressSanitizer and without
#   test-link      no implementation, one, two; C and C++; -flto; libraries, dlopen, dlclose: one pool,
#                  one STM; different settings of DF_DEBUG
#   test-run       unit, fuzz: print at 1, 2, 4, 8 workers what the serial build prints; system, stress;
#                  kernels: the same on simulated devices; gpu: engine, drivers, distribution, on simulated devices,
#                  OpenCL and a double of CUDA's driver; the same again with all checks of df itself (DF_DEBUG=3)
#   test-directed  unit, fuzz: the same with a seed, recorded and replayed (DF_SCHEDULE), with the programs that test-run has built
#   test-examples  every example prints at 1, 2, 4, 8 workers what its serial build prints
#   test-trace     traces of examples are right: by a script in Python; and of a program that is killed
#   test-single    the amalgamated headers are stable, complete, go together, and run the examples
#   test-floors    the floors of impl/: each file alone, nothing from above
#   test-messages  docs/messages.md explains each log message, and no other
#   test-names     nothing but df_*, DF_*, dfi_*, DFI_* enters a program
#   test-install   install, pkg-config, uninstall
#   test-gdb       tools/df-gdb.py on a process and on a core file
#   test-page      the page of DF_TRACE=file.html, in a headless browser
#   test-targets   unit, fuzz, system with musl, and for i686, aarch64, riscv64
#
# compile, fail, cxx, check and link are done with CC and with OTHER: gcc, or clang when CC is gcc; OTHER= skips that.

SUITES  = test-compile test-fail test-cxx test-check test-link test-run test-directed test-examples test-trace test-single test-floors test-messages test-names test-install test-gdb test-page test-targets
TARGETS = musl i686 aarch64 riscv64
RUN     = release debug
FUZZ   ?= 100
STRESS ?= 5
TAG     = $(notdir $(firstword $(CC)))
OTHER   = $(if $(findstring __clang__,$(shell $(CC) -dM -E -x c /dev/null 2>/dev/null)),gcc,clang)
export CC CXX CFLAGS FUZZ STRESS SEED V TAG

.PHONY: test $(SUITES)
test:
	@rm -rf $B/results
	@+$(MAKE) -k --no-print-directory $(SUITES); status=$$?; tests/total && exit $$status

test-compile test-fail test-cxx test-check test-link:
	@status=0; \
	tests/$(@:test-%=%)/run '$(CC)' '$(CXX)' || status=1; \
	$(if $(OTHER),tests/$(@:test-%=%)/run $(OTHER) $(if $(filter gcc,$(OTHER)),g++,clang++) || status=1;) \
	exit $$status

test-run:
	@+status=0; \
	for configuration in $(RUN); do \
	    MAKE='$(MAKE)' tests/configuration $$configuration '$(CC)' || status=1; \
	done; \
	exit $$status

test-directed: test-run
	@tests/directed
test-examples test-trace:
	@tests/$(@:test-%=%) '$(CC)'
test-single test-install test-gdb:
	@MAKE='$(MAKE)' tests/$(@:test-%=%) '$(CC)' '$(CXX)'

test-page test-floors:
	@tests/$(@:test-%=%)/run '$(CC)'

test-names:
	@tools/names
test-messages:
	@tests/messages

test-targets: $(TARGETS:%=test-%)
.PHONY: $(TARGETS:%=test-%)
$(TARGETS:%=test-%):
	@+MAKE='$(MAKE)' tests/configuration $(@:test-%=%)

# The programs of FILES, each a job of its own, so that -j2 runs two of them at a time.
FILES = $(wildcard tests/kernels/*.c tests/gpu/*.c tests/unit/*.c tests/fuzz/*.c tests/system/*.c tests/stress/*.c)
.PHONY: runtime shared $(FILES:%=run/%)
runtime: $(FILES:%=run/%)
shared:
	@tests/run
$(FILES:%=run/%): run/%: shared
	@tests/run $* || :

# --- sanitizers: unit, fuzz and system, with CC and OTHER, without suppressions ----------------------
# check-declared: unit and fuzz with DF_CHECK and AddressSanitizer, which find nothing

.PHONY: check-tsan check-asan check-declared
check-tsan check-asan check-declared:
	@+status=0; \
	for cc in '$(CC)' $(OTHER); do \
	    MAKE='$(MAKE)' tests/configuration $(@:check-%=%) "$$cc" || status=1; \
	done; \
	tests/total $(foreach c,$(TAG) $(OTHER),run-$(@:check-%=%)-$c); exit $$status

# --- benchmarks ----------------------------------------------------------------------------------

.PHONY: bench bench-gpu
bench:
	@BUILD='$(CURDIR)/$B/bench' bench/run.sh
bench-gpu:
	@BUILD='$(CURDIR)/$B/bench' bench/run.sh gpu

# --- the amalgamated header, installation --------------------------------------------------------

.PHONY: single
single: $(HEADERS:%=single/%)
single/%.h: %.h $(IMPL) tools/amalgamate
	@mkdir -p $(@D)
	tools/amalgamate $< > $@

# The headers get a folder of their own: programs find <df.h> through pkg-config, or with -I.
INCLUDE = $(DESTDIR)$(PREFIX)/include/df
PKGCONFIG = $(DESTDIR)$(PREFIX)/share/pkgconfig
GDB = $(DESTDIR)$(PREFIX)/share/df

.PHONY: install uninstall
install:
	mkdir -p '$(INCLUDE)' '$(PKGCONFIG)' '$(GDB)'
	cp $(HEADERS) '$(INCLUDE)'
	for file in $(IMPL); do mkdir -p '$(INCLUDE)'/$${file%/*} && cp $$file '$(INCLUDE)'/$$file || exit; done
	cp tools/df-gdb.py '$(GDB)'
	sed -e 's,@PREFIX@,$(PREFIX),' -e 's,@VERSION@,$(VERSION),' df.pc.in > '$(PKGCONFIG)/df.pc'
	chmod -R u=rwX,go=rX '$(INCLUDE)' '$(PKGCONFIG)/df.pc' '$(GDB)'
uninstall:
	rm -rf '$(INCLUDE)' '$(PKGCONFIG)/df.pc' '$(GDB)'

# --- what tests and benchmarks can use ------------------------------------------------------------
# compilers and sanitizers; other C libraries and processors; a browser; BLAS and the peers of the benchmarks

PACKAGES = make gcc g++ clang libclang-rt-dev llvm llvm-dev binutils tcc pkg-config \
    musl-tools gcc-i686-linux-gnu libc6-dev-i386-cross gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
    gcc-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user-static \
    pocl-opencl-icd ocl-icd-libopencl1 ocl-icd-opencl-dev opencl-headers libopenblas-dev zlib1g-dev libomp-dev libtbb-dev valgrind gdb \
    chromium-headless-shell

.PHONY: deps
deps:
	@tools/install-packages $(PACKAGES)

.PHONY: clean
clean:
	rm -rf $B single
