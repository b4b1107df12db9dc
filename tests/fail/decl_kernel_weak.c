/* A kernel with a weak access: it has no children. */
#include "../../df_gpu.h"

DF_KERNEL(scale, df_weak_inout(double, x, n), (int, n), { if (n) return; }) /* expect: df_gpu.h: parameter 1 of kernel scale is `df_weak_inout(double, x, n)` */
