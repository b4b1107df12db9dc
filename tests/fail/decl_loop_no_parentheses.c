/* A loop with a parameter written as in C. */
#include "../../df.h"

DF_LOOP(scale, int n, df_inout(double, x, n)); /* expect: df.h: parameter 1 of loop scale is `int n` */
