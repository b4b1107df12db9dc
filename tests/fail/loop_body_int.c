/* The body of a loop counts in int. */
#include "../../df.h"

DF_LOOP(scale, df_inout(double, x, 100));
void scale(int lo, int hi, double *x) /* expect: conflicting types for */
{
    for (; lo < hi; lo++) x[lo] *= 2;
}
