/* df_tm_write of a pointer to another type. */
/* flags: -pedantic-errors */
#include "../../df_stm.h"

void set(int **p, float *x)
{
    DF_ATOMIC {
        df_tm_write(p, x); /* gcc: incompatible pointer type 'float */ /* clang: incompatible pointer types assigning */
    }
}
