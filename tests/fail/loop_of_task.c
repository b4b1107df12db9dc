/* df_for of a task. */
#include "../../df.h"

DF_TASK(void, scale, df_inout(double, x, 10));

void twice(double *x)
{
    df_for(scale, 0, 10, x); /* expect: scale_dfi_for */
}
