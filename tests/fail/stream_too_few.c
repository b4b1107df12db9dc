/* A stream is missing. */
#include "../../df.h"

DF_TASK(void, scale, df_pop(double, x, n), df_push(double, y, n), (int, n));
void scale(const double *x, double *y, int n) { *y = *x * n; }

void f(df_stream *x)
{
    df_submit(scale, x, x); /* gcc: too few arguments */ /* clang: too few arguments */
}
