/* The operator is part of the text. */
#include "../../df.h"

DF_STATIC_TASK(void, add, (int, n), (float, x), df_reduce2(df_sum, double, s, n, n)); /* expect: df.h: parameter 3 of task add is `df_reduce2(df_sum, double, s, n, n)` */
