/* A kernel launched without a grid. */
#include "../../df_gpu.h"

DF_KERNEL(scale, df_inout(double, x, n), (int, n), { int i = df_global_id(0); if (i < n) x[i] = 1; })

void twice(double *x)
{
    df_launch(scale, 10, x, 10); /* expect: incompatible type */
}
