/* A reduction without its operator. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_reduce(double, x, n)); /* df.h: a task parameter is */
