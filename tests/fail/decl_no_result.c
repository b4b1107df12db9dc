/* The type of the result is missing. */
#include "../../df.h"

DF_TASK(scale, df_inout(double, x, n), (int, n)); /* expect: df.h: DF_TASK(scale, ...) has no name */
