/* A task submitted with options and with an argument missing. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));

void twice(double *x)
{
    DF_PARALLEL {
        df_submit_with(DF_OPTS(.priority = 1), scale, 10, x); /* expect: too few arguments */
    }
}
