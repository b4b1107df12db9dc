/* A body whose parameter lacks the const of df_in. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_in(double, x, n));
void scale(int n, double *x) /* gcc: conflicting types for */ /* clang: conflicting types for 'scale' */
{
    x[0] = n;
}
