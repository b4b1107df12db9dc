/* failing_malloc.h - memory for df that runs out: at the allocation number `left` from now, and unless `only_one` at
 * all after it. Included before df.h. */
#ifndef FAILING_MALLOC_H
#define FAILING_MALLOC_H

#include <stdlib.h>
#include "../test.h"

/* Of the allocations of a run every `step`-th fails, each in a process of its own; where these are slow there are
 * fewer. */
static inline int test_step(int step) { return TEST_SLOW ? 8 * step + 3 : step; }

enum { ENOUGH = 1 << 30 };
static int left, only_one, failed;
void *test_malloc(size_t n)
{
    int now = __atomic_fetch_sub(&left, 1, __ATOMIC_RELAXED);
    if (now == 1 || (now < 1 && !only_one)) {
        __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    return malloc(n);
}
#define DF_MALLOC(n) test_malloc(n)
#define DF_FREE(p) free(p)

#endif
