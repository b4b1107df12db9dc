/* A body that writes to a region that its declaration only reads. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_in(double, x, n));
void scale(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        x[i] *= 2; /* gcc: assignment of read-only location */ /* clang: read-only variable is not assignable */
}
