/* A stream that a loop writes to. */
#include "../../df.h"

DF_LOOP(filter, df_push(double, x, 1)); /* expect: df.h: a loop parameter is */
