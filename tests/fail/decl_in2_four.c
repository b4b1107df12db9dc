/* A block without its leading dimension. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_in2(double, x, n, n)); /* expect: df.h: parameter 2 of task scale is `df_in2(double, x, n, n)` */
