/* df_limit without its number of units. */
#include "../../df.h"

DF_TASK(void, load, (int, n), df_limit(s)); /* expect: df.h: parameter 2 of task load is `df_limit(s)` */
