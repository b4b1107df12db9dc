/* A reduction of a loop without its operator. */
#include "../../df.h"

DF_LOOP2(sum, df_reduce(double, s, 1)); /* expect: df.h: parameter 1 of loop sum is `df_reduce(double, s, 1)` */
