# check.sh - counting and reporting for the test scripts; sourced from the root of the repository
#
#   suite NAME            begins: results go to $RESULTS/NAME, one line per test
#   try WHAT command...   one test, passed if the command exits with 0; its output is shown if it fails
#   must WHAT command...  the same, and if it fails the suite ends here
#   skip WHAT PACKAGE     one line naming what `make deps` would install
#   finish                prints the counts; exit status 1 if a test failed
# V=1 shows every test. tests/total adds up what all suites left in $RESULTS.

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
    [ "$1" = ok ] && [ -z "${V:-}" ] || printf '%-4s  %s: %s\n' "$1" "$suite" "$2"
    [ -n "${3:-}" ] || return 0
    head -n 20 "$3" | sed 's/^/      /'
    [ "$(wc -l < "$3")" -le 20 ] || echo "      ... $3"
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

finish() {
    tests/total "$suite"
    exit
}
