/* A function that was not declared as a task. */
/* flags: -pedantic-errors */
#include "../../df.h"

void fill(int n, double *x);

void twice(double *x)
{
    DF_PARALLEL {
        df_submit(fill, 10, x); /* gcc: implicit declaration of function */ /* clang: implicit declaration of function */
    }
}
