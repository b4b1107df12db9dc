/* A parameter word that does not exist. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_read(double, x, n)); /* df.h: a task parameter is */
