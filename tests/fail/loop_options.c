/* An option that does not exist. */
#include "../../df.h"

DF_LOOP(scale, df_inout(double, x, 10));

void twice(double *x)
{
    df_for_with(DF_LOOP_OPTS(.chunk = 10), scale, 0, 10, x); /* gcc: has no member named */ /* clang: chunk */
}
