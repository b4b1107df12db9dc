/* A loop with a parameter word that does not exist. */
#include "../../df.h"

DF_LOOP(scale, (int, n), df_load(double, x, n)); /* expect: df.h: parameter 2 of loop scale is `df_load(double, x, n)` */
