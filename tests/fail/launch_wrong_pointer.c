/* A kernel launched with a pointer to another type. */
#include "../../df_gpu.h"

DF_KERNEL(scale, df_inout(double, x, n), (int, n), { int i = df_global_id(0); if (i < n) x[i] = 1; })

void twice(float *x)
{
    df_launch(scale, df_grid(10), x, 10); /* expect: incompatible pointer type */
}
/* flags: -Werror=incompatible-pointer-types */
/* lines: 16 */
