/* deep_recursion.c - a chain of 100,000 spawns, each inside the one before
 *
 * Serial elision needs 100,000 frames as well: the test runs in a thread with a large C stack,
 * and asks for as much for the helper threads, which may steal any piece of the chain. */
#include <pthread.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

/* ThreadSanitizer ends at 65,536 frames, and a stolen level is up to ten of them */
enum { DEPTH = TEST_TSAN ? 5000 : 100000 };
static const size_t stack_bytes = (size_t)160 << 20; /* 800 bytes a level were seen with sanitizers */

DF_TASK(uint64_t, chain, (int, depth));
uint64_t chain(int depth)
{
    df_future(chain) f;
    if (depth == 0) return 1;
    df_spawn(chain, &f, depth - 1);
    return test_mix(df_sync(chain, &f), (uint64_t)depth);
}

/* 100,000 futures of 100,000 different frames wait for their sync at the same time */
DF_TASK(uint64_t, leaf, (int, x));
uint64_t leaf(int x) { return test_mix((uint64_t)x, 3); }

static uint64_t pending(int depth)
{
    df_future(leaf) f;
    if (depth == 0) return 1;
    df_spawn(leaf, &f, depth);
    uint64_t below = pending(depth - 1);
    return test_mix(below, df_sync(leaf, &f));
}

static void *run(void *unused)
{
    df_config c = { .stack_bytes = stack_bytes };
    uint64_t chained = 1, waited = 1;
    CHECK(df_start(&c) == DF_OK);
    for (int d = 1; d <= DEPTH; d++) {
        chained = test_mix(chained, (uint64_t)d);
        waited = test_mix(waited, test_mix((uint64_t)d, 3));
    }
    CHECK(chain(DEPTH) == chained);
    CHECK(pending(DEPTH) == waited);
    printf("%016llx %016llx\n", (unsigned long long)chain(1000), (unsigned long long)pending(1000));
    df_stop();
    return unused;
}

int main(void)
{
    pthread_attr_t attr;
    pthread_t t;
    CHECK(!pthread_attr_init(&attr));
    CHECK(!pthread_attr_setstacksize(&attr, stack_bytes));
    CHECK(!pthread_create(&t, &attr, run, NULL));
    CHECK(!pthread_join(t, NULL));
    pthread_attr_destroy(&attr);
}
