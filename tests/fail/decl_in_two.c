/* df_in without its size. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_in(double, x)); /* expect: df.h: parameter 2 of task scale is `df_in(double, x)` */
