/* A loop over floats called for doubles. */
/* flags: -pedantic-errors */
/* lines: 20 */
#include "../../df.h"

DF_LOOP_OVER(float, scale, (float, factor));

void twice(double *x)
{
    df_for(scale, x, x + 10, 2); /* expect: incompatible pointer type */
}
