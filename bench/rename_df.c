/* Renaming by hand: one region that tasks write and read alternately, where a writer waits for the reader before it,
 * unless it gets a version of its own.
 *
 *   DF_RENAME_BYTES=0|67108864 rename_df BYTES PASSES PAIRS     BYTES of the region; PASSES of a body over it; PAIRS of
 *                                                               tasks between waits
 *
 * prints seconds, pairs of tasks, renamings and a checksum, which does not depend on renaming. */
#include "bench.h"
#define DF_IMPLEMENTATION
#include "../df.h"

enum { WORK = 60 * 1000 * 1000 }; /* elements that all writers touch */

DF_TASK(void, fill, df_out(uint64_t, p, n), (long, n), (long, passes), (long, i));
void fill(uint64_t *p, long n, long passes, long i)
{
    for (long j = 0; j < n; j++) p[j] = (uint64_t)(i + j);
    for (long k = 1; k < passes; k++)
        for (long j = 0; j < n; j++) p[j] = 3 * p[j] + (uint64_t)(i + j);
}

DF_TASK(void, sum, df_in(uint64_t, p, n), (long, n), (long, passes), (uint64_t *, to));
void sum(const uint64_t *p, long n, long passes, uint64_t *to)
{
    uint64_t s = 0;
    for (long k = 0; k < passes; k++)
        for (long j = 0; j < n; j++) s = 3 * s + p[j];
    *to = s;
}

int main(int argc, char **argv)
{
    long n = argc > 3 ? atol(argv[1]) / 8 : 0, passes = n > 0 ? atol(argv[2]) : 0, pairs = passes > 0 ? atol(argv[3]) : 0;
    long rounds;
    uint64_t *p, *to, h = 0;
    df_counters c;
    double t;
    if (pairs < 1) {
        fprintf(stderr, "usage: %s BYTES PASSES PAIRS\n", argv[0]);
        return 2;
    }
    rounds = WORK / (n * passes) / pairs * pairs + pairs;
    p = (uint64_t *)calloc((size_t)n, sizeof *p), to = (uint64_t *)calloc((size_t)rounds, sizeof *to);
    if (!p || !to) return 1;
    df_start(&(df_config){0});
    t = bench_now();
    for (long i = 0; i < rounds; i += pairs)
        DF_PARALLEL for (long j = i; j < i + pairs; j++) {
            df_submit(fill, p, n, passes, j);
            df_submit(sum, p, n, passes, &to[j]);
        }
    t = bench_now() - t;
    for (long i = 0; i < rounds; i++) h = 31 * h + to[i];
    df_stats(&c);
    printf("%.6f %ld %llu %016llx\n", t, rounds, (unsigned long long)c.renamings, (unsigned long long)(h + p[n - 1]));
    df_stop();
    free(p), free(to);
    return 0;
}
