/* A kernel with a window of a stream. */
#include "../../df_gpu.h"

DF_KERNEL(scale, (int, n), df_pop(double, x, 4), { if (n) return; }) /* expect: df_gpu.h: parameter 2 of kernel scale is `df_pop(double, x, 4)` */
