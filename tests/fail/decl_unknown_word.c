/* A parameter word that does not exist. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_load(double, x, n)); /* expect: df.h: parameter 2 of task scale is `df_load(double, x, n)` */
