/* stm_partial.c - a nested block that aborts for a lock, in a block without a log of reads: what the outer one has read
 * is not known, so that both run again */
#define DF_IMPLEMENTATION
#define DF_STM_PRIVATE 0 /* a block that commits does not wait for the one whose reads it changes */
#include "df_stm.h"
#include <pthread.h>
#include "../test.h"

enum { FAR = 64 };
static long x, y[FAR + 1]; /* x and y[FAR] have different stripes */
static int outer_runs, inner_runs;
static uintptr_t version;

static void *other(void *arg)
{
    DF_ATOMIC df_tm_write(&x, 10L);
    return arg;
}

/* The ownership record of y[FAR] is locked, as in a commit that takes long, or not any more. */
static void lock(int locked)
{
    dfi_orec *o = dfi_tm_orec(dfi_tm_self, &y[FAR]);
    if (locked) version = dfi_load_relaxed(o);
    dfi_store_release(o, locked ? DFI_TM_LOCKED | (uintptr_t)&dfi_tm_spare.tm >> 1 : version);
}

int main(void)
{
    pthread_t t;
    if (DFI_TM_VALUES) return 0; /* no records */
    DF_ATOMIC {
        long was = df_tm_read(&x);
        if (outer_runs++ == 0) {
            CHECK(pthread_create(&t, NULL, other, NULL) == 0 && pthread_join(t, NULL) == 0);
            lock(1);
        }
        DF_ATOMIC_CLOSED {
            if (inner_runs++ == 1) lock(0);
            CHECK(df_tm_read(&y[FAR]) == 0);
        }
        df_tm_write(&x, was + 1);
    }
    CHECK(x == 11 && outer_runs == 2 && inner_runs == 2);
    return 0;
}
