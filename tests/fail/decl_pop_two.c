/* df_pop without its number of elements. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_pop(double, x)); /* expect: df.h: parameter 2 of task scale is `df_pop(double, x)` */
