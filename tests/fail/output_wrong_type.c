/* An output of a pair is given a number. */
#include "../../df.h"

typedef struct { double re, im; } pair;
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (pair, a));

void twice(double *x)
{
    df_node(scale) *s = df_node_new(scale);
    df_output(pair) *a = df_node_output(scale, s, a);
    df_node_set(scale, s, x, x);
    df_give(a, 2.0); /* gcc: incompatible types when assigning to type */ /* clang: from incompatible type 'double' */
}
