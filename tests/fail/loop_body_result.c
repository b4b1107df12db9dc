/* The body of a loop returns something. */
#include "../../df.h"

DF_LOOP(scale, df_inout(double, x, 100));
int scale(long lo, long hi, double *x) /* expect: conflicting types for */
{
    for (; lo < hi; lo++) x[lo] *= 2;
    return 0;
}
