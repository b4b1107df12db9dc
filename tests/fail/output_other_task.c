/* An output of a node of another task. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));
DF_TASK(void, add, (int, n), df_inout(double, x, n), (double, a));

void twice(void)
{
    df_node(scale) *s = df_node_new(scale);
    df_give(df_node_output(add, s, n), 10); /* gcc: not compatible with any association */ /* clang: not compatible with any generic association */
}
