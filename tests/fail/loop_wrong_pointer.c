/* A loop over floats called with doubles. */
/* flags: -pedantic-errors */
/* lines: 20 */
#include "../../df.h"

DF_LOOP(scale, (long, n), df_inout(float, x, n));

void twice(double *x)
{
    df_for(scale, 0, 10, 10, x); /* expect: incompatible pointer type */
}
