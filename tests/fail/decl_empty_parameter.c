/* A comma too many. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), ); /* df.h: a task parameter is */
