#!/bin/sh
# Builds the benchmarks, runs them interleaved and prints one table per group; see README.md.
#
#   bench/run.sh [group...]         groups: forkjoin dataflow metg taskgraph sharing nodes loops pipes streams cholesky
#                                   latency stm pregel owm trace (none: these)
#                                   gpu: df_gpu.h against OpenCL and CUDA by hand, where they are installed, and
#                                   gpu_cholesky: the functions of cuBLAS as tasks against one call of cuSOLVER
#
#   BENCH_QUICK=1                   one repetition of small sizes, with the larger number of workers alone
#   BENCH_REPS=5                    repetitions; the tables hold medians
#   BENCH_MAX_WORKERS=n             the larger of the two numbers of workers (default: the CPUs this process may use)
#   BENCH_ONLY="fib chain"          only these workloads of all groups but cholesky, latency and trace
#   BUILD=dir                       where programs and results go (default: build/bench)
#   CC CXX CLANG CFLAGS             gcc, g++, clang, -O2
#   CUDA_HOME=dir                   where CUDA is (default: /usr/local/cuda*)
#   PEERS_EXTRA="command"           run as `command GROUP` with BENCH_WORKERS set, once per repetition and number of
#                                   workers; prints lines like those of the programs here, which then appear in the
#                                   tables
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
BUILD=${BUILD:-$root/build/bench}
CC=${CC:-gcc}
CXX=${CXX:-g++}
CLANG=${CLANG:-clang}
CFLAGS=${CFLAGS:--O2}
quick=${BENCH_QUICK:-0}
[ "$quick" = 0 ] && reps=${BENCH_REPS:-5} || reps=1
export BENCH_QUICK="$quick"
max=${BENCH_MAX_WORKERS:-$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)}
[ "$max" -gt 1 ] && counts="1 $max" || counts=1
groups=${*:-forkjoin dataflow metg taskgraph sharing nodes loops pipes streams cholesky latency stm pregel owm trace}
case " $groups " in *" gpu "*) groups="$groups gpu_cholesky" ;; esac
only=${BENCH_ONLY:-}
extra=${PEERS_EXTRA:-}
mkdir -p "$BUILD" || exit 1
programs=$BUILD/programs results=$BUILD/results
: > "$programs"
: > "$results"
limit=$(command -v timeout >/dev/null 2>&1 && echo "timeout 120" || echo env)

say() { printf '%s\n' "$*" >&2; }

# build GROUP SYSTEM SLOW compiler arguments...: in the background, at most one for each CPU at a time
built=0
build() {
    built=$((built + 1))
    compile "$BUILD/built.$built" "$@" &
    [ $((built % $(nproc 2>/dev/null || echo 1))) != 0 ] || wait
}
compile() { # FILE as above: the line for the list goes to FILE, or one line says why the program is missing
    line=$1 group=$2 system=$3 slow=$4
    shift 4
    : > "$line"
    command -v "$1" >/dev/null 2>&1 || { say "skipped: $group $system ($1 not found)"; return; }
    if "$@" -I"$here" "-DBENCH_SYSTEM=\"$system\"" -o "$BUILD/$group-$system" 2> "$line.errors"; then
        printf '%s %s %s\n' "$group" "$system" "$slow" > "$line"
    else
        say "skipped: $group $system ($(grep -m 1 -E 'error|undefined|cannot' "$line.errors"))"
    fi
    rm -f "$line.errors"
}
collect() { # what is being built: onto the list, in its order
    wait
    for k in $(seq "$built"); do cat "$BUILD/built.$k" && rm "$BUILD/built.$k"; done >> "$programs"
    built=0
}

# The option that links a library, whether or not its package for developers is installed: library NAME options...
library() {
    name=$1
    shift
    echo 'int main(void) { return 0; }' | $CC -x c - "$@" "-l$name" -o "$BUILD/probe" 2>/dev/null && echo "-l$name" ||
        echo "-l:lib$name.so.1"
}

# Programs of a group that find no device leave the list.
drop_without_device() { # GROUP
    collect
    grep "^$1 " "$programs" | while read -r group system slow; do
        $limit "$BUILD/$group-$system" none > /dev/null 2> "$BUILD/errors" && continue
        say "skipped: $group $system ($(tail -n 1 "$BUILD/errors"))"
        grep -v "^$group $system " "$programs" > "$BUILD/turn"
        cat "$BUILD/turn" > "$programs"
    done
}

# The compiler's options for CUDA, if it is installed.
cuda_options() {
    for folder in "${CUDA_HOME:-}" /usr/local/cuda /usr/local/cuda-*; do
        [ -e "$folder/include/cuda.h" ] || continue
        printf %s "-I$folder/include"
        for lib in lib64 lib; do printf ' %s' "-L$folder/$lib" "-L$folder/$lib/stubs" "-Wl,-rpath,$folder/$lib"; done
        return
    done
}

# The numbers of workers with which a group runs.
counts_of() { case $1 in gpu*) echo "$max" ;; *) echo "$counts" ;; esac; }

# run GROUP SYSTEM SLOW WORKERS
run() {
    if [ "$2" = extra ]; then
        env BENCH_WORKERS="$4" BENCH_CHECK="${check:-0}" sh -c "$extra $1" || say "failed: $extra $1 with $4 workers"
        return
    fi
    for devices in $([ "$1" = gpu ] && echo 1 2 || echo 1); do
        env BENCH_SLOW="$3" BENCH_WORKERS="$4" DF_WORKERS="$4" OMP_NUM_THREADS="$4" BENCH_CHECK="${check:-0}" \
            BENCH_DEVICES=$devices \
            ITM_DEFAULT_METHOD="${2#itm-}" $limit "$BUILD/$1-$2" $only || say "failed: $1 $2 with $4 workers"
    done
}

# Prints seconds of CPU time: used on this machine, used by the programs of this shell (its times in $BUILD/times), the
# clock.
cpu_seconds() {
    awk -v hz="$(getconf CLK_TCK)" -v now="$(date +%s)" '
        FILENAME == "/proc/stat" && /^cpu / { all = ($2 + $3 + $4 + $7 + $8 + $9) / hz }
        FILENAME != "/proc/stat" && FNR == 2 {
            for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); own += 60 * t[1] + t[2] }
        }
        END { print all, own, now }' /proc/stat "$BUILD/times" 2>/dev/null
}

aligned=-falign-loops=64            # a loop of few instructions takes up to twice as long where it crosses a cache line

for group in $groups; do
    c11="-std=c11 -Wall -Wextra -Wpedantic $CFLAGS"
    case $group in
    forkjoin|dataflow)
        src=$here/$group
        build $group df 0 $CC $c11 "${src}_df.c" -pthread
        build $group df-clang 0 $CLANG $c11 "${src}_df.c" -pthread
        [ $group = forkjoin ] || build $group df-lambda 0 $CXX -std=c++17 $CFLAGS "${src}_lambda_df.cpp" -pthread
        [ $group = dataflow ] || build $group df-submit 0 $CC $c11 "${src}_submit_df.c" -pthread
        # Inlined into itself fib shrinks to a fraction of its calls; empty bodies vanish altogether.
        [ $group = dataflow ] || build $group serial 0 $CC $c11 -fno-inline-functions -DDF_SERIAL "${src}_df.c"
        build $group gcc-omp 1 $CC $c11 -fopenmp "${src}_omp.c"
        build $group clang-omp 1 $CLANG $c11 -fopenmp "${src}_omp.c"
        build $group tbb 1 $CXX -std=c++17 $CFLAGS "${src}_tbb.cpp" -ltbb
        ;;
    metg)
        src=$here/metg
        build metg df 0 $CC $c11 "${src}_df.c" -pthread
        build metg df-taskgraph 0 $CC $c11 -DTASKGRAPH=1 "${src}_df.c" -pthread
        build metg gcc-omp 1 $CC $c11 -fopenmp "${src}_omp.c"
        build metg clang-omp 1 $CLANG $c11 -fopenmp "${src}_omp.c"
        build metg tbb 1 $CXX -std=c++17 $CFLAGS "${src}_tbb.cpp" -ltbb
        ;;
    taskgraph)                      # one program: submitted, recorded, run as a graph
        build $group df 0 $CC $c11 "$here/taskgraph_df.c" -pthread
        ;;
    sharing)
        build $group df 0 $CC $c11 "$here/sharing_df.c" -pthread
        build $group df-clang 0 $CLANG $c11 "$here/sharing_df.c" -pthread
        build $group gcc-omp 1 $CC $c11 -fopenmp "$here/sharing_omp.c"
        build $group clang-omp 1 $CLANG $c11 -fopenmp "$here/sharing_omp.c"
        ;;
    nodes)
        build $group df 0 $CC $c11 "$here/nodes_df.c" -pthread
        build $group df-clang 0 $CLANG $c11 "$here/nodes_df.c" -pthread
        build $group tbb 1 $CXX -std=c++17 $CFLAGS "$here/nodes_tbb.cpp" -ltbb
        ;;
    loops)                          # each OpenMP program is three systems: -static, -dynamic and -guided
        c11="$c11 $aligned"
        build $group df 0 $CC $c11 "$here/loops_df.c" -pthread
        build $group df-clang 0 $CLANG $c11 "$here/loops_df.c" -pthread
        build $group serial 0 $CC $c11 -DDF_SERIAL "$here/loops_df.c"
        build $group gcc-omp 1 $CC $c11 -fopenmp "$here/loops_omp.c"
        build $group clang-omp 1 $CLANG $c11 -fopenmp "$here/loops_omp.c"
        build $group tbb 0 $CXX -std=c++17 $CFLAGS $aligned "$here/loops_tbb.cpp" -ltbb
        ;;
    pipes|streams)                  # streams-tbb is two systems: tbb, its flow graph, and tbb-pipeline
        c11="$c11 $aligned"
        build $group df 0 $CC $c11 "$here/${group}_df.c" -pthread
        build $group df-clang 0 $CLANG $c11 "$here/${group}_df.c" -pthread
        build $group tbb 0 $CXX -std=c++17 $CFLAGS $aligned "$here/${group}_tbb.cpp" -ltbb
        ;;
    cholesky)                       # the kernels are compiled once: all systems run the same instructions
        kernels=$BUILD/kernels.o
        c11="$c11 -march=native"
        $CC $c11 -c "$root/examples/cholesky/kernels.c" -o "$kernels" ||
            { say "skipped: cholesky (no kernels)"; continue; }
        build $group df 0 $CC $c11 "$here/cholesky_df.c" "$kernels" -pthread -lm
        build $group serial 0 $CC $c11 -DDF_SERIAL "$here/cholesky_df.c" "$kernels" -lm
        build $group gcc-omp 0 $CC $c11 -fopenmp "$here/cholesky_omp.c" "$kernels" -lm
        build $group clang-omp 0 $CLANG $c11 -fopenmp "$here/cholesky_omp.c" "$kernels" -lm
        ;;
    latency)
        build $group df 0 $CC $c11 "$here/latency_df.c" -pthread
        ;;
    stm)                            # gcc's transactions: one source, ITM_DEFAULT_METHOD is in the name of the system
        # without the latter gcc 12 fails in stm_itm.c
        itm="$CC $c11 -fgnu-tm -fno-isolate-erroneous-paths-dereference"
        build $group df 0 $CC $c11 "$here/stm_df.c" -pthread
        build $group df-clang 0 $CLANG $c11 "$here/stm_df.c" -pthread
        build $group df-values 0 $CC $c11 -DDF_STM_ENGINE=DF_STM_VALUES "$here/stm_df.c" -pthread
        build $group df-containers 0 $CC $c11 -DCONTAINERS "$here/stm_df.c" -pthread
        build $group df-unwaited 0 $CC $c11 -DDF_STM_PRIVATE=0 "$here/stm_df.c" -pthread
        build $group itm-ml_wt 0 $itm "$here/stm_itm.c" -pthread
        build $group itm-gl_wt 0 $itm "$here/stm_itm.c" -pthread
        build $group lock 0 $CC $c11 "$here/stm_lock.c" -pthread
        build $group serial 0 $CC $c11 "$here/stm_serial.c" -pthread
        ;;
    pregel)                         # df is two systems: df, through shared state, and df-flow; serial is the former
        graph=$root/examples/pregel/graph.c
        paths="$root/examples/pregel/shortest_paths.c $graph"
        build $group df 0 $CC $c11 "$here/pregel_df.c" $paths -pthread
        build $group df-clang 0 $CLANG $c11 "$here/pregel_df.c" $paths -pthread
        build $group serial 0 $CC $c11 -DDF_SERIAL "$here/pregel_df.c" $paths
        build $group gcc-omp 0 $CC $c11 -fopenmp "$here/pregel_omp.c" $graph
        build $group clang-omp 0 $CLANG $c11 -fopenmp "$here/pregel_omp.c" $graph
        ;;
    trace)
        build $group df 0 $CC $c11 "$here/trace_df.c" -pthread
        ;;
    owm)                            # the same program without and with checks
        build $group df 0 $CC $c11 -O3 -march=native "$here/owm_df.c" -pthread
        build $group df-check 0 $CC $c11 -O3 -march=native -DDF_CHECK=1 "$here/owm_df.c" -pthread
        ;;
    gpu)                            # each pair of systems runs on the same devices; OpenCL's are taken for slow ones
        cuda=$(cuda_options)
        build gpu df-opencl 1 $CC $c11 -DDF_USE_OPENCL "$here/gpu_df.c" -pthread -lm -ldl
        build gpu opencl 1 $CC $c11 "$here/gpu_opencl.c" $(library OpenCL)
        build gpu df-cuda 0 $CC $c11 -DDF_USE_CUDA "$here/gpu_df.c" $cuda -pthread -lm -ldl
        build gpu cuda 0 $CC $c11 "$here/gpu_cuda.c" $cuda -lnvrtc $(library cuda $cuda)
        drop_without_device gpu
        ;;
    gpu_cholesky)                   # cuBLAS and cuSOLVER are loaded when the programs run
        build $group df 0 $CC $c11 "$here/gpu_cholesky_df.c" $(cuda_options) -pthread -lm -ldl
        build $group cusolver 0 $CC $c11 "$here/gpu_cholesky_cusolver.c" $(cuda_options) -lm -ldl
        drop_without_device $group
        ;;
    *)
        say "unknown group: $group"; exit 1 ;;
    esac
    collect
    [ -z "$extra" ] || [ $group = latency ] || [ $group = trace ] || [ "${group#gpu}" != "$group" ] ||
        echo "$group extra 0" >> "$programs"
done

# First the results: small sizes, with bodies that show a lost order; all systems of a group must
# agree.
wrong() {
    awk '$3 ~ /-body$/ { next } # metg: plain calls of the bodies
         { key = $1 " " $2 " " $6 }
         !(key in first) { first[key] = $7 }
         $7 != first[key] {
             print "WRONG: " $1 " " $2 " " $3 " with " $4 " workers: checksum " $7 ", not " first[key]
         }' "$1"
}
while read -r group system slow; do
    case $group in latency | trace) continue ;; esac
    for w in $(counts_of $group); do
        check=1 BENCH_QUICK=1 run $group $system $slow $w < /dev/null | sed "s/^/$group /"
    done
done < "$programs" > "$BUILD/checks"
wrong "$BUILD/checks" > "$BUILD/wrong"

$CC -std=c11 $CFLAGS -I"$here" "$here/state.c" -o "$BUILD/state" -pthread || exit 1
times > "$BUILD/times"
before=$(cpu_seconds)
rep=0
while [ $rep -lt "$reps" ]; do
    rep=$((rep + 1))
    for group in $groups; do
        case $group in latency | trace) continue ;; esac
        say "repetition $rep of $reps: $group"
        echo "$group state $("$BUILD/state")" >> "$results"
        [ "$quick" = 0 ] && with=$(counts_of $group) || with=$max    # the results have been compared with each number
        for w in $with; do
            awk -v g="$group" -v k=$rep '
                $1 == g { line[n++] = $0 }
                END { for (i = 0; i < n; i++) print line[(i + k - 1) % n] }' \
                "$programs" > "$BUILD/turn"                 # another system begins in each repetition
            while read -r g system slow; do
                [ "$system" = serial ] && [ "$w" != 1 ] && continue
                run $g $system $slow $w < /dev/null
            done < "$BUILD/turn"
        done | sed "s/^/$group /" >> "$results"
    done
done
times > "$BUILD/times"
after=$(cpu_seconds)
wrong "$results" >> "$BUILD/wrong"

median=$(cat "$here/median.awk")

# One table: group, unit (ns: per task; s: seconds).
table() {
    awk -v group="$1" -v unit="$2" "$median"'
    function show(x) {
        return x == "" ? "-" : sprintf(unit == "s" ? "%.3f" : x < 10 ? "%.2f" : "%.0f", x)
    }
    $1 == group && NF == 7 && $6 > 0 {
        if (!($3 in sys)) { sys[$3] = 1; systems[++ns] = $3 }
        if (!($2 in work)) { work[$2] = 1; works[++nw] = $2 }
        if (!($4 in cnt)) { cnt[$4] = 1; counts[++nc] = $4 }
        key = $2 " " $4 " " $3
        all[key] = all[key] " " (unit == "s" ? $5 : $5 / $6 * 1e9)
    }
    END {
        if (!nw) exit
        printf "\n### %s: %s\n\n| workload | workers |", group, unit == "s" ? "seconds" : "ns per task"
        for (s = 1; s <= ns; s++) printf " %s |", systems[s]
        print " df / best peer | best peer | df speed-up |"
        printf "| --- | --- |"
        for (s = 1; s <= ns + 3; s++) printf " --- |"
        print ""
        for (w = 1; w <= nw; w++)
            for (c = 1; c <= nc; c++) {
                best = ""; at = works[w] " " counts[c] " "
                printf "| %s | %s |", works[w], counts[c]
                for (s = 1; s <= ns; s++) {
                    m = at systems[s] in all ? median(all[at systems[s]]) : ""
                    printf " %s |", show(m)
                    if (systems[s] == "df") mine = m
                    else if (m != "" && systems[s] !~ /^df|^serial|^lock$|-run$/ && (best == "" || m < best)) {
                        best = m; who = systems[s]
                    }
                }
                one = works[w] " " counts[1] " df"
                printf " %s |", mine != "" && best != "" ? sprintf("%.2f", mine / best) : "-"
                printf " %s |", best != "" ? who : "-"
                print " " (c > 1 && mine > 0 && one in all ? sprintf("%.2f", median(all[one]) / mine) : "-") " |"
            }
    }' "$results"
}

# The state of the machine in each repetition of a group: medians of repetitions in several states say little.
state_of() {
    awk -v group="$1" '
    $1 == group && $2 == "state" { lines = lines " " $3; clocks = clocks " " $4 }
    END {
        if (!lines) exit
        print "\nBefore each repetition a cache line crossed in" lines " ns; 1000 steps of a loop took" clocks " ns."
    }' "$results"
}

# The tables of the group metg. Workload: PATTERN_WIDTH_BODY; system NAME-body: the same bodies in plain calls.
metg_tables() {
    awk "$median"'
    $1 == "metg" && NF == 7 && $6 > 0 {
        split($2, part, "_")
        pattern = part[1] "_" part[2]
        if (!(pattern in known)) { known[pattern] = 1; patterns[++np] = pattern }
        if (!(part[3] in body)) { body[part[3]] = 1; bodies[++nb] = part[3] }
        if (!($4 in cnt)) { cnt[$4] = 1; counts[++nc] = $4 }
        system_ = $3
        if (!sub(/-body$/, "", system_) && !(system_ in sys)) { sys[system_] = 1; systems[++ns] = system_ }
        key = pattern " " part[3] " " $4 " " $3
        all[key] = all[key] " " $5 / $6 * 1e9
    }
    function efficiency(pattern, b, w, s,   key) {
        key = pattern " " bodies[b] " " w " "
        if (!((key s) in all) || !((key s "-body") in all)) return -1
        work = median(all[key s "-body"])
        return work / (w * median(all[key s]))
    }
    function metg(pattern, w, s,   b, e, longer, e_longer) {
        longer = 0
        for (b = nb; b > 0; b--) {
            e = efficiency(pattern, b, w, s)
            if (e < 0) return -1
            if (e < 0.5) return longer ? work + (longer - work) * (0.5 - e) / (e_longer - e) : 1e9
            longer = work; e_longer = e
        }
        return 0
    }
    function show(m) { return m < 0 ? "-" : m == 0 ? "0" : m == 1e9 ? "> " bodies[nb] : sprintf("%.0f", m) }
    END {
        if (!np) exit
        printf "\n### metg: ns of a body at which half of the time is work\n\n| pattern, width | workers |"
        for (s = 1; s <= ns; s++) printf " %s |", systems[s]
        print " df / best peer | best peer |"
        printf "| --- | --- |"
        for (s = 1; s <= ns + 2; s++) printf " --- |"
        print ""
        for (p = 1; p <= np; p++)
            for (c = 1; c <= nc; c++) {
                best = -1
                name = patterns[p]; sub("_", ", ", name)
                printf "| %s | %s |", name, counts[c]
                for (s = 1; s <= ns; s++) {
                    m = metg(patterns[p], counts[c], systems[s])
                    printf " %s |", show(m)
                    if (systems[s] == "df") mine = m
                    else if (m >= 0 && systems[s] !~ /^df|-run$/ && (best < 0 || m < best)) {
                        best = m; who = systems[s]
                    }
                }
                ratio = best > 0 && mine >= 0 ? sprintf("%.2f", mine / best) : "-"
                printf " %s | %s |\n", ratio, (best < 0 ? "-" : who)
            }
        printf "\n### metg: ns a task of df, by the nominal ns of a body, with %s workers\n\n| pattern, width |",
            counts[1] (nc > 1 ? " / " counts[2] : "")
        for (b = 1; b <= nb; b++) printf " %s |", bodies[b]
        printf "\n| --- |"
        for (b = 1; b <= nb; b++) printf " --- |"
        print ""
        for (p = 1; p <= np; p++) {
            name = patterns[p]; sub("_", ", ", name)
            printf "| %s |", name
            for (b = 1; b <= nb; b++) {
                text = ""
                for (c = 1; c <= nc; c++) {
                    key = patterns[p] " " bodies[b] " " counts[c] " df"
                    text = text (c > 1 ? " / " : "") sprintf("%.0f", median(all[key]))
                }
                printf " %s |", text
            }
            print ""
        }
    }' "$results"
}

# The table of the group gpu. For outofcore there is another row: the larger of the times of its transfers and of its
# kernels, by hand.
gpu_table() {
    awk "$median"'
    function show(work, s, n) {
        if (work ~ /^launch/) return sprintf("%.2f us", s / n * 1e6)
        return sprintf("%.3g %s", n / s / 1e9 * (work ~ /^axpy/ ? 12 : work ~ /^(matmul|outofcore)/ ? 2 : 1),
                       work ~ /^jacobi/ ? "G cells/s" : work ~ /^(matmul|outofcore)/ ? "GFLOP/s" : "GB/s")
    }
    function most(work) {
        return work ~ /^launch/ ? "1.20" : work ~ /_(device|host)$/ ? "1.05" : work == "outofcore" ? "-" : "1.03"
    }
    function spread(mine, theirs,   a, b, n, i, r, low, high) {
        n = split(mine, a, " ")
        if (split(theirs, b, " ") != n) return "-"
        for (i = 1; i <= n; i++) { r = a[i] / b[i]; if (i == 1 || r < low) low = r; if (i == 1 || r > high) high = r }
        return sprintf("%.2f to %.2f", low, high)
    }
    function row(what, mine, theirs, text, limit) {
        printf "| %s | %s | %s | %s | %s | %.2f | %s | %s |\n", api, what, count[w], show(work[w], mine, tasks[key]),
               show(work[w], theirs, tasks[key]), mine / theirs, text, limit
    }
    $1 == "gpu" && NF == 7 && $6 > 0 && $5 > 0 {
        if (!($2 in known)) { known[$2] = 1; work[++n] = $2; count[n] = $4 }
        key = $3 " " $2
        all[key] = all[key] " " $5
        tasks[key] = $6
    }
    END {
        printf "\n### gpu\n\n"
        printf "| interface | workload | devices | df | by hand | df / by hand, time | of the repetitions | at most |\n"
        print "| --- | --- | --- | --- | --- | --- | --- | --- |"
        for (k = 1; k <= split("opencl cuda", apis, " "); k++)
            for (w = 1; w <= n; w++) {
                api = apis[k]
                key = "df-" api " " work[w]; hand = api " " work[w]
                if (!(key in all) || !(hand in all)) continue
                row(work[w], median(all[key]), median(all[hand]), spread(all[key], all[hand]), most(work[w]))
                if (work[w] != "outofcore" || !((hand "_transfers") in all)) continue
                longer = median(all[hand "_transfers"]) > median(all[hand "_kernels"]) ? "_transfers" : "_kernels"
                row(work[w] ", its " substr(longer, 2) " alone", median(all[key]), median(all[hand longer]),
                    spread(all[key], all[hand longer]), "1.11")
            }
    }' "$results"
}

cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1)
echo "$cpu, $max CPUs, $(uname -sm), $($CC --version | head -n 1)"
echo "medians of $reps repetitions$([ "$quick" = 0 ] || echo ', quick sizes')"
echo "$before $after" | awk 'NF == 6 && $6 > $3 { used = ($4 - $1 - $5 + $2) / ($6 - $3) * 100
    printf "other programs used %.0f %% of a CPU meanwhile%s\n", used, (used > 10 ? ": measure again" : "") }'
for group in $groups; do
    case $group in
    cholesky | gpu_cholesky) table $group s ;;
    gpu) gpu_table ;;
    metg) metg_tables ;;
    latency | trace)
        printf "\n### $group\n\n"
        printf '| measurement | workers | value | unit | target |\n| --- | --- | --- | --- | --- |\n'
        [ $group = latency ] && some=$max || some=$counts
        for w in $some; do [ ! -x "$BUILD/$group-df" ] || env DF_WORKERS="$w" $limit "$BUILD/$group-df"; done |
            awk '{ print "| " $1 " | " $3 " | " $4 " | " $5 " | " $6 " |" }' ;;
    *) table $group ns ;;
    esac
    state_of $group
done
[ ! -s "$BUILD/wrong" ] || { echo; sort -u "$BUILD/wrong"; exit 1; }
