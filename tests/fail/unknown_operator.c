/* A reduction with an operator that does not exist. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_reduce(df_plus, double, x, n)); /* expect: df_plus */
