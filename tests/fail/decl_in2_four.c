/* A block without its leading dimension. */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_in2(double, x, n, n)); /* expect: df.h: parameter 2 of task scale is `df_in2(double, x, n, n)`: a task parameter is (type, name), df_in/df_out/df_inout/...(type, pointer, count) or df_in2/...(type, pointer, rows, columns, leading dimension) */
