/* The body of a loop of two dimensions has the range of one. */
#include "../../df.h"

DF_LOOP2(scale, df_inout(double, x, 100));
void scale(long lo, long hi, double *x) /* expect: conflicting types for */
{
    for (; lo < hi; lo++) x[lo] *= 2;
}
