/* df_popv without the number of streams. */
#include "../../df.h"

DF_TASK(void, scale, df_popv(double, x, 1)); /* expect: df.h: a task parameter is */
