/* A node of another task. */
/* flags: -pedantic-errors */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));
DF_TASK(void, add, (int, n), df_inout(double, x, n), (double, a));

void twice(void)
{
    df_node(scale) *s = df_node_new(scale);
    df_node_set(add, s, n, 10); /* expect: incompatible pointer type */
}
