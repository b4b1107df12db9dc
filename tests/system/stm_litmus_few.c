/* stm_litmus_few.c - stm_litmus.c without memory for the table of ownership records: 64 of them guard all memory */
#define _DEFAULT_SOURCE
#include <stdlib.h>
static int refused; /* the table, and three smaller ones */
static void *test_malloc(size_t n)
{
    int k;
    for (k = 9; k <= 18; k += 3)
        if (n == (sizeof(void *) << k) + 64) return __atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED), NULL;
    return malloc(n);
}
#define DF_MALLOC(n) test_malloc(n)
#define DF_FREE(p) free(p)
#define STM_NAPS 3
#include "stm_litmus.c"

static void check_table(void) { CHECK(dfi_stm.orecs == dfi_tm_few_orecs && refused == 4); }
static __attribute__((constructor)) void check_at_end(void) { atexit(check_table); }
