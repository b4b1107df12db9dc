/* No comma between the type of the result and the name. */
#include "../../df.h"

DF_TASK(void scale, (int, n)); /* expect: df.h: DF_TASK(void scale, ...) has no name */
