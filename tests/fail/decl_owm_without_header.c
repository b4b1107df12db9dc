/* A word of df_owm.h without it. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_owm_inout(double, x, n)); /* expect: df.h: parameter 2 of task scale is `df_owm_inout(double, x, n)` */
