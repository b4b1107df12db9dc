/* A kernel with a region given as two pointers. */
#include "../../df_gpu.h"

DF_KERNEL(scale, df_in_range(double, b, e), { }) /* expect: df_gpu.h: parameter 1 of kernel scale is `df_in_range(double, b, e)` */
