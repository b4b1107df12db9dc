/* A task submitted with an argument missing. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));

void twice(double *x)
{
    DF_PARALLEL {
        df_submit(scale, 10, x); /* expect: too few arguments */
    }
}
