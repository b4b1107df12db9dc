/* A stream as the parameter of a loop. */
#include "../../df.h"

DF_LOOP3(filter, (int, n), df_pop(double, x, n)); /* expect: df.h: parameter 2 of loop filter is `df_pop(double, x, n)` */
