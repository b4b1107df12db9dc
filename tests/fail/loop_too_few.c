/* A loop called with an argument missing. */
#include "../../df.h"

DF_LOOP(scale, (long, n), df_inout(double, x, n), (double, a));

void twice(double *x)
{
    df_for(scale, 0, 10, 10, x); /* expect: too few arguments */
}
