/* The number of elements names no parameter. */
#include "../../df.h"

DF_TASK(void, scale, df_pop(double, x, m), (int, n)); /* gcc: undeclared */ /* clang: undeclared */
