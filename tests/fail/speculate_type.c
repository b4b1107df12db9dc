/* A predicate of another type. */
/* flags: -pedantic-errors */
#include "../../df.h"

static int small(const double *residual) { return *residual < 1e-6; }
DF_PREDICATE(small, double, 1);
DF_TASK(void, put, df_out(int, p, 1));
void run(float *residual, int *p)
{
    df_speculate_on(small, residual, 1) /* gcc: passing argument 1 of */ /* clang: incompatible pointer types passing */
        df_submit(put, p);
}
