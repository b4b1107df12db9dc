/* Graphs of nodes that start when they have received all their inputs. Sizes, bodies, and main().
 *
 *   node_chain   each node gets a number and gives one to the next
 *   node_grid    500 x 500, each node gets one number from the left and one from above; several rounds
 *   node_tree    a binary tree that each node opens by two more, down to the leaves, whose numbers are joined on the
 *                way back
 *
 * The time covers making the nodes, running them and the wait. With df nodes run while others are still made, and in
 * the tree nodes make nodes; graphs of other systems are built first and then run, which is timed alone as well. */
#ifndef NODES_H
#define NODES_H
#include "bench.h"

enum { SIDE = 500 };

/* Functions of a system. Each returns the seconds of running alone, 0 if running is not separate from building. */
static int run_start(void);                                         /* starts the workers; says how many */
static void run_stop(void);
static double run_chain(long n);
static double run_grid(long rounds);
static double run_tree(int levels);                                 /* 2^levels leaves */

static uint64_t result;                                             /* of the last node of the chain, the root */
static uint64_t last_row[SIDE];                                     /* of the grid */

/* The bodies. ------------------------------------------------------------------------------------------------------ */

static inline uint64_t step_body(uint64_t x) { return bench_mix(x); }
static inline uint64_t cell_body(uint64_t left, uint64_t up) { return bench_mix(left + 3 * up); }
static inline uint64_t leaf_body(uint64_t id) { return bench_mix(id); } /* the root is 1, below i are 2 i and 2 i + 1 */
static inline uint64_t join_body(uint64_t a, uint64_t b) { return bench_mix(a + 5 * b); }

/* Each workload, timed once. --------------------------------------------------------------------------------------- */

static void report(const char *workload, double start, double run, long nodes)
{
    double t = bench_now() - start;
    uint64_t check = result;
    for (int i = 0; i < SIDE; i++) check = bench_mix(check + last_row[i]);
    bench_line(workload, BENCH_SYSTEM, t, nodes, check);
    if (run > 0) bench_line(workload, BENCH_SYSTEM "-run", run, nodes, check);
    result = 0;
    memset(last_row, 0, sizeof last_row);
}

int main(int argc, char **argv)
{
    long n = bench_size(1000000, 200000, 20000), rounds = bench_size(4, 1, 1);
    int levels = (int)bench_size(18, 16, 12);
    bench_start(argc, argv, run_start());
    run_chain(n / 10);                                              /* wakes the workers */
    result = 0;
    double t = bench_now();
    if (bench_wants("node_chain")) report("node_chain", t, run_chain(n), n);
    t = bench_now();
    if (bench_wants("node_grid")) report("node_grid", t, run_grid(rounds), rounds * SIDE * SIDE);
    t = bench_now();
    if (bench_wants("node_tree")) report("node_tree", t, run_tree(levels), (3L << levels) - 2);
    run_stop();
    return 0;
}
#endif
