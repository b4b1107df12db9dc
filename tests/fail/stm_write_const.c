/* df_tm_write to constant memory. */
#include "../../df_stm.h"

void set(const int *p)
{
    DF_ATOMIC {
        df_tm_write(p, 1); /* gcc: assignment of read-only location */ /* clang: read-only variable is not assignable */
    }
}
