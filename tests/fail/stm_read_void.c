/* df_tm_read of memory without a type. */
#include "../../df_stm.h"

int get(const void *p)
{
    int n = 0;
    DF_ATOMIC {
        n = df_tm_read(p); /* gcc: invalid use of void expression */ /* clang: of at most 8 bytes; use df_tm_read_bytes and df_tm_write_bytes */
    }
    return n;
}
