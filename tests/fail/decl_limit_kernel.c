/* A kernel that holds units of a semaphore. */
#include "../../df_gpu.h"

DF_KERNEL(scale, (int, n), df_limit(s, 1), { if (n) return; }) /* expect: df_gpu.h: parameter 2 of kernel scale is `df_limit(s, 1)` */
