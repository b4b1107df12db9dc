/* df_in with an argument too many. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_in(double, x, n, n)); /* expect: df.h: parameter 2 of task scale is `df_in(double, x, n, n)` */
