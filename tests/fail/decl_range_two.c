/* A range without its end. */
#include "../../df.h"

DF_TASK(void, scale, df_in_range(double, b)); /* expect: df.h: parameter 1 of task scale is `df_in_range(double, b)` */
