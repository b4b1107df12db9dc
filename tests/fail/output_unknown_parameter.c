/* An output of a parameter that the task does not have. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));

void twice(df_node(scale) *s)
{
    df_output(int) *m = df_node_output(scale, s, m); /* gcc: has no member named 'm' */ /* clang: no member named 'm' */
    df_give(m, 10);
}
