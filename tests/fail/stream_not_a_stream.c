/* The elements in place of the stream. */
#include "../../df.h"

DF_TASK(void, scale, df_pop(double, x, 4), df_push(double, y, 4));
void scale(const double *x, double *y) { *y = *x; }

void f(double *x, df_stream *y)
{
    df_submit(scale, x, y); /* gcc: incompatible type for argument 1 */ /* clang: incompatible type */
}
