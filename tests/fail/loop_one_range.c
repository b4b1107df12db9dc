/* A loop of two dimensions with the range of one. */
/* lines: 20 */
#include "../../df.h"

DF_LOOP2(scale, df_inout(double, x, 100));

void twice(double *x)
{
    df_for2(scale, 0, 10, x); /* expect: too few arguments */
}
