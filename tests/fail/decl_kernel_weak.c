/* A kernel with a weak access: it has no children. */
#include "../../df_gpu.h"

DF_KERNEL(scale, df_weak_inout(double, x, n), (int, n), { if (n) return; }) /* expect: df_gpu.h: a parameter of kernel scale is */
