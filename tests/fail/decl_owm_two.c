/* The number of elements is missing. */
#include "../../df_owm.h"

DF_TASK(void, scale, (int, n), df_owm_in(double, x)); /* expect: df.h: parameter 2 of task scale is `df_owm_in(double, x)` */
