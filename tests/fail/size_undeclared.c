/* A region whose size is not among the parameters. */
#include "../../df.h"

DF_TASK(void, scale, df_inout(double, x, m), (int, n)); /* gcc: 'm' undeclared */ /* clang: undeclared identifier 'm' */
