/* A stream that a loop writes to. */
#include "../../df.h"

DF_LOOP(filter, df_push(double, x, 1)); /* expect: df.h: parameter 1 of loop filter is `df_push(double, x, 1)` */
