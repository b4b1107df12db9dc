/* An output of int is given an address. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));

void twice(double *x)
{
    df_node(scale) *s = df_node_new(scale);
    df_give(df_node_output(scale, s, n), x); /* gcc: invalid conversion from */ /* clang: no matching function for call to 'dfi_give' */
}
