/* A body writes what it acquires to read. */
#include "../../df_owm.h"

DF_TASK(void, scale, (int, n), df_owm_in(double, x, n));
void scale(int n, const double *x)
{
    x[n - 1] = 2; /* gcc: read-only */ /* clang: not assignable */
}
