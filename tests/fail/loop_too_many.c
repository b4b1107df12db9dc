/* A loop called with an argument too many. */
#include "../../df.h"

DF_LOOP(scale, (long, n), df_inout(double, x, n));

void twice(double *x)
{
    df_for(scale, 0, 10, 10, x, 2.0); /* expect: too many arguments */
}
