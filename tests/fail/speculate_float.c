/* A condition is an integer: what is computed with rounding is compared by a task. */
#include "../../df.h"

DF_TASK(void, put, df_out(int, p, 1));
void run(double *residual, int *p)
{
    df_speculate(residual, 1) /* expect: invalid operands to binary */
        df_submit(put, p);
}
