# check.sh - counting and reporting for the test scripts; sourced from the root of the repository
#
#   suite NAME            begins: results go to $RESULTS/NAME, one line per test
#   try WHAT command...   one test, passed if the command exits with 0; its output is shown if it fails
#   must WHAT command...  the same, and if it fails the suite ends here
#   skip WHAT PACKAGE     one line naming what `make deps` would install
#   finish                prints the counts; exit status 1 if a test failed
#   shared FILE compiler and options...
#                         prints what to compile a program with so that it shares the implementation with others
#   shares FILE compiler and options...
#                         can it? Not if it looks inside of the implementation, or changes it
# V=1 shows every test. COST=FILE: appends a line `SECONDS SUITE WHAT` for each, the CPU time of all that was run for it.
# tests/total adds up what all suites left in $RESULTS.

RESULTS=${RESULTS:-build/results}
LC_ALL=C # compilers quote with ' and say error, not Fehler
export LC_ALL

suite() {
    suite=$1
    mkdir -p "$RESULTS" "${OUT:=build/test/$1}" || exit 1
    : > "$RESULTS/$suite"
}

# record ok|FAIL|skip WHAT [FILE to show]
record() {
    printf '%s %s\n' "$1" "$2" >> "$RESULTS/$suite"
    [ -z "${COST:-}" ] || cost "$2"
    [ "$1" = ok ] && [ -z "${V:-}" ] || printf '%-4s  %s: %s\n' "$1" "$suite" "$2"
    [ -n "${3:-}" ] || return 0
    head -n 20 "$3" | sed 's/^/      /'
    [ "$(wc -l < "$3")" -le 20 ] || echo "      ... $3"
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
    if "$@" > "$OUT/log" 2>&1; then record ok "$what"; else record FAIL "$what" "$OUT/log"; fi
}

skip() { record skip "$1: install it with make deps: $2"; }

# A test on which all others rest: without it there is nothing more to say.
must() {
    try "$@"
    tail -n 1 "$RESULTS/$suite" | grep -q '^ok' || finish
}

have() { command -v "$1" > /dev/null 2>&1; }

# The implementation takes fifty times as long to compile as most programs, and is the same for them: it is compiled once for
# each set of options, into $OUT. With WHOLE=1 a program gets the implementation of all headers, not only of those it includes.
whole="df.h df_stm.h df_gpu.h df_owm.h"
users="-DDFI_IMPLEMENTED -DDFI_STM_IMPLEMENTED -DDFI_GPU_IMPLEMENTED -DDFI_OWM_IMPLEMENTED"
shares() { # leaves $headers
    file=$1
    shift
    parts=$("$@" $users -MM "$file" | tr ' ' '\n' | grep -vE '[:\\]' | sed -e ':a' -e 's,[^/]*/\.\./,,;ta' | sort -u) # the files it includes, its own too
    headers=$(echo $(echo "$parts" | grep -E '(^|/)df(_[a-z]+)?\.h$' | sort))
    [ -n "$headers" ] && ! awk 'FNR == 1 { before = 1 }
        /^#include "(.*\/)?df(_[a-z]+)?\.h"/ { before = 0 }
        before && /^ *# *define ([a-z]|DF_[A-Z_]*[ (])/ || /(^|[^A-Za-z0-9_])dfi_/ { found = 1; exit }
        END { exit !found }' $(echo "$parts" | grep -vE '(^|/)(df(_[a-z]+)?|impl/[a-z_/]*)\.h$')
}
shared() {
    shares "$@" || return 0
    shift
    [ -z "${WHOLE:-}" ] || headers=$whole
    echo "$users $(implementation "$headers" "$@")"
}
implementation() { # "HEADER..." compiler and options...: prints the object file
    headers=$1
    shift
    object=$OUT/impl-$(echo "$* $headers" | cksum | cut -d ' ' -f 1).o
    if [ ! -f "$object" ] || [ -n "$(find df*.h impl $headers -newer "$object")" ]; then
        { echo '#define DF_IMPLEMENTATION'; printf '#include "%s"\n' $headers; } | "$@" -c -x c - -o "$object.$$" >&2 &&
            mv "$object.$$" "$object" || rm -f "$object" # nothing is tested with an old one
    fi
    echo "$object"
}

finish() {
    tests/total "$suite"
    exit
}
