/* A reduction with an operator that its type does not have. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_reduce(df_band, double, x, n)); /* expect: invalid operands to binary */
