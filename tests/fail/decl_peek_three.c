/* df_peek without its burst. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_peek(double, x, n), df_push(double, y, n)); /* expect: df.h: a task parameter is */
