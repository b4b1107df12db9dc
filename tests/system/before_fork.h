/* before_fork.h - after df.h, with the implementation
 *
 * fork() while a thread allocates, or starts, leaves AddressSanitizer's allocator locked in the child (clang 14): the
 * child then waits for ever. With it there is a fork only when df's helpers sleep and its reporter is past its start. (That
 * reads under a lock that fork takes.) */
#ifndef BEFORE_FORK_H
#define BEFORE_FORK_H

#include <unistd.h>
#include "../test.h"

static inline void before_fork(void)
{
    if (!TEST_ASAN) return;
    df_wait();
    while (dfi_load_seq_cst(&dfi_pool.running) && dfi_load_seq_cst(&dfi_pool.parked_idle) < df_workers() - 1)
        usleep(100);
    if (!dfi_load_relaxed(&dfi_reporter.runs)) return;
    dfi_reporter_ask();
    while (dfi_load_acquire(&dfi_reporter.wanted)) usleep(100); /* it has seen that, so it runs */
}

#endif
