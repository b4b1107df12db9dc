/* df_atomically of a function with other parameters. */
/* flags: -pedantic-errors */
#include "../../df_stm.h"

static void set(int n) { (void)n; }

df_result get(void)
{
    return df_atomically(set, NULL); /* gcc: argument 1 of 'dfi_tm_atomically' from incompatible */ /* clang: incompatible function pointer */
}
