#!/bin/sh
# The accuracy of the predictions of df-simulate:  bench/predict.sh [RUNS]      in the root of the repository; examples
# are built there
#
# Each example runs RUNS times (5) with 1 and with 2 workers in turn; of each kind the fastest run counts. Printed are
# its times, the speed-up, the speed-up that the fastest run with 1 worker predicted, and the difference.
set -u
cd "$(dirname "$0")/.." || exit 1
runs=${1:-5}
out=${TMPDIR:-/tmp}/df_predict_$$
trap 'rm -f "$out.json" "$out.stats.txt" "$out.txt"' EXIT
make -s build/df-simulate || exit
in_us() { awk '{ u = $2 == "s" ? 1e6 : $2 == "ms" ? 1e3 : $2 == "us" ? 1 : 1e-3; print $1 * u }'; }
printf '%-28s %12s %12s %10s %10s %8s\n' example "1 worker" "2 workers" speed-up predicted off
while read -r example arguments; do
    make -s "build/examples/$example" || continue
    one= two= predicted=
    for run in $(seq "$runs"); do
        for workers in 1 2; do
            # shellcheck disable=SC2086 # arguments are words
            DF_WORKERS=$workers DF_STATS=$out.stats.txt DF_TRACE=$out.json "build/examples/$example" $arguments \
                > /dev/null 2>&1
            build/df-simulate "$out.json" > "$out.txt"
            took=$(sed -n 's/^this run took \([0-9.]* [a-z]*\) .*/\1/p' "$out.txt" | head -n 1 | in_us)
            up=$(sed -n 's/^2 .* \([0-9.]*\)$/\1/p' "$out.txt" | head -n 1)
            [ -n "$took" ] || continue
            if [ $workers = 1 ] && { [ -z "$one" ] || awk "BEGIN { exit !($took < $one) }"; }; then
                one=$took predicted=$up
            fi
            if [ $workers = 2 ] && { [ -z "$two" ] || awk "BEGIN { exit !($took < $two) }"; }; then two=$took; fi
        done
    done
    [ -n "$one" ] && [ -n "$two" ] || continue
    awk "BEGIN { printf \"%-28s %9.1f ms %9.1f ms %10.2f %10.2f %6.0f %%\\n\", \"$example $arguments\",
                        $one / 1e3, $two / 1e3, $one / $two, $predicted, 100 * ($predicted / ($one / $two) - 1) }"
done << EXAMPLES
cholesky -n 512
sparse_lu
matmul
12_mandelbrot
fft
alignment
tsp
fir_bank
EXAMPLES
