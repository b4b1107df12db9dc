/* A task whose name is misspelt in df_submit_with. */
#include "../../df.h"

DF_TASK(void, scale, df_inout(double, x, n), (int, n));

void twice(double *x, const df_opts *o)
{
    df_submit_with(o, scael, x, 10); /* expect: scael_dfi_with */
}
