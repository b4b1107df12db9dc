/* df_in with nothing in it. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_in()); /* expect: df.h: parameter 2 of task scale is `df_in()` */
