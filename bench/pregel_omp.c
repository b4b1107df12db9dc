/* Shortest paths with OpenMP, level by level: a thread that finds a shorter way to a vertex stores it by compare and
 * exchange, and puts the vertex into the next level, once. One parallel region; every thread gathers vertices on its
 * own, then copies them. */
#include "pregel.h"
#include <omp.h>
#include <stdatomic.h>

static int run_start(void) { return omp_get_max_threads(); }
static void run_stop(void) {}
static int has_parts(void) { return 0; }

/* Stores d if it is the smallest distance to a vertex so far. */
static inline int shorten(_Atomic int32_t *distance, int32_t d)
{
    int32_t old = atomic_load_explicit(distance, memory_order_relaxed);
    while (d < old)
        if (atomic_compare_exchange_weak_explicit(distance, &old, d, memory_order_relaxed, memory_order_relaxed))
            return 1;
    return 0;
}

static void run_paths(const graph *g, int parts, int32_t *result)
{
    size_t n = (size_t)g->vertices;
    _Atomic int32_t *distance = (_Atomic int32_t *)malloc(n * sizeof *distance);
    /* the last one that a vertex was put into */
    _Atomic int32_t *level_of = (_Atomic int32_t *)malloc(n * sizeof *level_of);
    int32_t *level[2] = { (int32_t *)malloc(n * sizeof(int32_t)), (int32_t *)malloc(n * sizeof(int32_t)) };
    long count[2] = { 1, 0 };
    (void)parts;
    if (!distance || !level_of || !level[0] || !level[1]) exit(1);
    for (size_t v = 0; v < n; v++) {
        atomic_init(&distance[v], v ? INT32_MAX : 0);
        atomic_init(&level_of[v], 0);
    }
    level[0][0] = 0;
#pragma omp parallel
    {
        int32_t *mine = (int32_t *)malloc(n * sizeof *mine);
        if (!mine) exit(1);
        for (int32_t step = 0; count[step % 2] > 0; step++) {
            const int32_t *now = level[step % 2];
            long found = 0, end = count[step % 2], *next = &count[(step + 1) % 2], place;
#pragma omp for schedule(dynamic, 64)
            for (long i = 0; i < end; i++) {
                int32_t d = atomic_load_explicit(&distance[now[i]], memory_order_relaxed);
                for (long e = g->first[now[i]]; e < g->first[now[i] + 1]; e++) {
                    int32_t to = g->edge[e].to;
                    if (shorten(&distance[to], d + g->edge[e].weight)
                        && atomic_load_explicit(&level_of[to], memory_order_relaxed) <= step
                        && atomic_exchange_explicit(&level_of[to], step + 1, memory_order_relaxed) <= step)
                        mine[found++] = to;
                }
            }
#pragma omp atomic capture
            { place = *next; *next += found; }
            memcpy(level[(step + 1) % 2] + place, mine, (size_t)found * sizeof *mine);
#pragma omp barrier
#pragma omp single
            count[step % 2] = 0;
        }
        free(mine);
    }
    for (size_t v = 0; v < n; v++) result[v] = atomic_load_explicit(&distance[v], memory_order_relaxed);
    free((void *)distance);
    free((void *)level_of);
    free(level[0]);
    free(level[1]);
}
