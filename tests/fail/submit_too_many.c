/* A task submitted with an argument too many. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));

void twice(double *x)
{
    DF_PARALLEL {
        df_submit(scale, 10, x, 2.0, 1); /* expect: too many arguments */
    }
}
