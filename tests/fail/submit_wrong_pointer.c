/* An array of another type. */
/* flags: -pedantic-errors */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));

void twice(float *x)
{
    DF_PARALLEL {
        df_submit(scale, 10, x, 2.0); /* expect: incompatible pointer type */
    }
}
