/* A weak reader's body that takes its pointer for one to write to. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_weak_in(double, x, n));
void scale(int n, double *x) /* expect: conflicting types for */
{
    while (n-- > 0) *x++ *= 2;
}
