/* A reduction without its operator. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_reduce(double, x, n)); /* expect: df.h: parameter 2 of task scale is `df_reduce(double, x, n)` */
