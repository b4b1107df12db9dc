/* df_submit of a loop. */
#include "../../df.h"

DF_LOOP(scale, df_inout(double, x, 10));

void twice(double *x)
{
    df_submit(scale, 0, 10, x); /* expect: scale_submit */
}
