#!/bin/sh
# Costs of df: the size of builds and the instructions of constructs, as the tables of bench/README.md and docs/size.md
#
#   bench/costs.sh [COMMIT]      prints them; COMMIT: also the instructions in that commit, and the difference
#   PAGES=1 bench/costs.sh ..    writes them into the pages, between the lines
#                                `<!-- costs.sh: NAME -->` and `<!-- end -->`
#   CC=gcc SIZE=1 INSTRUCTIONS=1 the compiler; an empty value leaves out sizes or instructions
#
# Instructions are those of one worker at -O2: `valgrind --tool=callgrind` of 1000 and of 21000 repetitions
# (costs_df.c), subtracted. Other load on the machine does not change them.
set -u
cd "$(dirname "$0")/.." || exit 1
CC=${CC:-gcc}
out=$PWD/build/bench/costs
mkdir -p "$out" || exit 1

# counted PROGRAM CONSTRUCT: instructions of one repetition
counted() {
    for n in 1000 21000; do
        DF_WORKERS=1 ${3:-env} valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" "$2" $n 2>&1 |
            sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
    done | awk 'NR == 1 { first = $1 } END { if (NR == 2) printf "%.0f\n", ($1 - first) / 20000 }'
}

instructions() {
    old=${1:-}
    # shellcheck disable=SC2086 # CC may have options
    $CC -std=c11 -O2 bench/costs_df.c -o "$out/new" -pthread || return
    if [ -n "$old" ]; then
        rm -rf "$out/tree" && mkdir "$out/tree" && git archive "$old" | tar -x -C "$out/tree" || return
        cp bench/costs_df.c "$out/tree/bench/" &&
            $CC -std=c11 -O2 "$out/tree/bench/costs_df.c" -o "$out/old" -pthread || return
        echo "| construct | instructions | in $old | |"
        echo "| --- | ---: | ---: | ---: |"
    else
        echo "| construct | instructions |"
        echo "| --- | ---: |"
    fi
    while read -r construct setting what; do
        new=$(counted "$out/new" "$construct" "env $setting")
        [ -z "$old" ] || before=$(counted "$out/old" "$construct" "env $setting")
        if [ -z "$old" ]; then echo "| $what | $new |"
        else
            awk "BEGIN { printf \"| %s | %d | %d | %+.1f %% |\n\",
                                \"$what\", $new, $before, 100 * ($new / $before - 1) }"
        fi
    done << 'END'
fib DF_DEFER=0 `fib(12)`, 232 spawned tasks
parallel DF_DEFER=0 `DF_PARALLEL` with one task
submit0 DF_DEFER=0 a task that runs at once, without regions
submit1 DF_DEFER=0 with one region
submit2 DF_DEFER=0 with two
call2 DF_DEFER=0 the same by `df_call`
submit0 DF_DEFER=1 a task that is queued, without regions
submit1 DF_DEFER=1 with one region
submit2 DF_DEFER=1 with two
call2 DF_DEFER=1 the same by `df_call`
for DF_DEFER=0 `df_for` of 1000 empty iterations
stream DF_DEFER=0 one task pushes an element, one pops it
atomic0 DF_DEFER=0 `DF_ATOMIC`, empty
atomic1 DF_DEFER=0 with a read and a write
nested DF_DEFER=0 that, and a closed block in a called function with the same
END
}

sizes() {
    NEW=$out/limits V=1 tests/size/run "$CC" > "$out/log"
    echo "| build | text -O2 | text -Os | .bss | seconds to compile, -O2 |"
    echo "| --- | ---: | ---: | ---: | ---: |"
    while read -r name what; do
        awk -v name="$name" -v what="$what" \
            '$1 == name { printf "| %s | %d | %d | %d | %.1f |\n", what, $2, $5, $3, $4 }' build/test/size/table
    done << 'END'
everything everything
small `DF_SMALL`
dataflow `DF_MINIMAL` and `DF_WITH_DATAFLOW`
minimal `DF_MINIMAL`
minimal-stm `DF_MINIMAL`, and `df_stm.h`
serial-small `DF_SERIAL` and `DF_SMALL`
END
    awk '$1 == "minimal-ram" {
        print ""
        print "`DF_MINIMAL` with one worker and a deque of 64 uses " $2 \
              " bytes of static memory and `malloc` after `df_start`." }' build/test/size/table
}

# put NAME FILE: prints the file, and writes it into the pages that have a place of that name
put() {
    cat "$2"
    [ -n "${PAGES:-}" ] || return
    for page in bench/README.md docs/size.md; do
        awk -v begin="<!-- costs.sh: $1 -->" -v file="$2" '
            $0 == begin { print; print ""; while ((getline line < file) > 0) print line; print ""; inside = 1; next }
            $0 == "<!-- end -->" { inside = 0 }
            !inside' "$page" > "$out/page" && { cmp -s "$out/page" "$page" || cp "$out/page" "$page"; }
    done
}

if [ -n "${SIZE-1}" ]; then sizes > "$out/sizes" && put sizes "$out/sizes"; fi
if [ -n "${INSTRUCTIONS-1}" ]; then
    instructions "${1:-}" > "$out/instructions" && put instructions "$out/instructions"
fi
