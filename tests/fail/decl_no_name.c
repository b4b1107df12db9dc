/* A parameter without a name. */
#include "../../df.h"

DF_TASK(void, scale, (int), (double, a)); /* expect: df.h: parameter 1 of task scale is `(int)` */
