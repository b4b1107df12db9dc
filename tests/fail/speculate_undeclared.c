/* A function without DF_PREDICATE. */
/* lines: 14 */
#include "../../df.h"

static int small(const double *residual) { return *residual < 1e-6; }
DF_TASK(void, put, df_out(int, p, 1));
void run(double *residual, int *p)
{
    df_speculate_while_on(small, residual, 0) /* gcc: small_dfi_over */ /* clang: small_dfi_over */
        df_submit(put, p);
}
