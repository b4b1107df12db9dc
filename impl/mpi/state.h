/* state.h - the knowledge of a rank: arrays, and which rank has the values of their tiles */
#ifndef DFI_MPI_STATE_H
#define DFI_MPI_STATE_H

#include "../base/compiler.h"
#include "shape.h"

#include <mpi.h>

static struct {
    /* the thread that called df_mpi_start */
    int rank, ranks;
    MPI_Comm comm;
    int tags;                      /* tags 0 .. tags - 1 are valid */
    struct dfi_shared *arrays, *hit; /* hit: the one that was found last */
    struct dfi_mpi_copy *unused;
    size_t *bytes;                 /* [ranks]: zero, but while a rank is chosen */
    unsigned *sent, *received;     /* [ranks]: messages to and from each rank, in the order of the program */
    char *room, *room_end;         /* addresses that are free in all ranks */
    struct dfi_pieces pieces;      /* of the task that is submitted */
    int fake;                      /* DF_MPI_FAKE: of that many ranks one submits, nothing runs, and nothing is sent */
    long long tasks, here;         /* fake: tasks since the last df_mpi_wait, and those of this rank */
    uint64_t began;                /* fake: ns, the first of them; 0: there is none */
} dfi_mpi = { 0, 1, MPI_COMM_NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, { NULL, 0, 0, 0, 0 },
              0, 0, 0, 0 };

#endif
