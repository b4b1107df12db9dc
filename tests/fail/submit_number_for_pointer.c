/* A number where an array is wanted. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));

void twice(double *x)
{
    DF_PARALLEL {
        df_submit(scale, 10, x[0], 2.0); /* gcc: incompatible type for argument 2 */ /* clang: incompatible type */
    }
}
