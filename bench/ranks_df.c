/* Costs of a program over the ranks of MPI (bench/ranks.sh):
 *
 *   ranks submit TILES                  the tile graph of a Cholesky factorization, whose tasks do nothing; for
 *                                       DF_MPI_FAKE, which prints what its submission costs
 *   ranks edge BYTES EDGES              with 2 ranks: us of a value that one rank makes and the other one needs, with
 *                                       MPI_Send and MPI_Recv or MPI_Isend and MPI_Irecv by hand, and with df: in a
 *                                       chain through both ranks, and EDGES of them, independent */
#define DF_IMPLEMENTATION
#include "../df_mpi.h"
#include "bench.h"
#include <stdlib.h>
#include <string.h>

enum { TILE = 96, CELLS = 64, TRIES = 5 };

DF_TASK(void, potrf, (size_t, ld), df_inout2(double, a, TILE, TILE, ld));
DF_TASK(void, trsm, (size_t, ld), df_in2(double, l, TILE, TILE, ld), df_inout2(double, a, TILE, TILE, ld));
DF_TASK(void, gemm, (size_t, ld), df_in2(double, l, TILE, TILE, ld), df_in2(double, m, TILE, TILE, ld),
        df_inout2(double, a, TILE, TILE, ld));
void potrf(size_t ld, double *a) { (void)ld, (void)a; }
void trsm(size_t ld, const double *l, double *a) { (void)ld, (void)l, (void)a; }
void gemm(size_t ld, const double *l, const double *m, double *a) { (void)ld, (void)l, (void)m, (void)a; }

static void submit(long tiles)
{
    const long n = tiles * TILE;
    for (int k = 0; k < 3; k++) { /* the last one counts */
        double *a = df_shared_alloc(double, .dim = {{ .size = n, .split = DF_CYCLIC(TILE) },
                                                    { .size = n, .split = DF_CYCLIC(TILE) }});
        if (!a) exit(1);
#define A(i, j) (a + (i) * TILE * n + (j) * TILE)
        for (long j = 0; j < tiles; j++) {
            df_submit(potrf, (size_t)n, A(j, j));
            for (long i = j + 1; i < tiles; i++) df_submit(trsm, (size_t)n, A(j, j), A(i, j));
            for (long i = j + 1; i < tiles; i++)
                for (long h = j + 1; h <= i; h++) df_submit(gemm, (size_t)n, A(i, j), A(h, j), A(i, h));
        }
        df_mpi_wait();
    }
}

DF_TASK(void, step, (size_t, n), df_in(char, a, n), df_inout(char, b, n));
void step(size_t n, const char *a, char *b) { (void)n, b[0] = (char)(a[0] + 1); }

static void by_hand(int chain, char *cell, int bytes, int edges)
{
    MPI_Request q[CELLS];
    const int me = df_rank();
    for (int i = 0; chain && i < edges; i++)
        if (i % 2 == me) MPI_Send(cell, bytes, MPI_BYTE, !me, 0, MPI_COMM_WORLD);
        else MPI_Recv(cell, bytes, MPI_BYTE, !me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; !chain && i < edges; i += CELLS) {
        for (int k = 0; k < CELLS; k++)
            if (me) MPI_Irecv(cell + (size_t)k * bytes, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &q[k]);
            else MPI_Isend(cell + (size_t)k * bytes, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &q[k]);
        MPI_Waitall(CELLS, q, MPI_STATUSES_IGNORE);
    }
}
static void by_df(int chain, char *cell, int bytes, int edges)
{
    const size_t n = (size_t)bytes;
    for (int i = 0; i < edges; i++) {
        const size_t k = (size_t)(chain ? i : 2 * i);
        char *from = cell + k % CELLS * n, *to = cell + (k + 1) % CELLS * n;
        if (!chain) df_submit(step, n, from, from); /* rank 0 makes a value for rank 1 */
        df_submit(step, n, from, to);
    }
    df_mpi_wait();
}
static void edge(int bytes, int edges)
{
    char *cell = df_shared_alloc(char, .dim = {{ .size = (long)bytes * CELLS, .split = DF_CYCLIC(bytes) }});
    double best[2][2] = { { 1e30, 1e30 }, { 1e30, 1e30 } };
    if (!cell || df_ranks() != 2) exit(1);
    edges = edges / CELLS * CELLS;
    for (int k = 0; k < 4 * TRIES; k++) {
        const int chain = k / 2 % 2, hand = k % 2;
        double t;
        MPI_Barrier(MPI_COMM_WORLD);
        t = bench_now();
        (hand ? by_hand : by_df)(chain, cell, bytes, edges);
        t = (bench_now() - t) * 1e6 / edges;
        if (t < best[chain][hand]) best[chain][hand] = t;
    }
    for (int chain = 1; chain >= 0 && !df_rank(); chain--)
        printf("%-12s %6d bytes  by hand %6.2f us  df %6.2f  ratio %.2f\n", chain ? "chain" : "independent", bytes,
               best[chain][1], best[chain][0], best[chain][0] / best[chain][1]);
}

int main(int argc, char **argv)
{
    if (argc < 3 || df_mpi_start(MPI_COMM_WORLD, NULL) != DF_OK) return 1;
    if (!strcmp(argv[1], "submit")) submit(atol(argv[2]));
    else if (argc > 3) edge(atoi(argv[2]), atoi(argv[3]));
    return df_mpi_wait() != DF_OK;
}
