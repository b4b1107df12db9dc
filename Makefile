# df - everything that can be built here, and how it is tested
#
# Nothing has to be built to use df: include df.h, or one of the other headers. GNU make, a C compiler and a shell are
# enough for all of it; what a test needs beyond that is used if it is there and skipped with one line if not.

CC     ?= cc
CXX    ?= c++
CFLAGS ?=
PREFIX ?= /usr/local
DESTDIR ?=
B       = build
VERSION := $(shell tools/release/version)
HEADERS = df.h df_stm.h df_containers.h df_gpu.h df_owm.h df_mpi.h df_observe.h df.hpp
IMPL    = $(wildcard impl/*.h impl/*/*.h impl/*/*/*.h)
DF      = $(HEADERS) $(IMPL)

.PHONY: help
help:
	@echo 'df $(VERSION): dataflow and task parallelism for plain C, in headers'
	@echo
	@echo '  make demo          the Cholesky factorisation, serial and parallel, and its picture'
	@echo '                     (BLAS=1: with a BLAS; N=4096: larger)'
	@echo '  make examples      build/examples/*'
	@echo '  make test          does df work here? With a compiler alone, on all CPUs, less than 3 minutes on 2'
	@echo '                     (FUZZ=1000: more random programs; V=1: a line for each test)'
	@echo '  make gate          what a change must pass besides: ten minutes on 2 CPUs'
	@echo '  make check         everything, for hours; PART=k/4: the k-th of four parts'
	@echo '  make check-tsan    run-time tests under ThreadSanitizer'
	@echo '  make check-asan    the same under AddressSanitizer and UndefinedBehaviorSanitizer together'
	@echo '  make bench         df against OpenMP and oneTBB, as ratios'
	@echo '  make bench-gpu     df_gpu.h against OpenCL and CUDA by hand'
	@echo '  make single        single/df.h and the others, everything in one file'
	@echo '  make lib           build/lib/libdf.so, the interface for other languages'
	@echo '  make tools         build/df-simulate, which predicts the speed-up with more workers from a trace'
	@echo '  make man           build/man/man3: the reference as manual pages'
	@echo '  make site          build/site: all pages, with a search, for a browser'
	@echo '  make install       to $(PREFIX) (PREFIX=, DESTDIR=); uninstall; install-lib: libdf.so'
	@echo '  make release       archives in build/release (URL=: also recipes for Meson and vcpkg)'
	@echo '  make deps          installs what make gate can use (apt-get); deps-check: what make check and bench can'
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

# The main job as a user would build it to be fast, against the DF_SERIAL build of the same source.
.PHONY: demo
demo:
	@set -e; blas=; if [ -n '$(BLAS)' ]; then blas="-DUSE_CBLAS $$(tools/find-blas '$(CC)')"; fi; \
	tools/demo '$(CC)' '$(N)' "$(CFLAGS) $$blas"

.PHONY: tools
tools: $B/df-simulate
$B/df-simulate: tools/df-simulate.c $(wildcard tools/df-simulate/*)
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 $(CFLAGS) -o $@ $<

# --- tests --------------------------------------------------------------------------------------
# The head of each script in tests/ says what it proves and how to run one of its tests by hand; tests/README.md has the
# suites, what they find and what they cost. Each of the three levels has its suites, and a suite that belongs to
# several does more in the higher ones (LEVEL in tests/check.sh).

TEST    = test-run test-fail test-compile test-examples test-messages test-words test-floors test-structures test-porting
# long ones first, so that none of them is left alone at the end
GATE    = gate-debug gate-tsan gate-asan gate-own gate-stress gate-directed test-compile other-compile test-pages gate-link \
    gate-copies gate-check test-trace test-library test-python gate-mpi gate-dataflow gate-cxx test-install test-gdb \
    gate-minimal test-size test-reference
# in parts (PART=k/4)
CHECK_1 = test-run test-orders test-directed test-fail test-cxx test-check test-examples test-trace test-floors \
    test-structures test-messages test-words test-porting test-reference test-single test-levels test-packages \
    test-release test-integration test-library test-python test-mpi
CHECK_2 = test-debug check-tsan test-names test-link test-copies test-size test-pages
CHECK_3 = check-asan test-install test-gdb test-page test-site
CHECK_4 = test-compile $(if $(OTHER),$(OTHERS)) $(PARTS:%=test-%) test-examples-small $(TARGETS:%=test-%)
CHECK   = $(if $(PART),$(or $(CHECK_$(PART:%/4=%)),$(error PART is 1/4, 2/4, 3/4 or 4/4)),$(foreach k,1 2 3 4,$(CHECK_$k)))
OTHERS  = $(addprefix other-,run compile fail link cxx check)
PARTS   = small dataflow minimal
TARGETS = musl i686 aarch64 riscv64
FUZZ   ?= 100
STRESS ?= 5
TAG     = $(notdir $(firstword $(CC)))
OTHER  := $(if $(findstring __clang__,$(shell $(CC) -dM -E -x c /dev/null 2>/dev/null)),gcc,clang)
OTHERXX:= $(if $(filter gcc,$(OTHER)),g++,clang++)
export CC CXX CFLAGS FUZZ STRESS SEED V TAG LEVEL

.PHONY: test gate check $(sort $(TEST) $(GATE) $(CHECK) $(OTHERS))
test:
	@+MAKE='$(MAKE)' LEVEL=test tests/suites $(TEST)
gate:
	@+MAKE='$(MAKE)' LEVEL=gate TESTED='$(CC)' STRESS=1 tests/suites $(GATE)
check:
	@+MAKE='$(MAKE)' LEVEL=check tests/suites $(CHECK)

test-fail test-compile test-link test-copies test-cxx test-check:
	@tests/$(@:test-%=%)/run '$(CC)' '$(CXX)'
$(filter-out other-run,$(OTHERS)): other-%:
	@tests/$*/run $(OTHER) $(OTHERXX)

test-run:
	@+MAKE='$(MAKE)' tests/configuration release '$(CC)'
test-debug:
	@+MAKE='$(MAKE)' tests/configuration debug '$(CC)'
other-run:
	@+MAKE='$(MAKE)' tests/configuration release '$(OTHER)'
# clang compiles most without optimisation in half of the time, and has the better sanitizers
QUICK  := $(if $(shell command -v clang),clang,$(CC))
QUICKXX:= $(if $(shell command -v clang++),clang++,$(CXX))
gate-link gate-copies gate-check gate-cxx gate-mpi:
	@tests/$(@:gate-%=%)/run '$(QUICK)' '$(QUICKXX)'
gate-debug gate-tsan gate-asan gate-own $(PARTS:%=gate-%):
	@+FIRST=$(TAG) MAKE='$(MAKE)' tests/configuration $(@:gate-%=%) '$(QUICK)'
gate-stress:
	@+MAKE='$(MAKE)' tests/configuration stress '$(CC)'
$(PARTS:%=test-%):
	@+MAKE='$(MAKE)' tests/configuration $(@:test-%=%) '$(CC)'
$(TARGETS:%=test-%):
	@+MAKE='$(MAKE)' tests/configuration $(@:test-%=%)

# The programs of test-run beside busy processes, ROUNDS times.
.PHONY: check-busy
check-busy: test-run
	@TAGS='$(TAG)' tests/busy $(or $(ROUNDS),1)
# Its programs are those of test-run: of this call of make or, in the gate, of one before.
test-directed: test-run
test-directed gate-directed:
	@tests/directed
test-examples test-trace test-reference test-release test-words:
	@tests/$(@:test-%=%) '$(CC)'
test-examples-small:
	@tests/examples '$(CC)' -DDF_SMALL
test-levels test-single test-install test-gdb:
	@MAKE='$(MAKE)' tests/$(@:test-%=%) '$(CC)' '$(CXX)'
test-page test-floors test-structures test-size test-packages test-python test-mpi:
	@tests/$(@:test-%=%)/run '$(CC)'
test-pages test-library:
	@MAKE='$(MAKE)' tests/$(@:test-%=%)/run '$(CC)' '$(CXX)'
test-names:
	@tools/names
test-orders:
	@tests/orders/run
test-site test-messages test-porting:
	@tests/$(@:test-%=%)
test-integration:
	@tests/integration '$(CC)'

# The programs of FILES, each a job of its own, so that -j2 runs two of them at a time.
FILES = $(wildcard tests/kernels/*.c tests/gpu/*.c tests/unit/*.c tests/fuzz/*.c tests/system/*.c tests/stress/*.c)
.PHONY: runtime shared $(FILES:%=run/%)
runtime: $(FILES:%=run/%)
shared:
	@tests/run
$(FILES:%=run/%): run/%: | shared
	@tests/run $* || :

# --- sanitizers: unit, fuzz, system and gpu, without suppressions -------------------------------------
# check-declared: unit and fuzz with DF_CHECK and AddressSanitizer, which find nothing

.PHONY: check-tsan check-asan check-declared
check-tsan check-asan check-declared:
	@+MAKE='$(MAKE)' tests/configuration $(@:check-%=%) '$(QUICK)'

# --- benchmarks ----------------------------------------------------------------------------------

.PHONY: bench bench-gpu
bench:
	@BUILD='$(CURDIR)/$B/bench' bench/run.sh
bench-gpu:
	@BUILD='$(CURDIR)/$B/bench' bench/run.sh gpu

# --- the amalgamated header, installation --------------------------------------------------------

.PHONY: single
single: $(HEADERS:%=single/%)
single/%: % $(IMPL) tools/amalgamate
	@mkdir -p $(@D)
	tools/amalgamate $< > $@
# What DF_MINIMAL and DF_SMALL have, alone. A release has them, too.
single: $(if $(shell command -v python3),single/df_minimal.h single/df_small.h,no-python)
single/df_minimal.h single/df_small.h: single/df_%.h: single/df.h $(wildcard tools/reduce/*)
	tools/reduce/run $* < $< > $@.new && mv $@.new $@
.PHONY: no-python
no-python:
	@echo "df_minimal.h and df_small.h are left out: they need python3"

# --- libdf.so: for other languages, and for programs whose only tasks are those of df_call (docs/libdf.md) -----------
# Its symbols are those of impl/base/names.h with DFI_ABI.

LIB = libdf.so.$(shell awk '$$2 == "DF_ABI" { print $$3 }' impl/base/version.h)
.PHONY: lib
lib: $B/lib/$(LIB)
$B/lib/$(LIB): impl/df.c $(DF)
	@mkdir -p $(@D)
	{ echo 'LIBDF_$(LIB:libdf.so.%=%) { global:'; grep '^DFI_ABI' impl/base/names.h | tr ')' '\n' | \
	    sed -n 's/.*DFI_ABI.*[( ]\(.*\)/\1;/p'; echo 'local: *; };'; } > $(@D)/libdf.map
	$(CC) -std=c11 -O2 $(CFLAGS) -DDF_LIBRARY -fPIC -shared -Wl,-soname,$(LIB),--version-script=$(@D)/libdf.map \
	    -o $@ impl/df.c -pthread
	ln -sf $(LIB) $(@D)/libdf.so

# The headers get a folder of their own: programs find <df.h> through pkg-config, or with -I.
INCLUDE = $(DESTDIR)$(PREFIX)/include/df
PKGCONFIG = $(DESTDIR)$(PREFIX)/share/pkgconfig
SHARE = $(DESTDIR)$(PREFIX)/share/df
CMAKE = $(DESTDIR)$(PREFIX)/share/cmake/df

# The manual pages: the entries of docs/reference, as df_submit(3) and so on.
.PHONY: man
man:
	@rm -rf $B/man
	tools/reference man $B/man/man3
MAN = $(DESTDIR)$(PREFIX)/share/man/man3

# README.md, docs/ and the other pages, with a search: build/site/index.html.
.PHONY: site
site:
	tools/site $B/site

.PHONY: install uninstall install-lib
install-lib: lib
	mkdir -p '$(DESTDIR)$(PREFIX)/lib'
	cp -P $B/lib/$(LIB) $B/lib/libdf.so '$(DESTDIR)$(PREFIX)/lib'
install: man
	mkdir -p '$(INCLUDE)' '$(PKGCONFIG)' '$(SHARE)' '$(CMAKE)'
	cp $(HEADERS) '$(INCLUDE)'
	for file in $(IMPL) impl/df.c; do mkdir -p '$(INCLUDE)'/$${file%/*} && cp $$file '$(INCLUDE)'/$$file || exit; done
	cp -R tools/df-gdb.py tools/df-simulate.c tools/df-simulate '$(SHARE)'
	fill() { sed -e 's,@PREFIX@,$(PREFIX),' -e 's,@VERSION@,$(VERSION),' -e 's,@INCLUDE@,../../../include/df,' \
	    -e 's,@INCLUDEDIR@,$${prefix}/include,' "$$1"; }; \
	fill df.pc.in > '$(PKGCONFIG)/df.pc' && \
	for file in dfConfig dfConfigVersion; do fill cmake/$$file.cmake.in > '$(CMAKE)'/$$file.cmake || exit; done
	cp cmake/dfTargets.cmake '$(CMAKE)'
	mkdir -p '$(MAN)' && cp $B/man/man3/*.3 '$(MAN)' && chmod go=r '$(MAN)'/[dD][fF]_*.3
	chmod -R u=rwX,go=rX '$(INCLUDE)' '$(PKGCONFIG)/df.pc' '$(SHARE)' '$(CMAKE)'
uninstall: man
	rm -rf '$(INCLUDE)' '$(PKGCONFIG)/df.pc' '$(SHARE)' '$(CMAKE)'
	rm -f '$(DESTDIR)$(PREFIX)/lib/$(LIB)' '$(DESTDIR)$(PREFIX)/lib/libdf.so'
	cd $B/man/man3 && for page in *.3; do rm -f '$(MAN)'/$$page || exit; done

# --- a release: archives in build/release, from a commit without changes (tools/release/run) -------------

.PHONY: release
release:
	@tools/release/run '$(URL)'

# --- what tests and benchmarks can use ------------------------------------------------------------
# the gate: compilers, sanitizers, a debugger, OpenCL; in addition make check and make bench: other compilers, C libraries
# and processors, a browser, BLAS and the peers of the benchmarks

PACKAGES = make gcc g++ clang libclang-rt-dev binutils pkg-config gdb \
    python3 python3-dev python3-setuptools python3-numpy \
    libopenmpi-dev openmpi-bin libmpich-dev mpich \
    pocl-opencl-icd ocl-icd-libopencl1 ocl-icd-opencl-dev opencl-headers
CHECK_PACKAGES = llvm llvm-dev tcc \
    musl-tools gcc-i686-linux-gnu libc6-dev-i386-cross gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
    gcc-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user-static \
    python3-scipy python3-numba \
    libopenblas-dev zlib1g-dev libomp-dev libtbb-dev valgrind relacy-dev \
    chromium-headless-shell cmark-gfm git cmake meson ninja-build dpkg-dev debhelper lintian groff

.PHONY: deps deps-check
deps:
	@tools/install-packages $(PACKAGES)
deps-check:
	@tools/install-packages $(PACKAGES) $(CHECK_PACKAGES)

.PHONY: clean
clean:
	rm -rf $B single
