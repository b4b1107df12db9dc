/* A function that was not declared as a task. */
#include "../../df.h"

void fill(int n, double *x);

void twice(double *x)
{
    DF_PARALLEL {
        df_submit(fill, 10, x); /* expect: fill_submit */
    }
}
