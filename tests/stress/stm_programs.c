/* stm_programs.c - the programs of bench/stm with 1, 2, 4 and 8 threads: `stm_programs SECONDS`
 *
 * They check their results, and end this program if one is wrong. The checksum has to be that of one thread. A thread
 * that yields at the end of a block lets others commit between the accesses of the block and its own commit. */
#include "bench/bench.h"
#define DF_IMPLEMENTATION
#include "df_stm.h"
#include "stress.h"

static _Thread_local uint64_t seed;
static void maybe_yield(void)
{
    if (test_below(&seed, 100) == 0) sched_yield();
}
#define BLOCK     DF_ATOMIC {
#define BLOCK_END maybe_yield(); }
#include "bench/stm/programs.h"

int main(int argc, char **argv)
{
    long n = TEST_SLOW ? 10000 : 50000, rounds = 0;
    df_stm_counters c;
    stress_begin(argc, argv);
    do {
        for (int i = 0; i < PROGRAMS; i++) {
            uint64_t sum = 0;
            for (int threads = 1; threads <= 8; threads *= 2) {
                bench_used_workers = threads;
                outcome o = programs[i].solve(n);
                if (threads == 1) sum = o.sum;
                CHECK(o.sum == sum);
            }
        }
        rounds++, n += 500; /* other problems */
    } while (stress_goes_on());
    CHECK(df_stm_stats(&c) == DF_OK);
    printf("%ld rounds: %llu blocks, %llu too new, %llu changed, %llu locked, %llu alone\n", rounds,
           (unsigned long long)c.commits, (unsigned long long)c.too_new, (unsigned long long)c.changed,
           (unsigned long long)c.locked, (unsigned long long)c.alone);
}
