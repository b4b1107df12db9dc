/* Data shared by tasks, with OpenMP: task reductions and `mutexinoutset`. The other way is tasks without
 * declarations, and atomic updates. */
#define OTHER_WAY "-atomic"
#include "sharing.h"
#include <omp.h>

static int run_start(void) { return omp_get_max_threads(); }
static void run_stop(void) {}

static int run_reduce(long n)
{
    #pragma omp parallel
    #pragma omp single
    if (way == 0) {
        #pragma omp taskgroup task_reduction(+: total)
        for (long i = 0; i < n; i++) {
            #pragma omp task in_reduction(+: total) firstprivate(i)
            total += (uint64_t)i;
        }
    } else {
        for (long i = 0; i < n; i++) {
            #pragma omp task firstprivate(i)
            {
                #pragma omp atomic
                total += (uint64_t)i;
            }
        }
    }
    return 1;
}

static void count_atomically(const unsigned short *p)
{
    for (int i = 0; i < ITEMS; i++) {
        #pragma omp atomic
        bin[p[i]]++;
    }
}

static int run_histogram(long n)
{
    #pragma omp parallel
    #pragma omp single
    if (way == 0) {
        #pragma omp taskgroup task_reduction(+: bin)      /* bin[:BINS] crashes with clang 14 */
        for (long i = 0; i < n; i++) {
            #pragma omp task in_reduction(+: bin) firstprivate(i)
            count_body(items(i), bin);
        }
    } else {
        for (long i = 0; i < n; i++) {
            #pragma omp task firstprivate(i)
            count_atomically(items(i));
        }
    }
    return 1;
}

static int run_commute(long n)
{
    #pragma omp parallel
    #pragma omp single
    for (long i = 0; i < n; i++) {
        uint64_t *x = counter_of(i);
        if (way == 0) {
            #pragma omp task depend(mutexinoutset: x[0]) firstprivate(x, i)
            *x += (uint64_t)i;
        } else {
            #pragma omp task firstprivate(x, i)
            {
                #pragma omp atomic
                *x += (uint64_t)i;
            }
        }
    }
    return 1;
}

static int run_fan(long rounds)
{
    if (way) return 0;
    #pragma omp parallel
    #pragma omp single
    for (long k = 0; k < rounds; k++) {
        #pragma omp task depend(inout: cell)
        write_cell_body(&cell);
        for (int i = 0; i < READERS; i++) {
            #pragma omp task depend(in: cell) firstprivate(i)
            read_cell_body(&cell, &seen[i]);
        }
    }
    return 1;
}

static int run_pingpong(long rounds)
{
    if (way) return 0;
    #pragma omp parallel
    #pragma omp single
    for (long k = 0; k < rounds; k++) {
        #pragma omp task depend(out: buffer) firstprivate(k)
        write_buffer_body(buffer, k);
        for (int i = 0; i < BUFFER_READERS; i++) {
            uint64_t *s = &sum[k * BUFFER_READERS + i];
            #pragma omp task depend(in: buffer) firstprivate(s)
            read_buffer_body(buffer, s);
        }
    }
    return 1;
}
