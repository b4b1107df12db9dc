#!/bin/sh
# A program over the ranks of MPI: what the submission of a task costs with many ranks (DF_MPI_FAKE), and what a value
# costs that another rank needs, against MPI by hand, with 2 ranks of 1 worker.
#
#   bench/ranks.sh [TILES [EDGES]]      128, 4000; for each MPI that is installed
set -u
cd "$(dirname "$0")/.." || exit 1
tiles=${1:-128} edges=${2:-4000} out=${BUILD:-build/bench}
mkdir -p "$out" || exit 1
# for root, in a container, on fewer CPUs than ranks
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none \
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none DF_WORKERS=1
${CC:-gcc} -O2 bench/state.c -o "$out/state" -pthread && "$out/state"
for mpi in .openmpi .mpich ''; do
    command -v mpicc$mpi > /dev/null 2>&1 || continue
    [ -n "$mpi" ] || [ -z "${found:-}" ] || continue
    found=1
    mpicc$mpi -std=gnu11 -O2 bench/ranks_df.c -o "$out/ranks$mpi" -pthread || exit 1
    echo "${mpi#.}"
    for bytes in 4096 65536; do mpirun$mpi -n 2 "$out/ranks$mpi" edge $bytes "$edges" || exit 1; done
    for ranks in 4 16 64 256 1024; do
        DF_MPI_FAKE=$ranks "$out/ranks$mpi" submit "$tiles" 2>&1 | tail -n 1
    done
done
