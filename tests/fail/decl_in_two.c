/* df_in without its size. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_in(double, x)); /* expect: df.h: a task parameter is */
