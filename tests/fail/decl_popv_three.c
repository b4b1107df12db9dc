/* df_popv without the number of streams. */
#include "../../df.h"

DF_TASK(void, scale, df_popv(double, x, 1)); /* expect: df.h: parameter 1 of task scale is `df_popv(double, x, 1)` */
