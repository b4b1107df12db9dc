/* df_atomically of a function that returns something. */
/* flags: -pedantic-errors */
#include "../../df_stm.h"

static int set(void *p) { return p != NULL; }

df_result get(void)
{
    return df_atomically(set, NULL); /* gcc: argument 1 of 'dfi_tm_atomically' from incompatible */ /* clang: incompatible function pointer */
}
