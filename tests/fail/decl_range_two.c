/* A range without its end. */
#include "../../df.h"

DF_TASK(void, scale, df_in_range(double, b)); /* expect: df.h: a task parameter is */
