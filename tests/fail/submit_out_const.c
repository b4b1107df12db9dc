/* A constant array given to be written. */
/* flags: -pedantic-errors */
#include "../../df.h"

DF_TASK(void, fill, (int, n), df_out(double, x, n));

void twice(const double *x)
{
    DF_PARALLEL {
        df_submit(fill, 10, x); /* gcc: discards */ /* clang: discards qualifiers */
    }
}
