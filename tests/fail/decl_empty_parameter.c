/* A comma too many. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), ); /* expect: df.h: a task parameter is */
