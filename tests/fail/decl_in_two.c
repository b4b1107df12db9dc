/* df_in without its size. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_in(double, x)); /* df.h: a task parameter is */
