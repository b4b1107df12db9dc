/* Two names for one type. */
#include "../../df.h"

DF_TASK(void, scale, (int, n, m), (double, a)); /* expect: df.h: parameter 1 of task scale is `(int, n, m)` */
