/* A word of df_owm.h without it. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_owm_inout(double, x, n)); /* expect: df.h: a task parameter is */
