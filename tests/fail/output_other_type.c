/* An output of int is passed to a task that gives a double. */
/* flags: -pedantic-errors */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));
DF_TASK(void, measure, (df_output(double) *, to));

void twice(void)
{
    df_node(scale) *s = df_node_new(scale);
    df_submit(measure, df_node_output(scale, s, n)); /* expect: incompatible pointer type */
}
