#!/bin/sh
# Cholesky factorization from Python, by tile size: df against the C program with the same BLAS, and against
# concurrent.futures, joblib and dask (python_cholesky.py). Seconds; each is the median of ROUNDS runs, interleaved, of
# the least of five.
#
#   bench/python.sh [WORKERS] [ORDER]       2, 2048; needs OpenBLAS, NumPy, SciPy, Numba; has joblib and dask if installed
set -u
cd "$(dirname "$0")/.." || exit 1
workers=${1:-2} order=${2:-2048} rounds=${ROUNDS:-5} out=${BUILD:-build/bench}/python
mkdir -p "$out" || exit 1
python=${PYTHON:-python3}
$python -c 'import numpy, scipy, numba' 2> /dev/null || python=/usr/bin/python3
root=$PWD
out=$(cd "$out" && pwd)
(cd bindings/python && $python setup.py -q egg_info -e "$out" build --build-base "$out/temp" --build-lib "$out/lib") \
    > "$out/log" 2>&1 || { cat "$out/log"; exit 1; }
${CC:-gcc} -std=c11 -O3 -march=native -DUSE_CBLAS -o "$out/cholesky" examples/cholesky.c examples/cholesky/[a-z]*.c \
    $(tools/find-blas "${CC:-gcc}") -lm -pthread || exit 1
export PYTHONPATH="$out/lib" PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1
systems="df calls futures"
for package in joblib dask; do
    if $python -c "import $package" 2> /dev/null; then systems="$systems $package"; else echo "skipped: $package"; fi
done
: > "$out/times"
for round in $(seq "$rounds"); do
    for tile in 64 128 256 512; do
        set -- $(DF_WORKERS=$workers "$out/cholesky" -n "$order" "$tile" --runs 5 --time-only)
        echo "C $workers $order $tile $1" >> "$out/times"
        for system in serial $systems; do
            $python "$root/bench/python_cholesky.py" $system "$workers" "$order" "$tile" 5 >> "$out/times" || exit 1
        done
    done
done
sort -k1,1 -k4,4n -k5,5g "$out/times" | awk -v systems="C $systems serial" '
    { time[$1, $4, ++n[$1, $4]] = $5; tiles[$4] }
    END {
        printf "%-8s", "tile"
        count = split(systems, name, " ")
        for (s = 1; s <= count; s++) printf " %9s", name[s]
        print ""
        for (tile = 64; tile <= 512; tile *= 2) {
            printf "%-8d", tile
            for (s = 1; s <= count; s++) printf " %9.4f", time[name[s], tile, int((n[name[s], tile] + 1) / 2)]
            print ""
        }
    }'
