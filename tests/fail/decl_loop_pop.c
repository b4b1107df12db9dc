/* A stream as the parameter of a loop. */
#include "../../df.h"

DF_LOOP3(filter, (int, n), df_pop(double, x, n)); /* expect: df.h: a loop parameter is */
