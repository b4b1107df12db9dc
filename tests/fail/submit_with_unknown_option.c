/* An option that does not exist. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));

void twice(double *x)
{
    DF_PARALLEL {
        df_submit_with(DF_OPTS(.prio = 1), scale, 10, x, 2.0); /* expect: prio */
    }
}
