/* A kernel launched with an argument missing. */
#include "../../df_gpu.h"

DF_KERNEL(scale, df_inout(double, x, n), (int, n), { int i = df_global_id(0); if (i < n) x[i] = 1; })

void twice(double *x)
{
    df_launch(scale, df_grid(10), x); /* expect: too few arguments */
}
