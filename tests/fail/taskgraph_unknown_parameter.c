/* A captured task is given a parameter that it does not have. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));

void twice(df_taskgraph *g, double *x)
{
    df_taskgraph_set(g, scale, 0, n, 10);
    df_taskgraph_set(g, scale, 0, y, x); /* expect: scale_dfi_set_y */
}
