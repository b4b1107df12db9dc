/* The best of a kernel, which is not a list of variants. */
#include "../../df_gpu.h"

DF_KERNEL(k, (int, n), df_out(double, x, n), { if (n > df_global_id(0)) x[df_global_id(0)] = 1; })

void f(double *x)
{
    df_launch_best(k, df_grid(10), 10, x); /* expect: k_dfi_variants */
}
