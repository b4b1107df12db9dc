/* A loop with a parameter written as in C. */
#include "../../df.h"

DF_LOOP(scale, int n, df_inout(double, x, n)); /* expect: df.h: a loop parameter is */
