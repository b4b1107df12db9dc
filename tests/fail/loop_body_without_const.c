/* A body whose parameter lacks the const of df_in. */
#include "../../df.h"

DF_LOOP(sum, df_in(double, x, 10), df_reduce(df_sum, double, s, 1));
void sum(long lo, long hi, double *x, double *s) /* expect: conflicting types for */
{
    for (; lo < hi; lo++) *s += x[lo];
}
