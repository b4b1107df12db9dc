/* A comma too many. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), ); /* expect: df.h: parameter 2 of task scale is `` */
