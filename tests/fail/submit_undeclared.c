/* A function that was not declared as a task. */
/* flags: -Werror=implicit-function-declaration */
#include "../../df.h"

void fill(int n, double *x);

void twice(double *x)
{
    DF_PARALLEL {
        df_submit(fill, 10, x); /* expect: implicit declaration of function */
    }
}
