/* df_peek without its burst. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_peek(double, x, n), df_push(double, y, n)); /* expect: df.h: parameter 2 of task scale is `df_peek(double, x, n)` */
