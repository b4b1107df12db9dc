/* A node is given a parameter that its task does not have. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));

void twice(double *x)
{
    df_node(scale) *s = df_node_new(scale);
    df_node_set(scale, s, n, 10);
    df_node_set(scale, s, y, x); /* expect: scale_dfi_set_y */
}
