/* A parameter written as in C. */
#include "../../df.h"

DF_TASK(void, scale, int n, df_inout(double, x, n)); /* expect: df.h: parameter 1 of task scale is `int n` */
