/* The options of df_submit_with for a loop. */
/* flags: -pedantic-errors */
/* lines: 20 */
#include "../../df.h"

DF_LOOP(scale, df_inout(double, x, 10));

void twice(double *x)
{
    df_for_with(DF_OPTS(.priority = 1), scale, 0, 10, x); /* expect: incompatible pointer type */
}
