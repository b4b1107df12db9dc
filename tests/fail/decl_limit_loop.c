/* A semaphore as the parameter of a loop. */
#include "../../df.h"

DF_LOOP(load, df_limit(s, 1), (int, n)); /* expect: df.h: parameter 1 of loop load is `df_limit(s, 1)` */
