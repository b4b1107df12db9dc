# check.sh - counting and reporting for the test scripts; sourced from the root of the repository
#
#   suite NAME            begins: results go to $RESULTS/NAME, one line per test
#   try WHAT command...   one test, passed if the command exits with 0; its output is shown if it fails
#   must WHAT command...  the same, and if it fails the suite ends here
#   again="command"       how a test that runs a program is repeated alone if it fails (tests/again), set before it
#   skip WHAT PACKAGE     one line naming what `make deps` would install
#   requires WHAT PACKAGES TOOL...
#                         ends the suite with a line of skip if one of these is not found
#   without_settings      unsets the variables of df
#   time_limit SECONDS    prints a prefix for a command that ends it after that time, where the system has one
#   compiler_kind         prints the kind of $CC: gcc or clang
#   find_lto              leaves $lto: -flto if $CC can link with it; else empty, with a line of skip
#   finish                prints the counts; exit status 1 if a test failed
#   shared FILE compiler and options...
#                         prints the options with which a program shares the implementation with others
#   shares FILE compiler and options...
#                         can it? Not if it looks inside of the implementation, or changes more than settings
#   reaches LEVEL         is this level part of the run? test (make test), gate (make gate), check (make check, and by hand)
# V=1 shows every test. COST=FILE: appends a line `SECONDS SUITE WHAT` for each, the CPU time of all that was run for it.
# tests/total adds up what all suites left in $RESULTS.

RESULTS=${RESULTS:-build/results}
LEVEL=${LEVEL:-check}
LC_ALL=C # compilers quote with ' and say error, not Fehler
export LC_ALL

suite() {
    suite=$1
    mkdir -p "$RESULTS" "${OUT:=build/test/$1}" || exit 1
    : > "$RESULTS/$suite"
    [ -z "${PROGRESS:-}" ] || echo "$suite" >> "$RESULTS/.began"
}

# record ok|FAIL|skip WHAT [FILE to show]
record() {
    printf '%s %s\n' "$1" "$2" >> "$RESULTS/$suite"
    [ -z "${COST:-}" ] || cost "$2"
    [ "$1" = ok ] && [ -z "${V:-}" ] || printf '%-4s  %s: %s\n' "$1" "$suite" "$2"
    [ "$1" != FAIL ] || [ -z "${again:-}" ] || [ -n "${REPEATED:-}" ] || keep "$2" "${3:-}"
    [ -n "${3:-}" ] || return 0
    head -n 20 "$3" | sed 's/^/      /'
    [ "$(wc -l < "$3")" -le 20 ] || echo "      ... $3"
}

# What tests/again needs: a script with the name of the test, the environment and $again; and the output so far.
keep() {
    kept=build/again/$suite-$(echo "$1" | tr -c 'a-zA-Z0-9_\n' -)
    mkdir -p build/again
    [ -z "$2" ] || cp "$2" "$kept.first"
    { echo "# $suite $1"; export -p; echo "unset PROGRESS; export RESULTS=build/again REPEATED=1; $again"; } > "$kept.sh"
}

spent=0
cost() {
    times > "$OUT/times-$$" # not in a subshell, which would be told its own
    total=$(awk -F '[ms ]+' 'NR == 2 { print 60 * ($1 + $3) + $2 + $4 }' "$OUT/times-$$")
    printf '%s\n' "$spent $total $suite $1" | awk '{ $2 -= $1; $1 = ""; print }' >> "$COST"
    spent=$total
    rm -f "$OUT/times-$$"
}

try() {
    what=$1
    shift
    "$@" > "$OUT/log" 2>&1 && record ok "$what" && return
    record FAIL "$what" "$OUT/log"
    false
}

skip() { record skip "$1: install it with make deps: $2"; }

# A test on which all others rest: without it there is nothing more to say.
must() { try "$@" || finish; }

reaches() {
    case $LEVEL-$1 in check-* | gate-gate | *-test) ;; *) return 1 ;; esac
}

have() { command -v "$1" > /dev/null 2>&1; }
requires() {
    what=$1 packages=$2
    shift 2
    for tool; do have "$tool" || { skip "$what ($tool not found)" "$packages"; finish; }; done
}

without_settings() { for v in $(env | sed -n 's/^\(DF_[A-Z_]*\)=.*/\1/p'); do unset "$v"; done; }
time_limit() { ! have timeout || echo "timeout -k 10 $1"; } # -k: the sanitizers block the first signal

warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wcast-qual -Werror"
compiler_kind() { case $(echo __clang__ | $CC -E -P -x c - 2> /dev/null) in __clang__) echo gcc ;; *) echo clang ;; esac; }
find_lto() {
    lto=
    echo 'int main(void) { return 0; }' > "$OUT/main.c"
    if $CC -O2 -flto "$OUT/main.c" -o "$OUT/main" > /dev/null 2>&1; then lto=-flto
    else skip "-flto ($CC cannot link with it)" "lld llvm"
    fi
}

# The implementation takes fifty times as long to compile as most programs, and is the same for them: it is compiled
# once for each set of options, into build/test/shared, where all suites find it. With WHOLE=1 a program gets the
# implementation of all headers, not only of those it includes.
whole="df.h df_stm.h df_containers.h df_gpu.h df_owm.h"
users="-DDFI_IMPLEMENTED -DDFI_STM_IMPLEMENTED -DDFI_CONTAINERS_IMPLEMENTED -DDFI_GPU_IMPLEMENTED -DDFI_OWM_IMPLEMENTED -DDFI_MPI_IMPLEMENTED"
shares() { # leaves $headers, and $settings_of: macros of df that the program sets to a value before it includes df
    file=$1 about=$1
    shift
    for option; do case $option in -D*) about="$about $option" ;; esac; done
    about=$(echo "$about" | cksum)
    about=build/test/shared/${about%% *}.about # what was found before; of use while the files it names are as old
    { read -r parts && read -r headers && settings_of=$(cat); } 2> /dev/null < "$about" &&
        [ -n "$parts" ] && [ -z "$(find $parts -newer "$about" 2>&1)" ] || look_at "$@"
    [ "$headers" != none ]
}
look_at() {
    parts=$("$@" $users -M "$file" | tr ' ' '\n' | grep -vE '[:\\]|^/' | sed -e ':a' -e 's,[^/]*/\.\./,,;ta' | sort -u) # the files it includes, its own too
    headers=$(echo $(echo "$parts" | grep -E '(^|/)df(_[a-z]+)?\.h$' | grep -v df_observe.h | sort)) # that of df.h
    parts=$(echo $(echo "$parts" | grep -vE '(^|/)(df(_[a-z]+)?|impl/[a-z_/]*)\.h$'))
    [ -n "$headers" ] && settings_of=$(awk 'FNR == 1 { before = 1 }
        /^#include "(.*\/)?df(_[a-z]+)?\.h"/ { before = 0 }
        before && /^ *# *define DFI?_[A-Z_]*[ (].*[^\\]$/ { print; next }
        before && /^ *# *define (DFI?_.*\\$|[a-z])/ || /(^|[^A-Za-z0-9_])(dfi_|DFI_[A-Z]+_[A-Z])/ { exit 1 }' $parts) ||
        headers=none settings_of=
    mkdir -p build/test/shared
    printf '%s\n' "$parts" "$headers" "$settings_of" > "$about.$$" && mv "$about.$$" "$about"
}
shared() {
    shares "$@" || return 0
    shift
    [ -z "${WHOLE:-}" ] || headers=$whole
    echo "$users $(implementation "$headers" "$@")"
}
implementation() { # "HEADER..." compiler and options...: prints the object file; its code depends on no -W, on no -std=c..
    headers=$1 same=
    shift
    for option; do case $option in -W* | -std=*) ;; *) same="$same $option" ;; esac; done
    same="$same -std=gnu11"
    object=$(echo "$same $headers ${settings_of:-}" | cksum)
    object=build/test/shared/${object%% *}.o
    mkdir -p build/test/shared
    until ln -s $$ "$object.lock" 2> /dev/null; do # another suite compiles it
        kill -0 "$(readlink "$object.lock")" 2> /dev/null || rm -f "$object.lock"
        sleep 0.2
    done
    if [ ! -f "$object" ] || [ -n "$(find df*.h impl $headers -newer "$object")" ]; then
        { # test_malloc, test_free: the program's
            printf '#include <stdlib.h>\nextern void *test_malloc(size_t);\nextern void test_free(void *);\n%s\n' "${settings_of:-}"
            echo '#define DF_IMPLEMENTATION'
            printf '#include "%s"\n' $headers
        } | $same -c -x c - -o "$object.$$" >&2 && mv "$object.$$" "$object" || rm -f "$object" # nothing is tested with an old one
    fi
    rm -f "$object.lock"
    echo "$object"
}

# PROGRESS="SUITES SECONDS", from tests/suites: how many suites there are, and when the first began.
progress() { # ENDED
    echo "[$(($1)) of ${PROGRESS% *}, $(($(date +%s) - ${PROGRESS#* })) s]"
}
so_far() {
    (cd "$RESULTS" && cat $(cat .began) /dev/null) |
        awk '$1 == "ok" { ok++ } $1 == "FAIL" { failed++ } END { printf "%d passed, %d failed so far\n", ok, failed }'
}
finish() {
    if [ -z "${PROGRESS:-}" ]; then
        tests/total "$suite"
        exit
    fi
    echo "$suite" >> "$RESULTS/.ended"
    line=$(tests/total "$suite")
    status=$?
    echo "$(progress "$(grep -nx "$suite" "$RESULTS/.ended" | tail -n 1 | cut -d : -f 1)") $line; $(so_far)"
    exit $status
}
