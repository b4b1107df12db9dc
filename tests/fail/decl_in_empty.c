/* df_in with nothing in it. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_in()); /* expect: df.h: a task parameter is */
